// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package callrace

import (
	"fmt"
	"slices"
	"testing"

	"github.com/commutego/commute/internal/event"
	"github.com/commutego/commute/internal/trace/tracegen"
)

// TestRaces wants each touch to be found that is in a race by the definition, and to be found with
// one that it is in a race with.
func TestRaces(t *testing.T) {
	races, none := 0, 0
	tracegen.Each(t, 10000, func(tr tracegen.Trace) error {
		c := New(tr.Relation)
		for i, want := range tracegen.Races(tr) {
			e := &tr.Events[i]
			found := c.Event(e)
			if e.Op != event.Touch {
				if found {
					return fmt.Errorf("event %d is no touch, and is found", i)
				}
				continue
			}
			if found != (len(want) > 0) {
				return fmt.Errorf("event %d is in a race with %v, and that it is found is %v", i,
					want, found)
			}
			if !found {
				none++
				continue
			}
			races++
			first, second := c.Race().First, c.Race().Second
			if second != (event.Step{Index: uint64(i), Event: *e}) ||
				!slices.Contains(want, int(first.Index)) ||
				first.Event != tr.Events[first.Index] {
				return fmt.Errorf("event %d is in a race with %v, and found with %+v", i, want,
					first)
			}
		}
		return nil
	})
	if races < 1000 || none < races {
		t.Errorf("%d races, %d touches without: that is too one-sided to mean much", races, none)
	}
}
