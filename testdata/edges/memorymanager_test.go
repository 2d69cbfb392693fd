// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package edges

import (
	"runtime"
	"sync"
	"testing"
	"unsafe"
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

// A lock has a pointer, so that it is a block of its own.
type lock struct {
	sync.Mutex
	_ *lock
}

func (l *lock) use() {
	l.Lock()
	defer l.Unlock()
}

func TestNoRaceLockAcrossCollection(t *testing.T) {
	var o object
	var used flag
	l := new(lock)
	together(
		func() { o.write(1); l.use(); used.raise() },
		func() { used.await(); runtime.GC(); runtime.GC(); l.use(); o.read() },
	)
}

// TestRaceLockInReusedMemory has a lock where another was, which brings no order to who locks it. Every second one
// stays, so that their pages are not handed out anew as a whole.
func TestRaceLockInReusedMemory(t *testing.T) {
	var o object
	var freed, done flag
	gone := make(map[uintptr]bool)
	together(
		func() {
			o.write(1)
			var stay []*lock
			for range 1000 {
				a, b := new(lock), new(lock)
				a.use()
				b.use()
				stay = append(stay, a)
				gone[address(b)] = true
			}
			runtime.GC()
			runtime.GC()
			freed.raise()
			done.await()
			runtime.KeepAlive(stay)
		},
		func() {
			freed.await()
			var all []*lock
			for range 1 << 20 {
				l := new(lock)
				if all = append(all, l); gone[address(l)] {
					l.use()
					o.read()
					break
				}
			}
			done.raise()
			runtime.KeepAlive(all)
		},
	)
}

func address(l *lock) uintptr { return uintptr(unsafe.Pointer(l)) }
