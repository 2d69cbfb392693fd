// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package edges

import (
	"runtime"
	"sync"
	"testing"
)

// An edge is one way to order two goroutines: what comes before signal comes before what follows wait. Each edge is
// used once.
type edge struct{ signal, wait func() }

// ordered writes before the signal and reads after the wait: no race.
func ordered(e edge) {
	var o object
	together(
		func() { o.write(1); e.signal() },
		func() { e.wait(); o.read() },
	)
}

// both runs the two faulty twins of an edge as subtests: each makes one call on the wrong side of the edge.
func both(t *testing.T, newEdge func() edge) {
	t.Run("LateWrite", func(t *testing.T) {
		var o object
		e := newEdge()
		together(
			func() { e.signal(); o.write(1) },
			func() { e.wait(); o.read() },
		)
	})
	t.Run("EarlyRead", func(t *testing.T) {
		var o object
		e := newEdge()
		together(
			func() { o.write(1); e.signal() },
			func() { o.read(); e.wait() },
		)
	})
}

// together runs each function in a goroutine of its own and waits for all of them.
func together(functions ...func()) {
	var all sync.WaitGroup
	for _, f := range functions {
		all.Add(1)
		go func() {
			defer all.Done()
			f()
		}()
	}
	all.Wait()
}

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
