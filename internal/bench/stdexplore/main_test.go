// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package main

import (
	"slices"
	"strings"
	"testing"
)

// TestVerdicts reads what package testing and exploration print.
func TestVerdicts(t *testing.T) {
	const out = `=== RUN   TestA
--- PASS: TestA (0.00s)
=== RUN   TestB
    --- FAIL: TestB/sub (0.00s)
--- FAIL: TestB (explored: run 3 of 20)
        a_test.go:1: wrong
    replay: commute test
=== RUN   TestC
--- SKIP: TestC (0.00s)
    a_test.go:2: not here
FAIL
`
	want := []verdict{
		{"TestA", true, "--- PASS: TestA (0.00s)\n"},
		{"TestB", false, "--- FAIL: TestB (explored: run 3 of 20)\n        a_test.go:1: wrong\n" +
			"    replay: commute test\n"},
		{"TestC", true, "--- SKIP: TestC (0.00s)\n    a_test.go:2: not here\n"},
	}
	if got := verdicts([]byte(out)); !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	long := "--- FAIL: TestD (0.00s)\n" + strings.Repeat("    line\n", 100)
	if got := verdicts([]byte(long)); len(got) != 1 ||
		strings.Count(got[0].text, "\n") != 1+mostLines {
		t.Errorf("a long failure is %v", got)
	}
}
