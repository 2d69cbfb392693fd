// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package dataraces

import (
	"sync"
	"sync/atomic"
	"testing"

	"github.com/commutego/commute/testdata/dataraces/depot"
)

// The specified types of this file have methods that all commute. What the methods do inside is synchronization for
// memory like any other: it orders what the methods access, and what the program does before and after them.

// A tally is guarded by a lock, if it isn't open.
//
//ecl:mutator Add(k), Peek(k)
//ecl:observer Total()/n
//ecl:callback Do(f)
//ecl:default true
type tally struct {
	mu    sync.RWMutex
	open  bool // without a lock
	n     map[string]int
	reads int
	cache int
	sums  atomic.Int64
}

func newTally() *tally     { return &tally{n: make(map[string]int)} }
func newOpenTally() *tally { return &tally{n: make(map[string]int), open: true} }

func (t *tally) lock() {
	if !t.open {
		t.mu.Lock()
	}
}

func (t *tally) unlock() {
	if !t.open {
		t.mu.Unlock()
	}
}

// Add writes.
func (t *tally) Add(k string) {
	t.lock()
	defer t.unlock()
	t.n[k]++
	t.sums.Add(1)
}

// Total reads, and remembers what it has read.
func (t *tally) Total() int {
	t.lock()
	defer t.unlock()
	sum := 0
	for _, n := range t.n {
		sum += n
	}
	t.cache = sum
	return sum
}

// Peek counts itself, under a lock that is for readers.
func (t *tally) Peek(k string) {
	t.mu.RLock()
	defer t.mu.RUnlock()
	keep(t.n[k])
	t.reads++
}

// Do calls f with the lock held.
func (t *tally) Do(f func()) {
	t.lock()
	defer t.unlock()
	f()
}

// Spread adds on a goroutine of its own.
func (t *tally) Spread(k string) {
	var all sync.WaitGroup
	all.Go(func() { t.Add(k) })
	all.Wait()
}

func tallyPairs(newTally func() *tally) pairs {
	return pairs{
		"AddAdd": func() (a, b func()) {
			t := newTally()
			return func() { t.Add("a") }, func() { t.Add("b") }
		},
		"AddTotal": func() (a, b func()) {
			t := newTally()
			return func() { t.Add("a") }, func() { keep(t.Total()) }
		},
		"TotalTotal": func() (a, b func()) { // observers that remember
			t := newTally()
			return func() { keep(t.Total()) }, func() { keep(t.Total()) }
		},
		"SpreadAdd": func() (a, b func()) {
			t := newTally()
			return func() { t.Spread("a") }, func() { t.Add("b") }
		},
		"DoAdd": func() (a, b func()) {
			t := newTally()
			return func() { t.Do(func() { t.n["a"] = 1 }) }, func() { t.Add("b") }
		},
		"Callback": func() (a, b func()) {
			t, c := newTally(), new(cargo)
			return func() { t.Do(c.load) }, func() { t.Do(c.unload) }
		},
		"MethodValue": func() (a, b func()) {
			t := newTally()
			add := t.Add
			return func() { add("a") }, func() { add("b") }
		},
		"Interface": func() (a, b func()) {
			t := newTally()
			var i interface{ Add(string) } = t
			return func() { i.Add("a") }, func() { i.Add("b") }
		},
		"Deferred": func() (a, b func()) {
			t := newTally()
			return func() { defer t.Add("a") }, func() { defer t.Add("b") }
		},
	}
}

func TestNoRaceSpecifiedInside(t *testing.T)        { tallyPairs(newTally).harmless(t) }
func TestRaceSpecifiedInside(t *testing.T)          { tallyPairs(newOpenTally).races(t) }
func TestNoRaceSpecifiedInsideOrdered(t *testing.T) { tallyPairs(newOpenTally).ordered(t) }

// A lock for readers doesn't guard what they write.
func TestRaceSpecifiedReaders(t *testing.T) {
	x := newTally()
	apart(func() { x.Peek("a") }, func() { x.Peek("b") })
}

func TestNoRaceSpecifiedReaderAndWriter(t *testing.T) {
	x := newTally()
	apart(func() { x.Peek("a") }, func() { x.Add("a") })
}

// What comes before a call comes before what follows a later call.
func TestNoRaceSpecifiedHandover(t *testing.T) {
	t.Run("Lock", func(*testing.T) {
		x, c := newTally(), new(cargo)
		apart(func() { c.load(); x.Add("a") }, func() { x.Add("b"); c.unload() })
	})
	t.Run("Goroutine", func(*testing.T) {
		x, c := newTally(), new(cargo)
		apart(func() { c.load(); x.Spread("a") }, func() { x.Spread("b"); c.unload() })
	})
	t.Run("Value", func(*testing.T) {
		var g depot.Guarded[*cargo]
		apart(
			func() { c := new(cargo); c.load(); g.Put("a", c) },
			func() { g.Get("a").unload() },
			func() { g.Get("a").unload() },
		)
	})
	t.Run("Taken", func(*testing.T) {
		var g depot.Guarded[*cargo]
		apart(
			func() { c := new(cargo); c.load(); g.Put("a", c) },
			func() { c := g.Take("a"); c.load(); g.Put("b", c) },
			func() { g.Take("b").load() },
		)
	})
	t.Run("Updated", func(*testing.T) {
		var g depot.Guarded[cargo]
		update := func() { g.Update("a", func(c cargo) cargo { c.load(); return c }) }
		apart(func() { g.Put("a", cargo{}) }, update, update, func() { c := g.Get("a"); c.unload() })
	})
	t.Run("Concurrent", func(*testing.T) {
		var g depot.Guarded[*cargo]
		together(
			func() { c := new(cargo); c.load(); g.Put("a", c) },
			func() { until(func() bool { return g.Get("a") != nil }); g.Get("a").unload() },
		)
	})
}

func TestRaceSpecifiedHandover(t *testing.T) {
	t.Run("After", func(*testing.T) {
		x, c := newTally(), new(cargo)
		apart(func() { x.Add("a"); c.load() }, func() { x.Add("b"); c.unload() })
	})
	t.Run("OtherLock", func(*testing.T) {
		x, y, c := newTally(), newTally(), new(cargo)
		apart(func() { c.load(); x.Add("a") }, func() { y.Add("a"); c.unload() })
	})
	t.Run("Value", func(*testing.T) {
		var g depot.Guarded[*cargo]
		apart(
			func() { c := new(cargo); g.Put("a", c); c.load() },
			func() { g.Get("a").unload() },
		)
	})
	t.Run("TwoReaders", func(*testing.T) {
		var g depot.Guarded[*cargo]
		apart(
			func() { g.Put("a", new(cargo)) },
			func() { g.Get("a").load() },
			func() { g.Get("a").load() },
		)
	})
	t.Run("SharedMap", func(*testing.T) { // the lock is for the struct, not for what is in it
		var g depot.Guarded[map[string]int]
		set := func() { g.Get("a")["one"] = 1 }
		apart(func() { g.Put("a", map[string]int{}) }, set, set)
	})
}

func TestRaceSpecifiedElsewhere(t *testing.T) {
	pairs{
		"PutPut": func() (a, b func()) {
			x := new(depot.Bare)
			return func() { x.Put("a", 1) }, func() { x.Put("b", 2) }
		},
		"PutGet": func() (a, b func()) {
			x := new(depot.Bare)
			return func() { x.Put("a", 1) }, func() { keep(x.Get("b")) }
		},
		"Overwritten": func() (a, b func()) {
			x := new(depot.Bare)
			return func() { *x = depot.Bare{} }, func() { keep(x.Get("b")) }
		},
	}.races(t)
}

func TestNoRaceSpecifiedElsewhere(t *testing.T) {
	x := new(depot.Bare)
	inTurn(func() { x.Put("a", 1) }, func() { keep(x.Get("b")) }, func() { x.Put("b", 1) })
	apart(func() { keep(x.Get("a")) }, func() { keep(x.Get("b")) })
}

// A gate is there to synchronize.
//
//ecl:open
//ecl:arbiter Open(), Pass()
//ecl:default true
type gate struct{ c chan int }

func (g *gate) Open() { close(g.c) }
func (g *gate) Pass() { <-g.c }

var gates = edges{
	"Gate": func(*testing.T) edge {
		g := &gate{make(chan int)}
		return edge{g.Open, g.Pass}
	},
	"Tally": func(*testing.T) edge {
		x := newTally()
		return edge{func() { x.Add("a") }, func() { until(func() bool { return x.Total() == 1 }) }}
	},
}

func TestRaceSpecifiedEdge(t *testing.T)   { gates.races(t) }
func TestNoRaceSpecifiedEdge(t *testing.T) { gates.ordered(t) }

// A method that panics or ends its goroutine leaves its lock, and what comes after is watched.
func TestNoRaceSpecifiedPanic(t *testing.T) {
	x, c := newTally(), new(cargo)
	fail := func() { c.load(); panic("own") }
	apart(
		func() { defer func() { keep(recover()) }(); x.Do(fail) },
		func() { x.Do(c.unload) },
	)
}

func TestRaceSpecifiedPanic(t *testing.T) {
	x, c := newTally(), new(cargo)
	apart(
		func() {
			defer c.load()
			defer func() { keep(recover()) }()
			x.Do(func() { panic("own") })
		},
		func() { x.Do(c.unload) },
	)
}
