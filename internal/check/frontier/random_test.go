// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package frontier

import (
	"fmt"
	"testing"

	"github.com/commutego/commute/internal/check/velodrome"
	"github.com/commutego/commute/internal/event"
	"github.com/commutego/commute/internal/trace/tracegen"
)

// agree compares two checkers event by event.
func agree(tr tracegen.Trace, a, b event.Checker) error {
	for i := range tr.Events {
		x, y := a.Event(&tr.Events[i]), b.Event(&tr.Events[i])
		switch {
		case x != y:
			return fmt.Errorf("event %d: %T says %v, %T says %v", i, a, x, b, y)
		case x && a.Violation() != b.Violation():
			return fmt.Errorf("event %d: %T finds %+v, %T finds %+v", i, a, a.Violation(), b,
				b.Violation())
		}
	}
	return nil
}

// TestAgreesWithGraph wants the frontier's verdict at each event to be that of Velodrome and that
// of the graph by its definition, and the first to come when the graph gets a cycle.
func TestAgreesWithGraph(t *testing.T) {
	var traces, events, violating, violations int
	tracegen.Each(t, 20000, func(tr tracegen.Trace) error {
		f, v, o := New(tr.Relation), velodrome.New(tr.Relation), tracegen.NewOracle(tr.Relation)
		found := 0
		for i := range tr.Events {
			e := &tr.Events[i]
			inF, inV, inO := f.Event(e), v.Event(e), o.Event(e)
			if inF != inO || inV != inO {
				return fmt.Errorf("event %d: frontier says %v, Velodrome %v, the graph %v", i, inF,
					inV, inO)
			}
			if inO {
				found++
				if f.Violation() != o.Violation() || v.Violation() != o.Violation() {
					return fmt.Errorf("event %d: frontier finds %+v, Velodrome %+v, the graph %+v",
						i, f.Violation(), v.Violation(), o.Violation())
				}
			}
			if found == 0 || found == 1 && inO {
				if cyclic := o.Cyclic(); cyclic != (found > 0) {
					return fmt.Errorf("event %d: %d violations so far, but that the graph has a "+
						"cycle is %v", i, found, cyclic)
				}
			}
		}
		traces++
		events += len(tr.Events)
		violations += found
		if found > 0 {
			violating++
		}
		return nil
	})
	t.Logf("%d traces, %d events, %d with a violation, %d violations", traces, events, violating,
		violations)
	if violating < traces/10 || violating > traces*9/10 {
		t.Errorf("%d of %d traces have a violation; that is one-sided", violating, traces)
	}
}

// TestAgreesWithVelodromeOnLongTraces has what short traces lack: many transactions that come and
// go.
func TestAgreesWithVelodromeOnLongTraces(t *testing.T) {
	violations := 0
	for seed := range uint64(200) {
		tr := tracegen.Sized(seed, 2000)
		f, v := New(tr.Relation), velodrome.New(tr.Relation)
		if err := agree(tr, f, v); err != nil {
			t.Fatalf("trace %d: %v", seed, err)
		}
		if v.Cycle().Transactions != nil {
			violations++
		}
	}
	if violations == 0 {
		t.Error("no violation in any trace")
	}
}
