// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package finding

import (
	"testing"

	"github.com/commutego/commute/internal/engine/fixture"
	"github.com/commutego/commute/internal/engine/tests"
)

// TestExcusedRace has races of calls in a test, in a scope in which they are expected, and in one
// in which none counts.
func TestExcusedRace(t *testing.T) {
	restore(t)
	forget(t)
	whole := tests.All.Add()
	put, get, _ := fixture.AppMain()
	race := func(in *tests.Test) {
		first := &logger{stack: put, goid: 7, test: in}
		second := &logger{stack: get, goid: 8, test: in}
		if !makeRace(t, first, second, fixture.CallOf(fixture.Store, 1, 2),
			fixture.CallOf(fixture.Store, 1, 3), Race) {
			t.Error("no race")
		}
	}
	expected := whole.Expect(tests.ExpectRace)
	race(expected)
	if found.number != 0 || whole.Charge.Load() != 0 || !LeaveScope(expected) {
		t.Errorf("%d findings of an expected race", found.number)
	}
	race(whole)
	if found.number != 1 || found.first.Count != 1 || whole.Charge.Load() == 0 {
		t.Errorf("%d findings afterwards", found.number)
	}
	race(whole.Ignore())
	if found.first.Count != 1 {
		t.Error("a race counts where none does")
	}
}
