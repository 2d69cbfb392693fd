// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

// Package fasttrack finds data races in a recorded trace with epochs: Flanagan and Freund,
// "FastTrack: Efficient and Precise Dynamic Race Detection" (PLDI 2009), section 3. (Package
// datarace is for programs that run.)
//
// Input: a stream of events (package event). Output: accesses that are in a race with an earlier
// one, with that. Of each variable the first is found, as package hb finds it; after that the
// epochs forget what hb remembers, and of the later ones some may be missed.
package fasttrack

import (
	"slices"

	"github.com/commutego/commute/internal/check/order"
	"github.com/commutego/commute/internal/check/table"
	"github.com/commutego/commute/internal/event"
)

// A Checker has for each variable the last write, and the last read or the reads that are not
// ordered.
type Checker struct {
	threads order.Threads
	vars    []variable
	race    event.Race
}

type variable struct {
	write access
	read  access   // the last one, if many is nil
	many  []access // the reads by several threads, one each
}

// An access is an epoch, a thread's slot and its time, with where it was; if the time is 0 there is
// none.
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
		c.vars[e.Target].many = slices.Clone(c.vars[e.Point].many)
	}
	return found
}

func (a *access) same(b *access) bool { return a.slot == b.slot && a.time == b.time }

// known reports whether an access happened before what has the clock.
func (a *access) known(clock *order.Clock) bool { return a.time <= clock.At(a.slot) }

func (c *Checker) read(e *event.Event, x *variable, clock *order.Clock, now access) (found bool) {
	if x.many == nil && x.read.same(&now) {
		return false
	}
	if !x.write.known(clock) {
		found = c.found(e, event.Write, &x.write)
	}
	switch {
	case x.many != nil:
		x.share(now)
	case x.read.known(clock):
		x.read = now
	default:
		x.many = append(x.many, x.read, now)
	}
	return found
}

func (x *variable) share(now access) {
	for i := range x.many {
		if x.many[i].slot == now.slot {
			x.many[i] = now
			return
		}
	}
	x.many = append(x.many, now)
}

func (c *Checker) write(e *event.Event, x *variable, clock *order.Clock, now access) (found bool) {
	if x.write.same(&now) && x.many == nil && x.read.known(clock) {
		return false
	}
	if !x.write.known(clock) {
		found = c.found(e, event.Write, &x.write)
	}
	if !x.read.known(clock) {
		found = c.found(e, event.Read, &x.read)
	}
	for i := range x.many {
		if !x.many[i].known(clock) {
			found = c.found(e, event.Read, &x.many[i])
		}
	}
	x.write, x.read, x.many = now, access{}, nil
	return found
}

func (c *Checker) found(e *event.Event, op event.Kind, a *access) bool {
	c.race = event.Race{
		First:  event.Step{Index: a.index, Event: event.Event{Op: op, Thread: c.threads.Thread(a.slot), Target: e.Target, Pos: a.pos}},
		Second: event.Step{Index: c.threads.Index(), Event: *e},
	}
	return true
}
