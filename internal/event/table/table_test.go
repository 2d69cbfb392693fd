// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package table

import "testing"

// TestRows wants numbers and names that are all different, in the ranges that traces have for them,
// and no more operands than a record has room for.
func TestRows(t *testing.T) {
	names, last := make(map[string]*Row), uint8(0)
	for i := range Rows {
		r := &Rows[i]
		names[r.Name] = r
		step := r.Code < Limit
		switch {
		case r.Code <= last:
			t.Errorf("%s has number %d, after %d", r.Name, r.Code, last)
		case r.Code >= Size:
			t.Errorf("%s has number %d, and there is room for %d", r.Name, r.Code, Size)
		case r.Code >= Properties && (r.Props != 0 || r.Class != "" || len(r.As) > 0):
			t.Errorf("%s has number %d, which is in no set of kinds", r.Name, r.Code)
		case step && len(r.Args) > 3 || len(r.Args) > 6:
			t.Errorf("%s has %d operands", r.Name, len(r.Args))
		case r.IsStep() && !step:
			t.Errorf("%s is no event, and a step", r.Name)
		case r.Is(Merges) && !r.Is(Releases):
			t.Errorf("%s merges what it doesn't release", r.Name)
		case !r.InTraces() && (len(r.Args) > 0 || len(r.As) == 0):
			t.Errorf("%s is in no trace: it can't have operands there, and must stand for others",
				r.Name)
		case r.Doc == "":
			t.Errorf("%s has no comment", r.Name)
		}
		last = r.Code
		args := make(map[string]bool)
		for _, arg := range r.Args {
			if arg.Name == "" || arg.Name == "pos" && r.IsStep() || args[arg.Name] {
				t.Errorf("%s has an operand %q", r.Name, arg.Name)
			}
			args[arg.Name] = true
			if arg.Type > Text || arg.Type == Text && step {
				t.Errorf("%s has an operand of type %d", r.Name, arg.Type)
			}
		}
	}
	if len(names) != len(Rows) {
		t.Errorf("%d names of %d kinds", len(names), len(Rows))
	}
	for i := range Rows {
		for _, as := range Rows[i].As {
			if r := names[as]; r == nil || !r.IsStep() {
				t.Errorf("%s stands for %s, which is no step", as, Rows[i].Name)
			}
		}
	}
}
