// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package main

import "testing"

// The total is there where several packages were tested, and something was found in one of them.
func TestTotal(t *testing.T) {
	const clean = "program /b/clean.test\ncalls 1\nend\n"
	for _, test := range []struct {
		files []string
		want  string
	}{
		{[]string{clean}, ""},
		{[]string{clean, "program /b/other.test\nend\n"}, ""},
		{[]string{"program /b/bank.test\nfound race 1\nfound broken 1\nend\n"}, ""},
		{[]string{"program /b/bank.test\nfound race 1\nfound broken 1\nend\n", clean},
			"found in 1 of 2 packages (bank): 1 commutativity race that breaks a check and act"},
		{[]string{"program /b/bank.test\nfound race 2\nfound broken 1\nend\n", clean,
			"program /b/a.test\nfound race 1\nfound data-race 3\nfound violation 1\nend\n"},
			"found in 2 of 3 packages (a, bank): 3 data races, 1 atomicity violation, " +
				"3 commutativity races (1 breaks a check and act)"},
		{[]string{clean, "program /b/a.test\nfound race 2\nfound broken 2\nfound sections 1\n" +
			"found deadlock 2\nend\n"},
			"found in 1 of 2 packages (a): 2 commutativity races that break a check and act, " +
				"1 check and act in separate critical sections, 2 potential deadlocks"},
		{[]string{clean, "program /b/a.test\nfound race 2\n"}, ""}, // it was not written to its end
	} {
		c := newCounts()
		for _, f := range test.files {
			c.add(f)
		}
		if got := c.total(); got != test.want {
			t.Errorf("%q: %q, want %q", test.files, got, test.want)
		}
	}
}
