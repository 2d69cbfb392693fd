// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package tracegen_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/commutego/commute/internal/check/aerodrome"
	"github.com/commutego/commute/internal/check/frontier"
	"github.com/commutego/commute/internal/check/hb"
	"github.com/commutego/commute/internal/check/velodrome"
	"github.com/commutego/commute/internal/event"
	"github.com/commutego/commute/internal/trace/tracegen"
)

// split splits a random variable of a trace at a random place, and lets some of the later accesses
// be to the part. Both is the same without a split: what is done to the variable before is done to
// the part, too. The position of an event is its index in events and 1; that of a split is 0.
func split(seed uint64, tr tracegen.Trace) (events, both []event.Event) {
	r := rand.New(rand.NewPCG(seed, 7))
	for i, e := range tr.Events {
		e.Pos = uint32(i) + 1
		events = append(events, e)
	}
	both = slices.Clone(events)
	next, at := uint32(1000), 0
	for range 1 + r.IntN(3) {
		at += r.IntN(len(events) - at + 1) // one after the other
		from := r.Uint32N(3)
		part := next
		next++
		moved := make(map[uint32]bool) // by position
		for i := at; i < len(events); i++ {
			e := &events[i]
			if e.Pos != 0 && (e.Op == event.Read || e.Op == event.Write) && e.Target == from &&
				r.IntN(2) == 0 {
				e.Target = part
				moved[e.Pos] = true
			}
		}
		place := uint32(len(tr.Events)) + 1 // of the next step
		for i := len(events) - 1; i >= at; i-- {
			if events[i].Pos != 0 {
				place = events[i].Pos
			}
		}
		at++
		events = slices.Insert(events, at-1, event.Event{Op: event.Split, Target: part,
			Point: from})
		var more []event.Event
		for _, e := range both {
			access := (e.Op == event.Read || e.Op == event.Write) && e.Target == from
			if access && moved[e.Pos] {
				e.Target = part
			}
			more = append(more, e)
			if access && e.Pos < place {
				e.Target = part
				more = append(more, e)
			}
		}
		both = more
	}
	return events, both
}

var checkers = []func(*event.Relation) event.Checker{
	func(r *event.Relation) event.Checker { return frontier.New(r) },
	func(r *event.Relation) event.Checker { return velodrome.New(r) },
	func(r *event.Relation) event.Checker { return aerodrome.NewBasic(r) },
	func(r *event.Relation) event.Checker { return aerodrome.New(r) },
}

// TestSplit wants checkers to find after a split what they find if the part has been there from the
// start.
func TestSplit(t *testing.T) {
	found, seed := 0, uint64(0)
	tracegen.Each(t, 4000, func(tr tracegen.Trace) error {
		seed++
		events, both := split(seed, tr)
		for i, fresh := range checkers {
			have, want := violations(fresh(tr.Relation), events), violations(fresh(tr.Relation),
				both)
			if !slices.Equal(have, want) {
				return fmt.Errorf("checker %d finds %q, want %q\n%v", i, have, want,
					tracegen.Trace{Events: events})
			}
			found += len(want)
		}
		have, want := races(hb.New(tr.Relation), events), races(hb.New(tr.Relation), both)
		if !slices.Equal(have, want) {
			return fmt.Errorf("races at %v, want %v\n%v", have, want,
				tracegen.Trace{Events: events})
		}
		return nil
	})
	if found == 0 {
		t.Error("nothing was found")
	}
}

// TestSplitInTransaction has a transaction that runs at the split and reaches another one after it.
// What it did to the variable before counts for the part when it ends.
func TestSplitInTransaction(t *testing.T) {
	const x, z, v, part = 0, 2, 3, 9
	split := event.Event{Op: event.Split, Target: part, Point: x}
	after := []event.Event{
		{Op: event.Begin, Thread: 1}, {Op: event.Write, Thread: 1, Target: z},
		{Op: event.Read, Target: z}, {Op: event.End},
		{Op: event.Read, Thread: 1, Target: part, Pos: 1},
	}
	for name, before := range map[string][]event.Event{
		"own": {{Op: event.Begin}, {Op: event.Write, Target: x}, split},
		"another's": {
			{Op: event.Begin}, {Op: event.Write, Target: v}, {Op: event.Read, Thread: 2, Target: v},
			{Op: event.Write, Thread: 2, Target: x}, split,
		},
		"high": {
			{Op: event.Begin}, {Op: event.Write, Target: v}, {Op: event.Read, Thread: 2, Target: v},
			{Op: event.Write, Thread: 2, Target: x}, split,
		},
		"readers": {
			{Op: event.Begin}, {Op: event.Write, Target: v}, {Op: event.Read, Thread: 2, Target: v},
			{Op: event.Read, Thread: 2, Target: x}, {Op: event.Read, Thread: 0, Target: x}, split,
		},
	} {
		events := append(slices.Clone(before), after...)
		if name == "readers" {
			events[len(events)-1].Op = event.Write
		}
		for i := range events {
			if name == "high" && events[i].Thread == 0 {
				events[i].Thread = 100
			}
		}
		for i, fresh := range checkers {
			if got := violations(fresh(nil), events); len(got) != 1 {
				t.Errorf("%s: checker %d finds %q, want one violation", name, i, got)
			}
		}
	}
}

// violations are the transactions that a checker finds, and where.
func violations(c event.Checker, events []event.Event) (list []string) {
	for i := range events {
		if !c.Event(&events[i]) {
			continue
		}
		v := c.Violation()
		s := fmt.Sprintf("transaction %d of thread %d, %v, from %d, at %d", v.Number, v.Thread,
			v.Marked, v.Pos, events[i].Pos)
		if !slices.Contains(list, s) {
			list = append(list, s)
		}
	}
	return list
}

func races(c event.RaceChecker, events []event.Event) (list []uint32) {
	for i := range events {
		if c.Event(&events[i]) && !slices.Contains(list, events[i].Pos) {
			list = append(list, events[i].Pos)
		}
	}
	return list
}
