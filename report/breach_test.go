// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package report

import (
	"strings"
	"testing"
)

// TestBreach wants the report of a check-then-act race to name the check, the act and the call that
// breaks them, whichever side of the race the act is.
func TestBreach(t *testing.T) {
	call := func(method string, goroutine uint64, line uint32) Event {
		return Event{
			Number: uint64(line), Method: method, Did: "call of " + method, Goroutine: goroutine,
			Stack: []Frame{{Func: "p.f", File: "/p/f.go", Line: line}},
		}
	}
	check, act, other := call("Load", 7, 10), call("Store", 7, 20), call("Delete", 8, 30)
	r := Finding{
		Kind: CheckThenActRace, Check: "calls", Recorded: true, Where: "x.trace",
		At: act, Previous: &other, Decided: &check, Act: "at", Evidence: Observed,
		Object: &Object{Type: "p.Map", Keyed: true, Key: "1"}, Effect: StaleCheck, Why: "because",
	}
	for _, test := range []struct {
		evidence Evidence
		words    string
	}{
		{Observed, "goroutine 7 was interfered with by goroutine 8\n"},
		{Predicted, "goroutine 7 can be interfered with by goroutine 8\n"},
		{Race, "goroutine 8 can check before goroutine 7 acts\n"},
	} {
		r.Evidence = test.evidence
		text := r.Text()
		turned := r
		turned.At, turned.Previous, turned.Act = other, &act, "previous"
		for _, want := range []string{
			"WARNING: CHECK-THEN-ACT RACE\n" +
				"p.f checks with Load and then acts with Store, which is not atomic: ",
			test.words,
			"\nCheck: Load of key 1 by goroutine 7, in the function that acts:\n" +
				"  p.f()\n      /p/f.go:10\n",
			"\nAct: Store of key 1 by goroutine 7:\n  p.f()\n      /p/f.go:20\n",
			"Delete of key 1 by goroutine 8:\n",
			"What can go wrong: stale check: because\nEvidence: " + string(test.evidence) + ": ",
		} {
			if !strings.Contains(text, want) {
				t.Errorf("no %q in\n%s", want, text)
			}
			if !strings.Contains(turned.Text(), want) {
				t.Errorf("no %q, if the act is the earlier side, in\n%s", want, turned.Text())
			}
		}
		if !strings.Contains(text, "check calls, events 10, 30, 20\n") {
			t.Errorf("no events in\n%s", text)
		}
	}
}
