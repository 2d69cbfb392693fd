// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

// Package order keeps the vector clocks of happens-before for the checkers of races in recorded
// traces: hb, fasttrack and callrace.
//
// Input: the events of a stream (package event). Output: the clock of each thread, and the touches
// that are in a race. These orders make up happens-before:
//
//   - the program order of each thread;
//   - a release of a lock, before the later acquires of it;
//   - a fork, before the events of the thread; those, before the join of the thread;
//   - a touch, before the later touches that conflict with it. This is as in package commrace: a
//     call that sees the effect of another comes after that.
//
// Package event lists them in full. Accesses to variables order nothing.
//
// # Terms
//
//	clock     a vector clock: for each slot a time (C_t in the papers)
//	slot      the component of a thread in the clocks; threads get slots in the order of their
//	          first own event, so slots are dense
//	time      the value of a component. An event is known by its thread's slot and time: its epoch
//	publish   to copy the clock of a thread to a place where another thread may join it
//	tick      to step a thread's own time on; a thread ticks after each publication
//	relay     a thread without a slot, which has only handed on what it acquired
//	edit      the permission to change nodes of a tree in place (see editID)
//
// One rule makes joins cheap:
//
//	(R) A clock that has time n for a slot has all that the slot's thread knew up to n.
//
// It holds because a thread ticks whenever it publishes: no epoch that others may know gets more
// knowledge later. So a thread that knows the epoch of a release need not look at its clock.
//
// # Costs
//
// A release, a fork, and an acquire of what is known already take O(1) for the tree and O(log n)
// for a component. A join takes O(d), for the d nodes in which the two trees differ.
package order

import (
	"math"

	"github.com/commutego/commute/internal/check/table"
	"github.com/commutego/commute/internal/event"
)

// Threads has the clocks of all threads, and what locks and objects publish to later events.
type Threads struct {
	relation *event.Relation
	threads  []thread
	slots    []uint32 // by slot: the thread that has it
	locks    []lock
	objects  [][]point
	index    uint64
	edits    editID // the last that was given

	races []event.Step // earlier touches with which the last is in a race
}

// New returns clocks for streams whose access points conflict as in relation; it may be nil.
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

// A thread has its clock, and what it takes to change the clock's tree.
type thread struct {
	Clock
	edit    editID
	relayed lock // what a relay has acquired; empty once hasSlot is set
	started bool // it has had an event
	hasSlot bool // it has had an event of its own
}

// A lock has what was released: the clock of one thread, or the join of several. In the first case
// the releasing thread's own component is beside its tree, so that a release makes no node.
type lock struct {
	root  *node
	owner uint32 // slot + 1 of the only releasing thread, or 0 if root has all components
	time  uint32 // the component of owner
}

func (l *lock) empty() bool { return l.owner == 0 && l.root == nil }

// Event takes the next event. Afterwards its thread's clock is that of the event. Releases, forks
// and touches are the exception: they publish the clock that the thread had before.
func (o *Threads) Event(e *event.Event) {
	o.index++
	o.Order(e)
}

// Order is Event for a step that orders threads like an event, but is not one of the stream: it
// gets no index.
func (o *Threads) Order(e *event.Event) {
	if uint64(e.Thread) >= uint64(len(o.threads)) || !o.threads[e.Thread].hasSlot {
		if o.relay(e) {
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

// relay reports whether e leaves its thread a relay. Such a thread has only acquired one lock, or
// nothing, and handed that on by releases and forks. If it does, relay takes the event. If not, the
// thread gets a slot.
//
// The timers of a recorded trace are such threads, and there may be millions of them. As a relay
// has no event that could be in a race, no clock needs a component for it.
func (o *Threads) relay(e *event.Event) bool {
	o.start(e.Thread)
	th := &o.threads[e.Thread]
	th.started = true
	if th.root == nil && th.time == 1 {
		switch e.Op {
		case event.Acquire:
			if !th.relayed.empty() {
				break
			}
			if uint64(e.Target) < uint64(len(o.locks)) {
				th.relayed = o.locks[e.Target]
			}
			return true
		case event.Release:
			*o.lock(e.Target) = th.relayed
			return true
		case event.ReleaseMerge:
			o.add(o.lock(e.Target), th.relayed)
			return true
		case event.Fork:
			relayed := th.relayed
			o.start(e.Target)
			o.acquire(e.Target, &relayed)
			return true
		}
	}
	o.absorb(e.Thread)
	th.hasSlot, th.slot = true, uint32(len(o.slots))
	o.slots = append(o.slots, e.Thread)
	return false
}

// absorb joins what t has relayed to its clock: from now on t has events of its own.
func (o *Threads) absorb(t uint32) {
	relayed := o.threads[t].relayed
	o.threads[t].relayed = lock{}
	o.acquire(t, &relayed)
}

// start makes the clock of a thread, unless it has one. The slot is given later, if ever.
func (o *Threads) start(t uint32) {
	o.threads = table.Grow(o.threads, t)
	if th := &o.threads[t]; th.time == 0 {
		th.slot, th.time, th.edit = math.MaxUint32, 1, o.newEdit()
	}
}

func (o *Threads) newEdit() editID {
	o.edits++
	return o.edits
}

func (o *Threads) lock(l uint32) *lock {
	o.locks = table.Grow(o.locks, l)
	return &o.locks[l]
}

// tick moves t to a new epoch, as it must after its clock was published. Threads that join that
// clock don't know the events that follow. The nodes of the tree are shared from now on.
func (o *Threads) tick(t uint32) {
	th := &o.threads[t]
	th.time++
	th.edit = o.newEdit()
}

// join joins the published clock c of another thread to that of t. By (R) there is nothing to do if
// t knows c's own component.
func (o *Threads) join(t uint32, c *Clock) {
	th := &o.threads[t]
	if th.At(c.slot) < c.time {
		th.root = th.edit.set(th.edit.join(th.root, c.root), c.slot, c.time)
	}
}

// joined joins the clock of a thread that has ended to that of t.
func (o *Threads) joined(t, ended uint32) {
	o.absorb(ended)
	th, other := &o.threads[t], &o.threads[ended]
	if !other.hasSlot {
		th.root = th.edit.join(th.root, other.root)
		other.edit = o.newEdit() // t shares its nodes now
		return
	}
	o.join(t, &other.Clock)
	o.tick(ended)
}

// acquire joins what was released to l to the clock of t.
func (o *Threads) acquire(t uint32, l *lock) {
	th := &o.threads[t]
	if l.owner != 0 {
		o.join(t, &Clock{l.root, l.owner - 1, l.time})
	} else if l.root != nil {
		th.root = th.edit.join(th.root, l.root)
	}
}

// add joins more to what was released to l.
func (o *Threads) add(l *lock, more lock) {
	switch {
	case more.empty():
	case l.empty():
		*l = more
	default:
		edit := o.newEdit()
		for _, x := range [...]*lock{l, &more} {
			if x.owner != 0 {
				x.root = edit.set(x.root, x.owner-1, x.time)
			}
		}
		l.root, l.owner = edit.join(l.root, more.root), 0
	}
}

// release replaces what was released to l by the clock of t.
func (o *Threads) release(t uint32, l *lock) {
	th := &o.threads[t]
	*l = lock{th.root, th.slot + 1, th.time}
	o.tick(t)
}

// covers reports whether t surely knows all that was released to l. Then a merging release is the
// same as a plain one, and makes no node. For a join of several clocks it says no, which is safe.
func (o *Threads) covers(t uint32, l *lock) bool {
	return l.empty() || l.owner != 0 && l.time <= o.threads[t].At(l.owner-1)
}

// merge joins the clock of t to what was released to l.
func (o *Threads) merge(t uint32, l *lock) {
	th, edit := &o.threads[t], o.newEdit()
	if l.owner != 0 {
		l.root = edit.set(l.root, l.owner-1, l.time)
	}
	l.root = edit.set(edit.join(l.root, th.root), th.slot, th.time)
	l.owner = 0
	o.tick(t)
}

// Thread is the thread that has a slot.
func (o *Threads) Thread(slot uint32) uint32 { return o.slots[slot] }

// Clock is the clock of a thread that has had an event. The clock is valid until the next event.
func (o *Threads) Clock(t uint32) *Clock { return &o.threads[t].Clock }

// Snapshot is a copy of the clock of a thread that has had an event of its own. It stays as it is.
func (o *Threads) Snapshot(t uint32) Clock {
	th := &o.threads[t]
	th.edit = o.newEdit() // the copy has its nodes
	return th.Clock
}
