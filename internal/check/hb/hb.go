// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

// Package hb finds data races in a recorded trace: pairs of accesses to one variable, one of them a
// write, that happens-before doesn't order. It is the algorithm that Flanagan and Freund,
// "FastTrack: Efficient and Precise Dynamic Race Detection" (PLDI 2009), section 2, call DJIT+.
// Unlike there, it goes on after a race: each access that is in a race with any earlier one is
// found. Package fasttrack is faster, and finds the first race of each variable.
//
// Input: a stream of events (package event). Output: each read and each write that is in a race
// with an earlier access, with the last such access of one thread.
//
// # Terms
//
//	epoch         a thread's slot and its time, by which an access is known (package order)
//	last access   an access after which no other of its kind to the variable comes, in
//	              happens-before; there may be several, all unordered
//
// DJIT+ has two vector clocks for each variable, R_x and W_x. The epochs of the last reads and of
// the last writes take their place here. They suffice: an event that is in a race with an access is
// also in a race with each last access that comes after that one. And a report needs the accesses
// themselves.
//
// # Costs
//
// An access takes time in proportion to the last accesses. Synchronization costs what package order
// says. A variable takes 48 bytes, and 24 for each last access but one read and one write.
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
	lists   []access   // the elements of lists of last accesses, after the first; see access.next
	free    uint32     // the first element that is not in use, or 0; they are linked by next
	last    event.Race // the race that was found last
}

// A variable has the first of its last reads, and of its last writes: mostly there is only one, and
// then the lists cost nothing.
type variable struct{ read, write access }

// An access has the epoch (slot, time). If time is 0, there is no access.
type access struct {
	index           uint64
	slot, time, pos uint32
	next            uint32 // index in Checker.lists of another last access, or 0
}

// New is a checker for streams whose access points conflict as in relation; it may be nil.
func New(relation *event.Relation) *Checker { return &Checker{threads: order.New(relation)} }

// Race is the pair that was found last.
func (c *Checker) Race() event.Race { return c.last }

// Event takes the next event and reports whether it is an access that is in a race with an earlier
// one.
func (c *Checker) Event(e *event.Event) (found bool) {
	c.threads.Event(e)
	switch e.Op {
	case event.Read:
		x := c.variable(e.Target)
		found = c.race(e, event.Write, &x.write)
		c.record(&x.read, e)
	case event.Write:
		x := c.variable(e.Target)
		found = c.race(e, event.Write, &x.write) || c.race(e, event.Read, &x.read)
		c.record(&x.write, e)
	case event.Split:
		c.split(e.Target, e.Point)
	}
	return found
}

// split gives a new variable the accesses of another, of which it was a part.
func (c *Checker) split(part, from uint32) {
	c.variable(max(part, from))
	x := c.vars[from]
	x.read.next, x.write.next = c.copyList(x.read.next), c.copyList(x.write.next)
	c.vars[part] = x
}

// copyList is the index of a copy of the list that begins at index i.
func (c *Checker) copyList(i uint32) uint32 {
	if i == 0 {
		return 0
	}
	a := c.lists[i]
	a.next = c.copyList(a.next)
	return c.store(a)
}

func (c *Checker) variable(x uint32) *variable {
	c.vars = table.Grow(c.vars, x)
	return &c.vars[x]
}

// race reports whether one of the accesses of a list, which are of kind op, doesn't happen before
// e. It is the check of DJIT+: W_x ⊑ C_t, or R_x ⊑ C_t, component by component.
func (c *Checker) race(e *event.Event, op event.Kind, a *access) bool {
	clock := c.threads.Clock(e.Thread)
	for a.time <= clock.At(a.slot) {
		if a.next == 0 {
			return false
		}
		a = &c.lists[a.next]
	}
	first := event.Event{Op: op, Thread: c.threads.Thread(a.slot), Target: e.Target, Pos: a.pos}
	c.last = event.Race{
		First:  event.Step{Index: a.index, Event: first},
		Second: event.Step{Index: c.threads.Index(), Event: *e},
	}
	return true
}

// record puts e in the place of those last accesses that happen before it. The lists stay: a
// later event may be in a race with one of them and not with e.
func (c *Checker) record(last *access, e *event.Event) {
	clock := c.threads.Clock(e.Thread)
	now := access{slot: clock.Slot(), time: clock.Own(), pos: e.Pos, index: c.threads.Index(),
		next: last.next}
	if last.time > clock.At(last.slot) {
		now.next = c.store(*last)
	}
	*last = now
	for at := &last.next; *at != 0; {
		a := &c.lists[*at]
		if a.time > clock.At(a.slot) {
			at = &a.next
			continue
		}
		*at, a.next, c.free = a.next, c.free, *at
	}
}

// store puts an access into an element that is not in use, and returns its index.
func (c *Checker) store(a access) uint32 {
	if i := c.free; i != 0 {
		c.free = c.lists[i].next
		c.lists[i] = a
		return i
	}
	if len(c.lists) == 0 {
		c.lists = append(c.lists, access{}) // index 0 means none
	}
	c.lists = append(c.lists, a)
	return uint32(len(c.lists) - 1)
}
