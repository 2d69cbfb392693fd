// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package proof

import (
	"github.com/commutego/commute/internal/check/forest"
	"github.com/commutego/commute/internal/check/reorder"
	"github.com/commutego/commute/internal/event"
)

// interrupts reports whether the first cycle of units in the schedule of an alarm is closed by the
// alarm's own transaction: it has left the cycle before, so it is the one that is interrupted.
func (c *confirmer) interrupts(a *forest.Alarm) bool {
	units := append([]event.Transaction{a.Transaction}, a.Units...)
	after := make([]uint64, len(units)) // by unit: those that come after it
	var steps []int32
	var of []int
	if len(units) > 64 {
		return false
	}
	for i := range a.Witness {
		s := c.at(a.Witness[i].Index)
		u := unitOf(units, &a.Witness[i])
		for k, r := range steps {
			if v := of[k]; v != u && (c.Thread[r] == c.Thread[s] || c.conflict(r, s)) {
				for w := range after {
					if w == v || after[w]>>v&1 != 0 {
						after[w] |= after[u] | 1<<u
					}
				}
			}
		}
		for w := range after {
			if after[w]>>w&1 != 0 {
				return u == 0
			}
		}
		steps, of = append(steps, s), append(of, u)
	}
	return false
}

// unitOf is the unit of an event: the last of its thread that has begun.
func unitOf(units []event.Transaction, e *event.Step) int {
	best := -1
	for i := range units {
		if t := &units[i]; t.Thread == e.Event.Thread && t.First <= e.Index &&
			(best < 0 || units[best].First < t.First) {
			best = i
		}
	}
	return max(best, 0)
}

// conflict reports whether a step conflicts with a later one of another thread.
func (c *confirmer) conflict(i, j int32) bool {
	e, f := &c.Steps[i], &c.Steps[j]
	return c.Conflict(i, j) || e.Op == reorder.Fork && e.Target == f.Thread ||
		f.Op == reorder.Join && f.Target == e.Thread
}
