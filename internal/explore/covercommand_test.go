// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package explore

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestCoverCommand covers as a user does: shards add to files, which are put together.
func TestCoverCommand(t *testing.T) {
	t.Parallel()
	b := build(t, "explore", "") // skips where nothing can be explored
	os.Unsetenv(PlanVariable)
	dir := t.TempDir()
	one, two, all := filepath.Join(dir, "1"), filepath.Join(dir, "2"), filepath.Join(dir, "all")
	for shard, file := range map[string]string{"1/2": one, "2/2": two} {
		out, errs, code := b.commute(t, "test", "-explore=40", "-v", "-explore_shard="+shard,
			"-explore_cover="+file, "-run", "^TestRightReferences$", ".")
		if code != 0 || !strings.Contains(out, " runs, ") ||
			!regexp.MustCompile("; no schedule of shard "+shard+" with at most (1 forced switch|"+
				"2 forced switches) fails; ").MatchString(out) ||
			!regexp.MustCompile(`(?m)^commute: \d of \d pairs of operations seen in both orders`).MatchString(errs) {
			t.Fatalf("code %d\n%s%s", code, out, errs)
		}
	}
	out, errs, code := b.commute(t, "cover", "-o", all, one, two)
	if code != 0 || !strings.HasPrefix(out, "explored TestRightReferences of "+
		"github.com/commutego/commute/testdata/explore: 80 runs; no schedule with at most 1 forced "+
		"switch fails\n3 of 3 pairs of operations seen in both orders: 100%\n") {
		t.Fatalf("code %d\n%s%s", code, out, errs)
	}
	first, err := os.ReadFile(all)
	if err != nil {
		t.Fatal(err)
	}
	first = append(first, "Lock example.com/m/a.go:3 before Lock example.com/m/a.go:4\n"...)
	if err := os.WriteFile(all, first, 0o666); err != nil {
		t.Fatal(err)
	}
	// what is there stays, and other tests are added
	out, errs, code = b.commute(t, "test", "-explore=2", "-explore_cover="+all,
		"-explore_cover_min=90", "-run", "^TestRightCond$", ".")
	if code != 1 || !regexp.MustCompile(`(?m)^commute: -explore_cover_min: \d+% of the pairs of `+
		`operations were seen in both orders, and 90% are asked for$`).MatchString(errs) {
		t.Fatalf("code %d\n%s%s", code, out, errs)
	}
	text, err := os.ReadFile(all)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(first)) {
		if !strings.Contains(string(text), line) {
			t.Errorf("%q is not there any more", line)
		}
	}
	if !strings.Contains(string(text), " TestRightCond seed 1 shard 1/1 runs 2 ") {
		t.Errorf("%s", text)
	}
}

// TestAll goes on after a failure: each that differs is reported once.
func TestAll(t *testing.T) {
	t.Parallel()
	b := build(t, "explore", "")
	os.Unsetenv(PlanVariable)
	out, errs, code := b.commute(t, "test", "-explore=100", "-explore_all", "-run",
		"^TestWrongLengths?$|^TestWrongTwice$", ".")
	heads := regexp.MustCompile(`(?m)^--- FAIL: (\w+) \(explored: (.*)\)$`).
		FindAllStringSubmatch(out, -1)
	if code != 1 || len(heads) != 2 || !strings.HasPrefix(heads[0][2], "run ") &&
		!strings.HasPrefix(heads[1][2], "run ") {
		t.Fatalf("code %d\n%s%s", code, out, errs)
	}
	const twice = "--- FAIL: TestWrongTwice (explored: 2 different failures in 100 runs)"
	if !strings.Contains(out, twice) || strings.Count(out, ": the first is lost") != 1 ||
		strings.Count(out, ": the second is lost") != 1 ||
		strings.Count(out, "    replay: ") != 3 {
		t.Errorf("%s%s", out, errs)
	}
}

// TestAllAfterDefault has a test that fails by default, too. So the run that policy Surw looks at
// first has no run after it in its process.
func TestAllAfterDefault(t *testing.T) {
	t.Parallel()
	b := build(t, "explore", "")
	os.Unsetenv(PlanVariable)
	out, errs, code := b.commute(t, "test", "-explore=20", "-explore_all", "-run",
		"^TestWrongWaitGroup$", ".")
	if code != 1 || !strings.Contains(errs, "commute: explored 1 test: 20 runs, ") {
		t.Errorf("code %d\n%s%s", code, out, errs)
	}
}
