// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package verdict

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/commutego/commute/internal/longtest"
)

const reportLine = "WARNING: COMMUTATIVITY RACE"

// An ending is a package of testdata/endings.
type ending struct {
	name     string
	message  string // the program's
	code     int    // the program's
	testSays string // the test's
	js       string // the program's on js, where Go says something else
}

// waitsOnJS is what Go says on js of a program in which nothing goes on, and which does not import
// syscall/js.
const waitsOnJS = "panic: runtime error: invalid memory address or nil pointer dereference"

var endings = []ending{
	{name: "panic", message: "panic: own message", code: 2, testSays: "panic: own message"},
	{name: "exit", message: "own message", code: 3, testSays: "own message"},
	{name: "fatal", message: "own message", code: 1, testSays: "own message"},
	{name: "deadlock", message: "all goroutines are asleep - deadlock!", code: 2,
		testSays: "panic: test timed out", js: waitsOnJS},
	{name: "goexit", message: "no goroutines (main called runtime.Goexit) - deadlock!", code: 2,
		testSays: "runtime.Goexit", js: waitsOnJS},
	{name: "clean", message: "own message", code: 66, testSays: "--- FAIL: TestEnding"},
}

// TestEndings runs programs and tests that make a finding and then end in an unusual way: the
// finding is printed, once, and the program's own message and exit code stay.
func TestEndings(t *testing.T) {
	longtest.Same(t)
	t.Parallel()
	tool := commute(t)
	for _, e := range endings {
		t.Run(e.name, func(t *testing.T) {
			t.Parallel()
			e.check(t, tool, port{})
		})
	}
}

func (e ending) check(t *testing.T, tool string, p port) {
	const folder = "../../testdata/endings"
	dir := t.TempDir()
	program, test := filepath.Join(dir, "program"+exe()), filepath.Join(dir, "test"+exe())
	commandFor(t, p, folder, tool, "build", "-o", program, "./"+e.name)
	commandFor(t, p, folder, tool, "test", "-c", "-o", test, "./"+e.name)
	message := e.message
	if e.js != "" && p.name == "js/wasm" {
		message = e.js
	}
	checkEnding(t, p.binary(program, "").command(t.Context()), message, e.code)
	cmd := p.binary(test, "").command(t.Context(), "-test.timeout=5s")
	cmd.Env = append(cmd.Env, "COMMUTE_ENDINGS=1")
	checkEnding(t, cmd, e.testSays, -1)
}

// checkEnding wants one finding, a message and, unless it is negative, an exit code.
func checkEnding(t *testing.T, cmd *exec.Cmd, message string, code int) {
	t.Helper()
	out, _ := cmd.CombinedOutput()
	if n := strings.Count(string(out), reportLine); n != 1 {
		t.Errorf("%s: %d reports, want 1\n%s", cmd, n, out)
	}
	if !strings.Contains(string(out), message) {
		t.Errorf("%s: no %q in the output\n%s", cmd, message, out)
	}
	if got := cmd.ProcessState.ExitCode(); got == 0 || code >= 0 && got != code {
		t.Errorf("%s: exit code %d, want %d\n%s", cmd, got, code, out)
	}
}

// attribution says what must become of the tests of testdata/attribution. Of the names joined by
// "|", one or more must fail.
var attribution = map[string]string{
	"TestSubtests":                          "FAIL",
	"TestSubtests/one":                      "PASS",
	"TestSubtests/two":                      "FAIL",
	"TestSubtests/three":                    "PASS",
	"TestNoRaceAfterwards":                  "PASS",
	"TestRaceParentAndSubtest":              "FAIL",
	"TestRaceParentAndSubtest/TestRaceHere": "FAIL",
	"TestRaceParallel":                      "FAIL",
	"TestRaceParallel/a|TestRaceParallel/b": "FAIL",
	"TestNoRaceSequentialSubtests":          "PASS",
	"TestParallelA|TestParallelB":           "FAIL",
	"TestLeakA":                             "PASS",
	"TestLeakB":                             "FAIL",
	"FuzzRace":                              "FAIL",
	"TestRaceAndError":                      "FAIL",
	"TestRaceThenSkip":                      "FAIL",
	"BenchmarkRace":                         "FAIL",
	"BenchmarkNoRace":                       "",
}

func TestAttribution(t *testing.T) {
	t.Parallel()
	b := build(t, commute(t), "attribution")
	for range rest(t) {
		attributed(t, b)
	}
}

// attributed runs the tests and benchmarks of testdata/attribution once.
func attributed(t *testing.T, b *Binary) {
	t.Helper()
	var out []byte
	// Benchmarks don't run once a test has failed, so they have a process of their own.
	for _, args := range [][]string{{}, {"-test.run=^$", "-test.bench=.", "-test.benchtime=5x"}} {
		// With one processor, as on js, package testing would run parallel tests one after the
		// other, and order them.
		cmd := b.command(t.Context(), append(args, "-test.v", "-test.parallel=2")...)
		cmd.Env = append(cmd.Env, "ATTRIBUTION_MAIN=1", "COMMUTE=level=races")
		more, _ := cmd.CombinedOutput()
		out = append(out, more...)
	}
	checkAttribution(t, string(out))
	if t.Failed() {
		t.Fatalf("%s", out)
	}
}

func checkAttribution(t *testing.T, out string) {
	results := make(map[string]string)
	for _, m := range resultLine.FindAllStringSubmatch(out, -1) {
		name, _, _ := strings.Cut(m[2], "-")
		results[name] = m[1]
	}
	for names, want := range attribution {
		found := false
		for name := range strings.SplitSeq(names, "|") {
			found = found || results[name] == want
		}
		if !found {
			t.Errorf("%s: not %q", names, want)
		}
	}
	first, _, _ := strings.Cut(out, "=== RUN")
	if !strings.Contains(first, reportLine) {
		t.Error("the race before the first test isn't reported before it")
	}
	if !strings.Contains(out, "this message of the test's own must be printed") {
		t.Error("a test's own message is missing")
	}
}
