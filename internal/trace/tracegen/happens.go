// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package tracegen

import "github.com/commutego/commute/internal/event"

// Races is, for each event of a trace, the earlier events that it is in a race with: those that
// conflict with it, accesses to a variable or touches, and are not ordered before it by
// happens-before. A touch comes after all earlier ones that it conflicts with, once its own races
// are told.
func Races(tr Trace) [][]int {
	races, _ := happens(tr)
	return races
}

// HappensBefore says of two events of a trace, the earlier one first, whether the first happens
// before the second. Of a touch, its own races come first. O(n^2) for n events, once.
func HappensBefore(tr Trace) func(j, i int) bool {
	_, before := happens(tr)
	return func(j, i int) bool { return before[i].has(j) }
}

// happens is the races of each event, and the events that happen before it.
func happens(tr Trace) (races [][]int, before []bits) {
	o := NewOracle(tr.Relation)
	o.events = tr.Events
	races = make([][]int, len(tr.Events))
	before = make([]bits, len(tr.Events))
	for i, e := range tr.Events {
		var met []int
		for j := range i {
			f := tr.Events[j]
			switch {
			case !o.Conflict(j, i):
			case e.Thread != f.Thread && accesses(e) && accesses(f):
				met = append(met, j)
			default:
				before[i].add(j)
				before[i].addAll(before[j])
			}
		}
		for _, j := range met {
			if !before[i].has(j) {
				races[i] = append(races[i], j)
			}
		}
		for _, j := range met {
			if e.Op == event.Touch {
				before[i].add(j)
				before[i].addAll(before[j])
			}
		}
	}
	return races, before
}

func accesses(e event.Event) bool {
	return e.Op == event.Read || e.Op == event.Write || e.Op == event.Touch
}
