// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package runtime

import (
	gosync "sync"
	"testing"

	"github.com/commutego/commute/internal/engine/stack"
	"github.com/commutego/commute/internal/engine/sync"
	"github.com/commutego/commute/internal/engine/tests"
)

// stackOf is a stack of no program, to start goroutines with.
var stackOf = stack.All.Put([]uintptr{1, 2, 3}, 0)

// blame charges a race of two goroutines, and returns the number of it.
func blame(a, b *Goroutine) int {
	tests.Charge(a.Test.P(), b.Test.P())
	return int(tests.Charges.Last.Load())
}

func TestErrorsOfTests(t *testing.T) {
	root := Main()
	root.TestBegin(true, "T")
	if !root.Test.Nil() {
		t.Error("the root has a test of its own")
	}
	begin := func(parent *Goroutine) *Goroutine {
		g := Fork(parent, 1, 0, stackOf)
		g.TestBegin(false, "T")
		return g
	}
	t1, t2 := begin(root), begin(root)
	child := Fork(t1, 2, 0, stackOf)
	grandchild := Fork(child, 3, 0, stackOf)
	sub := begin(t1)
	other := Fork(root, 1, 0, stackOf) // of no test
	all := []*Goroutine{root, t1, t2, child, grandchild, sub, other}
	errors := func() (n [7]int) {
		for i, g := range all {
			n[i] = g.Errors()
		}
		return n
	}
	if child.Errors() != t1.Errors() || sub.Test == t1.Test {
		t.Error("a test's goroutines are not its own, or a subtest is its parent")
	}
	for _, test := range []struct {
		name string
		a, b *Goroutine
		grow [7]bool
	}{
		{"in a test", t1, t1, [7]bool{true, true, false, true, true, false, true}},
		{"of a goroutine's goroutine", t2, grandchild,
			[7]bool{true, true, true, true, true, false, true}},
		{"in a subtest", sub, sub, [7]bool{true, false, false, false, false, true, true}},
		{"with a subtest", sub, child, [7]bool{true, true, false, true, true, true, true}},
		{"outside of tests", root, other, [7]bool{true, false, false, false, false, false, true}},
		{"from outside", other, t2, [7]bool{true, false, true, false, false, false, true}},
	} {
		before := errors()
		n := blame(test.a, test.b)
		for i, after := range errors() {
			if after > before[i] != test.grow[i] {
				t.Errorf("race %s: Errors of goroutine %d from %d to %d", test.name, i, before[i],
					after)
			}
			if test.grow[i] && after != n {
				t.Errorf("race %s: Errors of goroutine %d is %d, want %d", test.name, i, after, n)
			}
		}
	}
	for _, g := range all {
		g.Exit()
	}
}

// TestErrorsOfRuntime has a goroutine that isn't watched: it sees all.
func TestErrorsOfRuntime(t *testing.T) {
	tests.Charge(nil, nil)
	if got := (*Goroutine)(nil).Errors(); got != int(tests.Charges.Last.Load()) {
		t.Errorf("Errors = %d", got)
	}
}

// TestLeakedGoroutine has a goroutine that outlives its test: its races are that test's, whatever
// test runs by then, and even if that has got the context's memory.
func TestLeakedGoroutine(t *testing.T) {
	root := Main()
	first := Fork(root, 1, 0, stackOf)
	first.TestBegin(false, "T")
	leaked := Fork(first, 2, 0, stackOf)
	own := first.Test
	first.Exit()
	second := Fork(root, 1, 0, stackOf)
	second.TestBegin(false, "T")
	if leaked.Test != own || second.Test == own {
		t.Fatal("the leaked goroutine is not its test's")
	}
	before := second.Errors()
	n := blame(leaked, leaked)
	if second.Errors() != before || leaked.Errors() != n {
		t.Errorf("Errors of the next test from %d to %d, of the leaked goroutine %d", before,
			second.Errors(), leaked.Errors())
	}
	second.Exit()
	leaked.Exit()
	root.Exit()
}

// TestTestEndsWithItsGoroutines has a test's goroutines end while its own does. It's for go test
// -race: each looks who runs the test's function.
func TestTestEndsWithItsGoroutines(t *testing.T) {
	root := Main()
	first := Fork(root, 1, 0, stackOf)
	first.TestBegin(false, "T")
	var wg gosync.WaitGroup
	for range 4 {
		g := Fork(first, 2, 0, stackOf)
		wg.Go(g.Exit)
	}
	wg.Go(first.Exit)
	wg.Wait()
	root.Exit()
}

// TestBenchmarkBeginsAnew has package testing begin a benchmark once for every b.N.
func TestBenchmarkBeginsAnew(t *testing.T) {
	root := Main()
	g := Fork(root, 1, 0, stackOf)
	g.TestBegin(false, "T")
	own := g.Test
	g.TestBegin(false, "T")
	if g.Test != own {
		t.Error("it is another test")
	}
	inner := Fork(g, 2, 0, stackOf)
	inner.TestBegin(false, "T")
	if inner.Test == own {
		t.Error("a test that another's goroutine runs is no test of its own")
	}
	inner.Exit()
	g.Exit()
	root.Exit()
}

// TestCarrier has the goroutine that runs timers start the functions of two tests' timers, and of
// one that no test set.
func TestCarrier(t *testing.T) {
	const timer = uintptr(0xc600000000)
	root := Main()
	carrier := NewTimerContext()
	setter := func(begin bool) *Goroutine {
		g := Fork(root, 1, 0, stackOf)
		if begin {
			g.TestBegin(false, "T")
		}
		return g
	}
	one, two, none := setter(true), setter(true), setter(false)
	for i, g := range []*Goroutine{one, two, none, one} {
		addr := timer + uintptr(i)*8
		set := g.Clock.Tick()
		g.Set(addr)
		after := g.Clock.Tick()
		carrier.Acquire(addr)
		f := Fork(carrier, 0, 0, stackOf)
		if f.Test != g.Test {
			t.Errorf("timer %d: its function is not of the test that set it", i)
		}
		if !f.Clock.Knows(set) || f.Clock.Knows(after) {
			t.Errorf("timer %d: its function knows what was before: %v, after: %v", i,
				f.Clock.Knows(set), f.Clock.Knows(after))
		}
		n := blame(f, f)
		if f.Errors() != n || !g.Test.Nil() && g.Errors() != n {
			t.Errorf("timer %d: Errors %d and %d, want %d", i, f.Errors(), g.Errors(), n)
		}
		f.Exit()
	}
	// It has no time of its own: the functions of two timers are not ordered by it.
	m := one.Clock.Tick()
	one.Set(timer)
	carrier.Acquire(timer)
	two.Set(timer + 8)
	carrier.Acquire(timer + 8)
	f := Fork(carrier, 0, 0, stackOf)
	if f.Clock.Knows(m) {
		t.Error("a timer's function knows what another timer knew")
	}
	for _, g := range []*Goroutine{f, one, two, none, carrier, root} {
		g.Exit()
	}
	sync.Free(timer, 64)
}
