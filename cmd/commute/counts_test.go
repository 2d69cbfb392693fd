// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package main

import "testing"

// TestExploredCounts has the line about what was watched left out of runs that explore and watch
// nothing, and crashes, which are reported as failures, left out of it.
func TestExploredCounts(t *testing.T) {
	const crash, program = "", "program /m.test\n"
	for _, c := range []struct {
		files           []string
		explored, plain string // the line
	}{
		{files: []string{program + "calls 0\nend\n", crash}, explored: "",
			plain: "1 package: watched 0 calls of 0 types, 0 transactions; 1 process ended before " +
				"it could say (a crash, or it was killed)"},
		{files: []string{program + "calls 2\ntype sync.Map\nend\n", crash},
			explored: "1 package: watched 2 calls of 1 type, 0 transactions",
			plain: "1 package: watched 2 calls of 1 type, 0 transactions; 1 process ended before " +
				"it could say (a crash, or it was killed)"},
		{files: []string{program + "calls 0\nend\n"}, explored: "",
			plain: "1 package: nothing was watched: 0 calls of 0 types (see commute spec draft, " +
				"-datarace, //commute:atomic)"},
		{files: []string{crash}, explored: "",
			plain: "nothing is known of what was watched: 1 process ended before it could say (a " +
				"crash, or it was killed)"},
	} {
		all := newCounts()
		for _, f := range c.files {
			all.add(f)
		}
		for explored, want := range map[bool]string{true: c.explored, false: c.plain} {
			got, _ := all.verdict(ran{test: true, explored: explored})
			if got != want {
				t.Errorf("%q, explored %v: %q, want %q", c.files, explored, got, want)
			}
		}
	}
}
