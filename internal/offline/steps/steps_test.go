// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package steps

import (
	"slices"
	"testing"

	"github.com/commutego/commute/internal/check/reorder"
	"github.com/commutego/commute/internal/event"
	"github.com/commutego/commute/internal/trace"
	"github.com/commutego/commute/internal/trace/spec"
)

// decoded has a decoder take events, and what is told before some of them.
func decoded(events []event.Event, told ...trace.CallStep) (list []reorder.Step, cuts []int) {
	p := trace.NewProgram()
	p.SetGoroutine(1, 7, 0, 0)
	p.SetGoroutine(2, 8, 1, 0)
	p.SetGoroutine(3, 9, 0, 0)
	New(p).Events(events, told, func(_ *event.Event, s reorder.Step, cut bool) {
		if cut {
			cuts = append(cuts, len(list))
		}
		list = append(list, s)
	})
	return list, cuts
}

// ops are the operations of steps.
func ops(list []reorder.Step) (ops []reorder.Op) {
	for i := range list {
		ops = append(ops, list[i].Op)
	}
	return ops
}

// on is an event of thread 1.
func on(op event.Kind, target uint32, flags event.Flags) event.Event {
	return event.Event{Op: op, Thread: 1, Target: target, Flags: flags, Pos: 5}
}

// told is told of thread 1 before an event.
func told(before uint64, what uint64, object uint32, flags uint8) trace.CallStep {
	return trace.CallStep{
		Event: before, Kind: event.Value, Thread: 1, What: what, Object: object, Flags: flags,
	}
}

// TestLocks has a lock that is told of be one, for writers and for readers.
func TestLocks(t *testing.T) {
	list, _ := decoded([]event.Event{
		on(event.Acquire, 4, 0), on(event.Acquire, 5, 0), on(event.Release, 4, 0),
		on(event.Acquire, 4, 0), on(event.ReleaseMerge, 5, 0), on(event.Acquire, 4, 0),
	}, told(0, spec.Takes, 9, spec.Waits), told(2, spec.Frees, 9, spec.Direct),
		told(3, spec.Takes, 9, spec.Reader), told(4, spec.Frees, 9, spec.Reader))
	want := []reorder.Op{
		reorder.Lock, reorder.Nothing, reorder.Unlock, reorder.RLock, reorder.RUnlock,
		reorder.Acquire, // of it nothing is told
	}
	if got := ops(list); !slices.Equal(got, want) {
		t.Errorf("operations %v, want %v", got, want)
	}
	if list[0].Target != 9 || list[2].Opaque || !list[4].Opaque || !list[2].Closes ||
		list[0].Closes {
		t.Errorf("%+v", list)
	}
}

// TestAtomics has atomic operations be accesses, unless others know what they are on as an object.
func TestAtomics(t *testing.T) {
	load := []event.Event{on(event.Acquire, 4, 0), on(event.Read, 9, event.Only)}
	store := []event.Event{on(event.Write, 9, event.Only), on(event.Release, 4, 0)}
	add := []event.Event{
		on(event.Acquire, 4, 0), on(event.Write, 9, event.Only), on(event.ReleaseMerge, 4, 0),
	}
	// A store comes right after what is acquired at the same place.
	list, cuts := decoded(slices.Concat(load, store, add, []event.Event{on(event.Acquire, 8, 0)},
		store))
	const none = reorder.Nothing
	want := []reorder.Op{
		none, reorder.Read, reorder.Write, none, none, reorder.Write, none, reorder.Acquire,
		reorder.Write, none,
	}
	if got := ops(list); !slices.Equal(got, want) || len(cuts) > 0 {
		t.Errorf("operations %v, want %v; cuts %v", got, want, cuts)
	}
	if list[2].Reads || !list[5].Reads || list[8].Reads || !list[1].Atomic || !list[6].Closes {
		t.Errorf("%+v", list)
	}
	// An operation that was announced is over; or another goroutine has made one meanwhile.
	list, cuts = decoded(slices.Concat(add, []event.Event{on(event.Acquire, 4, 0)}))
	if got := ops(list); got[3] != none || len(cuts) > 0 {
		t.Errorf("operations %v, cuts %v", got, cuts)
	}
	other := slices.Clone(load)
	for i := range other {
		other[i].Thread = 2
	}
	list, cuts = decoded(slices.Concat(load, other, []event.Event{on(event.Acquire, 4, 0)}, add))
	want = []reorder.Op{
		none, reorder.Read, none, reorder.Read, reorder.Acquire, reorder.Acquire, none,
		reorder.Merge,
	}
	if got := ops(list); !slices.Equal(got, want) || !slices.Equal(cuts, []int{4}) {
		t.Errorf("operations %v, want %v; cuts %v", got, want, cuts)
	}
}

// TestFixed has steps be fixed of which the trace doesn't tell what they depend on.
func TestFixed(t *testing.T) {
	by := func(thread uint32, op event.Kind, target uint32) event.Event {
		return event.Event{Op: op, Thread: thread, Target: target}
	}
	for _, c := range []struct {
		what   string
		events []event.Event
		told   []trace.CallStep
		want   []bool
	}{
		{"the first goroutine, and one that it has started",
			[]event.Event{by(1, event.Read, 3), by(1, event.Fork, 2), by(2, event.Read, 3)}, nil,
			[]bool{false, false, false}},
		{"one of which it isn't known", []event.Event{by(1, event.Read, 3), by(3, event.Read, 3),
			by(3, event.Read, 4)}, nil, []bool{false, true, false}},
		{"a failed attempt", []event.Event{by(1, event.Read, 3), by(1, event.Read, 4)},
			[]trace.CallStep{told(1, spec.Fails, 0, 0)}, []bool{false, true}},
		{"a block in which another thread comes", []event.Event{by(1, event.Fork, 2),
			by(1, event.Write, 3), by(2, event.Read, 3), by(1, event.Read, 4),
			by(1, event.Release, 5), by(1, event.Read, 4)}, nil,
			[]bool{false, false, true, true, true, false}},
		{"a touch without its call", []event.Event{by(1, event.Touch, 3)}, nil, []bool{true}},
		{"calls that overlap", []event.Event{by(1, event.Fork, 2), by(1, event.Touch, 3),
			by(2, event.Touch, 3), by(1, event.Touch, 3)}, []trace.CallStep{
			{Event: 1, Kind: event.Enter, Thread: 1}, {Event: 1, Kind: event.Enter, Thread: 2},
			{Event: 1, Kind: event.Call, Thread: 1, Touches: 1},
			{Event: 2, Kind: event.Call, Thread: 2, Touches: 1},
			{Event: 3, Kind: event.Enter, Thread: 1},
			{Event: 3, Kind: event.Call, Thread: 1, Touches: 1},
		}, []bool{false, true, true, false}},
	} {
		list, _ := decoded(c.events, c.told...)
		var got []bool
		for i := range list {
			got = append(got, list[i].Fixed)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", c.what, got, c.want)
		}
	}
}

// TestAll has what comes after all come after all.
func TestAll(t *testing.T) {
	list, _ := decoded([]event.Event{
		on(event.ReleaseMerge, trace.AllLock, 0), on(event.Acquire, trace.AllLock, 0),
	})
	if got := ops(list); !slices.Equal(got, []reorder.Op{reorder.Nothing, reorder.Untold}) {
		t.Errorf("operations %v", got)
	}
}

// TestStays has a lock's synchronization be on the word of a mutex, at the start of a variable or
// elsewhere in it.
func TestStays(t *testing.T) {
	rmw := func(before uint64, flags uint8) trace.CallStep {
		return trace.CallStep{
			Event: before, Kind: event.AtomicRMW, Thread: 1, Object: 6, Flags: flags,
		}
	}
	list, _ := decoded([]event.Event{on(event.Acquire, 4, 0), on(event.Acquire, 5, 0)},
		told(0, spec.Takes, 9, 0), rmw(0, trace.AtStart), told(1, spec.Takes, 8, 0), rmw(1, 0))
	if !list[0].Stays || list[1].Stays || list[0].Also != 7 || list[1].Also != 7 {
		t.Errorf("%+v", list)
	}
}
