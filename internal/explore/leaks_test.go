// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package explore

import (
	"strings"
	"testing"
)

// leaks says what goroutines wait for that wrong programs of testdata/explore leak.
var leaks = map[string]string{
	"TestWrongLeakFirst":    "to send to a channel, and",
	"TestWrongLeakEarly":    "to send to a channel, and",
	"TestWrongLeakRange":    "to receive from a channel, and",
	"TestWrongLeakContext":  "to receive from a channel, and",
	"TestWrongLeakTimeout":  "to send to a channel, and",
	"TestWrongLeakLate":     "to send to a channel, and",
	"TestWrongLeakWakeup":   "for a sync.Cond, and",
	"TestWrongLeakLock":     "for a lock, and",
	"TestWrongLeakNeighbor": "for a lock, and",
	"TestWrongLeakGroup":    "for a sync.WaitGroup, and",
	"TestWrongLeakSelect":   "in a select, and",
	"TestWrongLeakNil":      "to receive from a nil channel, and",
}

// leaked wants a failure to be for a goroutine that is leaked, with what it waits for, its stack,
// and who has made it. With -explore_leaks=off the program doesn't fail.
func leaked(t *testing.T, b *Binary, name, waits string, f *Failure) {
	t.Helper()
	out := string(f.Output)
	if !strings.Contains(out, "    leaked goroutine: it waits "+waits) ||
		!strings.Contains(out, "leaks_test.go:") ||
		!strings.Contains(out, "created by github.com/commutego/commute/testdata/explore.leak") ||
		strings.Contains(out, "panic: ") {
		t.Errorf("%s:\n%s", name, out)
	}
	ran, err := b.with(leaksVariable+"=off").batch(name, limits.Timeout, f.Seeds)
	if err != nil {
		t.Fatal(err)
	}
	if ran.failed {
		t.Errorf("%s fails with %s=off:\n%s", name, leaksVariable, ran.output)
	}
}

// TestLeakAside has a leak by default hide nothing: what else goes wrong is looked for, too.
func TestLeakAside(t *testing.T) {
	t.Parallel()
	b := build(t, "explore", "")
	plan := limits
	plan.Base = 1
	r, err := Explore(b, plan, "TestLeakAndLose")
	if err != nil {
		t.Fatal(err)
	}
	if r.Failure == nil || r.Failure.Run != 1 || len(r.More) != 1 {
		t.Fatalf("failure %v, and %d more", r.Failure, len(r.More))
	}
	if out := string(r.Failure.Output); !strings.Contains(out, "leaked goroutine: ") {
		t.Errorf("the first failure is:\n%s", out)
	}
	if out := string(r.More[0].Output); !strings.Contains(out, "an update is lost: 1") {
		t.Errorf("the second failure is:\n%s", out)
	}
	plan.LeaksOff = true
	r, err = Explore(b.with(leaksVariable+"=off"), plan, "TestLeakAndLose")
	if err != nil || r.Failure == nil || len(r.More) != 0 ||
		strings.Contains(string(r.Failure.Output), "leaked goroutine") {
		t.Errorf("without leaks: %v, %v", r, err)
	}
}
