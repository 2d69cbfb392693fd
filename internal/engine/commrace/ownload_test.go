// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package commrace_test

import (
	"slices"
	"testing"

	"github.com/commutego/commute/internal/engine/commrace"
)

// A Load that follows an owner's Store is later than that, and a thread that knows the Store need
// not know the Load. Nor does the Load look away while a Store is under way.
func TestOwnersLoadIsLater(t *testing.T) {
	et, ct := syncMap(t)
	w := newWorld(et, ct, 3)
	defer w.end()
	w.seen = new(commrace.Seen)
	store := call{"Store", []any{2, 1, 0, true}}
	own(w, store, 1)
	for range 2 {
		own(w, call{"Load", []any{1, 0, false}}, 2)
		own(w, store, 1)
	}
	if own(w, call{"Load", []any{1, 0, false}}, 2); w.owned[1] != 2 {
		t.Fatalf("%d Stores have ended as an owner's, want 2", w.owned[1])
	}
	w.load(2, nil, 2, 9) // learns of the Store
	w.races = 0
	if w.step1(2, call{"Store", []any{1, 1, 0, false}}); w.races == 0 {
		t.Error("the Store is in no race with the last Load")
	}
}

// Loads that an owner repeats move on one after the other, each with what it touches of the object.
func TestOwnersLastLoad(t *testing.T) {
	et, ct := syncMap(t)
	for last := range 2 {
		w := newWorld(et, ct, 3)
		w.seen = new(commrace.Seen)
		for n := range 4 {
			own(w, call{"Store", []any{9, 1, 0, n > 0}}, 1)
			for _, key := range []int{1 - last, last} {
				own(w, call{"Load", []any{key, 10 + key, true}}, 2)
			}
		}
		w.goid = 3
		f := &seenRaces{world: w}
		w.obj.End(engineCall(et, call{"Clear", []any{false}}), w.threads[2], f)
		i := slices.Index(f.methods, "Load")
		if i < 0 || f.values[i] != byte(10+last) {
			t.Errorf("a Clear races with %v of %v, want the Load of %d", f.methods, f.values, 10+last)
		}
		w.end()
	}
}
