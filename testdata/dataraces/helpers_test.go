// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package dataraces

import (
	"maps"
	"runtime"
	"slices"
	"sync"
	"testing"
)

// A flag forces an interleaving without an edge: no detector sees its accesses.
type flag struct{ up bool }

//go:norace
//go:noinline
func (f *flag) raise() { f.up = true }

//go:norace
//go:noinline
func (f *flag) raised() bool { return f.up }

func (f *flag) await() {
	for !f.raised() {
		runtime.Gosched()
	}
}

// until calls f again and again, and lets others run in between, until it returns true.
func until(f func() bool) {
	for !f() {
		runtime.Gosched()
	}
}

// keep reads its argument, which the compiler cannot know to be unused.
//
//go:noinline
func keep[T any](T) {}

// together runs each function in a goroutine of its own and waits for all of them.
func together(functions ...func()) {
	var all sync.WaitGroup
	for _, f := range functions {
		all.Go(f)
	}
	all.Wait()
}

// apart runs the functions in goroutines of their own, one after the other, with nothing that orders them.
func apart(functions ...func()) {
	turns := make([]flag, len(functions)+1)
	turns[0].raise()
	var all sync.WaitGroup
	for i, f := range functions {
		all.Go(func() {
			turns[i].await()
			f()
			turns[i+1].raise()
		})
	}
	all.Wait()
}

// inTurn runs the functions in goroutines of their own, one after the other, ordered by channels.
func inTurn(functions ...func()) {
	turn := make(chan int, 1)
	turn <- 1
	var all sync.WaitGroup
	for _, f := range functions {
		before, after := turn, make(chan int, 1)
		all.Go(func() {
			<-before
			f()
			after <- 1
		})
		turn = after
	}
	all.Wait()
}

// pairs are two accesses each, to memory that is made anew for every use, which may run in either order.
type pairs map[string]func() (a, b func())

// inBothOrders has a subtest for each order of each pair.
func (p pairs) inBothOrders(t *testing.T, run func(functions ...func())) {
	for _, name := range slices.Sorted(maps.Keys(p)) {
		t.Run(name+"/AB", func(*testing.T) {
			a, b := p[name]()
			run(a, b)
		})
		t.Run(name+"/BA", func(*testing.T) {
			a, b := p[name]()
			run(b, a)
		})
	}
}

// races is for pairs that conflict: they race.
func (p pairs) races(t *testing.T) { p.inBothOrders(t, apart) }

// ordered is for the same pairs: in turn, they don't.
func (p pairs) ordered(t *testing.T) { p.inBothOrders(t, inTurn) }

// harmless is for pairs that don't conflict.
func (p pairs) harmless(t *testing.T) { p.inBothOrders(t, apart) }

// A cargo is memory of several kinds that one goroutine hands to another.
type cargo struct {
	number int64
	name   string
	list   []int32
	table  map[string]int
}

// load writes all of the cargo.
func (c *cargo) load() {
	c.number++
	c.name = "cargo"
	c.list = append(c.list, 1, 2, 3)
	c.table = map[string]int{"one": 1}
}

// unload reads all of it.
func (c *cargo) unload() {
	keep(c.number)
	keep(c.name)
	for _, v := range c.list {
		keep(v)
	}
	keep(c.table["one"])
}

// An edge is one way to order two goroutines: what comes before signal comes before what follows wait. Each edge is
// used once.
type edge struct{ signal, wait func() }

// edges are made anew for every use.
type edges map[string]func(t *testing.T) edge

// ordered loads before the signal and unloads after the wait: no race.
func (e edges) ordered(t *testing.T) {
	for _, name := range slices.Sorted(maps.Keys(e)) {
		t.Run(name, func(t *testing.T) {
			c, e := new(cargo), e[name](t)
			together(
				func() { c.load(); e.signal() },
				func() { e.wait(); c.unload() },
			)
		})
	}
}

// races runs the two faulty twins of each edge: each accesses the cargo on the wrong side of the edge.
func (e edges) races(t *testing.T) {
	for _, name := range slices.Sorted(maps.Keys(e)) {
		t.Run(name+"/LateLoad", func(t *testing.T) {
			c, e := new(cargo), e[name](t)
			var loaded flag
			together(
				func() { e.signal(); c.load(); loaded.raise() },
				func() { e.wait(); loaded.await(); c.unload() },
			)
		})
		t.Run(name+"/EarlyUnload", func(t *testing.T) {
			c, e := new(cargo), e[name](t)
			var unloaded flag
			together(
				func() { unloaded.await(); c.load(); e.signal() },
				func() { c.unload(); unloaded.raise(); e.wait() },
			)
		})
	}
}
