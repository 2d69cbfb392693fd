// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package verdict

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/commutego/commute/internal/longtest"
	"github.com/commutego/commute/internal/offline"
	"github.com/commutego/commute/internal/trace/tracefile"
	"github.com/commutego/commute/report"
)

// TestRecorded records tests with known verdicts, each in a process of its own, and has the checks
// of traces find what is found while the test runs, and nothing else; but that nothing is predicted
// from traces.
func TestRecorded(t *testing.T) {
	t.Parallel()
	tool := commute(t)
	for _, m := range []struct {
		name   string
		flags  []string
		level  string
		checks []string
		every  int // takes one of so many tests, all if COMMUTE_VERDICT_RUNS is set
		floor  int
		but    []string // tests of which a trace can't tell
		long   string   // why it takes long, if it does
	}{
		{name: "transactions", level: "races", floor: 15, every: 3,
			checks: []string{"frontier", "velodrome", "transactions"}},
		// Check commute goes by the points alone: it doesn't know that equal values, or results
		// that nobody looks at, make calls commute.
		{name: "verdicts", level: "races", flags: []string{"-datarace"},
			checks: []string{"commute", "calls"}, every: 5, floor: 20,
			but: []string{"TestNoRaceStoreStoreEqual", "TestNoRaceStoreStoreEqualChanged",
				"TestNoRaceSweepStore", "TestNoRaceStoreSweep", "TestNoRaceSweepDelete",
				"TestNoRaceDeleteSweep", "TestNoRaceSweepClear", "TestNoRaceClearSweep"}},
		{name: "verdicts", level: "all", flags: []string{"-datarace"}, checks: []string{"calls"},
			every: 3, floor: 30},
		{name: "dataraces", level: "races", flags: []string{"-datarace", "-watch", "all"},
			checks: []string{"hb", "fasttrack"}, every: 24, floor: 6,
			long: buildsLibrary},
	} {
		t.Run(m.name+"/"+m.level, func(t *testing.T) {
			t.Parallel()
			if m.long != "" {
				needLong(t, m.long)
			} else {
				longtest.Same(t)
			}
			b := build(t, tool, m.name, m.flags...)
			names, err := b.List()
			if err != nil {
				t.Fatal(err)
			}
			judged := 0
			for i, name := range names {
				if i%m.every != 0 && os.Getenv(runsVariable) == "" ||
					slices.Contains(m.but, name) || strings.HasPrefix(name, "TestRacePredicted") {
					continue
				}
				failed, out := recorded(t, b, name, m.level)
				found := analyzed(t, out, m.checks, m.level)
				for i, check := range m.checks {
					if (found[i] > 0) != failed {
						t.Errorf("%s: failed: %t; check %s of the trace finds %d",
							name, failed, check, found[i])
					}
				}
				judged++
			}
			if judged < m.floor {
				t.Errorf("%d tests, want at least %d", judged, m.floor)
			}
		})
	}
}

// recorded runs a test and reports whether it failed, and its trace.
func recorded(t *testing.T, b *Binary, name, level string) (failed bool, path string) {
	t.Helper()
	dir := t.TempDir()
	cmd := exec.Command(b.Path, "-test.run=^"+name+"$")
	cmd.Dir = b.Dir
	cmd.Env = append(os.Environ(), "COMMUTE=atexit_sleep_ms=0 level="+level+" trace="+dir)
	out, err := cmd.CombinedOutput()
	files, _ := filepath.Glob(filepath.Join(dir, "*.trace"))
	if len(files) != 1 {
		t.Fatalf("%s: %d traces, want 1\n%s", name, len(files), out)
	}
	return err != nil, files[0]
}

// analyzed is how much each check finds in a trace.
func analyzed(t *testing.T, path string, names []string, level string) (found []int) {
	t.Helper()
	f, err := tracefile.Open(path, "")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	o := offline.Options{Level: offline.Levels[level]}
	for _, name := range names {
		check, ok := offline.Find(name)
		if !ok {
			t.Fatalf("there is no check %s", name)
		}
		o.Checks = append(o.Checks, check)
	}
	locks := false
	o.Mutexes = &locks
	var count atomic.Uint64
	r, err := offline.Run(f, o, &count)
	if err != nil {
		t.Fatalf("%s: %v", strings.TrimSuffix(filepath.Base(path), ".trace"), err)
	}
	for _, c := range r.Checks {
		found = append(found, len(c.Findings))
	}
	return found
}

// TestRecordedReport has the report of a race in a trace name what the report of the run does: the
// goroutines, with their creators, the object, the key, the lines of the source and of the
// specification.
func TestRecordedReport(t *testing.T) {
	longtest.Same(t)
	t.Parallel()
	b := build(t, commute(t), "verdicts", "-datarace")
	const test = "TestRaceStoreStore"
	dir := t.TempDir()
	cmd := exec.Command(b.Path, "-test.run=^"+test+"$")
	cmd.Dir = b.Dir
	cmd.Env = append(os.Environ(), "COMMUTE=atexit_sleep_ms=0 trace="+dir)
	out, _ := cmd.CombinedOutput()
	files, _ := filepath.Glob(filepath.Join(dir, "*.trace"))
	if len(files) != 1 {
		t.Fatalf("%d traces, want 1\n%s", len(files), out)
	}
	f, err := tracefile.Open(files[0], "")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	check, _ := offline.Find("commute")
	var count atomic.Uint64
	r, err := offline.Run(f, offline.Options{Checks: []offline.Check{check}}, &count)
	if err != nil || len(r.Checks[0].Findings) != 1 {
		t.Fatalf("%+v, %v\n%s", r, err, out)
	}
	found := r.Checks[0].Findings[0].Report(f, "commute")
	if len(found.Tests) != 1 || found.Tests[0] != test {
		t.Errorf("tests are %q, want %s", found.Tests, test)
	}
	text := found.Text()
	want := []string{"Key: " + found.Object.Key, found.Commute.At, found.Object.Address,
		"declared at " + found.Object.DeclaredAt, string(found.Effect)}
	for _, e := range []report.Event{found.At, *found.Previous} {
		want = append(want, fmt.Sprintf("by goroutine %d:", e.Goroutine),
			fmt.Sprintf("%s:%d", e.Stack[0].File, e.Stack[0].Line))
	}
	for _, g := range found.Goroutines {
		want = append(want,
			fmt.Sprintf("Goroutine %d created by goroutine %d at:", g.ID, g.Creator))
	}
	for _, part := range want {
		if !strings.Contains(string(out), part) || !strings.Contains(text, part) {
			t.Errorf("no %q in\n%s\nor\n%s", part, out, text)
		}
	}
}

// TestUnrecorded wants a program whose memory is not watched to say so if a trace is asked for, and
// to do nothing else.
func TestUnrecorded(t *testing.T) {
	longtest.Same(t)
	t.Parallel()
	b := build(t, commute(t), "levels")
	dir := t.TempDir()
	cmd := exec.Command(b.Path, "-test.run=^TestRaceOneBug$", "-test.v")
	cmd.Dir = b.Dir
	cmd.Env = append(os.Environ(), "COMMUTE=trace="+dir)
	out, _ := cmd.CombinedOutput()
	const want = "commute: COMMUTE: trace needs a program whose memory is watched (build it with " +
		"-datarace, or take commute test -trace=FOLDER)\n"
	if string(out) != want {
		t.Errorf("it says %q, want %q", out, want)
	}
	if code := cmd.ProcessState.ExitCode(); code != 2 {
		t.Errorf("exit code %d, want 2", code)
	}
	if files, _ := os.ReadDir(dir); len(files) != 0 {
		t.Errorf("it has written %v", files)
	}
}
