// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package replay

import (
	"fmt"
	"slices"
	"testing"

	"github.com/commutego/commute/internal/check/frontier"
	"github.com/commutego/commute/internal/check/velodrome"
	"github.com/commutego/commute/internal/event"
	"github.com/commutego/commute/internal/trace"
	"github.com/commutego/commute/internal/trace/tracegen"
)

// violationsOf are the violations of a trace, which is read in parts of some length.
func violationsOf(tr tracegen.Trace, p *trace.Program, part int) (found []Violation) {
	r := NewTransactions(p, func(v Violation) { found = append(found, v) })
	r.Relation(tr.Relation)
	var steps []trace.CallStep
	if p != nil {
		steps = stepsOf(tr)
	}
	for at := 0; at < len(tr.Events); at += part {
		end := min(at+part, len(tr.Events))
		n := 0
		for n < len(steps) && steps[n].Event < uint64(end) {
			n++
		}
		r.Events(tr.Events[at:end], steps[:n])
		steps = steps[n:]
	}
	r.Close()
	return found
}

// verify wants a violation to be one: each edge of its cycle is of two events that conflict, and
// leads from one transaction to the next.
func verify(o *tracegen.Oracle, tr tracegen.Trace, v *Violation) error {
	c := &v.Cycle
	n := len(c.Edges)
	if n < 2 || len(c.Transactions) != n || c.Transactions[0] != v.Transaction ||
		v.At != c.Edges[n-1].Head {
		return fmt.Errorf("no cycle: %+v", v)
	}
	for i, e := range c.Edges {
		for _, s := range []event.Step{e.Tail, e.Head} {
			is := tr.Events[s.Index]
			if s.Event != is {
				return fmt.Errorf("event %d is %v, and %v in the cycle", s.Index, is, s.Event)
			}
		}
		from, to := transactionOf(o, e.Tail.Index), transactionOf(o, e.Head.Index)
		if from != c.Transactions[i] || to != c.Transactions[(i+1)%n] {
			return fmt.Errorf("edge %d leads from %+v to %+v in\n%v", i, from, to, c)
		}
		if e.Tail.Index >= e.Head.Index || !o.Conflict(int(e.Tail.Index), int(e.Head.Index)) {
			return fmt.Errorf("events %d and %d don't conflict: %v", e.Tail.Index, e.Head.Index,
				c)
		}
	}
	return nil
}

// transactionOf is the transaction of an event, as a cycle has it.
func transactionOf(o *tracegen.Oracle, index uint64) event.Transaction {
	t := o.Transaction(index)
	if !t.Marked {
		t.Number = 0
	}
	return t
}

// TestAgreesWithFrontier compares the verdicts of random traces with those of the algorithm in its
// plain form, and wants each cycle to be one by definition. The violation that comes first must be
// found.
func TestAgreesWithFrontier(t *testing.T) {
	violations, none, longest, several := 0, 0, 0, 0
	tried := tracegen.Each(t, 10000, func(tr tracegen.Trace) error {
		plain, o := frontier.New(tr.Relation), tracegen.NewOracle(tr.Relation)
		var want []event.Transaction
		for i := range tr.Events {
			if plain.Event(&tr.Events[i]) {
				want = append(want, plain.Violation())
			}
			o.Event(&tr.Events[i])
		}
		found := violationsOf(tr, nil, 1+len(tr.Events)%7)
		for i := range found {
			if err := verify(o, tr, &found[i]); err != nil {
				return err
			}
			longest = max(longest, len(found[i].Cycle.Edges))
		}
		if len(want) == 0 {
			none++
		} else if violations++; !slices.ContainsFunc(found, func(v Violation) bool {
			return v.Transaction == want[0]
		}) {
			return fmt.Errorf("%+v violates, and is not among %+v", want[0], found)
		}
		if len(want) > 1 {
			several++
		}
		if len(found) > 0 && len(want) == 0 {
			return fmt.Errorf("%+v", found)
		}
		return nil
	})
	if violations < tried/20 || none < tried/20 || longest < 4 || several < tried/100 {
		t.Errorf("%d traces with violations, %d with several, %d without, cycles of up to %d: "+
			"that is too one-sided to mean much", violations, several, none, longest)
	}
	t.Logf("%d traces with violations, %d with several, %d without, cycles of up to %d",
		violations, several, none, longest)
}

// TestTransactionsOfCalls has touches as calls of a program, so that the check of calls says which
// of them conflict. It knows of some calls only that they overlapped, and so may find less than by
// the touches alone, and nothing else.
func TestTransactionsOfCalls(t *testing.T) {
	violations, missed, byCalls := 0, 0, 0
	tried := tracegen.Each(t, 10000, func(tr tracegen.Trace) error {
		o := tracegen.NewOracle(tr.Relation)
		some := false
		for i := range tr.Events {
			some = o.Event(&tr.Events[i]) || some
		}
		p := programOf(tr.Relation.Points())
		p.Calls = true
		for _, e := range tr.Events {
			if e.Op == event.Touch {
				p.SetPC(e.Pos, uint64(e.Point)+1) // a method is called from one place
			}
		}
		found := violationsOf(tr, p, 1+len(tr.Events)%7)
		for i := range found {
			if err := verify(o, tr, &found[i]); err != nil {
				return err
			}
			if slices.ContainsFunc(found[i].Cycle.Edges, func(e velodrome.Edge) bool {
				return e.Tail.Event.Op == event.Touch && e.Head.Event.Op == event.Touch
			}) {
				byCalls++
			}
		}
		switch {
		case len(found) > 0:
			violations++
		case some:
			missed++
		}
		return nil
	})
	if violations < tried/20 || byCalls < tried/100 || missed > violations/4 {
		t.Errorf("%d traces with violations, %d cycles with calls, %d missed", violations, byCalls,
			missed)
	}
	t.Logf("%d traces with violations, %d cycles with calls, %d missed", violations, byCalls,
		missed)
}

// TestSilent has a transaction that lets a lock go and takes another one, which a second thread
// has had after the first one. That is a cycle, unless one of these events is silent, or a silent
// event has come in between.
func TestSilent(t *testing.T) {
	const timer = 3
	p := trace.NewProgram()
	p.SetGoroutine(timer, 0, 0, 0)
	for _, test := range []struct {
		name   string
		change func(e []event.Event) []event.Event
		want   int
	}{
		{"all count", func(e []event.Event) []event.Event { return e }, 1},
		{"an acquire", func(e []event.Event) []event.Event {
			e[2].Flags = event.Quiet
			return e
		}, 0},
		{"a release", func(e []event.Event) []event.Event {
			e[3].Flags = event.Hidden
			return e
		}, 0},
		{"another's release", func(e []event.Event) []event.Event {
			quiet := event.Event{Op: event.Release, Thread: 2, Target: 1, Flags: event.Quiet}
			return slices.Insert(e, 2, quiet)
		}, 0},
		{"another's merging release", func(e []event.Event) []event.Event {
			quiet := event.Event{Op: event.ReleaseMerge, Thread: 2, Target: 1, Flags: event.Quiet}
			return slices.Insert(e, 2, quiet)
		}, 1},
		{"a timer", func(e []event.Event) []event.Event {
			e[2].Thread, e[3].Thread = timer, timer
			return e
		}, 0},
		{"accesses", func(e []event.Event) []event.Event {
			for i := 1; i < 5; i++ {
				e[i].Op = event.Write
			}
			return e
		}, 1},
		{"another's write", func(e []event.Event) []event.Event {
			for i := 1; i < 5; i++ {
				e[i].Op = event.Write
			}
			quiet := event.Event{Op: event.Write, Thread: 2, Target: 1, Flags: event.Quiet}
			return slices.Insert(e, 2, quiet)
		}, 0},
		{"a start in a call", func(e []event.Event) []event.Event {
			start := event.Event{Op: event.Fork, Target: 1, Flags: event.Hidden}
			return append(slices.Insert(e[:1:1], 1, start), e[3:]...)
		}, 0},
		{"a start", func(e []event.Event) []event.Event {
			return append(slices.Insert(e[:1:1], 1, event.Event{Op: event.Fork, Target: 1}),
				e[3:]...)
		}, 1},
	} {
		events := test.change([]event.Event{
			{Op: event.Begin},
			{Op: event.Release, Target: 1},
			{Op: event.Acquire, Target: 1, Thread: 1},
			{Op: event.Release, Target: 2, Thread: 1},
			{Op: event.Acquire, Target: 2},
			{Op: event.End},
		})
		found := violationsOf(tracegen.Trace{Events: events}, p, len(events))
		if len(found) != test.want {
			t.Errorf("%s: %d violations, want %d: %+v", test.name, len(found), test.want, found)
		}
	}
}
