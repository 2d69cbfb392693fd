// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package levels

import (
	"sync"
	"testing"

	"github.com/commutego/commute/testdata/levels/box"
)

// unordered makes two calls on a map that has "old", in this order, and nothing orders them.
func unordered(first, second func(m *sync.Map)) {
	var m sync.Map
	m.Store("old", 1)
	after(func(func()) { first(&m) }, func() { second(&m) })
}

func load(m *sync.Map)         { m.Load("old") }
func loadNew(m *sync.Map)      { m.Load("new") }
func store(m *sync.Map)        { m.Store("old", 2) }
func storeNew(m *sync.Map)     { m.Store("new", 3) }
func storeOther(m *sync.Map)   { m.Store("old", 4) }
func remove(m *sync.Map)       { m.Delete("old") }
func visit(m *sync.Map)        { m.Range(func(any, any) bool { return true }) }
func loadOrStore(m *sync.Map)  { m.LoadOrStore("old", 5) }
func loadOrStore2(m *sync.Map) { m.LoadOrStore("new", 5) }

// A reader beside a writer.

func TestNoRaceReadStore(*testing.T)   { unordered(load, store) }
func TestNoRaceStoreRead(*testing.T)   { unordered(store, load) }
func TestNoRaceReadAbsent(*testing.T)  { unordered(loadNew, storeNew) }
func TestNoRaceReadDelete(*testing.T)  { unordered(load, remove) }
func TestNoRaceDeleteRead(*testing.T)  { unordered(remove, load) }
func TestNoRaceReadRange(*testing.T)   { unordered(visit, storeNew) }
func TestNoRaceRangeRead(*testing.T)   { unordered(store, visit) }
func TestNoRaceReadJanitor(*testing.T) { unordered(visit, remove) }

// Two writers, and one that goes on with what it has loaded while another takes that out.

func TestRaceStoreStore(*testing.T)        { unordered(store, storeOther) }
func TestRaceStoreDelete(*testing.T)       { unordered(store, remove) }
func TestRaceDeleteStore(*testing.T)       { unordered(remove, store) }
func TestRaceLoadOrStoreDelete(*testing.T) { unordered(loadOrStore, remove) }
func TestRaceLoadOrStoreStore(*testing.T)  { unordered(loadOrStore, store) }

// Arbitration, at any level but all.

func TestNoRaceLoadOrStoreLoad(*testing.T)    { unordered(loadOrStore2, loadNew) }
func TestNoRaceLoadOrStoreTwice(*testing.T)   { unordered(loadOrStore2, loadOrStore2) }
func TestNoRaceStoreEqualValues(*testing.T)   { unordered(storeNew, storeNew) }
func TestNoRaceStoreOfOtherKeys(*testing.T)   { unordered(store, storeNew) }
func TestNoRaceLoadOrStoreOfOther(*testing.T) { unordered(loadOrStore2, store) }

// A cache checks, and then acts.
type cache struct {
	mu sync.Mutex
	m  sync.Map
	b  box.Box
}

func (c *cache) get(k string, v int) any {
	if v, ok := c.m.Load(k); ok {
		return v
	}
	c.m.Store(k, v)
	return v
}

func TestRaceCheckThenAct(*testing.T) {
	c := new(cache)
	after(func(func()) { c.get("k", 1) }, func() { c.get("k", 2) })
}

// twice is double-checked locking.
func (c *cache) twice(k string, v int) any {
	if v, ok := c.m.Load(k); ok {
		return v
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if v, ok := c.m.Load(k); ok {
		return v
	}
	c.m.Store(k, v)
	return v
}

func TestNoRaceAgainTwice(*testing.T) {
	c := new(cache)
	after(func(func()) { c.twice("k", 1) }, func() { c.twice("k", 2) })
}

// onlyOnce has forgotten the second look.
func (c *cache) onlyOnce(k string, v int) any {
	if v, ok := c.m.Load(k); ok {
		return v
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.m.Store(k, v)
	return v
}

func TestRaceAgainForgotten(*testing.T) {
	c := new(cache)
	between(func(pause func()) {
		if _, ok := c.m.Load("k"); !ok {
			pause()
			c.mu.Lock()
			defer c.mu.Unlock()
			c.m.Store("k", 1)
		}
	}, func() { c.onlyOnce("k", 2) })
}

// A flight runs one function at a time for a key, as package singleflight does.
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

func (c *cache) inFlight(f *flight, k string, v int) any {
	if v, ok := c.m.Load(k); ok {
		return v
	}
	return f.Do(k, func() any {
		if v, ok := c.m.Load(k); ok {
			return v
		}
		c.m.Store(k, v)
		return v
	})
}

func TestNoRaceAgainInFlight(*testing.T) {
	c, f := new(cache), &flight{calls: make(map[string]*flightCall)}
	after(func(func()) { c.inFlight(f, "k", 1) }, func() { c.inFlight(f, "k", 2) })
}

// Types that their user has specified.

func TestRaceUserReadBesideWrite(*testing.T) {
	c := new(cache)
	after(func(func()) { c.b.Get("k") }, func() { c.b.Put("k", 1) })
}

func TestRaceUserLen(*testing.T) {
	c := new(cache)
	after(func(func()) { c.b.Put("k", 1) }, func() { c.b.Len() })
}

func (c *cache) boxTwice(k string, v int) int {
	if v := c.b.Get(k); v != 0 {
		return v
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if v := c.b.Get(k); v != 0 {
		return v
	}
	c.b.Put(k, v)
	return v
}

func TestNoRaceAgainUser(*testing.T) {
	c := new(cache)
	after(func(func()) { c.boxTwice("k", 1) }, func() { c.boxTwice("k", 2) })
}

// What writes elsewhere doesn't look again.
func TestRaceUserOtherWriter(*testing.T) {
	c := new(cache)
	after(func(func()) { c.boxTwice("k", 1) }, func() { c.b.Put("k", 3) })
}

func (c *cache) boxOnce(k string, v int) int {
	if v := c.b.Get(k); v != 0 {
		return v
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.b.Put(k, v)
	return v
}

func TestRaceUserForgotten(*testing.T) {
	c := new(cache)
	after(func(func()) { c.boxOnce("k", 1) }, func() { c.boxOnce("k", 2) })
}

// What came between the looks is seen by the second one.
func TestNoRaceAgainBetween(*testing.T) {
	c := new(cache)
	between(func(pause func()) {
		if _, ok := c.m.Load("k"); ok {
			return
		}
		pause()
		c.mu.Lock()
		defer c.mu.Unlock()
		if _, ok := c.m.Load("k"); ok {
			return
		}
		c.m.Store("k", 1)
	}, func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.m.Store("k", 2)
		c.m.Delete("k")
	})
}

func (c *cache) paused(k string, v int, pause func()) any {
	if v, ok := c.m.Load(k); ok {
		return v
	}
	pause()
	c.m.Store(k, v)
	return v
}

// One bug is found in three ways: two goroutines may both check, another Store could have come
// between, and it does. The Stores race by themselves as well. That makes one finding.
func TestRaceOneBug(*testing.T) {
	c := new(cache)
	after(func(func()) { c.paused("a", 1, nothing) }, func() { c.paused("a", 2, nothing) })
	between(func(pause func()) { c.paused("b", 1, pause) }, func() { c.paused("b", 2, nothing) })
}
