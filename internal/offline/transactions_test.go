// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package offline

import (
	"slices"
	"testing"

	"github.com/commutego/commute/internal/event"
	"github.com/commutego/commute/internal/trace"
)

// TestTransactionsTold has violations of a marked function, which are told once for each two of its
// lines, and not if a rule matches anything in the stacks of the cycle.
func TestTransactionsTold(t *testing.T) {
	p := trace.NewProgram()
	p.SetGoroutine(0, 1, 0, 0)
	for i, f := range []string{"p.caller", "p.f", "p.f", "p.f", "p.get", "p.other", "p.get"} {
		pos := uint32(i) + 1
		caller := uint32(0)
		if f == "p.get" { // what p.f calls
			caller = pos - 1
		}
		p.SetFrame(pos, caller, pos*10, f, "/p/p.go")
	}
	p.SetSection(1, "p.f /p/p.go:15")
	begin := p.Section(1, 1)
	// A transaction of a thread accesses a variable at two positions, and another thread writes it
	// between the two, at position 6.
	violation := func(thread, first, last uint32) []event.Event {
		return []event.Event{
			{Op: event.Begin, Thread: thread, Pos: begin},
			{Op: event.Read, Thread: thread, Target: 7, Pos: first},
			{Op: event.Write, Thread: thread + 1, Target: 7, Pos: 6},
			{Op: event.Write, Thread: thread, Target: 7, Pos: last},
			{Op: event.End, Thread: thread},
		}
	}
	const a, b, inner = 2, 3, 5 // of p.f; the last is in p.get, which it calls at position 4
	for _, test := range []struct {
		name, rules string
		events      []event.Event
		want        []uint64 // the events by which the violations are told
	}{
		{"the same lines", "", slices.Concat(violation(0, a, b), violation(2, a, b)),
			[]uint64{3}},
		{"other lines", "", slices.Concat(violation(0, a, b), violation(2, a, inner)),
			[]uint64{3, 8}},
		{"the function's own lines", "", slices.Concat(violation(0, a, 4), violation(2, a, inner)),
			[]uint64{3}},
		{"it runs still", "", violation(0, a, b)[:4], []uint64{3}},
		{"it has not come to it", "", violation(0, a, b)[:3], nil},
		{"suppressed by what interferes", "p.other", violation(0, a, b), nil},
		{"suppressed by an inner frame", "p.get", violation(0, inner, b), nil},
		{"not suppressed", "p.get", violation(0, a, b), []uint64{3}},
	} {
		relation, _ := event.NewRelation(0)
		c := checkTransactions(relation).(*transactionChecker)
		c.rules = ParseRules(test.rules)
		c.start(p)
		var got []uint64
		found := func(f Finding) {
			if f.Transaction == nil || len(f.Cycle.Edges) != 2 {
				t.Errorf("%s: %+v", test.name, f)
			}
			got = append(got, f.At.Index)
		}
		c.take(test.events, true, found)
		c.end(true, found)
		if !slices.Equal(got, test.want) {
			t.Errorf("%s: violations at events %d, want %d", test.name, got, test.want)
		}
	}
}
