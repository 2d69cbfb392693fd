// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package fasttrack

import (
	"fmt"
	"slices"
	"testing"

	"github.com/commutego/commute/internal/event"
	"github.com/commutego/commute/internal/trace/tracegen"
)

// TestRaces wants the first race of each variable to be found, and nothing that is none by the
// definition.
func TestRaces(t *testing.T) {
	firsts, later, missed := 0, 0, 0
	tracegen.Each(t, 10000, func(tr tracegen.Trace) error {
		c := New(tr.Relation)
		raced := make(map[uint32]bool)
		for i, want := range tracegen.Races(tr) {
			e := &tr.Events[i]
			if e.Op == event.Touch {
				want = nil
			}
			found := c.Event(e)
			switch {
			case found && len(want) == 0:
				return fmt.Errorf("event %d is in no race, and is found", i)
			case !found && len(want) > 0 && !raced[e.Target]:
				return fmt.Errorf("event %d is in the first race of its variable, with %v, and "+
					"not found", i, want)
			case !found && len(want) > 0:
				missed++
			case found && raced[e.Target]:
				later++
			case found:
				firsts++
				raced[e.Target] = true
			}
			if !found {
				continue
			}
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
	t.Logf("%d first races, %d later ones, %d of those missed", firsts, later, missed)
	if firsts < 1000 || later < missed {
		t.Error("that is too one-sided to mean much")
	}
}
