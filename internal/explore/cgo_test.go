// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package explore

import (
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/commutego/commute/internal/longtest"
)

// TestC explores programs with C: calls that block, callbacks on the thread of a call and on
// threads of C, which may come while all of Go waits, loops in C, and locks that C holds.
func TestC(t *testing.T) {
	longtest.Need(t, "the standard library is built with C")
	out, err := exec.Command("go", "env", "CGO_ENABLED", "CC").Output()
	words := strings.Fields(string(out))
	if err != nil || len(words) < 2 || words[0] != "1" {
		t.Skip("C is not compiled")
	}
	if _, err := exec.LookPath(words[1]); err != nil {
		t.Skip(err)
	}
	b := build(t, "../internal/explore/testdata/callbacks", "")
	all, err := b.Tests()
	if err != nil {
		t.Fatal(err)
	}
	if len(all) < 10 {
		t.Fatalf("there are only %q", all)
	}
	for _, name := range all {
		r, err := Explore(b, Plan{Runs: 16, Timeout: 5 * time.Minute}, name)
		if err != nil {
			t.Fatal(err)
		}
		switch wrong := strings.HasPrefix(name, "TestWrong"); {
		case wrong && (r.Failure == nil || !r.Failure.Again):
			t.Errorf("%s does not fail, or not again", name)
		case !wrong && r.Failure != nil:
			t.Errorf("%s fails by %v:\n%s", name, r.Failure.Seeds, r.Failure.Output)
		}
	}
}
