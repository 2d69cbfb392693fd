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

// Threads has the clocks.
type Threads struct {
	relation *event.Relation
	threads  []thread
	locks    []lock
	objects  [][]point
	index    uint64
	makers   maker // numbers given

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
	Clock
	maker   maker
	started bool
}

// A lock has what was released: the clock of one thread, or what several have merged, which is a tree with all of it.
type lock struct {
	root  *node
	owner uint32 // thread + 1 if it's the clock of one,
	time  uint32 // and the time of that
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
			o.acquire(e.Thread, &o.locks[e.Target])
		}
	case event.Release:
		o.release(e.Thread, o.lock(e.Target))
	case event.ReleaseMerge:
		if l := o.lock(e.Target); o.covers(e.Thread, l) {
			o.release(e.Thread, l)
		} else {
			o.merge(e.Thread, l)
		}
	case event.Fork:
		o.start(e.Target)
		o.join(e.Target, &o.threads[e.Thread].Clock)
		o.tick(e.Thread)
	case event.Join:
		if uint64(e.Target) < uint64(len(o.threads)) && o.threads[e.Target].started {
			o.join(e.Thread, &o.threads[e.Target].Clock)
			o.tick(e.Target) // it gave its clock away
		}
	}
}

// start makes the clock of a thread that may not have one.
func (o *Threads) start(t uint32) {
	o.threads = table.Grow(o.threads, t)
	if th := &o.threads[t]; th.time == 0 {
		th.thread, th.time, th.maker = t, 1, o.nextMaker()
	}
}

func (o *Threads) nextMaker() maker {
	o.makers++
	return o.makers
}

func (o *Threads) lock(l uint32) *lock {
	o.locks = table.Grow(o.locks, l)
	return &o.locks[l]
}

// tick lets what t does from now on not be known to who has its clock.
func (o *Threads) tick(t uint32) {
	th := &o.threads[t]
	th.time++
	th.maker = o.nextMaker()
}

// join lets t know what a thread knows whose clock is c, and its present time. Who knows a time of a thread at which that gave its
// clock away knows all that it knew then, for a time ends with that.
func (o *Threads) join(t uint32, c *Clock) {
	th := &o.threads[t]
	if th.At(c.thread) < c.time {
		th.root = th.maker.set(th.maker.join(th.root, c.root), c.thread, c.time)
	}
}

func (o *Threads) acquire(t uint32, l *lock) {
	th := &o.threads[t]
	if l.owner != 0 {
		o.join(t, &Clock{l.root, l.owner - 1, l.time})
	} else if l.root != nil {
		th.root = th.maker.join(th.root, l.root)
	}
}

func (o *Threads) release(t uint32, l *lock) {
	th := &o.threads[t]
	*l = lock{th.root, t + 1, th.time}
	o.tick(t)
}

// covers reports whether t is known to know all that was released.
func (o *Threads) covers(t uint32, l *lock) bool {
	return l.owner == 0 && l.root == nil || l.owner != 0 && l.time <= o.threads[t].At(l.owner-1)
}

// merge is a release that adds to what was released.
func (o *Threads) merge(t uint32, l *lock) {
	th, m := &o.threads[t], o.nextMaker()
	if l.owner != 0 {
		l.root = m.set(l.root, l.owner-1, l.time)
	}
	l.root = m.set(m.join(l.root, th.root), t, th.time)
	l.owner = 0
	o.tick(t)
}

// Clock is the clock of a thread that has had an event. It's good until the next one.
func (o *Threads) Clock(t uint32) *Clock { return &o.threads[t].Clock }
