// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

// Package callrace finds commutativity races in a recorded trace, as touches of access points. It
// is Algorithm 1 of Dimitrov et al., "Commutativity Race Detection" (PLDI 2014), section 5.3.
// Package commrace is the same for programs that run.
//
// Input: a stream of events (package event). Output: each touch that is in a race with an earlier
// touch of a conflicting point of the object, and those earlier touches.
//
// # Terms
//
//	access point   a class of effects of calls on an object (section 6 of the paper)
//	touch          the event that a call touches an access point
//	conflict       two points conflict if calls that touch them may not commute
//	subsume        a later touch subsumes an earlier one if it conflicts with all that the
//	               earlier one conflicts with
//
// As in commrace, a point keeps its last touches that no later one subsumes, instead of one clock.
// After a touch was checked, it joins the clocks of the earlier touches that it conflicts with.
// Package order does both (see touch.go there); this package turns the result into races.
package callrace

import (
	"github.com/commutego/commute/internal/check/order"
	"github.com/commutego/commute/internal/event"
)

// A Checker has the touches of each object.
type Checker struct {
	threads order.Threads
	race    event.Race
}

// New is a checker for streams whose access points conflict as in relation; it may be nil.
func New(relation *event.Relation) *Checker { return &Checker{threads: order.New(relation)} }

// Race is the pair that was found last.
func (c *Checker) Race() event.Race { return c.race }

// Races are all races of the last touch that was in one, with the earlier touches that package
// order keeps. It must be called before the next touch.
func (c *Checker) Races() (list []event.Race) {
	for _, first := range c.threads.Races() {
		list = append(list, event.Race{First: first, Second: c.race.Second})
	}
	return list
}

// Event takes the next event and reports whether it is a touch that is in a race with an earlier
// one.
func (c *Checker) Event(e *event.Event) (found bool) {
	c.threads.Event(e)
	if e.Op != event.Touch {
		return false
	}
	first, found := c.threads.Race()
	if found {
		c.race = event.Race{First: first, Second: event.Step{Index: c.threads.Index(), Event: *e}}
	}
	return found
}

// Order takes a step that orders threads like an event, but is not one of the stream.
func (c *Checker) Order(e *event.Event) { c.threads.Order(e) }
