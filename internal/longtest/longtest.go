// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

// Package longtest tells tests whether they may take long. "go test ./..." has to pass in minutes
// on a busy machine with two cores and an empty build cache. What takes longer, most of it because
// the standard library has to be compiled in one more way, runs if COMMUTE_TEST_LONG is 1. If it is
// "more", what is the same in "go test ./..." is left out: .ci/run has run that before.
//
// Input: the environment. Output: yes or no, or a test that is skipped and says why; and how many
// tests of a package run at once.
package longtest

import (
	"os"
	"testing"
)

// Variable is the environment variable that asks for the long tests.
const Variable = "COMMUTE_TEST_LONG"

// more is its value where tests are left out that do the same without.
const more = "more"

// Asked reports whether the long tests are asked for.
func Asked() bool {
	value := os.Getenv(Variable)
	return value == "1" || value == more
}

// Same says that a test, or the rest of it, does the same whether or not the long tests are asked
// for. It is skipped where only what they add is asked for.
func Same(t testing.TB) {
	t.Helper()
	if Rest() {
		t.Skipf("it does the same without %s", Variable)
	}
}

// Rest reports whether only that is asked for which the long tests add.
func Rest() bool { return os.Getenv(Variable) == more }

// Need skips a test, or the rest of it, unless the long tests are asked for; why says what takes
// long.
func Need(t testing.TB, why string) {
	t.Helper()
	if !Asked() {
		t.Skipf("%s: %s is not 1", why, Variable)
	}
}
