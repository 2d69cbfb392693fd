// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package commrace_test

import (
	"testing"

	"github.com/commutego/commute/internal/engine/commrace"
)

// The record of an owner's call has the thread that makes the call, whichever has had its slot.
func TestOwnersThread(t *testing.T) {
	et, ct := syncMap(t)
	w := newWorld(et, ct, 3)
	defer w.end()
	w.seen = new(commrace.Seen)
	store := call{"Store", []any{1, 2, 0, true}}
	own(w, store, 1)
	commrace.NoteThread(w.obj, w.threads[2])
	c := engineCall(et, store)
	if _, _, ok := commrace.BeginOwned(w.obj, c, w.threads[1]); !ok {
		t.Fatal("the call has not begun as an owner's")
	}
	if commrace.CallThread(w.obj) != w.threads[1] {
		t.Error("the call under way is one of another thread")
	}
	w.obj.End(c, w.threads[1], w)
}
