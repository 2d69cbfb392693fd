// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package aerodrome

import (
	"fmt"
	"testing"

	"github.com/commutego/commute/internal/event"
	"github.com/commutego/commute/internal/trace/tracegen"
)

// TestDeclaresByTheorem3 wants Basic and Optimised to declare at the same event; at none before the
// graph has a cycle; and at the latest when there is a witness whose transactions are complete but
// for one.
func TestDeclaresByTheorem3(t *testing.T) {
	var traces, violating, declared, early int
	tracegen.Each(t, 20000, func(tr tracegen.Trace) error {
		basic, optimised := NewBasic(tr.Relation), New(tr.Relation)
		graph := tracegen.NewOracle(tr.Relation)
		cyclic, over := false, false
		for i := range tr.Events {
			e := &tr.Events[i]
			inBasic, inOptimised := basic.Event(e), optimised.Event(e)
			cyclic = graph.Event(e) || cyclic
			if inBasic != inOptimised {
				return fmt.Errorf("event %d: Basic says %v, Optimised %v", i, inBasic, inOptimised)
			}
			if basic.Violation() != optimised.Violation() {
				return fmt.Errorf("event %d: Basic finds %+v, Optimised %+v", i, basic.Violation(),
					optimised.Violation())
			}
			if inBasic && !cyclic {
				return fmt.Errorf("event %d: a violation is declared, and there is no cycle", i)
			}
			if over && inBasic {
				return fmt.Errorf("event %d: a second violation is declared", i)
			}
			over = over || inBasic
			if inBasic && !graph.Witness() {
				early++
			}
			if cyclic && !over && graph.Witness() {
				return fmt.Errorf("event %d: there is a witness, and no violation was declared", i)
			}
		}
		traces++
		if cyclic {
			violating++
		}
		if over {
			declared++
		}
		return nil
	})
	t.Logf("%d traces, %d with a cycle, %d declared, %d of those before a witness was complete",
		traces, violating, declared, early)
	if declared < traces/20 || violating == declared || early == 0 {
		t.Error("that is too one-sided to mean much")
	}
}

// TestOptimisedIsBasicOnLongTraces has what short traces lack: many transactions that come and go,
// and more than 64 threads.
func TestOptimisedIsBasicOnLongTraces(t *testing.T) {
	declared := 0
	for seed := range uint64(200) {
		tr := tracegen.Sized(seed, 1000)
		basic, optimised := NewBasic(tr.Relation), New(tr.Relation)
		apart := uint32(1 + 63*(seed%2)) // threads 0, 64, 128, ...
		for i, e := range tr.Events {
			e.Thread *= apart
			if e.Op == event.Fork || e.Op == event.Join {
				e.Target *= apart
			}
			inBasic, inOptimised := basic.Event(&e), optimised.Event(&e)
			if inBasic != inOptimised || basic.Violation() != optimised.Violation() {
				t.Fatalf("trace %d, event %d: Basic says %v, Optimised %v", seed, i, inBasic,
					inOptimised)
			}
			if inBasic {
				declared++
			}
		}
	}
	if declared == 0 {
		t.Error("no violation in any trace")
	}
}
