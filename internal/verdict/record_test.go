// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package verdict

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/commutego/commute/internal/analyze"
	"github.com/commutego/commute/trace/tracefile"
)

// TestRecorded records tests with known verdicts, each in a process of its own, and has the checks of traces find what is
// found while the test runs, and nothing else; but that nothing is predicted from traces.
func TestRecorded(t *testing.T) {
	tool := commute(t)
	for _, m := range []struct {
		name   string
		flags  []string
		level  string
		checks []string
		every  int // takes one of so many tests, all if COMMUTE_VERDICT_RUNS is set
		floor  int
		but    []string // tests of which a trace can't tell
	}{
		{name: "transactions", level: "races", checks: []string{"frontier", "velodrome"}, every: 3, floor: 15},
		// What else than its points makes calls commute, as equal values do, is not in a trace.
		{name: "verdicts", level: "all", flags: []string{"-datarace"}, checks: []string{"commute"}, every: 3, floor: 30,
			but: []string{"TestNoRaceStoreStoreEqual", "TestNoRaceStoreStoreEqualChanged"}},
		{name: "dataraces", level: "races", flags: []string{"-datarace", "-watch", "all"}, checks: []string{"hb", "fasttrack"}, every: 24, floor: 6},
	} {
		t.Run(m.name, func(t *testing.T) {
			b := build(t, tool, m.name, m.flags...)
			names, err := b.List()
			if err != nil {
				t.Fatal(err)
			}
			judged := 0
			for i, name := range names {
				if i%m.every != 0 && os.Getenv("COMMUTE_VERDICT_RUNS") == "" || slices.Contains(m.but, name) || strings.HasPrefix(name, "TestRacePredicted") {
					continue
				}
				failed, out := recorded(t, b, name, m.level)
				found := analyzed(t, out, m.checks)
				for i, check := range m.checks {
					if (found[i] > 0) != failed {
						t.Errorf("%s: failed: %t; check %s of the trace finds %d", name, failed, check, found[i])
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
func analyzed(t *testing.T, path string, names []string) (found []int) {
	t.Helper()
	f, err := tracefile.Open(path, "")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var o analyze.Options
	for _, name := range names {
		check, ok := analyze.Find(name)
		if !ok {
			t.Fatalf("there is no check %s", name)
		}
		o.Checks = append(o.Checks, check)
	}
	locks := false
	o.Mutexes = &locks
	var count atomic.Uint64
	r, err := analyze.Run(f, o, &count)
	if err != nil {
		t.Fatalf("%s: %v", strings.TrimSuffix(filepath.Base(path), ".trace"), err)
	}
	for _, c := range r.Checks {
		found = append(found, len(c.Findings))
	}
	return found
}
