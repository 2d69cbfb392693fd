// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package offline

import (
	"sync/atomic"
	"testing"

	"github.com/commutego/commute/internal/trace/tracefile"
	"github.com/commutego/commute/report"
)

// TestMarks has the verdicts of the marks of a recorded trace, alone and beside another check.
func TestMarks(t *testing.T) {
	for _, c := range []struct {
		checks []string
		want   report.Verdict
	}{
		{[]string{"forest-conflict"}, report.MarkPotential},
		{[]string{"forest-conflict", "transactions"}, report.MarkPotential},
		{[]string{"forest-conflict", "avp"}, report.MarkViolated},
		{[]string{"reduction", "predictions"}, report.MarkViolated},
	} {
		f, err := tracefile.Open("testdata/bank.txt", "")
		if err != nil {
			t.Fatal(err)
		}
		checks, err := Named(c.checks)
		if err != nil {
			t.Fatal(err)
		}
		var count atomic.Uint64
		r, err := Run(f, Options{Checks: checks}, &count)
		f.Close()
		if err != nil {
			t.Fatal(err)
		}
		marks := r.Checks[0].Proofs.Marks
		if len(marks) != 2 || marks[0].Verdict != c.want || marks[1].Verdict != report.MarkProven {
			t.Errorf("%v: %+v, want %s and proven", c.checks, marks, c.want)
		}
	}
}
