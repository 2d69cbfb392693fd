// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package commrace_test

import (
	"testing"

	"github.com/commutego/commute/internal/engine/commrace"
	"github.com/commutego/commute/internal/engine/vclock"
)

// learns makes thread i learn something, so that none of its touches is fresh.
func (w *world) learns(i, from int) {
	var lock vclock.LockClock
	lock.Release(w.threads[from])
	lock.Acquire(w.threads[i])
	lock.Clear()
}

// An observation that meets nothing unknown takes the record of the one before, and moves to the
// present: who has learned of the first one only is in a race with it.
func TestRenewedObservation(t *testing.T) {
	et, ct := syncMap(t)
	w := newWorld(et, ct, 3)
	defer w.end()
	w.observe(1, "a")
	w.learns(2, 1)
	w.learns(1, 0)
	if w.observe(1, "a"); w.renewed != 1 {
		t.Fatalf("%d records were renewed, want 1", w.renewed)
	}
	if checker, _ := w.step(2, call{"Store", []any{"a", 1, nil, false}}); !checker {
		t.Error("the Store is not in a race with the second Load")
	}
	// The Store has subsumed the Load's touch, which the next Load takes over.
	w.learns(1, 2)
	if w.observe(1, "a"); w.renewed != 2 {
		t.Errorf("%d records were renewed, want 2", w.renewed)
	}
	if checker, _ := w.step(2, call{"Store", []any{"a", 2, 1, true}}); !checker {
		t.Error("the second Store is not in a race with the third Load")
	}
}

// An observation beside a call that is under way, and may have taken effect, learns from it.
func TestNotRenewedBesidePending(t *testing.T) {
	et, ct := syncMap(t)
	w := newWorld(et, ct, 3)
	defer w.end()
	w.observe(2, "a")
	w.learns(2, 0)
	before := w.threads[1].Tick()
	store := engineCall(et, call{"Store", []any{"a", 1, nil, false}})
	w.obj.Begin(store, w.threads[1], w)
	if w.observe(2, "a"); !w.threads[2].Knows(before) {
		t.Error("the second Load does not come after what the Store comes after")
	}
	w.obj.Abandon(store, w)
}

// While transactions run, each observation is an event of its own: what it conflicts with is told.
func TestNotRenewedInTransaction(t *testing.T) {
	et, ct := syncMap(t)
	var o commrace.Object
	a, b := watchers(t, &o, ct)
	b.observe(et, &o, "Load", 1, "x", true)
	gone := a.call(et, &o, "Delete", 1, "x", true) // which subsumes no Load
	o.Begin(gone, &a.clock, a)
	o.End(gone, &a.clock, a)
	var lock vclock.LockClock
	lock.Release(&a.clock)
	lock.Acquire(&b.clock)
	lock.Clear()
	if got := b.observe(et, &o, "Load", 1, nil, false); got != 1 {
		t.Errorf("the second Load conflicts with %d calls, want 1", got)
	}
}

// An act after one with another key repeats no earlier one, as it has a check of its own: what that
// saw is known.
func TestActsOfTwoKeys(t *testing.T) {
	et, ct := syncMap(t)
	w := &timeline{world: newWorld(et, ct, 3), pairs: map[[2]uintptr]bool{{1, 2}: true},
		open: map[int]*made{}, raced: map[*made]bool{}}
	defer w.end()
	m := map[int]int{}
	load := func(k int) func(map[int]int) call {
		return func(m map[int]int) call {
			v, ok := m[k]
			return call{"Load", []any{k, v, ok}}
		}
	}
	store := func(k, v int) func(map[int]int) call {
		return func(m map[int]int) call {
			old, ok := m[k]
			m[k] = v
			return call{"Store", []any{k, v, old, ok}}
		}
	}
	run := func(i int, site uintptr, f func(map[int]int) call) []told {
		w.begin(i, commrace.Place{Site: site, Frame: 8}, m, f)
		return w.finish(i)
	}
	for n := range 3 {
		for k := range 2 {
			run(1, 1, load(k))
			run(1, 2, store(k, n))
		}
	}
	told := run(2, 3, store(0, 7))
	if len(told) == 0 || told[0].breach != commrace.Predicted {
		t.Errorf("told %+v of the other goroutine's Store, want a predicted violation", told)
	}
}
