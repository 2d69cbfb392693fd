// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package annotations

import (
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// A vault has a lock of its own, which orders nothing for the program, and a function of the program's,
// which no directive names: what that does is synchronization like any other.
//
//ecl:commute Add(k1), Add(k2): k1 != k2
//ecl:commute Add(k1), Len()/n2: false
//ecl:commute Do(k1, f1), {Add, Len}: true
//ecl:commute Spread(k1), _: true
//ecl:commute Do(k1, f1), Do(k2, f2): k1 != k2
//ecl:callback Do(_, f)
//ecl:observer Len()/n
type vault struct {
	mu    sync.Mutex
	cond  *sync.Cond
	keys  map[int]bool
	onAdd func(k int)
}

func newVault(onAdd func(k int)) *vault {
	v := &vault{keys: make(map[int]bool), onAdd: onAdd}
	v.cond = sync.NewCond(&v.mu)
	return v
}

func (v *vault) Add(k int) {
	v.mu.Lock()
	v.keys[k] = true
	v.cond.Broadcast()
	v.mu.Unlock()
	if v.onAdd != nil {
		v.onAdd(k)
	}
}

func (v *vault) Len() int {
	v.mu.Lock()
	defer v.mu.Unlock()
	return len(v.keys)
}

func (v *vault) Do(_ int, f func()) { f() }

// Spread calls the function on a goroutine of its own.
func (v *vault) Spread(k int) {
	var wg sync.WaitGroup
	wg.Go(func() {
		v.mu.Lock()
		v.keys[k] = true
		v.mu.Unlock()
		v.onAdd(k)
	})
	wg.Wait()
}

// Wait is not specified.
func (v *vault) Wait(k int) {
	v.mu.Lock()
	defer v.mu.Unlock()
	for !v.keys[k] {
		v.cond.Wait()
	}
}

func TestRaceInternalLock(t *testing.T) {
	v := newVault(nil)
	var m sync.Map
	either(func() { m.Store("k", 1); v.Add(1) }, func() { v.Add(2); m.Load("k") })
}

func TestRaceInternalLockEitherWay(t *testing.T) {
	v := newVault(nil)
	var m sync.Map
	for range 10 {
		either(func() { v.Add(1); m.Store("k", 1); v.Add(1) }, func() { v.Add(2); m.Store("k", 2); v.Add(2) })
	}
}

// TestNoRaceSendInside has each way to synchronize in a function that a call calls: what comes before it
// comes before what waits for it, the call itself included.
func TestNoRaceSendInside(t *testing.T) {
	for name, w := range ways() {
		t.Run(name, func(t *testing.T) {
			var m sync.Map
			v := newVault(nil)
			v.onAdd = func(int) { w.signal() }
			either(func() { m.Store("k", 1); v.Add(1) }, func() {
				w.wait()
				m.Delete("k")
				v.Len()
			})
		})
	}
}

// TestNoRaceReceiveInside is the other way round.
func TestNoRaceReceiveInside(t *testing.T) {
	for name, w := range ways() {
		t.Run(name, func(t *testing.T) {
			var m sync.Map
			v, u := newVault(nil), newVault(nil)
			v.onAdd = func(int) { w.wait() }
			either(func() { m.Store("k", 1); u.Add(1); w.signal() }, func() {
				v.Add(1)
				m.Delete("k")
				u.Len()
			})
		})
	}
}

// TestNoRaceSendInGoroutine and the next do the same on a goroutine that the call starts.
func TestNoRaceSendInGoroutine(t *testing.T) {
	for name, w := range ways() {
		t.Run(name, func(t *testing.T) {
			var m sync.Map
			v := newVault(func(int) { w.signal() })
			either(func() { m.Store("k", 1); v.Spread(1) }, func() { w.wait(); m.Delete("k") })
		})
	}
}

func TestNoRaceReceiveInGoroutine(t *testing.T) {
	for name, w := range ways() {
		t.Run(name, func(t *testing.T) {
			var m sync.Map
			v := newVault(func(int) { w.wait() })
			either(func() { m.Store("k", 1); w.signal() }, func() { v.Spread(1); m.Delete("k") })
		})
	}
}

// TestRaceGoroutinesLock has only the lock inside to order the two.
func TestRaceGoroutinesLock(t *testing.T) {
	v := newVault(func(int) {})
	var m sync.Map
	either(func() { m.Store("k", 1); v.Spread(1) }, func() { v.Spread(2); m.Store("k", 2) })
}

// TestNoRaceCallbackThenLen waits for a call's callback.
func TestNoRaceCallbackThenLen(t *testing.T) {
	for name, w := range ways() {
		t.Run(name, func(t *testing.T) {
			v := newVault(nil)
			either(func() { v.Do(1, w.signal) }, func() { w.wait(); v.Do(1, func() {}) })
		})
	}
}

// TestNoRaceUnspecified waits in a method that has no specification.
func TestNoRaceUnspecified(t *testing.T) {
	v := newVault(nil)
	var m sync.Map
	either(func() { m.Store("k", 1); v.Add(7) }, func() { v.Wait(7); m.Load("k"); v.Len() })
}

// A pool keeps the functions that it is given, for goroutines of its own.
//
//ecl:callback Submit(f)
//ecl:commute Submit(_), Submit(_): true
type pool struct {
	jobs chan func()
	done chan bool
	then func()
}

func newPool(then func()) *pool {
	p := &pool{make(chan func(), 9), make(chan bool, 9), then}
	for range 2 {
		go func() {
			for f := range p.jobs {
				f()
				p.then()
				p.done <- true
			}
		}()
	}
	return p
}

func (p *pool) Submit(f func()) { p.jobs <- f }

func TestNoRaceKeptFunction(t *testing.T) {
	p := newPool(func() {})
	var m sync.Map
	for i := range 5 {
		p.Submit(func() { m.Store(i, i) })
	}
	for range 5 {
		<-p.done
	}
	m.Store(0, -1)
	close(p.jobs)
}

func TestRaceKeptFunction(t *testing.T) {
	p := newPool(func() {})
	var m sync.Map
	var both sync.WaitGroup // so that both of the pool's goroutines have one
	both.Add(2)
	for i := range 2 {
		p.Submit(func() { both.Done(); both.Wait(); m.Store(0, i) })
	}
	<-p.done
	<-p.done
	close(p.jobs)
}

// TestRaceAfterKeptFunction has what a goroutine does when such a function is over.
func TestRaceAfterKeptFunction(t *testing.T) {
	var m sync.Map
	var n atomic.Int32
	p := newPool(func() { m.Store(0, n.Add(1)) })
	var both sync.WaitGroup
	both.Add(2)
	for range 2 {
		p.Submit(func() { both.Done(); both.Wait() })
	}
	<-p.done
	<-p.done
	close(p.jobs)
}

// Par calls a function on two goroutines, and waits for them.
//
//ecl:callback Do(f)
//ecl:commute Do(_), Do(_): true
type par struct{}

func (*par) Do(f func(int)) {
	var wg sync.WaitGroup
	for i := range 2 {
		wg.Go(func() { f(i) })
	}
	wg.Wait()
}

func TestRaceParallelCallbacks(t *testing.T) {
	var m sync.Map
	new(par).Do(func(i int) { m.Store("k", i) })
}

func TestNoRaceParallelCallbacks(t *testing.T) {
	var m sync.Map
	new(par).Do(func(i int) { m.Store(i, i) })
	m.Store(0, 1)
	m.Store(1, 2)
}

// A way is a means to wait for something.
type way struct{ signal, wait func() }

func ways() map[string]way {
	unbuffered, buffered, bytes, closed := make(chan int), make(chan int, 1), make(chan byte, 3), make(chan bool)
	one, other := make(chan int), make(chan bool)
	var wg sync.WaitGroup
	wg.Add(1)
	var flag atomic.Bool
	var mu, locked sync.Mutex
	ready := false
	cond := sync.NewCond(&mu)
	locked.Lock()
	timer := make(chan bool)
	return map[string]way{
		"unbuffered": {func() { unbuffered <- 1 }, func() { <-unbuffered }},
		"buffered":   {func() { buffered <- 1 }, func() { <-buffered }},
		"bytes":      {func() { bytes <- 1; bytes <- 2 }, func() { <-bytes; <-bytes }},
		"select": {func() {
			select {
			case one <- 1:
			case other <- true:
			}
		}, func() {
			select {
			case <-one:
			case <-other:
			}
		}},
		"close":     {func() { close(closed) }, func() { <-closed }},
		"waitgroup": {wg.Done, wg.Wait},
		"atomic": {func() { flag.Store(true) }, func() {
			for !flag.Load() {
				time.Sleep(time.Microsecond)
			}
		}},
		"mutex": {locked.Unlock, locked.Lock},
		"cond": {func() { mu.Lock(); ready = true; mu.Unlock(); cond.Signal() }, func() {
			mu.Lock()
			for !ready {
				cond.Wait()
			}
			mu.Unlock()
		}},
		"goroutine": {func() { go func() { timer <- true }() }, func() { <-timer }},
		"timer":     {func() { time.AfterFunc(1, func() { timer <- true }) }, func() { <-timer }},
	}
}
