// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package explore

import (
	"strings"
	"testing"
)

// TestLeaks has programs that leak goroutines fail for that, with what the goroutine waits for, its
// stack, and who has made it. With -explore_leaks=off they don't fail.
func TestLeaks(t *testing.T) {
	b := build(t, "explore", "")
	for name, waits := range map[string]string{
		"TestWrongLeakFirst":   "to send to a channel, and",
		"TestWrongLeakEarly":   "to send to a channel, and",
		"TestWrongLeakRange":   "to receive from a channel, and",
		"TestWrongLeakContext": "to receive from a channel, and",
		"TestWrongLeakTimeout": "to send to a channel, and",
		"TestWrongLeakWakeup":  "for a sync.Cond, and",
		"TestWrongLeakLock":    "for a lock, and",
		"TestWrongLeakGroup":   "for a sync.WaitGroup, and",
		"TestWrongLeakSelect":  "in a select, and",
		"TestWrongLeakNil":     "to receive from a nil channel, and",
	} {
		plan := limits
		plan.Base = 1
		r, err := Explore(b, plan, name)
		if err != nil {
			t.Fatal(err)
		}
		if r.Failure == nil {
			t.Errorf("%s does not fail", name)
			continue
		}
		out := string(r.Failure.Output)
		if !strings.Contains(out, "    leaked goroutine: it waits "+waits) ||
			!strings.Contains(out, "leaks_test.go:") ||
			!strings.Contains(out, "created by github.com/commutego/commute/testdata/explore.leak") ||
			strings.Contains(out, "panic: ") {
			t.Errorf("%s:\n%s", name, out)
		}
		t.Run("off", func(t *testing.T) {
			t.Setenv(leaksVariable, "off")
			ran, err := b.batch(name, plan.Timeout, r.Failure.Seeds)
			if err != nil {
				t.Fatal(err)
			}
			if ran.failed {
				t.Errorf("%s fails with %s=off:\n%s", name, leaksVariable, ran.output)
			}
		})
	}
}
