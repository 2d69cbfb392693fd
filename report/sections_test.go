// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package report

import (
	"strings"
	"testing"
)

// TestSections wants the report of a check and an act in two critical sections to be that of a run.
func TestSections(t *testing.T) {
	at := func(goroutine uint64, line uint32) Event {
		return Event{Number: uint64(line), Goroutine: goroutine,
			Stack: []Frame{{Func: "p.f", File: "/p/f.go", Line: line}}}
	}
	check, act, other := at(7, 10), at(7, 20), at(8, 30)
	r := Finding{
		Kind: CheckThenActRace, Check: "sections", Recorded: true, Where: "x.trace", At: act,
		Previous: &other, Decided: &check, Act: "at", Effect: LostUpdate, Why: "because",
		Object: &Object{Name: "R.m", DeclaredAt: "f.go:3", Address: "0x40", Key: `"k"`},
		Sections: &Sections{
			Func: "p.raise", Lock: "R.mu", Address: "0x30", Mend: "hold the lock",
			Check: Touch{Of: `R.m["k"]`, Does: "read", At: "/p/f.go:10", Value: "1"},
			Act:   Touch{Of: `R.m["k"]`, Does: "write", At: "/p/f.go:20", Value: "2", Was: "3"},
			Other: Touch{Of: `R.m["k"]`, Does: "delete", At: "/p/f.go:30"},
		},
	}
	const looks = `p.raise looks at R.m["k"] and then sets it, with R.mu free in between: `
	for evidence, words := range map[Evidence][]string{
		Observed: {looks + "goroutine 7 was interfered with by goroutine 8\n", "\nIn between: ",
			"Evidence: observed: this has happened"},
		Predicted: {looks + "goroutine 7 can be interfered with by goroutine 8\n",
			"\nIn between: ",
			"Evidence: predicted: nothing in the program forces what is in between to come " +
				"after the act, and what was done before allows this order\n" +
				"In this run: goroutine 8 came after both steps of goroutine 7\n"},
		Race: {looks + "goroutine 8 can look before goroutine 7 sets\n", "\nThe other's check: ",
			"Evidence: race: nothing in the program forces the order"},
	} {
		r.Evidence = evidence
		text := r.Text()
		for _, want := range append(words,
			"WARNING: CHECK-THEN-ACT RACE\n",
			"\n  f.go:10  read R.m[\"k\"] = 1\n", "\n  f.go:20  write R.m[\"k\"] = 2 (was 3)\n",
			"Check: R.m[\"k\"] = 1 by goroutine 7, under R.mu:\n  p.f()\n      /p/f.go:10\n",
			"Act: R.m[\"k\"] = 2 (was 3) by goroutine 7, under R.mu:\n",
			"R.m[\"k\"] is deleted by goroutine 8, under R.mu:\n",
			"Object: R.m, declared at f.go:3, at 0x40, under R.mu at 0x30\nKey: \"k\"\n",
			"What can go wrong: lost update: because\nEvidence: ",
			"\nHow to mend it: hold the lock\nMore of it: commute explain lost-update\n",
			"check sections, events 10, 30, 20\n",
		) {
			if !strings.Contains(text, want) {
				t.Errorf("no %q in\n%s", want, text)
			}
		}
	}
	r.Sections.Check = Touch{Of: "R.open", Does: "write", Value: "true"}
	if text := r.Text(); !strings.Contains(text, "sets R.open and then sets R.m[\"k\"], with") ||
		!strings.Contains(text, "First: R.open = true by") {
		t.Errorf("two variables that are set one by one:\n%s", text)
	}
	r.Sections.Check = Touch{Of: "len(R.m)", Does: "read", Absent: true}
	if text := r.Text(); !strings.Contains(text,
		"looks at len(R.m) and then sets R.m[\"k\"], with") ||
		!strings.Contains(text, "Check: len(R.m) is absent by") {
		t.Errorf("another point, which is absent:\n%s", text)
	}
}
