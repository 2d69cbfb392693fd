// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package commrace_test

import (
	"testing"
	"unsafe"

	"github.com/commutego/commute/ecl"
	"github.com/commutego/commute/internal/engine/commrace"
	"github.com/commutego/commute/internal/engine/vclock"
)

// A watcher is a goroutine whose calls are made while transactions run.
type watcher struct {
	clock     vclock.Thread
	began     vclock.Epoch
	conflicts []vclock.Epoch // with what its last call conflicted
	captured  int            // calls of which more is known than that they were made
}

func (*watcher) Begins() {}

func (*watcher) Joins()   {}
func (*watcher) Leaves()  {}
func (*watcher) Resumes() {}

func (*watcher) Abandons() {}

func (w *watcher) Ends() vclock.Epoch { return w.Epoch() }

func (w *watcher) Epoch() vclock.Epoch { return w.clock.Pin() }
func (w *watcher) Began() vclock.Epoch { return w.began }
func (w *watcher) Conflict(_ *commrace.Object, first, _ *commrace.Action) {
	w.conflicts = append(w.conflicts, first.Txn)
}
func (w *watcher) Capture(*commrace.Action, unsafe.Pointer)                       { w.captured++ }
func (w *watcher) Recapture(*commrace.Action, unsafe.Pointer)                     { w.captured++ }
func (w *watcher) Unused(*commrace.Table, *commrace.Action) bool                  { return false }
func (*watcher) Decides(*commrace.Table, *commrace.Action, *commrace.Action) bool { return false }
func (*watcher) SameCheck(_ *commrace.Table, _, _, _ *commrace.Action) bool       { return true }
func (w *watcher) Race(*commrace.Object, commrace.Race)                           {}
func (w *watcher) call(
	et *ecl.Table, o *commrace.Object, name string, values ...any,
) *commrace.Call {
	w.conflicts = nil
	return engineCall(et, call{name, values})
}

// observe is a call of an observer, of which it's only known when it has ended.
func (w *watcher) observe(et *ecl.Table, o *commrace.Object, name string, values ...any) int {
	o.End(w.call(et, o, name, values...), &w.clock, w)
	return len(w.conflicts)
}

// watchers are two threads with no order between them.
func watchers(t *testing.T, o *commrace.Object, ct *commrace.Table) (a, b *watcher) {
	a, b = new(watcher), new(watcher)
	clocks.Start(&a.clock)
	a.clock.Fork(&b.clock)
	o.Init(ct, &clocks)
	t.Cleanup(func() {
		o.Drop()
		a.clock.End()
		b.clock.End()
	})
	return a, b
}

// TestOrderOfObservers has an observer and a change that nothing orders: either may have come
// first, so that there is no conflict of which the transactions could be informed. If something
// orders them, there is.
func TestOrderOfObservers(t *testing.T) {
	et, ct := syncMap(t)
	for _, ordered := range []bool{false, true} {
		var o commrace.Object
		a, b := watchers(t, &o, ct)
		store := a.call(et, &o, "Store", 1, "x", nil, false)
		o.Begin(store, &a.clock, a)
		o.End(store, &a.clock, a)
		want := 0
		if ordered {
			var lock vclock.LockClock
			lock.Release(&a.clock)
			lock.Acquire(&b.clock)
			lock.Clear()
			want = 1
		}
		if got := b.observe(et, &o, "Load", 1, "x", true); got != want {
			t.Errorf("ordered %v: Load conflicts with %d calls, want %d", ordered, got, want)
		}
	}
}

// TestOrderOfChanges has two changes, that have overlapped or not: the first is known to come first
// if it was over when the second began.
func TestOrderOfChanges(t *testing.T) {
	et, ct := syncMap(t)
	for _, overlap := range []bool{false, true} {
		var o commrace.Object
		a, b := watchers(t, &o, ct)
		first := a.call(et, &o, "Store", 1, "x", nil, false)
		second := b.call(et, &o, "Store", 1, "y", "x", true)
		o.Begin(first, &a.clock, a)
		if overlap {
			o.Begin(second, &b.clock, b)
		}
		o.End(first, &a.clock, a)
		want := 0
		if !overlap {
			o.Begin(second, &b.clock, b)
			want = 1
		}
		o.End(second, &b.clock, b)
		if len(b.conflicts) != want {
			t.Errorf("overlap %v: the second conflicts with %d calls, want %d", overlap,
				len(b.conflicts), want)
		}
	}
}

// TestCallBeforeTransaction has a call that repeats one from before its transaction: it's an event
// of its own, whose place is not that of the first.
func TestCallBeforeTransaction(t *testing.T) {
	et, ct := syncMap(t)
	for _, inside := range []bool{false, true} {
		var o commrace.Object
		a, _ := watchers(t, &o, ct)
		a.observe(et, &o, "Load", 1, nil, false)
		want := 1
		if inside {
			a.clock.Advance()
			a.began = a.clock.Pin()
			want = 2
		}
		a.observe(et, &o, "Load", 1, nil, false)
		if a.captured != want {
			t.Errorf("in a transaction %v: %d calls are known, want %d", inside, a.captured, want)
		}
	}
}
