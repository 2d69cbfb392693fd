// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package runtime

import (
	"sync/atomic"
	"unsafe"

	"github.com/commutego/commute/internal/host"
	"github.com/commutego/commute/internal/offheap"
)

// A test is a test, subtest or benchmark that package testing runs. Races are charged to the tests
// whose goroutines made them: a goroutine belongs to the test that it was started in, by whatever
// line of go statements. (With -race, a race is charged to all tests that run when it is found.)
type test struct {
	own    uintptr       // the goroutine that runs the test's function
	charge atomic.Uint64 // number of the last race that was charged to it
}

var charges struct {
	last atomic.Uint64 // races are numbered from 1
}

// TestBegin tells that package testing starts a test on g; root tells that it is the one that all
// others are part of.
func (g *Goroutine) TestBegin(root bool) {
	if root || !g.test.Nil() && g.test.P().own == g.Handle() {
		return // a benchmark is begun anew for every b.N
	}
	t := (*test)(host.Alloc(unsafe.Sizeof(test{})))
	t.own = g.Handle()
	g.test = offheap.To(t)
}

// charge lays a race at the door of the tests that made it, by one or two of their goroutines.
func charge(a, b *test) {
	n := charges.last.Add(1)
	if a != nil {
		a.charge.Store(n)
	}
	if b != nil {
		b.charge.Store(n)
	}
}

// Errors is what package testing takes for the number of races so far: it fails a test during
// which this grew. It is the number of the last race of g's test; and outside of all tests that of
// the last race at all, so that one that no test answers for fails the run as a whole.
func (g *Goroutine) Errors() int {
	if g == nil || g.test.Nil() {
		return int(charges.last.Load())
	}
	return int(g.test.P().charge.Load())
}
