// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package reorder

import (
	"github.com/commutego/commute/internal/check/table"
	"github.com/commutego/commute/internal/event"
)

// Forced is the greatest order that the steps of a recorded trace may force between threads, apart
// from forks and joins. Operations on one object keep their order. Operations on an unknown object
// keep their order with all others. A fixed step comes after all that was before it. The order is
// given as events that make it.
type Forced struct {
	acted  []bool // by thread: it has done something since what was fixed
	actors []uint32
	list   []event.Event
}

// What publishes to later steps, as locks of the events: for each kind of operation those on any
// object, those on objects that aren't known, and those on each object that is.
const (
	acquires = iota
	merges
	releases
	kinds
	everything = kinds
	unknown    = kinds + 1
	objects    = unknown + kinds
)

// Actors are, for a fixed step, the threads that have made steps since the last fixed step: all of
// these come before it. For other steps there are none. The list is valid until the next call.
func (f *Forced) Actors(s *Step) (list []uint32) {
	if s.fixed() || s.After != 0 {
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

// Publish is the event by which all steps of a thread come before fixed steps. Follow is the event
// by which they come before the next steps of a thread.
func Publish(thread uint32) event.Event {
	return event.Event{Op: event.ReleaseMerge, Thread: thread, Target: everything}
}

// Follow is for Publish.
func Follow(thread uint32) event.Event {
	return event.Event{Op: event.Acquire, Thread: thread, Target: everything}
}

// Order returns the events of an operation on an object, and none for other steps. They are valid
// until the next call.
func (f *Forced) Order(s *Step) []event.Event {
	f.list = f.list[:0]
	if !s.object() {
		return nil
	}
	add := func(op event.Kind, lock uint32) {
		f.list = append(f.list, event.Event{Op: op, Thread: s.Thread, Target: lock})
	}
	kind := uint32(s.Op - Acquire)
	own := objects + kinds*s.Target
	for k := range uint32(kinds) {
		switch {
		case k == kind && k != releases:
		case s.Named:
			add(event.Acquire, unknown+k)
			add(event.Acquire, own+k)
		default:
			add(event.Acquire, k)
		}
	}
	add(event.ReleaseMerge, kind)
	if s.Named {
		add(event.ReleaseMerge, own+kind)
	} else {
		add(event.ReleaseMerge, unknown+kind)
	}
	return f.list
}
