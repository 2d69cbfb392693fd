// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package longtest

import "testing"

// A skipped test notes whether it is skipped.
type skipped struct {
	testing.TB
	is bool
}

func (s *skipped) Helper()              {}
func (s *skipped) Skipf(string, ...any) { s.is = true }

// TestAsked runs a long test, and one that is the same, for each value of the variable.
func TestAsked(t *testing.T) {
	for value, runs := range map[string][2]bool{
		"": {false, true}, "0": {false, true}, "1": {true, true}, more: {true, false},
	} {
		t.Setenv(Variable, value)
		long, same := new(skipped), new(skipped)
		Need(long, "it takes long")
		Same(same)
		if got := [2]bool{!long.is, !same.is}; got != runs || Asked() != runs[0] {
			t.Errorf("%q: runs %v, want %v", value, got, runs)
		}
	}
}
