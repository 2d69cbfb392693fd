// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package report

import (
	"fmt"
	"strings"
	"testing"
)

// predicted is the text of a prediction, with a line behind the evidence.
func predicted(line string) string {
	return "==================\nWARNING: ATOMICITY VIOLATION\n" +
		"p.get, marked as atomic at p.go:1, is not: goroutine 7 can be interfered with by " +
		"goroutine 70\n\n  goroutine 7                             goroutine 70\n  begin\n" +
		"  p.go:2  read p.n\n" +
		"                                          p.go:8  write p.n\n" +
		"                                          p.go:9  write p.m\n" +
		"  p.go:3  read p.m\n\nEvidence: predicted: because\n" + line +
		"More of it: commute explain atomicity\n\n==================\n"
}

// TestNumberSteps has steps numbered by the order of the run, if a report tells it.
func TestNumberSteps(t *testing.T) {
	for line, want := range map[string]string{
		"": "[0 0 0 0]",
		"In this run: goroutine 70 came after both steps of goroutine 7\n": "[1 3 4 2]",
		"In this run: goroutine 70 came after both\n" +
			"          steps of goroutine 7\n": "[1 3 4 2]", // a line that was folded
		"In this run: goroutine 70 came before goroutine 7\n": "[0 0 0 0]",
	} {
		list := Parse([]byte(predicted(line)))
		if len(list) != 1 {
			t.Fatalf("%d reports", len(list))
		}
		var got []uint64
		for _, s := range list[0].Steps {
			got = append(got, s.Number)
		}
		if fmt.Sprint(got) != want || list[0].Because != "because" {
			t.Errorf("%q: %v and because %q, want %s", line, got, list[0].Because, want)
		}
	}
}

// TestHappened wants a recorded prediction to have the order of the trace, if the other goroutine
// came last, and what it says to be read as it was meant.
func TestHappened(t *testing.T) {
	at := func(thread string, n uint64) Event {
		return Event{Number: n, Thread: thread, Goroutine: 70 + n%2, Did: "write", Address: "0x10",
			Op: "write", Stack: []Frame{{Func: "p.f", File: "/p/f.go", Line: uint32(n)}}}
	}
	for _, c := range []struct {
		first, second, entry, other uint64
		want                        bool
	}{
		{1, 3, 4, 6, true}, {1, 3, 4, 4, true}, {1, 5, 2, 6, false}, {1, 5, 2, 4, false},
		{5, 7, 2, 4, false},
	} {
		r := Finding{Kind: AtomicityViolation, Evidence: Predicted, Recorded: true, Why: "because",
			Transactions: []Transaction{{Thread: "T1", Goroutine: 71, Name: "p.f",
				MarkedAt: "p.go:1"}, {Thread: "T2", Goroutine: 70}},
			Edges: []Edge{{From: at("T1", c.first), To: at("T2", c.entry)},
				{From: at("T2", c.other), To: at("T1", c.second)}}}
		const line = "\nIn this run: goroutine 70 came after both steps of goroutine 71\n"
		if got := strings.Contains(r.Text(), line); got != c.want {
			t.Errorf("%+v: the line is there: %v, in\n%s", c, got, r.Text())
		}
		r.Describe()
		if last := r.Steps[len(r.Steps)-1].Number; (last == 2) != c.want {
			t.Errorf("%+v: the last step has number %d", c, last)
		}
		r.Evidence = Observed
		if strings.Contains(r.Text(), "In this run: ") {
			t.Errorf("%+v: what was observed has another order", c)
		}
	}
}
