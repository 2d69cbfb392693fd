// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package reorder

import (
	"github.com/commutego/commute/internal/check/table"
	"github.com/commutego/commute/internal/event"
)

// Forced is the most order that the steps of a recorded trace may force between threads, but for
// forks and joins: operations on objects keep their order, of whichever objects they are, and what
// is fixed comes after all that was before it. It is told as events that make that order.
type Forced struct {
	acted  []bool // by thread: it has done something since what was fixed
	actors []uint32
	list   []event.Event
}

// What publishes to later steps, as locks of the events.
const (
	releases = iota
	acquires
	merges
	everything
)

// Actors are the threads that have done something since the last step that was fixed, if this one
// is: all they did comes before it. They are good until the next call.
func (f *Forced) Actors(s *Step) (list []uint32) {
	if s.fixed() {
		for _, t := range f.actors {
			f.acted[t] = false
		}
		list, f.actors = f.actors, nil
	}
	f.acted = table.Grow(f.acted, s.Thread)
	if !f.acted[s.Thread] {
		f.acted[s.Thread] = true
		f.actors = append(f.actors, s.Thread)
	}
	return list
}

// Publish is the event by which all that a thread has done comes before what is fixed, and Follow
// the one by which it comes before what a thread does next.
func Publish(thread uint32) event.Event {
	return event.Event{Op: event.ReleaseMerge, Thread: thread, Target: everything}
}

// Follow is for Publish.
func Follow(thread uint32) event.Event {
	return event.Event{Op: event.Acquire, Thread: thread, Target: everything}
}

// Order is the events of an operation on an object; none of other steps. They are good until the
// next call.
func (f *Forced) Order(s *Step) []event.Event {
	f.list = f.list[:0]
	after := func(kind uint32, earlier ...uint32) []event.Event {
		for _, k := range earlier {
			f.list = append(f.list, event.Event{Op: event.Acquire, Thread: s.Thread, Target: k})
		}
		f.list = append(f.list,
			event.Event{Op: event.ReleaseMerge, Thread: s.Thread, Target: kind})
		return f.list
	}
	switch s.Op {
	case Acquire:
		return after(acquires, releases, merges)
	case Merge:
		return after(merges, releases, acquires)
	case Release:
		return after(releases, releases, acquires, merges)
	}
	return nil
}
