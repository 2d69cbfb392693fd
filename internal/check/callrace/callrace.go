// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

// Package callrace finds commutativity races in a recorded trace: Algorithm 1 of Dimitrov et al.,
// "Commutativity Race Detection" (PLDI 2014), section 5.3, over touches of access points. (Package
// commrace is for programs that run.)
//
// Input: a stream of events (package event). Output: each touch that is in a race with an earlier
// touch of a conflicting point of the object, with that.
//
// As in commrace, a point keeps its last touches that no later one supersedes, instead of one
// clock; and a touch joins, after it was checked, the clocks of the earlier ones that it conflicts
// with: see package order, which does all that.
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

// Races are all pairs of the last touch that was found to be in one.
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

// Order takes what is no event of the stream, but orders threads as if it were one.
func (c *Checker) Order(e *event.Event) { c.threads.Order(e) }
