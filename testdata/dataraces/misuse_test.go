// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package dataraces

import (
	"sync"
	"sync/atomic"
	"testing"
	"time"
	"unsafe"
)

// overwritten are uses of a synchronization variable while another is put in its place.
var overwritten = pairs{
	"Mutex": func() (a, b func()) {
		l := new(sync.Mutex)
		return func() { l.Lock(); keep(l); l.Unlock() }, func() { *l = sync.Mutex{} }
	},
	"RWMutex": func() (a, b func()) {
		l := new(sync.RWMutex)
		return func() { l.RLock(); keep(l); l.RUnlock() }, func() { *l = sync.RWMutex{} }
	},
	"Once": func() (a, b func()) {
		o := new(sync.Once)
		return func() { o.Do(func() {}) }, func() { *o = sync.Once{} }
	},
	"Atomic": func() (a, b func()) {
		x := new(struct{ a, b atomic.Int32 })
		return func() { x.b.Add(1) }, func() { *x = struct{ a, b atomic.Int32 }{} }
	},
	"Pool": func() (a, b func()) {
		p := new(sync.Pool)
		return func() { p.New = func() any { return 1 } }, func() { keep(p.New) }
	},
	"Field": func() (a, b func()) {
		x := new(struct {
			sync.Mutex
			n int
		})
		return func() { x.Lock(); x.n++; x.Unlock() }, func() {
			*x = *new(struct {
				sync.Mutex
				n int
			})
		}
	},
}

func TestRaceOverwritten(t *testing.T)   { overwritten.races(t) }
func TestNoRaceOverwritten(t *testing.T) { overwritten.ordered(t) }

// waiting says, without an edge, whether somebody waits for the group: the count of those is in its first word.
//
//go:norace
//go:noinline
func waiting(all *sync.WaitGroup) bool {
	return *(*uint64)(unsafe.Pointer(all))&0x7fffffff != 0
}

// Add from zero must not be left to race with Wait: the race detector takes the two for accesses.
func TestRaceWaitGroupAdd(t *testing.T) {
	all := new(sync.WaitGroup)
	var added flag
	together(
		func() { all.Add(1); added.raise(); until(func() bool { return waiting(all) }); all.Done() },
		func() { added.await(); all.Wait() },
	)
}

func TestNoRaceWaitGroupAdd(t *testing.T) {
	all := new(sync.WaitGroup)
	all.Add(1)
	together(
		func() { until(func() bool { return waiting(all) }); all.Add(1); all.Done(); all.Done() },
		all.Wait,
	)
	all.Go(func() {})
	all.Wait()
}

// Any number may wait, and again.
func TestNoRaceWaitGroupReuse(t *testing.T) {
	c := new(cargo)
	var all sync.WaitGroup
	for range 3 {
		all.Go(c.load)
		apart(all.Wait, all.Wait)
		all.Wait()
		c.unload()
	}
}

// What the methods of a timer do to it is synchronized.
func TestNoRaceTimerMethods(t *testing.T) {
	timer, ticker := time.NewTimer(time.Hour), time.NewTicker(time.Hour)
	use := func() { timer.Reset(time.Hour); ticker.Reset(time.Hour); timer.Stop(); ticker.Stop() }
	apart(use, use)
	together(use, use)
}
