// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package edges

import (
	"runtime"
	"sync"
	"testing"
)

// pool is a Put that comes before the Get of the same value. A detector's Pool drops values at random, so both sides
// try until it has worked; taken tells the first without an edge.
func pool() edge {
	p := new(sync.Pool)
	var taken flag
	return edge{
		func() { until(func() bool { p.Put(new(int)); return taken.raised() }) },
		func() { until(func() bool { return p.Get() != nil }); taken.raise() },
	}
}

func TestNoRacePool(t *testing.T) { ordered(pool()) }
func TestRacePool(t *testing.T)   { both(t, pool) }

// node has a pointer, so that it isn't put into a block with others, which would keep it alive.
type node struct{ _ *node }

// collect forces garbage collections until the flag is up.
func collect(f *flag) {
	until(func() bool { runtime.GC(); return f.raised() })
}

func TestNoRaceFinalizer(t *testing.T) {
	var o object
	var ran flag
	n := new(node)
	o.write(1)
	runtime.SetFinalizer(n, func(*node) { o.read(); ran.raise() })
	n = nil
	collect(&ran)
}

func TestRaceFinalizer(t *testing.T) {
	writeMeanwhile(func(f func()) {
		runtime.SetFinalizer(new(node), func(*node) { f() })
	})
}

// writeMeanwhile writes while the function that it gives to start is running, and reads.
func writeMeanwhile(start func(f func())) {
	var o object
	var running, written, ran flag
	start(func() { running.raise(); written.await(); o.read(); ran.raise() })
	together(
		func() { collect(&running) },
		func() { running.await(); o.write(1); written.raise() },
	)
	ran.await()
}

func TestNoRaceCleanup(t *testing.T) {
	var o object
	var ran flag
	o.write(1)
	runtime.AddCleanup(new(node), func(int) { o.read(); ran.raise() }, 1)
	collect(&ran)
}

func TestRaceCleanup(t *testing.T) {
	writeMeanwhile(func(f func()) {
		runtime.AddCleanup(new(node), func(int) { f() }, 1)
	})
}

// A channel brings order back into what a finalizer did.
func TestNoRaceFinalizerDone(t *testing.T) {
	var o object
	var ran flag
	done := make(chan int, 1)
	runtime.SetFinalizer(new(node), func(*node) { o.write(1); done <- 1; ran.raise() })
	collect(&ran)
	<-done
	o.read()
}
