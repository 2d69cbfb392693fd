// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package explore

// Key identifies the way in which a test has failed, by the output of its process: two runs with
// the same key have failed in the same way, apart from values. It takes time linear in the output.
func Key(test string, output []byte) string { return failureKey(test, output) }

// Totals are the number of tests in a Cover, and the number of their runs.
func (c *Cover) Totals() (tests, runs int) {
	type name struct{ pkg, test string }
	names := make(map[name]bool)
	for t, r := range c.tests {
		names[name{t.pkg, t.test}] = true
		runs += r.runs
	}
	return len(names), runs
}
