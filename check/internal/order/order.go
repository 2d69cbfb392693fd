// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

// Package order has the vector clocks of happens-before, for the checkers of races in recorded traces: hb, fasttrack and
// callrace.
//
// Input: the events of a stream (package event). Output: the clock of each thread, and which touches are not ordered. What orders
// events is the program order, that of a lock's releases and its later acquires, that of fork and join, as package event
// lists it, and, as in package commrace, that of touches which conflict: who sees what a call did, comes after it. Accesses to
// variables order nothing.
package order

import (
	"github.com/commutego/commute/check/event"
	"github.com/commutego/commute/check/internal/table"
)

// A Clock is a vector time. Components that it doesn't have are 0.
type Clock []uint32

// At is component t.
func (c Clock) At(t uint32) uint32 {
	if uint64(t) < uint64(len(c)) {
		return c[t]
	}
	return 0
}

// Join makes c the least clock that is not before c and d.
func (c *Clock) Join(d Clock) {
	if len(d) > len(*c) {
		*c = append(*c, make(Clock, len(d)-len(*c))...)
	}
	mine := (*c)[:len(d)]
	for t, n := range d {
		if n > mine[t] {
			mine[t] = n
		}
	}
}

// Threads has the clocks.
type Threads struct {
	relation *event.Relation
	threads  []thread
	locks    []lock
	objects  [][]point
	index    uint64

	races []event.Step // with these the last touch is in a race
}

// New is for streams whose access points conflict as in relation; it may be nil.
func New(relation *event.Relation) Threads { return Threads{relation: relation} }

// Race is an earlier touch with which the last touch was in a race, if there is one.
func (o *Threads) Race() (event.Step, bool) {
	if len(o.races) == 0 {
		return event.Step{}, false
	}
	return o.races[0], true
}

// Races are all earlier touches with which the last touch was in a race, the one of Race first. They are good until the next touch.
func (o *Threads) Races() []event.Step { return o.races }

// Index is the place in the stream of the last event, from 0.
func (o *Threads) Index() uint64 { return o.index - 1 }

type thread struct {
	c       Clock
	started bool
}

type lock struct {
	c     Clock
	owner uint32 // thread + 1 if c is that of its last release, and nothing was merged
}

// Event takes the next event. Then its thread's clock is that of the event, but for releases, forks and touches: theirs
// is what the clock was before.
func (o *Threads) Event(e *event.Event) {
	o.index++
	o.Order(e)
}

// Order is Event for what is no event of the stream, but orders threads as if it were one.
func (o *Threads) Order(e *event.Event) {
	if uint64(e.Thread) >= uint64(len(o.threads)) || !o.threads[e.Thread].started {
		o.start(e.Thread)
		o.threads[e.Thread].started = true
	}
	switch e.Op {
	case event.Touch:
		o.touch(e, o.index-1)
	case event.Acquire:
		if uint64(e.Target) < uint64(len(o.locks)) {
			if l := &o.locks[e.Target]; l.owner != e.Thread+1 {
				o.join(e.Thread, l.c)
			}
		}
	case event.Release:
		l := o.lock(e.Target)
		l.c = append(l.c[:0], o.threads[e.Thread].c...)
		l.owner = e.Thread + 1
		o.tick(e.Thread)
	case event.ReleaseMerge:
		l := o.lock(e.Target)
		l.c.Join(o.threads[e.Thread].c)
		l.owner = 0
		o.tick(e.Thread)
	case event.Fork:
		o.start(e.Target)
		o.join(e.Target, o.threads[e.Thread].c)
		o.tick(e.Thread)
	case event.Join:
		if uint64(e.Target) < uint64(len(o.threads)) && o.threads[e.Target].started {
			o.join(e.Thread, o.threads[e.Target].c)
		}
	}
}

// start makes the clock of a thread that may not have one.
func (o *Threads) start(t uint32) {
	o.threads = table.Grow(o.threads, t)
	if th := &o.threads[t]; th.c == nil {
		th.c = make(Clock, t+1)
		th.c[t] = 1
	}
}

func (o *Threads) lock(l uint32) *lock {
	o.locks = table.Grow(o.locks, l)
	return &o.locks[l]
}

// tick lets what t does from now on not be known to who has its clock.
func (o *Threads) tick(t uint32) {
	o.threads[t].c[t]++
}

func (o *Threads) join(t uint32, c Clock) { o.threads[t].c.Join(c) }

// Clock is the clock of a thread that has had an event. It's good until the next one.
func (o *Threads) Clock(t uint32) Clock { return o.threads[t].c }
