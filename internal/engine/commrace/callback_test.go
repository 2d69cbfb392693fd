// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package commrace_test

import (
	"testing"

	"github.com/commutego/commute/internal/engine/vclock"
)

// A call that calls back into the program learns what the others did before it is known what it did
// itself. They race all the same, unless they turn out to commute.
func TestRaceWithLearnedCall(t *testing.T) {
	et, ct := syncMap(t)
	for _, c := range []struct {
		name   string
		first  call
		second call
		racing bool
	}{
		{"two stores", call{"Store", []any{1, "x", nil, false}},
			call{"Store", []any{1, "y", "x", true}}, true},
		{"residue", call{"Store", []any{1, "x", nil, false}},
			call{"Store", []any{1, "x", "x", true}}, false},
		{"another key", call{"Store", []any{1, "x", nil, false}},
			call{"Store", []any{2, "y", nil, false}}, false},
		{"a change that was none", call{"Load", []any{1, nil, false}},
			call{"Swap", []any{1, "x", "x", true}}, false},
		{"a change", call{"Load", []any{1, nil, false}}, call{"Swap", []any{1, "x", nil, false}},
			true},
	} {
		w := newWorld(et, ct, 3)
		w.step(1, c.first)
		e := engineCall(et, c.second)
		beta := e.Beta
		w.obj.Begin(e, w.threads[2], w)
		e.Beta = 0 // that of the results is known at the end
		w.obj.Join(e, w.threads[2], nil)
		w.obj.Join(e, w.threads[2], nil)
		e.Beta, w.races = beta, 0
		w.obj.End(e, w.threads[2], w)
		if w.races > 0 != c.racing {
			t.Errorf("%s: %d races", c.name, w.races)
		}
		e = engineCall(et, c.second)
		w.obj.Begin(e, w.threads[0], w)
		w.obj.Join(e, w.threads[0], nil)
		w.obj.Abandon(e, w)
		w.end()
	}
}

// A call releases something inside; another waits for that, and ends first. It comes after, all the
// same.
func TestWaiterEndsFirst(t *testing.T) {
	et, ct := syncMap(t)
	for _, waits := range []bool{true, false} {
		w := newWorld(et, ct, 3)
		var inside vclock.LockClock
		first := engineCall(et, call{"Store", []any{1, "x", nil, false}})
		w.obj.Begin(first, w.threads[1], w)
		w.threads[1].Hold()
		inside.ReleaseInCall(w.threads[1])
		if waits {
			inside.Acquire(w.threads[2])
		}
		w.obj.End(engineCall(et, call{"Store", []any{1, "y", "x", true}}), w.threads[2], w)
		w.races = 0
		w.obj.End(first, w.threads[1], w)
		if w.races > 0 == waits {
			t.Errorf("waits: %v, races: %d", waits, w.races)
		}
		inside.Clear()
		w.end()
	}
}

// A thread that joins the clock of a call under way does not know what it will be marked with.
func TestLearnerDoesNotKnowMark(t *testing.T) {
	et, ct := syncMap(t)
	w := newWorld(et, ct, 3)
	defer w.end()
	store := engineCall(et, call{"Store", []any{1, "x", nil, false}})
	w.obj.Begin(store, w.threads[1], w)
	w.threads[1].Hold()
	mark := w.threads[1].Held()
	w.obj.End(engineCall(et, call{"Load", []any{1, "x", true}}), w.threads[2], w)
	if w.threads[2].Knows(mark) {
		t.Error("the Load knows the mark of the Store")
	}
	w.obj.End(store, w.threads[1], w)
	w.threads[1].RestoreHeld(0)
	w.races = 0
	w.obj.End(engineCall(et, call{"Store", []any{1, "y", "x", true}}), w.threads[2], w)
	if w.races == 0 {
		t.Error("the Stores are in no race")
	}
}

// But a call that sees what a call has done after a callback comes after what was done in that.
func TestLearnerKnowsCallback(t *testing.T) {
	et, ct := syncMap(t)
	for _, resumed := range []bool{true, false} {
		w := newWorld(et, ct, 3)
		outer := w.threads[1]
		store := engineCall(et, call{"Store", []any{1, "x", nil, false}})
		w.obj.Begin(store, outer, w)
		outer.Hold()
		store.Hold(outer.Held())
		outer.RestoreHeld(0)
		inCallback := outer.Tick()
		if resumed {
			outer.RestoreHeld(store.Held())
		}
		w.obj.End(engineCall(et, call{"Load", []any{1, "x", true}}), w.threads[2], w)
		if w.threads[2].Knows(inCallback) != resumed {
			t.Errorf("resumed: %v, the Load knows what was done in the callback: %v", resumed,
				!resumed)
		}
		w.races = 0
		outer.RestoreHeld(store.Held())
		w.obj.End(store, outer, w)
		if w.races == 0 {
			t.Errorf("resumed: %v: the Store and the Load are in no race", resumed)
		}
		outer.RestoreHeld(0)
		w.end()
	}
}
