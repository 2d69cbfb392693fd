// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package explore

import "testing"

// TestPaceAsk asks for input: each AskMost times time passes, from the begin of a run on.
func TestPaceAsk(t *testing.T) {
	var c Control
	for run := range 3 {
		c.Begin(Spec{}, 0)
		for n := 1; n <= 3*AskMost+AskMost/2; n++ {
			if got, want := c.Arrivals.Ask(&c), n%AskMost == 0; got != want {
				t.Errorf("run %d: after asking %d times, time passes: %v, want %v", run, n, got, want)
			}
		}
	}
}
