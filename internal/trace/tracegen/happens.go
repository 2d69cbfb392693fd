// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package tracegen

import "github.com/commutego/commute/internal/event"

// Races is, for each event of a trace, the earlier events with which it is in a race. These are
// accesses or touches that conflict with it and don't happen before it. After its own races are
// found, a touch comes after all earlier touches that conflict with it.
func Races(tr Trace) [][]int {
	races, _ := happens(tr)
	return races
}

// HappensBefore returns a function that reports whether event j happens before the later event i of
// a trace. A touch comes after those with which it is in a race. O(n^2) for n events, once.
func HappensBefore(tr Trace) func(j, i int) bool {
	_, before := happens(tr)
	return func(j, i int) bool { return before[i].has(j) }
}

// happens is the races of each event, and the set of the events that happen before it. Each event
// joins the sets of those that order it: the definition of happens-before as a closure.
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

// accesses reports whether an event can be in a race.
func accesses(e event.Event) bool {
	return e.Op == event.Read || e.Op == event.Write || e.Op == event.Touch
}
