// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

// Package order has the vector clocks of happens-before, for the checkers of races in recorded
// traces: hb, fasttrack and callrace.
//
// Input: the events of a stream (package event). Output: the clock of each thread, and which
// touches are not ordered. What orders events is the program order, that of a lock's releases and
// its later acquires, that of fork and join, as package event lists it, and, as in package
// commrace, that of touches which conflict: who sees what a call did, comes after it. Accesses to
// variables order nothing.
package order

import (
	"math"

	"github.com/commutego/commute/internal/check/table"
	"github.com/commutego/commute/internal/event"
)

// Threads has the clocks.
type Threads struct {
	relation *event.Relation
	threads  []thread
	slots    []uint32 // the threads that have them
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

// Races are all earlier touches with which the last touch was in a race, the one of Race first.
// They are good until the next touch.
func (o *Threads) Races() []event.Step { return o.races }

// Index is the place in the stream of the last event, from 0.
func (o *Threads) Index() uint64 { return o.index - 1 }

type thread struct {
	Clock
	maker   maker
	carried lock // until it acts: see carry
	started bool
	acts    bool // it has done something by itself
}

// A lock has what was released: the clock of one thread, or what several have merged, which is a
// tree with all of it.
type lock struct {
	root  *node
	owner uint32 // slot + 1 if it's the clock of one,
	time  uint32 // and the time of that
}

func (l *lock) empty() bool { return l.owner == 0 && l.root == nil }

// Event takes the next event. Then its thread's clock is that of the event, but for releases, forks
// and touches: theirs is what the clock was before.
func (o *Threads) Event(e *event.Event) {
	o.index++
	o.Order(e)
}

// Order is Event for what is no event of the stream, but orders threads as if it were one.
func (o *Threads) Order(e *event.Event) {
	if uint64(e.Thread) >= uint64(len(o.threads)) || !o.threads[e.Thread].acts {
		if o.carry(e) {
			return
		}
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
			o.joined(e.Thread, e.Target)
		}
	}
}

// carry takes an event of a thread that has done nothing yet but acquire one lock, or not even
// that, if it goes on like this: what it releases, and gives to a thread that it forks, is what it
// has acquired. Such are the timers of a recorded trace, each a thread, of which there may be
// millions: none is to be in everybody's clock.
func (o *Threads) carry(e *event.Event) bool {
	o.start(e.Thread)
	th := &o.threads[e.Thread]
	th.started = true
	if th.root == nil && th.time == 1 {
		switch e.Op {
		case event.Acquire:
			if !th.carried.empty() {
				break
			}
			if uint64(e.Target) < uint64(len(o.locks)) {
				th.carried = o.locks[e.Target]
			}
			return true
		case event.Release:
			*o.lock(e.Target) = th.carried
			return true
		case event.ReleaseMerge:
			o.add(o.lock(e.Target), th.carried)
			return true
		case event.Fork:
			carried := th.carried
			o.start(e.Target)
			o.acquire(e.Target, &carried)
			return true
		}
	}
	o.unload(e.Thread)
	th.acts, th.slot = true, uint32(len(o.slots))
	o.slots = append(o.slots, e.Thread)
	return false
}

// unload lets t know what it carries.
func (o *Threads) unload(t uint32) {
	carried := o.threads[t].carried
	o.threads[t].carried = lock{}
	o.acquire(t, &carried)
}

// start makes the clock of a thread that may not have one.
func (o *Threads) start(t uint32) {
	o.threads = table.Grow(o.threads, t)
	if th := &o.threads[t]; th.time == 0 {
		th.slot, th.time, th.maker = math.MaxUint32, 1, o.nextMaker() // no slot as yet
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

// join lets t know what a thread knows whose clock is c, and its present time. Who knows a time of
// a thread at which that gave its clock away knows all that it knew then, for a time ends with
// that.
func (o *Threads) join(t uint32, c *Clock) {
	th := &o.threads[t]
	if th.At(c.slot) < c.time {
		th.root = th.maker.set(th.maker.join(th.root, c.root), c.slot, c.time)
	}
}

// joined lets t know what a thread knows and has done, that has ended.
func (o *Threads) joined(t, ended uint32) {
	o.unload(ended)
	th, other := &o.threads[t], &o.threads[ended]
	if !other.acts { // it has no slot
		th.root = th.maker.join(th.root, other.root)
		other.maker = o.nextMaker() // it gave its nodes away
		return
	}
	o.join(t, &other.Clock)
	o.tick(ended) // it gave its clock away
}

func (o *Threads) acquire(t uint32, l *lock) {
	th := &o.threads[t]
	if l.owner != 0 {
		o.join(t, &Clock{l.root, l.owner - 1, l.time})
	} else if l.root != nil {
		th.root = th.maker.join(th.root, l.root)
	}
}

// add adds to what was released to l what was to another lock.
func (o *Threads) add(l *lock, more lock) {
	switch {
	case more.empty():
	case l.empty():
		*l = more
	default:
		m := o.nextMaker()
		for _, x := range [...]*lock{l, &more} {
			if x.owner != 0 {
				x.root = m.set(x.root, x.owner-1, x.time)
			}
		}
		l.root, l.owner = m.join(l.root, more.root), 0
	}
}

func (o *Threads) release(t uint32, l *lock) {
	th := &o.threads[t]
	*l = lock{th.root, th.slot + 1, th.time}
	o.tick(t)
}

// covers reports whether t is known to know all that was released.
func (o *Threads) covers(t uint32, l *lock) bool {
	return l.empty() || l.owner != 0 && l.time <= o.threads[t].At(l.owner-1)
}

// merge is a release that adds to what was released.
func (o *Threads) merge(t uint32, l *lock) {
	th, m := &o.threads[t], o.nextMaker()
	if l.owner != 0 {
		l.root = m.set(l.root, l.owner-1, l.time)
	}
	l.root = m.set(m.join(l.root, th.root), th.slot, th.time)
	l.owner = 0
	o.tick(t)
}

// Thread is the thread that has a slot.
func (o *Threads) Thread(slot uint32) uint32 { return o.slots[slot] }

// Clock is the clock of a thread that has had an event. It's good until the next one.
func (o *Threads) Clock(t uint32) *Clock { return &o.threads[t].Clock }
