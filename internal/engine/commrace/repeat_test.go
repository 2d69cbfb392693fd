// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package commrace_test

import (
	"testing"

	"github.com/commutego/commute/internal/engine/commrace"
)

// observe makes a Load as the runtime does: by Observe, and where that isn't enough by End.
func (w *world) observe(i int, key any) (races int) {
	c := engineCall(w.ecl, call{"Load", []any{key, nil, false}})
	w.races = 0
	if !repeats(w.obj, c, w.threads[i]) {
		w.obj.End(c, w.threads[i], w)
	}
	return w.races
}

// A Load that repeats one from before another call comes after that call, and so does not come
// before what comes after that call alone. The other call may be of another object.
func TestRepeatedLoadIsLater(t *testing.T) {
	et, ct := syncMap(t)
	for _, otherObject := range []bool{false, true} {
		w := newWorld(et, ct, 3)
		other := w
		if otherObject {
			other = newWorld(et, ct, 0)
			other.threads, other.clocks = w.threads, w.clocks
		}
		w.observe(1, "a")
		other.step(1, call{"LoadOrStore", []any{"b", 1, 1, false}})
		w.observe(1, "a")
		other.step(2, call{"LoadAndDelete", []any{"b", 1, true}})
		if checker, _ := w.step(2, call{"Store", []any{"a", 1, nil, false}}); !checker {
			t.Errorf("other object: %v: the Store is not in a race with the second Load",
				otherObject)
		}
		if otherObject {
			other.obj.Drop()
		}
		w.end()
	}
}

// The other call may be one that repeats another, too: what it changes has moved to the present.
func TestRepeatedLoadIsLaterThanRepetition(t *testing.T) {
	et, ct := syncMap(t)
	w := newWorld(et, ct, 3)
	defer w.end()
	other := newWorld(et, ct, 0)
	other.threads, other.clocks = w.threads, w.clocks
	defer other.obj.Drop()
	w.observe(1, "a")
	for range 3 {
		other.step1(1, call{"Store", []any{"b", 1, nil, false}})
		w.observe(1, "a")
	}
	other.step(2, call{"LoadAndDelete", []any{"b", 1, true}})
	if checker, _ := w.step(2, call{"Store", []any{"a", 1, nil, false}}); !checker {
		t.Error("the Store is not in a race with the last Load")
	}
}

// A Load whose touch has to move repeats only a Load at the same place: the touch stands for it.
func TestMovedLoadIsAtItsPlace(t *testing.T) {
	et, ct := syncMap(t)
	w := newWorld(et, ct, 2)
	defer w.end()
	load := func(site uintptr) bool {
		c := engineCall(w.ecl, call{"Load", []any{"a", nil, false}})
		c.SetPlace(commrace.Place{Site: site})
		if repeats(w.obj, c, w.threads[0]) {
			return true
		}
		w.obj.End(c, w.threads[0], w)
		return false
	}
	store := func() { w.step1(0, call{"Store", []any{"b", 1, nil, false}}) }
	store()
	load(1)
	if !load(2) {
		t.Error("a Load at another place does not repeat the first, where nothing moves")
	}
	store()
	if load(1) {
		t.Error("a Load at another place repeats a Load whose touch has to move")
	}
	store()
	if !load(1) {
		t.Error("a Load at the same place does not repeat a Load whose touch has to move")
	}
}

// A Load that is repeated without anything between stays one touch, and the thread where it is.
func TestRepeatedLoadCostsNothing(t *testing.T) {
	et, ct := syncMap(t)
	w := newWorld(et, ct, 2)
	defer w.end()
	w.step(0, call{"Store", []any{"b", 1, nil, false}})
	w.observe(0, "a")
	w.observe(0, "a")
	was := w.threads[0].Now()
	for range 10 {
		w.observe(0, "a")
	}
	if now := w.threads[0].Now(); now != was {
		t.Errorf("the thread has moved from %v to %v", was, now)
	}
}
