// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package main

import (
	"reflect"
	"strings"
	"testing"
)

func TestParseMisses(t *testing.T) {
	got, err := parseMisses("# a comment\n\nTestRaceA: a reason: of two parts\n")
	if want := map[string]string{"TestRaceA": "a reason: of two parts"}; err != nil ||
		!reflect.DeepEqual(got, want) {
		t.Errorf("%v, %v, want %v", got, err, want)
	}
	for text, want := range map[string]string{
		"TestRaceA":    `misses.txt:1: "TestRaceA", want "TestRaceName: reason"`,
		"\nTestRaceA:": `misses.txt:2: "TestRaceA:", want "TestRaceName: reason"`,
		"TestNoRaceA: " +
			"x": `misses.txt:1: "TestNoRaceA: x", want "TestRaceName: reason"`,
		"TestRaceA: x\n#\nTestRaceA: again": `misses.txt:3: TestRaceA is listed twice`,
	} {
		if _, err := parseMisses(text); err == nil || err.Error() != want {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
	if _, err := parseMisses(knownMisses); err != nil {
		t.Error(err)
	}
}

func TestTally(t *testing.T) {
	tally := newTally("commute", []int{1, 8}, map[string]string{"TestRaceB": "a reason",
		"TestRaceA": "of old", "TestRaceGone": "of older"})
	tally.add(1, []result{
		{name: "TestRaceA", reports: 1, end: failed},
		{name: "TestRaceB", end: passed},
		{name: "TestRaceC", reports: 2, end: failed},
		{name: "TestRaceD", end: skipped},
		{name: "TestNoRaceA", end: passed},
		{name: "TestNoRaceB", reports: 1, end: failed},
		{name: "TestRaceFailingA", end: passed},
		{name: "TestOther", reports: 1, end: failed},
	})
	tally.add(8, []result{
		{name: "TestRaceA", reports: 1, end: failed},
		{name: "TestRaceB", end: passed},
		{name: "TestRaceC", end: crashed},
		{name: "TestRaceD", end: skipped},
		{name: "TestNoRaceA", end: passed},
		{name: "TestNoRaceB", end: passed},
		{name: "TestRaceFailingA", end: passed},
		{name: "TestOther", end: passed},
	})
	const want = `commute: 2 runs, GOMAXPROCS=1 8
missed:
  TestRaceB  2 of 2 runs (1 with 1, 1 with 8)  known: a reason
false alarms:
  TestNoRaceB  1 of 2 runs (1 with 1, 0 with 8)
expected failing, by Go:
  TestRaceFailingA  2 of 2 runs (1 with 1, 1 with 8)
neither, or odd:
  TestRaceC  crashed (1 of 2)
  TestRaceD  skipped (2 of 2)
known misses that were found every time:
  TestRaceA  misses.txt need not have it
commute: Race 4 functions: 1 found every time, 1 sometimes, 1 never (50.0% of 6 runs); 1 skipped
commute: NoRace 2 functions: 1 silent every time, 1 sometimes, 0 never; 0 skipped
commute: expected failing 1 function: 0 right every time, 0 sometimes
`
	var out strings.Builder
	if tally.print(&out); out.String() != want {
		t.Errorf("got\n%s\nwant\n%s", out.String(), want)
	}
}

func TestTallyOK(t *testing.T) {
	found, missed := result{name: "TestRaceA", reports: 1, end: failed},
		result{name: "TestRaceB", end: passed}
	silent := result{name: "TestNoRaceA", end: passed}
	for _, c := range []struct {
		name    string
		results []result
		minimum float64
		want    bool
	}{
		{"all right", []result{found, silent}, 95, true},
		{"enough", []result{found, missed, silent}, 50, true},
		{"too few", []result{found, missed, silent}, 51, false},
		{"a crash is not found", []result{found, {name: "TestRaceC", end: crashed}}, 51, false},
		{"a skip doesn't count", []result{found, {name: "TestRaceC", end: skipped}}, 100, true},
		{"false alarm", []result{found, {name: "TestNoRaceB", reports: 1, end: failed}}, 95, false},
		{"a crash is not silence", []result{found, {name: "TestNoRaceB", end: crashed}}, 95, false},
		{"skipped", []result{found, {name: "TestNoRaceB", end: skipped}}, 95, true},
		{"expected", []result{found, {name: "TestNoRaceFailingB", reports: 1, end: failed},
			{name: "TestRaceFailingB", end: passed}}, 100, true},
		{"nothing to find", []result{silent}, 95, true},
		{"nothing", nil, 0, false},
	} {
		tally := newTally("race", []int{1}, nil)
		tally.add(1, c.results)
		if got := tally.ok(c.minimum); got != c.want {
			t.Errorf("%s: %t, want %t", c.name, got, c.want)
		}
	}
}
