// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package runtime

import "testing"

// TestExcusedRace has races of calls in a test, in a scope in which they are expected, and in one
// in which none counts.
func TestExcusedRace(t *testing.T) {
	restore(t)
	forget(t)
	whole := tests.add()
	put, get, _ := appMain()
	race := func(in *test) {
		first := &logger{stack: put, goid: 7, test: in}
		second := &logger{stack: get, goid: 8, test: in}
		if !makeRace(t, first, second, callOf(store, 1, 2), callOf(store, 1, 3), report) {
			t.Error("no race")
		}
	}
	expected := whole.expect(expectRace)
	race(expected)
	if found.reported != 0 || whole.charge.Load() != 0 || !leaveScope(expected) {
		t.Errorf("%d findings of an expected race", found.reported)
	}
	race(whole)
	if found.reported != 1 || found.first.count != 1 || whole.charge.Load() == 0 {
		t.Errorf("%d findings afterwards", found.reported)
	}
	race(whole.ignore())
	if found.first.count != 1 {
		t.Error("a race counts where none does")
	}
}
