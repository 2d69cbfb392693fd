// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/commutego/commute/internal/option"
	"github.com/commutego/commute/report"
)

// TestPredictions adds what became of several programs.
func TestPredictions(t *testing.T) {
	for _, c := range []struct {
		files        []string
		line, failed string
	}{
		{[]string{"0 0 5 0 1 16\n", "0 0 0 0 1 16\n"}, "", ""},
		{[]string{"1 0 5 0 1 16\n", "2 3 4 1 1 16\n"}, "3 violations predicted; of 9 transactions " +
			"3 given up: it isn't known whether another order breaks them; of 1 program only the " +
			"first 16 MB looked at (-trace_limit=N)", ""},
		{[]string{"1 0 5 0 1 16\n", ""}, "1 violation predicted", diskFull},
		{[]string{"0 0 0 0 1 16\na b", "0 0 0 0 1 16\n"}, "", "a b"},
	} {
		var all predictions
		for _, text := range c.files {
			all.add(text)
		}
		if all.String() != c.line || all.failed != c.failed {
			t.Errorf("%q: %q, %q", c.files, all.String(), all.failed)
		}
		var again predictions
		if again.add(all.text()); again != all {
			t.Errorf("%+v is read as %+v", all, again)
		}
	}
}

// TestPrepare has a program record what it does, wherever else a trace was to go.
func TestPrepare(t *testing.T) {
	for text, want := range map[string]string{
		"":                                  "trace=DIR trace_limit_mb=16",
		"level=all trace_limit_mb=3":        "level=all trace_limit_mb=3 trace=DIR",
		"trace=/a%20b exitcode=4":           "exitcode=4 trace=DIR",
		"trace=/a trace_limit_mb=7 stats=1": "trace_limit_mb=7 stats=1 trace=DIR",
	} {
		t.Setenv(option.Variable, "")
		dir := filepath.Join(t.TempDir(), "x")
		if err := os.Mkdir(dir, 0o777); err != nil {
			t.Fatal(err)
		}
		r := new(runner)
		r.options, _ = option.Parse(text)
		r.prepare(dir)
		got, err := option.Parse(os.Getenv(option.Variable))
		for i := range got {
			if got[i].Name == "trace" && filepath.Dir(got[i].Value) == dir {
				got[i].Value = "DIR"
			}
		}
		if err != nil || option.String(got) != want || r.out.failed != "" {
			t.Errorf("%q: %q, want %q (%v, %s)", text, option.String(got), want, err, r.out.failed)
		}
	}
	r := new(runner)
	if r.prepare("/no/such/folder"); r.dir != "" || r.out.failed == "" {
		t.Errorf("there is no folder, and %q, %q", r.dir, r.out.failed)
	}
}

// TestPredictedExit has the exit code be that of findings, but for a test not 0.
func TestPredictedExit(t *testing.T) {
	for _, c := range []struct {
		option string
		test   bool
		want   int
	}{{"", true, 66}, {"", false, 66}, {"7", true, 7}, {"0", false, 0}, {"0", true, 1}} {
		r := runner{test: c.test}
		if c.option != "" {
			r.options = []option.Setting{{Name: "exitcode", Value: c.option}}
		}
		if got := r.exitCode(); got != c.want {
			t.Errorf("%q, test: %v: %d, want %d", c.option, c.test, got, c.want)
		}
	}
}

// TestStrip takes a prefix off all names of files in a report.
func TestStrip(t *testing.T) {
	frames := func() []report.Frame { return []report.Frame{{File: "/w/a.go"}, {File: "/x/a.go"}} }
	x := &report.Finding{
		Edges: []report.Edge{{From: report.Event{Stack: frames()},
			To: report.Event{Stack: frames()}}},
		Goroutines:   []report.Goroutine{{Stack: frames()}},
		Transactions: []report.Transaction{{MarkedAt: "/w/a.go:3"}},
	}
	strip(x, "/w/")
	for _, list := range [][]report.Frame{x.Edges[0].From.Stack, x.Edges[0].To.Stack,
		x.Goroutines[0].Stack} {
		if list[0].File != "a.go" || list[1].File != "/x/a.go" {
			t.Errorf("%v", list)
		}
	}
	if x.Transactions[0].MarkedAt != "a.go:3" {
		t.Errorf("%v", x.Transactions)
	}
}
