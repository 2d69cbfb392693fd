// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

// Package hb finds data races in a recorded trace with a vector clock for each variable: two
// accesses, one of them a write, that happens-before doesn't order. It is what Flanagan and Freund,
// "FastTrack: Efficient and Precise Dynamic Race Detection" (PLDI 2009), section 2, call DJIT+, but
// that it goes on after a race: each access that is in a race with any earlier one is found.
// Package fasttrack is faster, and finds the first race of each variable.
//
// Input: a stream of events (package event). Output: each read and each write that is in a race
// with an earlier access, with the last such access of some thread.
//
// A variable needs its last accesses only, those that no later one of the same kind comes after:
// who is in a race with another one is in a race with an access that comes after that. An event
// takes time in proportion to those accesses and, if it's synchronization, to the threads; a
// variable takes 48 bytes, and 24 for each last access but one read and one write.
package hb

import (
	"github.com/commutego/commute/internal/check/order"
	"github.com/commutego/commute/internal/check/table"
	"github.com/commutego/commute/internal/event"
)

// A Checker has the last accesses to each variable.
type Checker struct {
	threads order.Threads
	vars    []variable
	others  []access // see access.next
	free    uint32   // the first of those that are not in use
	race    event.Race
}

type variable struct{ read, write access }

// An access is by the thread that has a slot; the thread's component was time then. If that is 0,
// there is none.
type access struct {
	index           uint64
	slot, time, pos uint32
	next            uint32 // an index of Checker.others: another of the last accesses; 0 for none
}

// New is a checker for streams whose access points conflict as in relation; it may be nil.
func New(relation *event.Relation) *Checker { return &Checker{threads: order.New(relation)} }

// Race is the pair that was found last.
func (c *Checker) Race() event.Race { return c.race }

// Event takes the next event and reports whether it is an access that is in a race with an earlier
// one.
func (c *Checker) Event(e *event.Event) (found bool) {
	c.threads.Event(e)
	switch e.Op {
	case event.Read:
		x := c.variable(e.Target)
		found = c.meet(e, event.Write, &x.write)
		c.remember(&x.read, e)
	case event.Write:
		x := c.variable(e.Target)
		found = c.meet(e, event.Write, &x.write) || c.meet(e, event.Read, &x.read)
		c.remember(&x.write, e)
	case event.Split:
		c.split(e.Target, e.Point)
	}
	return found
}

// split makes a variable one to which was done what was done to another.
func (c *Checker) split(part, from uint32) {
	c.variable(max(part, from))
	x := c.vars[from]
	x.read.next, x.write.next = c.copies(x.read.next), c.copies(x.write.next)
	c.vars[part] = x
}

// copies is the index of a copy of a list of accesses.
func (c *Checker) copies(i uint32) uint32 {
	if i == 0 {
		return 0
	}
	a := c.others[i]
	a.next = c.copies(a.next)
	return c.keep(a)
}

func (c *Checker) variable(x uint32) *variable {
	c.vars = table.Grow(c.vars, x)
	return &c.vars[x]
}

// meet reports whether one of some accesses is not known to e's thread.
func (c *Checker) meet(e *event.Event, op event.Kind, a *access) bool {
	clock := c.threads.Clock(e.Thread)
	for a.time <= clock.At(a.slot) {
		if a.next == 0 {
			return false
		}
		a = &c.others[a.next]
	}
	c.race = event.Race{
		First:  event.Step{Index: a.index, Event: event.Event{Op: op, Thread: c.threads.Thread(a.slot), Target: e.Target, Pos: a.pos}},
		Second: event.Step{Index: c.threads.Index(), Event: *e},
	}
	return true
}

// remember puts e in the place of the accesses that come before it.
func (c *Checker) remember(last *access, e *event.Event) {
	clock := c.threads.Clock(e.Thread)
	now := access{slot: clock.Slot(), time: clock.Own(), pos: e.Pos, index: c.threads.Index(), next: last.next}
	if last.time > clock.At(last.slot) {
		now.next = c.keep(*last)
	}
	*last = now
	for at := &last.next; *at != 0; {
		a := &c.others[*at]
		if a.time > clock.At(a.slot) {
			at = &a.next
			continue
		}
		*at, a.next, c.free = a.next, c.free, *at
	}
}

// keep is the index of a place for an access.
func (c *Checker) keep(a access) uint32 {
	if i := c.free; i != 0 {
		c.free = c.others[i].next
		c.others[i] = a
		return i
	}
	if len(c.others) == 0 {
		c.others = append(c.others, access{}) // 0 is none
	}
	c.others = append(c.others, a)
	return uint32(len(c.others) - 1)
}
