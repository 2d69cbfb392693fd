// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package explore

import (
	"fmt"
	"math/rand"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/commutego/commute/report"
)

// TestScheduleSteps has the steps of random runs be acts of these in their order, with all forced
// switches where there is room.
func TestScheduleSteps(t *testing.T) {
	r := rand.New(rand.NewSource(2))
	for range 500 {
		l, switches := randomLog(r)
		steps := (&Schedule{log: l}).steps()
		if len(steps) > mostSteps {
			t.Fatalf("%d steps", len(steps))
		}
		acts, forced := l.acts(), 0
		for _, s := range steps {
			for len(acts) > 0 && !isStep(acts[0], s) {
				acts = acts[1:]
			}
			if len(acts) == 0 {
				t.Fatalf("%+v comes too early, or isn't an act", s)
			}
			acts = acts[1:]
			if s.Forced {
				forced++
			}
		}
		if switches > 0 && forced == 0 || switches <= 2 && forced != switches {
			t.Fatalf("%d of %d switches: %+v", forced, switches, steps)
		}
	}
}

func isStep(a act, s report.Step) bool {
	return s.Goroutine == "goroutine "+a.name && s.Forced == a.forced() &&
		(s.At == "" || s.At == fmt.Sprintf("%s:%d", a.at.file, a.at.line))
}

// TestReplayable has a finding of an explored test get the schedule of its run, and no other.
func TestReplayable(t *testing.T) {
	t.Parallel()
	b := build(t, "explore", "")
	const test = "TestWrongNumber"
	r, err := Replay(b, Plan{Replay: "x1-forced-6.1", Timeout: limits.Timeout}, test)
	if err != nil || r.Failure == nil {
		t.Fatalf("it doesn't fail: %v", err)
	}
	// These programs are built without what reports: it is as if one did.
	text, err := os.ReadFile("../engine/finding/testdata/observed.txt")
	if err != nil {
		t.Fatal(err)
	}
	findings := report.Parse(text)
	if len(findings) != 1 {
		t.Fatalf("%d findings", len(findings))
	}
	list := r.replayable(Plan{Package: "a.com/p"})
	if len(list) != 1 || list[0].Why == "" || len(list[0].Schedule.Steps) == 0 {
		t.Fatalf("a failure without a finding is told as %+v", list)
	}
	unfound := list[0]
	r.Failure.Output = append(r.Failure.Output, text...)
	r.Failure.Again = true
	dir := t.TempDir()
	for range 2 { // as by two runs of the test
		if err := tellReplayable(dir, r.replayable(Plan{Package: "a.com/p"})); err != nil {
			t.Fatal(err)
		}
	}
	list, err = ReadReplayable(dir)
	if err != nil || len(list) != 2 {
		t.Fatalf("%d schedules, %v", len(list), err)
	}
	other := &report.Finding{Kind: report.DataRace}
	failures := Attach(append(findings, other), append(list, unfound, unfound))
	if len(failures) != 1 || failures[0].Schedule.Test != test || failures[0].Package != "a.com/p" ||
		failures[0].Why != unfound.Why || failures[0].Output != unfound.Output {
		t.Errorf("failures without a finding: %+v", failures)
	}
	if len(other.Schedules) != 0 || len(findings[0].Schedules) != 1 {
		t.Fatalf("schedules %v, and of another finding %v", findings[0].Schedules, other.Schedules)
	}
	s := findings[0].Schedules[0]
	if s.Test != test || s.Replay != "commute test -replay=x1-forced-6.1 -run '^"+test+"$' a.com/p" {
		t.Errorf("%+v", s)
	}
	var lines []string
	for _, step := range s.Steps {
		line := step.Goroutine + " " + filepath.Base(step.At) + " " + step.Does
		if step.Forced {
			line += " (forced)"
		}
		lines = append(lines, line)
	}
	want := []string{
		"goroutine 1.1 atomics_test.go:80 got[i] = next.Load() + 1",
		"goroutine 1.1 atomics_test.go:81 before next.Store(got[i]) (forced)",
		"goroutine 1.2 atomics_test.go:80 got[i] = next.Load() + 1",
		"goroutine 1.2 atomics_test.go:81 next.Store(got[i])",
		"goroutine 1.1 atomics_test.go:81 next.Store(got[i])",
	}
	if got := strings.Join(lines, "\n"); got != strings.Join(want, "\n") {
		t.Errorf("steps:\n%s", got)
	}
}

// TestWhy has a line for each way in which a test fails.
func TestWhy(t *testing.T) {
	for _, test := range []struct {
		output, want string
		killed       bool
	}{
		{"=== RUN   TestX\npanic: send on closed channel\n\ngoroutine 7 [running]:\n",
			"panic: send on closed channel", false},
		{"log\nfatal error: all goroutines are asleep - deadlock!\n", "fatal error: all " +
			"goroutines are asleep - deadlock!", false},
		{"--- FAIL: TestX (0.00s)\n    x_test.go:7: got 1\n    x_test.go:8: more\nFAIL\n",
			"x_test.go:7: got 1", false},
		{"=== RUN   TestX\n", "it takes too long", true},
		{"--- FAIL: TestX (0.00s)\nFAIL\n", "it fails", false},
	} {
		f := &Failure{Output: []byte(test.output), Killed: test.killed}
		if got := f.why("TestX"); got != test.want {
			t.Errorf("%q: %q, want %q", test.output, got, test.want)
		}
	}
}
