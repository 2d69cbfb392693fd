// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package explore

// Key says in what way a test has failed, by what its process has printed: two runs with the same
// key have failed in the same way, whatever the values. It takes time in the length of the output.
func Key(test string, output []byte) string { return failureKey(test, output) }

// Totals are how many tests a Cover has runs of, and how many runs in all.
func (c *Cover) Totals() (tests, runs int) {
	type name struct{ pkg, test string }
	names := make(map[name]bool)
	for t, r := range c.tests {
		names[name{t.pkg, t.test}] = true
		runs += r.runs
	}
	return len(names), runs
}
