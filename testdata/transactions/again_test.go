// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package transactions

import (
	"sync"
	"sync/atomic"
	"testing"

	"github.com/commutego/commute/testdata/transactions/script"
)

// Double-checked locking: what the first look sees decides nothing but that there is a second one.

// checkedTwice fills a map under a lock.
type checkedTwice struct {
	mu   sync.RWMutex
	m    map[string]int
	at   atomic.Pointer[int]
	sync sync.Map
	n    int
}

// atomic
func (c *checkedTwice) underReadLock(s *script.Script, k string) int {
	c.mu.RLock()
	v, ok := c.m[k]
	c.mu.RUnlock()
	if ok {
		return v
	}
	_ = compute(s)
	c.mu.Lock()
	defer c.mu.Unlock()
	if v, ok := c.m[k]; ok {
		return v
	}
	c.m[k] = 1
	return 1
}

// atomic
func (c *checkedTwice) onlyOnce(s *script.Script, k string) int {
	c.mu.RLock()
	v, ok := c.m[k]
	c.mu.RUnlock()
	if ok {
		return v
	}
	_ = compute(s)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.m[k] = 1
	return 1
}

func (c *checkedTwice) fill(k string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, ok := c.m[k]; !ok {
		c.m[k] = 2
	}
}

// compute makes a value, and is interrupted.
func compute(s *script.Script) int {
	interrupt(s)
	return 1
}

func newCheckedTwice() *checkedTwice { return &checkedTwice{m: make(map[string]int)} }

func TestNoRaceAgainUnderReadLock(t *testing.T) {
	c := newCheckedTwice()
	interrupted(func(s *script.Script) { c.underReadLock(s, "k") }, func() { c.fill("k") })
}

func TestRaceAgainUnderReadLock(t *testing.T) {
	c := newCheckedTwice()
	interrupted(func(s *script.Script) { c.onlyOnce(s, "k") }, func() { c.fill("k") })
}

// look reads under a lock; it is part of the code that calls it.
func (c *checkedTwice) look(k string) (int, bool) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	v, ok := c.m[k]
	return v, ok
}

// atomic
func (c *checkedTwice) helper(s *script.Script, k string) int {
	if v, ok := c.look(k); ok {
		return v
	}
	_ = compute(s)
	c.mu.Lock()
	defer c.mu.Unlock()
	if v, ok := c.m[k]; ok {
		return v
	}
	c.m[k] = 1
	return 1
}

func TestNoRaceAgainHelper(t *testing.T) {
	c := newCheckedTwice()
	interrupted(func(s *script.Script) { c.helper(s, "k") }, func() { c.fill("k") })
}

// atomic
func (c *checkedTwice) pointer(s *script.Script) int {
	if p := c.at.Load(); p != nil {
		return *p
	}
	_ = compute(s)
	c.mu.Lock()
	defer c.mu.Unlock()
	if p := c.at.Load(); p != nil {
		return *p
	}
	c.at.Store(new(int))
	return 0
}

// atomic
func (c *checkedTwice) pointerOnce(s *script.Script) int {
	if p := c.at.Load(); p != nil {
		return *p
	}
	_ = compute(s)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at.Store(new(int))
	return 0
}

func (c *checkedTwice) point() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.at.Load() == nil {
		c.at.Store(new(int))
	}
}

func TestNoRaceAgainPointer(t *testing.T) {
	c := newCheckedTwice()
	interrupted(func(s *script.Script) { c.pointer(s) }, c.point)
}

func TestRaceAgainPointer(t *testing.T) {
	c := newCheckedTwice()
	interrupted(func(s *script.Script) { c.pointerOnce(s) }, c.point)
}

// atomic
func (c *checkedTwice) syncMap(s *script.Script, k string) any {
	if v, ok := c.sync.Load(k); ok {
		return v
	}
	_ = compute(s)
	c.mu.Lock()
	defer c.mu.Unlock()
	if v, ok := c.sync.Load(k); ok {
		return v
	}
	c.sync.Store(k, 1)
	return 1
}

// atomic
func (c *checkedTwice) syncMapOnce(s *script.Script, k string) any {
	if v, ok := c.sync.Load(k); ok {
		return v
	}
	_ = compute(s)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.sync.Store(k, 1)
	return 1
}

func (c *checkedTwice) put(k string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.sync.Store(k, 2)
}

func TestNoRaceAgainSyncMap(t *testing.T) {
	c := newCheckedTwice()
	interrupted(func(s *script.Script) { c.syncMap(s, "k") }, func() { c.put("k") })
}

func TestRaceAgainSyncMap(t *testing.T) {
	c := newCheckedTwice()
	interrupted(func(s *script.Script) { c.syncMapOnce(s, "k") }, func() { c.put("k") })
}

// A value of the first look that is used after the second was not looked at again.
//
// atomic
func (c *checkedTwice) firstValue(s *script.Script, k string) int {
	c.mu.RLock()
	v, ok := c.m[k]
	c.mu.RUnlock()
	if ok {
		return v
	}
	_ = compute(s)
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, again := c.m[k]; again {
		return v // not the value that is there
	}
	c.m[k] = 1
	return 1
}

func TestRaceAgainFirstValue(t *testing.T) {
	c := newCheckedTwice()
	interrupted(func(s *script.Script) { c.firstValue(s, "k") }, func() { c.fill("k") })
}

// Something else that was looked at first is not looked at again.
//
// atomic
func (c *checkedTwice) otherFirst(s *script.Script, k string) int {
	c.mu.RLock()
	n := c.n
	v, ok := c.m[k]
	c.mu.RUnlock()
	if ok || n > 0 {
		return v
	}
	_ = compute(s)
	c.mu.Lock()
	defer c.mu.Unlock()
	if v, ok := c.m[k]; ok {
		return v
	}
	c.m[k] = 1
	c.n = 1
	return 1
}

func TestRaceAgainOtherFirst(t *testing.T) {
	c := newCheckedTwice()
	interrupted(func(s *script.Script) { c.otherFirst(s, "k") }, func() {
		c.mu.Lock()
		c.n = 2
		c.mu.Unlock()
	})
}

// A first look behind an effect is in the middle of the transaction.
//
// atomic
func (c *checkedTwice) afterEffect(s *script.Script, k string) int {
	c.mu.Lock()
	c.n = 1
	c.mu.Unlock()
	if v, ok := c.look(k); ok {
		return v
	}
	_ = compute(s)
	c.mu.Lock()
	defer c.mu.Unlock()
	if v, ok := c.m[k]; ok {
		return v
	}
	c.m[k] = c.n
	return 1
}

func TestRaceAgainAfterEffect(t *testing.T) {
	c := newCheckedTwice()
	interrupted(func(s *script.Script) { c.afterEffect(s, "k") }, func() {
		c.mu.Lock()
		c.n = 2
		c.mu.Unlock()
	})
}

// Within a transaction that has begun before, and has done nothing yet.
//
// atomic
func (c *checkedTwice) caller(s *script.Script) int { return c.underReadLock(s, "k") }

func TestNoRaceAgainCaller(t *testing.T) {
	c := newCheckedTwice()
	interrupted(func(s *script.Script) { c.caller(s) }, func() { c.fill("k") })
}

// And in one that has looked at something before.
//
// atomic
func (c *checkedTwice) callerThatLooks(s *script.Script) int {
	c.mu.RLock()
	n := c.n
	c.mu.RUnlock()
	return n + c.underReadLock(s, "k")
}

func TestRaceAgainCaller(t *testing.T) {
	c := newCheckedTwice()
	interrupted(func(s *script.Script) { c.callerThatLooks(s) }, func() {
		c.fill("k")
		c.mu.Lock()
		c.n = 2
		c.mu.Unlock()
	})
}

// A flight: the first look is before the call, the second inside of it.
type flight struct {
	mu    sync.Mutex
	calls map[string]*flightCall
}

type flightCall struct {
	done  sync.WaitGroup
	value any
}

func (f *flight) Do(k string, do func() any) any {
	f.mu.Lock()
	if c, ok := f.calls[k]; ok {
		f.mu.Unlock()
		c.done.Wait()
		return c.value
	}
	c := new(flightCall)
	c.done.Add(1)
	f.calls[k] = c
	f.mu.Unlock()
	c.value = do()
	f.mu.Lock()
	delete(f.calls, k)
	f.mu.Unlock()
	c.done.Done()
	return c.value
}

// atomic
func (c *checkedTwice) inFlight(s *script.Script, f *flight, k string) any {
	if v, ok := c.sync.Load(k); ok {
		return v
	}
	_ = compute(s)
	return f.Do(k, func() any {
		if v, ok := c.sync.Load(k); ok {
			return v
		}
		c.sync.Store(k, 1)
		return 1
	})
}

// atomic
func (c *checkedTwice) inFlightOnce(s *script.Script, f *flight, k string) any {
	if v, ok := c.sync.Load(k); ok {
		return v
	}
	_ = compute(s)
	return f.Do(k, func() any {
		c.sync.Store(k, 1)
		return 1
	})
}

func TestNoRaceAgainInFlight(t *testing.T) {
	c, f := newCheckedTwice(), &flight{calls: make(map[string]*flightCall)}
	interrupted(func(s *script.Script) { c.inFlight(s, f, "k") },
		func() { f.Do("k", func() any { c.sync.Store("k", 2); return 2 }) })
}

func TestRaceAgainInFlight(t *testing.T) {
	c, f := newCheckedTwice(), &flight{calls: make(map[string]*flightCall)}
	interrupted(func(s *script.Script) { c.inFlightOnce(s, f, "k") },
		func() { f.Do("k", func() any { c.sync.Store("k", 2); return 2 }) })
}
