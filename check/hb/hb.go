// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

// Package hb finds data races in a recorded trace with a vector clock for each variable: two accesses, one of them a write, that
// happens-before doesn't order. It is what Flanagan and Freund, "FastTrack: Efficient and Precise Dynamic Race
// Detection" (PLDI 2009), section 2, call DJIT+, but that it goes on after a race: each access that is in a race with any
// earlier one is found. Package fasttrack is faster, and finds the first race of each variable.
//
// Input: a stream of events (package event). Output: each read and each write that is in a race with an earlier access, with
// the last such access of some thread.
package hb

import (
	"slices"

	"github.com/commutego/commute/check/event"
	"github.com/commutego/commute/check/internal/order"
	"github.com/commutego/commute/check/internal/table"
)

// A Checker has the last accesses of each thread to each variable.
type Checker struct {
	threads order.Threads
	vars    []variable
	race    event.Race
}

type variable struct {
	reads, writes []access // at most one a thread
}

// An access is a thread's last; its thread's component was time then.
type access struct {
	thread, time, pos uint32
	index             uint64
}

// New is a checker for streams whose access points conflict as in relation; it may be nil.
func New(relation *event.Relation) *Checker { return &Checker{threads: order.New(relation)} }

// Race is the pair that was found last.
func (c *Checker) Race() event.Race { return c.race }

// Event takes the next event and reports whether it is an access that is in a race with an earlier one.
func (c *Checker) Event(e *event.Event) (found bool) {
	c.threads.Event(e)
	switch e.Op {
	case event.Read:
		x := c.variable(e.Target)
		found = c.meet(e, event.Write, x.writes)
		x.reads = c.remember(x.reads, e)
	case event.Write:
		x := c.variable(e.Target)
		found = c.meet(e, event.Write, x.writes) || c.meet(e, event.Read, x.reads)
		x.writes = c.remember(x.writes, e)
	case event.Split:
		c.variable(max(e.Target, e.Point))
		from := &c.vars[e.Point]
		c.vars[e.Target] = variable{slices.Clone(from.reads), slices.Clone(from.writes)}
	}
	return found
}

func (c *Checker) variable(x uint32) *variable {
	c.vars = table.Grow(c.vars, x)
	return &c.vars[x]
}

// meet reports whether one of the accesses is not known to e's thread.
func (c *Checker) meet(e *event.Event, op event.Op, accesses []access) bool {
	clock := c.threads.Clock(e.Thread)
	for i := range accesses {
		a := &accesses[i]
		if a.time <= clock.At(a.thread) {
			continue
		}
		c.race = event.Race{
			First:  event.Step{Index: a.index, Event: event.Event{Op: op, Thread: a.thread, Target: e.Target, Pos: a.pos}},
			Second: event.Step{Index: c.threads.Index(), Event: *e},
		}
		return true
	}
	return false
}

func (c *Checker) remember(accesses []access, e *event.Event) []access {
	now := access{e.Thread, c.threads.Clock(e.Thread)[e.Thread], e.Pos, c.threads.Index()}
	for i := range accesses {
		if accesses[i].thread == e.Thread {
			accesses[i] = now
			return accesses
		}
	}
	return append(accesses, now)
}
