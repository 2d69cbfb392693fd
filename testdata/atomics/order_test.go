// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package atomics

import (
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
)

// What orders atomic calls, and what they order.

func TestNoRaceMutex(t *testing.T) {
	var n atomic.Int64
	var mu sync.Mutex
	unordered(func() {
		mu.Lock()
		n.Store(1)
		mu.Unlock()
	}, func() {
		mu.Lock()
		use(n.Load())
		mu.Unlock()
	})
}

func TestNoRaceChannel(t *testing.T) {
	var n atomic.Int64
	done := make(chan bool)
	go func() {
		n.Store(1)
		close(done)
	}()
	<-done
	n.Store(2)
}

func TestRaceBeforeChannel(t *testing.T) {
	var n atomic.Int64
	done := make(chan bool)
	go func() {
		n.Store(1)
		close(done)
	}()
	n.Store(2)
	<-done
}

// The second Add comes after the first, and so does what follows it.
func TestNoRaceAfterOwnAdd(t *testing.T) {
	var n atomic.Int64
	unordered(func() { n.Add(1) }, func() {
		n.Add(1)
		use(n.Load())
		n.Store(0)
	})
}

// Sums that commute order other objects.
func TestNoRaceMapOrderedByAdd(t *testing.T) {
	var m sync.Map
	var n atomic.Int64
	unordered(func() {
		m.Store("k", 1)
		n.Add(1)
	}, func() {
		n.Add(1)
		m.Store("k", 2)
	})
}

func TestRaceMapNotOrdered(t *testing.T) {
	var m sync.Map
	var n atomic.Int64
	unordered(func() {
		n.Add(1)
		m.Store("k", 1)
	}, func() {
		n.Add(1)
		m.Store("k", 2)
	})
}

// A flag that is meant to be raced on orders what is done before it is set and after it is seen.
func TestNoRaceMapOrderedByFlag(t *testing.T) {
	var m sync.Map
	//commute:concurrent it says that m is filled
	var ready atomic.Bool
	var both sync.WaitGroup
	both.Go(func() {
		m.Store("k", 1)
		ready.Store(true)
	})
	both.Go(func() {
		for !ready.Load() {
			runtime.Gosched()
		}
		m.Store("k", 2)
	})
	both.Wait()
}

func TestNoRaceMapOrderedByPointer(t *testing.T) {
	//commute:concurrent who sees it may use it
	var published atomic.Pointer[sync.Map]
	var both sync.WaitGroup
	both.Go(func() {
		m := new(sync.Map)
		m.Store("k", 1)
		published.Store(m)
	})
	both.Go(func() {
		for {
			if m := published.Load(); m != nil {
				m.Store("k", 2)
				return
			}
			runtime.Gosched()
		}
	})
	both.Wait()
}

// The flag itself is raced on: nothing but its own value orders the two calls.
func TestRaceFlag(t *testing.T) {
	var ready atomic.Bool
	var both sync.WaitGroup
	both.Go(func() { ready.Store(true) })
	both.Go(func() {
		for !ready.Load() {
			runtime.Gosched()
		}
	})
	both.Wait()
}

func TestNoRaceIgnored(t *testing.T) {
	var n atomic.Int64
	unordered(func() { n.Store(1) }, func() {
		//commute:ignore the value may be an old one
		use(n.Load())
	})
}

// What a specified method does inside is its own.
func TestNoRaceInside(t *testing.T) {
	var c counter
	unordered(func() { c.Inc() }, func() { c.Inc() })
}

// A counter has a specification.
//
//ecl:commute Inc(), Inc(): true
type counter struct{ n atomic.Int64 }

func (c *counter) Inc() { c.n.Store(c.n.Load() + 1) }

// A gate is synchronization of the user's own.
//
//ecl:open
//ecl:observer Wait
//ecl:commute Open(), Open(): true
//ecl:commute Open(), Wait(): true
//ecl:commute Set(v1), Set(v2): false
//ecl:commute Set(v1), {Open, Wait}: true
type gate struct {
	once sync.Once
	done chan bool
	v    int
}

func newGate() *gate { return &gate{done: make(chan bool)} }

func (g *gate) Open() { g.once.Do(func() { close(g.done) }) }
func (g *gate) Wait() { <-g.done }

func (g *gate) Set(v int) { g.v = v }

func TestNoRaceOpenType(t *testing.T) {
	var m sync.Map
	g := newGate()
	unordered(func() {
		m.Store("k", 1)
		g.Set(1)
		g.Open()
	}, func() {
		g.Wait()
		g.Set(2)
		m.Store("k", 2)
	})
}

func TestRaceOpenType(t *testing.T) {
	g := newGate()
	unordered(func() { g.Set(1) }, func() { g.Set(2) })
}
