// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package atomics

import (
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
)

// Where the calls stand.

type embedding struct{ atomic.Int64 }

type pointing struct{ *atomic.Int64 }

type deep struct {
	inner struct{ p *pointing }
}

func TestRaceEmbedded(t *testing.T) {
	var e embedding
	unordered(func() { e.Add(1) }, func() { use(e.Load()) })
}

func TestNoRaceEmbedded(t *testing.T) {
	var e embedding
	unordered(func() { e.Add(1) }, func() { e.Int64.Add(1) })
}

func TestRaceEmbeddedPointer(t *testing.T) {
	var d deep
	d.inner.p = &pointing{new(atomic.Int64)}
	unordered(func() { d.inner.p.Add(1) }, func() { use(d.inner.p.Int64.Load()) })
}

func TestRaceElement(t *testing.T) {
	var list [4]atomic.Int32
	unordered(func() { list[1].Store(1) }, func() { use(list[1].Load()) })
}

func TestNoRaceElements(t *testing.T) {
	var list [4]atomic.Int32
	unordered(func() { list[1].Store(1) }, func() { use(list[2].Load()) })
}

func TestRacePointers(t *testing.T) {
	p := new(atomic.Pointer[string])
	q := &p
	s := "s"
	unordered(func() { (*q).Store(&s) }, func() { use((p).Load()) })
}

func TestRaceDeferred(t *testing.T) {
	n := new(atomic.Int64)
	unordered(func() { defer n.Add(1) }, func() { use(n.Load()) })
}

func TestRaceDeferredAndUsed(t *testing.T) {
	n := new(atomic.Int64)
	unordered(func() { defer n.Add(1) }, func() {
		use(n.Add(1))
	})
}

func TestNoRaceDeferred(t *testing.T) {
	n := new(atomic.Int64)
	unordered(func() { defer n.Add(1) }, func() { defer n.Add(1) })
}

// Nothing can have a goroutine wait that begins with the call, so that the load comes first; once in many times it does.
func TestRaceGo(t *testing.T) {
	for range 20 {
		n := new(atomic.Int64)
		go n.Add(1)
		use(n.Load())
		for n.Load() == 0 {
			runtime.Gosched()
		}
	}
}

func TestNoRaceGo(t *testing.T) {
	n := new(atomic.Int64)
	go n.Add(1)
	n.Add(1)
	go n.Add(1)
	_ = n.Add(1)
}

func TestRaceAssigned(t *testing.T) {
	n := new(atomic.Int64)
	var id int64
	unordered(func() { id = n.Add(1) }, func() {
		n.Add(1)
	})
	use(id)
}

func TestRaceCondition(t *testing.T) {
	n := new(atomic.Int64)
	last := func() bool { return n.Add(-1) == 0 }
	unordered(func() { use(last()) }, func() { use(last()) })
}

func TestRaceUsedAmongUnused(t *testing.T) {
	n := new(atomic.Int64)
	id := func() int64 { return n.Add(1) }
	unordered(func() { use(id()) }, func() {
		unordered(func() { n.Add(1) }, func() { use(id()) })
	})
}

// Two calls of a line are not told apart: then neither counts as used.
func TestNoRaceOneLine(t *testing.T) {
	n := new(atomic.Int64)
	both := func() { n.Add(1); use(n.Add(1)) }
	unordered(both, both)
}

// A method value is a call of the method itself, which is not watched.
func TestNoRaceMethodValue(t *testing.T) {
	n := new(atomic.Int64)
	add := n.Add
	unordered(func() { add(1) }, func() { use(n.Load()) })
}

type loader interface{ Load() int64 }

func TestNoRaceInterface(t *testing.T) {
	n := new(atomic.Int64)
	var l loader = n
	unordered(func() { n.Add(1) }, func() { use(l.Load()) })
}

func TestNoRaceLoop(t *testing.T) {
	var n atomic.Int64
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range 100 {
				n.Add(1)
			}
		})
	}
	all.Wait()
	if n.Load() != 800 {
		t.Error(n.Load())
	}
}

func TestRaceLoop(t *testing.T) {
	var n atomic.Int64
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range 100 {
				use(n.Add(1))
			}
		})
	}
	all.Wait()
}

func TestRaceLoadInLoop(t *testing.T) {
	var n atomic.Int64
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			for range 100 {
				n.Add(1)
			}
		})
	}
	use(n.Load())
	all.Wait()
}

// Calls that panic are none.
func TestNoRacePanic(t *testing.T) {
	var v atomic.Value
	try := func() {
		defer func() { _ = recover() }()
		v.Store(nil)
	}
	unordered(try, try)
	v.Store(1)
}

func TestNoRaceNil(t *testing.T) {
	try := func() {
		defer func() { _ = recover() }()
		var n *atomic.Int64
		n.Add(1)
	}
	unordered(try, try)
}
