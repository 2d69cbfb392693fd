// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package tracegen

import (
	"slices"

	"github.com/commutego/commute/internal/event"
)

// Conflict reports whether event i conflicts with the earlier event j, by the list in package
// event.
func (o *Oracle) Conflict(j, i int) bool {
	e, f := o.events[i], o.events[j] // f is earlier
	switch {
	case e.Thread == f.Thread:
		return true
	case f.Op == event.Fork && f.Target == e.Thread:
		return true
	case e.Op == event.Join && e.Target == f.Thread:
		return true
	case e.Target != f.Target:
		return false
	case e.Op == event.Read:
		return f.Op == event.Write
	case e.Op == event.Write:
		return f.Op == event.Read || f.Op == event.Write
	case e.Op == event.Touch:
		return f.Op == event.Touch && slices.Contains(o.relation.Conflicts(e.Point), f.Point)
	case e.Op == event.Acquire && (f.Op == event.Release || f.Op == event.ReleaseMerge):
		return !slices.ContainsFunc(o.events[j+1:i], func(g event.Event) bool {
			return g.Op == event.Release && g.Target == e.Target
		})
	}
	return false
}

// direct is the direct predecessors of event i in other threads, by the list in package event.
func (o *Oracle) direct(i int) []int {
	var direct []int
	e := o.events[i]
	for j := range i {
		f := o.events[j]
		if f.Thread == e.Thread || !o.Conflict(j, i) {
			continue
		}
		forks := f.Op == event.Fork && f.Target == e.Thread
		joined := e.Op == event.Join && e.Target == f.Thread // f may be both
		without := func(subsuming func(g event.Event) bool) bool {
			return !slices.ContainsFunc(o.events[j+1:i], subsuming)
		}
		if forks && without(func(g event.Event) bool { return g.Thread == e.Thread }) ||
			joined && without(func(g event.Event) bool { return g.Thread == f.Thread }) ||
			!forks && !joined && without(func(g event.Event) bool { return o.subsumes(g, f) }) {
			direct = append(direct, j)
		}
	}
	return direct
}

// subsumes reports whether f is no direct predecessor of events after g, apart from forks and
// joins.
func (o *Oracle) subsumes(g, f event.Event) bool {
	if g.Target != f.Target {
		return false
	}
	again := g.Op == f.Op && g.Thread == f.Thread
	switch f.Op {
	case event.Read, event.Write:
		return g.Op == event.Write || again
	case event.Release, event.ReleaseMerge:
		return g.Op == event.Release || again
	case event.Touch:
		return g.Op == event.Touch &&
			(slices.Contains(o.relation.Subsumes(g.Point), f.Point) || again && g.Point == f.Point)
	}
	return false
}
