// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package explore

import (
	"strings"
	"testing"

	"github.com/commutego/commute/internal/longtest"
)

// TestWorlds explores tests that share the program with something else: TestMain, parallel
// subtests, bubbles, servers and other processes. The wrong ones fail, the others don't.
func TestWorlds(t *testing.T) {
	b := build(t, "explore", "worlds")
	all, err := b.Tests()
	if err != nil {
		t.Fatal(err)
	}
	if len(all) < 12 {
		t.Fatalf("there are only %q", all)
	}
	seeds := uint64(1)
	if longtest.Asked() {
		seeds = 5
	}
	for _, name := range all {
		for base := range seeds {
			plan := limits
			plan.Runs, plan.Base = 24, base
			if !strings.HasPrefix(name, "TestWrong") && !longtest.Asked() {
				plan.Runs = 8
			}
			r, err := Explore(b, plan, name)
			if err != nil {
				t.Fatal(err)
			}
			switch wrong := strings.HasPrefix(name, "TestWrong"); {
			case wrong && r.Failure == nil:
				t.Errorf("%s does not fail with seed %d", name, base)
			case wrong && !strings.Contains(string(r.Failure.Output), "are counted") &&
				!strings.Contains(string(r.Failure.Output), "the value is"):
				t.Errorf("%s fails by something else:\n%s", name, r.Failure.Output)
			case name == "TestWrongRegister" && len(r.Failure.Seeds) != 1:
				t.Errorf("%s needs %d runs in a process", name, len(r.Failure.Seeds))
			case !wrong && r.Failure != nil:
				t.Errorf("%s fails by %v:\n%s", name, r.Failure.Seeds, r.Failure.Output)
			}
		}
	}
	b = b.with("EXPLORE_TWICE=1")
	plan := limits
	plan.Runs = 8
	if r, err := Explore(b, plan, "TestRightSetup"); err != nil || r.Runs != 8 || r.Failure != nil {
		t.Errorf("tests that TestMain runs twice have %+v: %v", r, err)
	}
}
