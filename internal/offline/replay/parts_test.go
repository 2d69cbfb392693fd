// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package replay

import (
	"testing"

	"github.com/commutego/commute/internal/event"
	"github.com/commutego/commute/internal/trace"
	"github.com/commutego/commute/internal/trace/tracegen"
)

// TestRepeatedInTransaction has a call that repeats one from before its transaction. Another
// thread's call comes between it and an access of the transaction.
func TestRepeatedInTransaction(t *testing.T) {
	s := newScript(t)
	s.replay.Close()
	s.replay.program.Calls = true
	found := 0
	relation := s.replay.relation
	s.replay = NewTransactions(s.replay.program, func(Violation) { found++ })
	s.replay.Relation(relation)
	do := func(e event.Event) {
		s.replay.Events([]event.Event{e}, nil)
		s.index++
	}
	do(event.Event{Op: event.Begin, Thread: 2}) // so that transactions run
	s.call(0, load, 2)
	do(event.Event{Op: event.Begin})
	s.call(0, load, 2)
	s.call(1, store, 4)
	do(event.Event{Op: event.Write, Thread: 1})
	do(event.Event{Op: event.Read})
	do(event.Event{Op: event.End})
	s.replay.Close()
	if found != 1 {
		t.Errorf("%d violations, want 1", found)
	}
}

// TestStepsWithBegin has a transaction with calls, all of which come in one part of the trace.
func TestStepsWithBegin(t *testing.T) {
	relation, _ := event.NewRelation(2, [2]uint32{1, 1})
	p := programOf(2)
	p.Calls = true
	touch := func(thread, pos uint32) event.Event {
		return event.Event{Op: event.Touch, Point: 1, Thread: thread, Pos: pos}
	}
	tr := tracegen.Trace{Relation: relation, Events: []event.Event{
		touch(1, 1), {Op: event.Begin}, touch(0, 2), touch(1, 3), touch(0, 4), {Op: event.End},
	}}
	if found := violationsOf(tr, p, len(tr.Events)); len(found) != 1 {
		t.Errorf("%+v, want one violation", found)
	}
}

// TestSplitIsApart has a variable be split, and something be done to the one part that must not be
// taken for done to the other.
func TestSplitIsApart(t *testing.T) {
	const whole, part, other = 1, 2, 3
	tr := tracegen.Trace{Events: []event.Event{
		{Op: event.Begin},
		{Op: event.Write, Target: other},
		{Op: event.Read, Target: other, Thread: 1}, // the transaction reaches thread 1
		{Op: event.Read, Target: whole, Thread: 1},
		{Op: event.Split, Target: part, Point: whole},
		{Op: event.Write, Target: part, Thread: 2, Flags: event.Quiet},
		{Op: event.Read, Target: part, Thread: 3}, // the transaction doesn't reach it
		{Op: event.Write, Target: whole},
		{Op: event.End},
	}}
	if found := violationsOf(tr, nil, len(tr.Events)); len(found) != 1 {
		t.Errorf("%+v, want one violation", found)
	}
}

// TestEndedThreads has a transaction reach a thread, which ends, and others that it doesn't reach
// and that follow in that one's place. They close no cycle, and hide none that is closed later.
func TestEndedThreads(t *testing.T) {
	var found []Violation
	r := NewTransactions(nil, func(v Violation) { found = append(found, v) })
	index := uint64(0)
	do := func(e event.Event) {
		r.Events([]event.Event{e}, nil)
		index++
	}
	do(event.Event{Op: event.Begin})
	do(event.Event{Op: event.Write})
	const threads = 10000
	for thread := uint32(1); thread < threads; thread++ {
		if thread == 1 {
			do(event.Event{Op: event.Read, Thread: thread})
		}
		do(event.Event{Op: event.Write, Target: thread, Thread: thread})
		exit := trace.CallStep{Event: index, Kind: event.Exit, Thread: thread}
		r.Events(nil, []trace.CallStep{exit})
	}
	for target := uint32(2); target < threads; target++ {
		do(event.Event{Op: event.Read, Target: target})
	}
	do(event.Event{Op: event.Read, Thread: threads})
	do(event.Event{Op: event.Write, Target: threads, Thread: threads})
	do(event.Event{Op: event.Read, Target: threads})
	do(event.Event{Op: event.End})
	if n := r.txns.times.Slots(); n > threads/2 {
		t.Errorf("%d slots: none is used again", n)
	}
	r.Close()
	if len(found) != 1 || found[0].At.Event.Target != threads {
		t.Errorf("%+v, want one violation", found)
	}
}
