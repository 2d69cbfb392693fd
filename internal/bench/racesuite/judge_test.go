// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package main

import (
	"os"
	"path/filepath"
	"reflect"
	"testing"
)

// TestParseGolden reads what go test -race printed, cut to some functions, and what commute test
// did.
func TestParseGolden(t *testing.T) {
	for file, want := range map[string][]result{
		"race.txt": { // begins with a race of no function
			{name: "TestNoRaceAtomicAddInt64", end: passed},
			{name: "TestRaceAtomicAddInt64", reports: 1, end: failed},
			{name: "TestNoRacePool", end: passed},
			{name: "TestRaceRangeFuncIterator", end: skipped},
			{name: "TestNoRaceRangeFuncIterator", end: skipped},
			{name: "TestRaceReflectRW", reports: 1, end: failed},
			{name: "TestNoRaceWaitGroupConcurrentAdd", end: passed},
		},
		"commute.txt": { // ends with a crash
			{name: "TestRaceStore", commutativity: 1, end: failed},
			{name: "TestNoRaceSub", end: passed},
			{name: "TestRaceMap", mapCrash: true, end: crashed},
		},
	} {
		t.Run(file, func(t *testing.T) {
			out, err := os.ReadFile(filepath.Join("testdata", file))
			if err != nil {
				t.Fatal(err)
			}
			if got := parse(out); !reflect.DeepEqual(got, want) {
				t.Errorf("got %+v\nwant %+v", got, want)
			}
		})
	}
}

func TestParse(t *testing.T) {
	for _, c := range []struct {
		name, out string
		want      []result
	}{
		{"nothing", "", nil},
		{"no function", "WARNING: DATA RACE\nALL TESTS COMPLETE\n", nil},
		{
			"after the end",
			"=== RUN   TestNoRaceA\n--- PASS: TestNoRaceA (0.00s)\nWARNING: DATA RACE\n=== RUN " +
				"  TestRaceB\n--- PASS: TestRaceB (0.00s)\nPASS\nALL TESTS COMPLETE\n",
			[]result{{name: "TestNoRaceA", reports: 1, end: passed},
				{name: "TestRaceB", end: passed}},
		},
		{
			"both kinds, and twice",
			"=== RUN   TestRaceA\nWARNING: COMMUTATIVITY RACE\nWARNING: DATA RACE\nWARNING: DATA " +
				"RACE\n--- FAIL: TestRaceA (0.00s)\nALL TESTS COMPLETE\n",
			[]result{{name: "TestRaceA", reports: 2, commutativity: 1, end: failed}},
		},
		{
			"subtests",
			"=== RUN   TestRaceA\n=== RUN   TestRaceA/x\nWARNING: DATA RACE\n=== CONT " +
				" TestRaceA\n--- FAIL: TestRaceA (0.00s)\n    --- PASS: TestRaceA/x (0.00s)\nALL " +
				"TESTS COMPLETE\n",
			[]result{{name: "TestRaceA", reports: 1, end: failed}},
		},
		{
			"lines that are not ended",
			"=== RUN   TestNoRaceA\nx--- PASS: TestNoRaceA (0.00s)\ny=== RUN " +
				"  TestRaceB\nz==================\nzWARNING: DATA RACE\n--- FAIL: TestRaceB " +
				"(0.00s)\nALL TESTS COMPLETE\n",
			[]result{{name: "TestNoRaceA", end: passed}, {name: "TestRaceB", reports: 1,
				end: failed}},
		},
		{
			"the end of another",
			"=== RUN   TestRaceA\n    x_test.go:1: --- PASS: TestRaceB (0.00s)\nALL TESTS " +
				"COMPLETE\n",
			[]result{{name: "TestRaceA"}},
		},
		{
			"panic",
			"=== RUN   TestNoRaceA\n--- PASS: TestNoRaceA (0.00s)\n=== RUN   TestNoRaceB\n--- " +
				"FAIL: TestNoRaceB (0.00s)\npanic: oops [recovered, repanicked]\n",
			[]result{{name: "TestNoRaceA", end: passed}, {name: "TestNoRaceB", end: crashed}},
		},
		{
			"return and newline",
			"=== RUN   TestRaceA\r\nWARNING: DATA RACE\r\n--- FAIL: TestRaceA " +
				"(0.00s)\r\nFAIL\r\nALL TESTS COMPLETE\r\n",
			[]result{{name: "TestRaceA", reports: 1, end: failed}},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := parse([]byte(c.out)); !reflect.DeepEqual(got, c.want) {
				t.Errorf("got %+v\nwant %+v", got, c.want)
			}
		})
	}
}

func TestJudge(t *testing.T) {
	const race, none = "TestRaceA", "TestNoRaceA"
	for _, c := range []struct {
		result result
		want   judgement
		note   string
	}{
		{result{name: race, reports: 1, end: failed}, right, ""},
		{result{name: race, end: passed}, wrong, ""},
		{result{name: race, end: failed}, wrong, "failed without a report"},
		{result{name: race, commutativity: 1, end: failed}, wrong,
			"failed without a data race, for a commutativity race"},
		{result{name: race, reports: 1, commutativity: 1, end: failed}, right, ""},
		{result{name: race, reports: 1, end: passed}, right, "passed in spite of a report"},
		{result{name: race, reports: 1, end: crashed}, right, "crashed"},
		{result{name: race, mapCrash: true, end: crashed}, right,
			"the runtime found a concurrent use of a map, and ended the process"},
		{result{name: race, end: crashed}, undecided, "crashed"},
		{result{name: race, end: timedOut}, undecided, "timed out"},
		{result{name: race, end: skipped}, undecided, "skipped"},
		{result{name: none, end: passed}, right, ""},
		{result{name: none, reports: 1, end: failed}, wrong, ""},
		{result{name: none, mapCrash: true, end: crashed}, wrong,
			"the runtime found a concurrent use of a map, and ended the process"},
		{result{name: none, reports: 1, end: timedOut}, wrong, "timed out"},
		{result{name: none, end: failed}, right, "failed without a report"},
		{result{name: none, end: crashed}, undecided, "crashed"},
		{result{name: none, end: notRun}, undecided, "was not run"},
		{result{name: none}, undecided, "did not end"},
	} {
		if got, note := c.result.judge(), c.result.note(); got != c.want || note != c.note {
			t.Errorf("%+v: %d, %q, want %d, %q", c.result, got, note, c.want, c.note)
		}
	}
}

func TestParseTests(t *testing.T) {
	const out = `=== RUN   TestRaceReports
    testing_test.go:484: /tmp/testing.test -test.run=^TestRaceReports$: exit status 1
        === RUN   TestRaceReports
        --- FAIL: TestRaceReports (0.00s)
    testing_test.go:518: got 2 race reports, want 1
--- FAIL: TestRaceReports (0.01s)
=== RUN   TestRaceName
    testing_test.go:484: /tmp/testing.test -test.run=^TestRaceName$: exit status 1
--- PASS: TestRaceName (0.01s)
=== RUN   TestBenchmarkBLoopAllocs
    benchmark_test.go:187: skipping in case sanitizers alter allocation behavior
--- SKIP: TestBenchmarkBLoopAllocs (0.00s)
=== RUN   TestRaceBeforeTests
`
	want := map[string]testResult{
		"TestRaceReports": {"FAIL", "testing_test.go:518: got 2 race reports, want 1"},
		"TestRaceName":    {"PASS", ""},
		"TestBenchmarkBLoopAllocs": {"SKIP",
			"benchmark_test.go:187: skipping in case sanitizers alter allocation behavior"},
	}
	if got := parseTests([]byte(out)); !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v\nwant %+v", got, want)
	}
}

func TestParsePackage(t *testing.T) {
	const report = "==================\nWARNING: DATA RACE\n==================\n"
	for _, c := range []struct {
		name, out string
		late      bool
		want      outcome
	}{
		{"ok", "ok  \tsync\t1.511s\n", false, outcome{verdict: "ok"}},
		{"no tests", "?   \tx/y\t[no test files]\n", false, outcome{verdict: "no tests"}},
		{"no build", "# sync\n./x.go:1:1: undefined: y\nFAIL\tsync [build failed]\nFAIL\n", false,
			outcome{verdict: "no build"}},
		{
			"reports", report + "WARNING: COMMUTATIVITY RACE\n" + report +
				"--- FAIL: TestA (0.00s)\n    --- FAIL: TestA/x " +
				"(0.00s)\nFAIL\nFAIL\tsync\t0.1s\nFAIL\n", false,
			outcome{verdict: "FAIL", failed: []string{"TestA", "TestA/x"}, dataRaces: 2,
				commutativity: 1},
		},
		{"a report in the end", report +
			"PASS\nFound 1 data race(s)\nexit status 66\nFAIL\tsync\t0.1s\nFAIL\n", false,
			outcome{verdict: "FAIL", dataRaces: 1}},
		{
			"one test panics", "--- FAIL: TestA (0.00s)\npanic: oops [recovered]\n\ngoroutine 1 " +
				"[running]:\nexit status 2\nFAIL\tsync\t0.1s\nFAIL\n", false,
			outcome{verdict: "crash", failed: []string{"TestA"}},
		},
		{"crash", "fatal error: unexpected signal\nFAIL\tsync\t0.1s\nFAIL\n", false,
			outcome{verdict: "crash"}},
		{
			"a panic that is printed",
			"panic: printed\n--- FAIL: TestA (0.00s)\nFAIL\nexit status " +
				"1\nFAIL\tsync\t0.1s\nFAIL\n", false,
			outcome{verdict: "FAIL", failed: []string{"TestA"}},
		},
		{"limit of the tests", "panic: test timed out after 1m0s\nFAIL\tsync\t60.1s\nFAIL\n", false,
			outcome{verdict: "timeout"}},
		{"ended by us", "", true, outcome{verdict: "timeout"}},
		{"nothing", "", false, outcome{verdict: "FAIL"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := parsePackage([]byte(c.out), c.late); !reflect.DeepEqual(got, c.want) {
				t.Errorf("got %+v, want %+v", got, c.want)
			}
		})
	}
}

func TestCompare(t *testing.T) {
	for _, c := range []struct {
		name        string
		with, plain outcome
		note        string
		same        bool
	}{
		{"ok", outcome{verdict: "ok"}, outcome{}, "", true},
		{"ok with reports", outcome{verdict: "ok", dataRaces: 1}, outcome{},
			"passes in spite of reports", false},
		{"new", outcome{verdict: "FAIL", failed: []string{"TestA", "TestB"}},
			outcome{verdict: "FAIL", failed: []string{"TestA"}}, "TestB", false},
		{"old", outcome{verdict: "FAIL", failed: []string{"TestA"}},
			outcome{verdict: "FAIL", failed: []string{"TestA"}}, "fails under go test too: TestA",
			true},
		{
			"old with reports", outcome{verdict: "FAIL", failed: []string{"TestA"}, dataRaces: 1},
			outcome{verdict: "FAIL", failed: []string{"TestA"}},
			"fails under go test too, without reports", false,
		},
		{"crash", outcome{verdict: "crash"}, outcome{verdict: "ok"}, "under go test: ok", false},
		{"crash of both", outcome{verdict: "crash"}, outcome{verdict: "crash"},
			"fails under go test too:", true},
	} {
		if note, same := c.with.compare(&c.plain); note != c.note || same != c.same {
			t.Errorf("%s: %q, %t, want %q, %t", c.name, note, same, c.note, c.same)
		}
	}
}

// TestParseLate has a report during one function of what another has started.
func TestParseLate(t *testing.T) {
	results := parse([]byte(`=== RUN   TestRaceA
--- PASS: TestRaceA (0.00s)
=== RUN   TestNoRaceB
==================
WARNING: DATA RACE
Write at 0x00c000012345 by goroutine 7:
  racetest/race_test.TestRaceA.func1()
      /x/a_test.go:10 +0x10

Previous write at 0x00c000012345 by goroutine 8:
  racetest/race_test.TestNoRaceB()
      /x/a_test.go:20 +0x10
==================
--- PASS: TestNoRaceB (0.00s)
ALL TESTS COMPLETE
`))
	if len(results) != 2 || results[0].reports != 1 || results[1].reports != 0 {
		t.Errorf("parse gives %+v, want the report to be TestRaceA's", results)
	}
}
