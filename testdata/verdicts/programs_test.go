// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package verdicts

import (
	"sync"
	"testing"
)

// atOnce runs f n times, each in a goroutine of its own, and waits.
func atOnce(n int, f func(i int)) {
	var all sync.WaitGroup
	for i := range n {
		all.Add(1)
		go func() {
			defer all.Done()
			f(i)
		}()
	}
	all.Wait()
}

type connection struct{ host string }

func connect(host string) *connection { return &connection{host} }

// Figure 1 of the paper: a host that is in the list twice is connected to twice, and one connection is lost.
func connectAll(hosts []string) *sync.Map {
	connections := new(sync.Map)
	atOnce(len(hosts), func(i int) { connections.Store(hosts[i], connect(hosts[i])) })
	return connections
}

func TestRaceFigure1(*testing.T)           { connectAll([]string{"a.com", "a.com"}) }
func TestNoRaceFigure1Distinct(*testing.T) { connectAll([]string{"a.com", "b.com"}) }

// The calls are ordered with the look after the end of all threads.
func TestNoRaceFigure1Joined(t *testing.T) {
	n := 0
	connectAll([]string{"a.com", "b.com", "c.com"}).Range(func(any, any) bool { n++; return true })
	if n != 3 {
		t.Errorf("%d connections, want 3", n)
	}
}

// get is a cache that checks, then acts.
func get(cache *sync.Map, key string) any {
	if v, ok := cache.Load(key); ok {
		return v
	}
	v := new(int)
	cache.Store(key, v)
	return v
}

func TestRaceCheckThenAct(*testing.T) {
	var cache sync.Map
	atOnce(2, func(int) { get(&cache, "key") })
}

func TestNoRaceCheckThenActOtherKeys(*testing.T) {
	var cache sync.Map
	atOnce(2, func(i int) { get(&cache, string(rune('a'+i))) })
}

func TestNoRaceCheckThenActHit(*testing.T) {
	var cache sync.Map
	get(&cache, "key")
	atOnce(2, func(int) { get(&cache, "key") })
}

// getOnce is get mended.
func getOnce(cache *sync.Map, key string) any {
	if v, ok := cache.Load(key); ok {
		return v
	}
	v, _ := cache.LoadOrStore(key, new(int))
	return v
}

func TestNoRaceLoadOrStoreCache(*testing.T) {
	var cache sync.Map
	atOnce(3, func(int) { getOnce(&cache, "key") })
}

// A counter that loads and stores loses counts; one that compares and swaps doesn't.
func TestRaceCounter(*testing.T) {
	var counts sync.Map
	counts.Store("n", 0)
	atOnce(2, func(int) {
		n, _ := counts.Load("n")
		counts.Store("n", n.(int)+1)
	})
}

func TestNoRaceCounterCompareAndSwap(t *testing.T) {
	var counts sync.Map
	counts.Store("n", 0)
	atOnce(2, func(int) {
		for {
			n, _ := counts.Load("n")
			if counts.CompareAndSwap("n", n, n.(int)+1) {
				return
			}
		}
	})
	if n, _ := counts.Load("n"); n != 2 {
		t.Errorf("counted %v, want 2", n)
	}
}

func TestNoRaceCounterMutex(*testing.T) {
	var counts sync.Map
	var mu sync.Mutex
	counts.Store("n", 0)
	atOnce(2, func(int) {
		mu.Lock()
		defer mu.Unlock()
		n, _ := counts.Load("n")
		counts.Store("n", n.(int)+1)
	})
}

// Two maps are two objects.
func TestNoRaceTwoMaps(*testing.T) {
	var a, b sync.Map
	atOnce(2, func(i int) { []*sync.Map{&a, &b}[i].Store("key", i) })
}

// A value that cannot be compared changes the map, whatever was there.
func TestRaceUncomparableValues(*testing.T) {
	unordered(store("new", []int{1}), store("new", []int{2}))
}

// The order that one pair lacks isn't made up by another call of the same goroutine.
func TestRaceOtherCallsBetween(*testing.T) {
	unordered(
		func(m *sync.Map) { m.Store("new", 1); m.Load("old") },
		func(m *sync.Map) { m.Load("old"); m.Load("new") },
	)
}

// Calls that the callback of a Range makes are calls like others.
func TestRaceStoreInRange(*testing.T) {
	unordered(
		func(m *sync.Map) {
			m.Range(func(k, v any) bool { m.Store(k, 2); return true })
		},
		load("old"),
	)
}

func TestNoRaceStoreInOwnRange(*testing.T) {
	var m sync.Map
	m.Store("old", 1)
	m.Range(func(k, v any) bool { m.Store(k, 2); return true })
}

// A Range that a panic ends has been made; the map works on.
func TestRaceRangePanics(*testing.T) {
	unordered(
		func(m *sync.Map) {
			defer func() { _ = recover() }()
			m.Range(func(k, v any) bool { m.Store("new", 1); panic("stop") })
		},
		load("new"),
	)
}

// A key that cannot be hashed panics as it does unwatched.
func TestNoRaceUnhashableKey(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("Load of an unhashable key didn't panic")
		}
	}()
	var m sync.Map
	m.Load([]int{1})
}
