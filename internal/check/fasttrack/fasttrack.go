// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

// Package fasttrack finds data races in a recorded trace with epochs: Flanagan and Freund,
// "FastTrack: Efficient and Precise Dynamic Race Detection" (PLDI 2009), section 3. Package
// datarace is the same for programs that run.
//
// Input: a stream of events (package event). Output: accesses that are in a race with an earlier
// one, each with that one. The first race of each variable is found, at the event at which package
// hb finds it. After a race, epochs drop accesses that hb keeps, so later races may be missed.
//
// # Terms
//
//	epoch         a thread's slot and its time (c@t in the paper), by which an access is before
//	clock         the vector clock of a thread, C_t (package order)
//	e ≼ C         epoch e happens before the events that have clock C: one comparison
//	read-shared   the reads of a variable since its last write are not totally ordered
//
// # Costs
//
// Until there is a race, all writes to a variable are totally ordered. So the last one says as much
// as all, and an epoch W_x takes the place of a vector clock. The same holds for reads, as long as
// they are ordered. So an access takes O(1), with two exceptions. A write to a read-shared
// variable looks at one read of each thread. A read of one searches for its thread's entry.
package fasttrack

import (
	"slices"

	"github.com/commutego/commute/internal/check/order"
	"github.com/commutego/commute/internal/check/table"
	"github.com/commutego/commute/internal/event"
)

// A Checker has the clocks of the threads, and for each variable the accesses W_x and R_x.
type Checker struct {
	threads order.Threads
	vars    []variable
	race    event.Race
}

// A variable is what the paper calls VarState.
type variable struct {
	write access   // W_x
	read  access   // R_x, if it is an epoch: if reads is nil
	reads []access // R_x, if it is a vector clock: the last read of each thread
}

// An access is an epoch and the place of the event. If time is 0, there is no access.
type access struct {
	slot, time, pos uint32
	index           uint64
}

// New is a checker for streams whose access points conflict as in relation; it may be nil.
func New(relation *event.Relation) *Checker { return &Checker{threads: order.New(relation)} }

// Race is the pair that was found last.
func (c *Checker) Race() event.Race { return c.race }

// Event takes the next event and reports whether it is an access that is in a race with an earlier
// one.
func (c *Checker) Event(e *event.Event) (found bool) {
	c.threads.Event(e)
	if e.Op == event.Read || e.Op == event.Write {
		c.vars = table.Grow(c.vars, e.Target)
		x, clock := &c.vars[e.Target], c.threads.Clock(e.Thread)
		now := access{clock.Slot(), clock.Own(), e.Pos, c.threads.Index()}
		if e.Op == event.Read {
			found = c.read(e, x, clock, now)
		} else {
			found = c.write(e, x, clock, now)
		}
	}
	if e.Op == event.Split {
		c.vars = table.Grow(c.vars, max(e.Target, e.Point))
		c.vars[e.Target] = c.vars[e.Point]
		c.vars[e.Target].reads = slices.Clone(c.vars[e.Point].reads)
	}
	return found
}

// same reports whether two accesses have one epoch: the second can find no race that the first
// didn't.
func (a *access) same(b *access) bool { return a.slot == b.slot && a.time == b.time }

// before is a ≼ C: the access happens before the events that have the clock.
func (a *access) before(clock *order.Clock) bool { return a.time <= clock.At(a.slot) }

// read takes a read: the rules for reads of section 3.
func (c *Checker) read(e *event.Event, x *variable, clock *order.Clock, now access) (found bool) {
	if x.reads == nil && x.read.same(&now) { // [FT READ SAME EPOCH]
		return false
	}
	if !x.write.before(clock) {
		found = c.found(e, event.Write, &x.write)
	}
	switch {
	case x.reads != nil: // [FT READ SHARED]
		x.readShared(now)
	case x.read.before(clock): // [FT READ EXCLUSIVE]
		x.read = now
	default: // [FT READ SHARE]
		x.reads = append(x.reads, x.read, now)
	}
	return found
}

// readShared sets the reading thread's component of R_x, a vector clock.
func (x *variable) readShared(now access) {
	for i := range x.reads {
		if x.reads[i].slot == now.slot {
			x.reads[i] = now
			return
		}
	}
	x.reads = append(x.reads, now)
}

// write takes a write: the rules for writes of section 3. All reads are dropped, as in the rule for
// shared ones. If there was no race so far, this loses none: a later event that is in a race with
// one of them is in a race with this write, too.
func (c *Checker) write(e *event.Event, x *variable, clock *order.Clock, now access) (found bool) {
	if x.write.same(&now) && x.reads == nil && x.read.before(clock) { // [FT WRITE SAME EPOCH]
		return false
	}
	if !x.write.before(clock) {
		found = c.found(e, event.Write, &x.write)
	}
	if !x.read.before(clock) { // [FT WRITE EXCLUSIVE]
		found = c.found(e, event.Read, &x.read)
	}
	for i := range x.reads { // [FT WRITE SHARED]
		if !x.reads[i].before(clock) {
			found = c.found(e, event.Read, &x.reads[i])
		}
	}
	x.write, x.read, x.reads = now, access{}, nil
	return found
}

// found keeps the race of a, an access of kind op, with e.
func (c *Checker) found(e *event.Event, op event.Kind, a *access) bool {
	first := event.Event{Op: op, Thread: c.threads.Thread(a.slot), Target: e.Target, Pos: a.pos}
	c.race = event.Race{
		First:  event.Step{Index: a.index, Event: first},
		Second: event.Step{Index: c.threads.Index(), Event: *e},
	}
	return true
}
