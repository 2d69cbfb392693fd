// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package forest

import (
	"slices"

	"github.com/commutego/commute/internal/check/order"
	"github.com/commutego/commute/internal/check/table"
	"github.com/commutego/commute/internal/event"
)

// A Checker keeps a summary of a stream of events: see the package comment.
type Checker struct {
	relation *event.Relation
	order    order.Threads // must-order alone
	ordered  bool          // there is any between threads
	forks    bool          // see OnlyForks
	cycles   bool          // see UntilCycle
	threads  []*thread
	locks    lockTable
	owners   owners
	takers   owners             // of locks
	index    uint64             // of the present event
	budget   int                // of steps of searches
	free     []seen             // tables that no thread uses
	parts    map[uint32][]split // by item: see Split
}

// A thread has its units, and what it holds.
type thread struct {
	number    uint32
	place     uint32        // in analysis.threads
	stale     bool          // it was ordered by something since its last stretch began
	stretches []order.Clock // what each knows of other threads
	depth     uint32        // nested begins
	begun     uint32
	frame     *frame
	frames    uint32 // how many there were
	serial    uint32 // of the section that comes next

	now   *unit // the transaction that runs
	spare *unit // one that was like another, to be used again
	// the lists of the present unit; of one that is kept they are copied
	accesses []access
	sections []section
	pos      uint32           // in now
	within   seen             // of now: how often an access was kept
	units    []*unit          // that were kept
	shapes   map[uint64]*unit // of the present stretch
	loose    []loose          // accesses outside
	beside   seen             // of the present stretch: numbers of loose, from 1
	again    map[uint32]int   // by lock: how often it was taken again while it was held
}

// A loose is accesses outside of transactions that are alike: the first and the last of them.
type loose struct {
	first access
	last  *access // nil if there is but one
}

// New is a checker for streams whose access points conflict as in relation; it may be nil.
func New(relation *event.Relation) *Checker {
	return &Checker{relation: relation, order: order.New(nil), locks: newLockTable(),
		budget: TotalBudget}
}

// Event takes the next event of a well-formed stream whose locks are mutexes.
func (c *Checker) Event(e *event.Event) {
	th := c.thread(e)
	switch e.Op {
	case event.Read:
		c.access(th, e, 2*e.Target, 0)
	case event.Write:
		c.access(th, e, 2*e.Target, 1)
	case event.Touch:
		c.access(th, e, 2*e.Target+1, e.Point)
	case event.Acquire:
		c.acquire(th, e, false)
	case event.Release, event.ReleaseMerge:
		c.release(th, e)
	case event.Begin:
		c.begin(th, e)
	case event.End:
		if th.depth--; th.depth == 0 {
			c.end(th)
		}
	case event.Fork, event.Join:
		c.must(th, e)
	case event.Split:
		c.Split(2*e.Target, 2*e.Point, 0)
	}
	c.index++
}

// thread is that of an event. If something has ordered it, it is in a new stretch.
func (c *Checker) thread(e *event.Event) *thread {
	if uint64(e.Thread) >= uint64(len(c.threads)) || c.threads[e.Thread] == nil {
		c.threads = table.Grow(c.threads, e.Thread)
		c.threads[e.Thread] = &thread{number: e.Thread, stale: true, frame: new(frame),
			shapes: make(map[uint64]*unit)}
	}
	th := c.threads[e.Thread]
	if th.stale && e.Op != event.Fork && e.Op != event.Join {
		c.stretch(th)
	}
	return th
}

// stretch begins a new stretch.
func (c *Checker) stretch(th *thread) {
	th.stale = false
	c.order.Order(&event.Event{Op: event.Begin, Thread: th.number}) // it has events of its own
	th.stretches = append(th.stretches, c.order.Snapshot(th.number))
	th.beside.clear()
	clear(th.shapes)
	c.enter(th, th.frame.held, th.frame.locks)
}

// current is the number of the present stretch.
func (th *thread) current() uint32 { return uint32(len(th.stretches) - 1) }

// must takes a step that makes must-order.
func (c *Checker) must(th *thread, e *event.Event) {
	c.orders(th, e, e.Op == event.Join, e.Op == event.Fork)
	c.order.Order(e)
}

// orders takes a step after which something of another thread may come, or before it.
func (c *Checker) orders(th *thread, e *event.Event, in, out bool) {
	if th.now != nil && th.stale {
		c.stretch(th) // several steps in a row: each has a stretch before it
	}
	if u := th.now; u != nil {
		th.pos++
		u.steps = append(u.steps, step{pos: th.pos, out: out, in: in, stretch: th.current(),
			op: *e, place: c.place(e)})
	}
	c.ordered = true
	th.stale = true
}

func (c *Checker) place(e *event.Event) place { return place{c.index, e.Pos} }

// enter makes a frame.
func (c *Checker) enter(th *thread, list []held, locks lockSet) {
	th.frames++
	th.frame = &frame{number: th.frames, locks: locks, stretch: th.current(), held: list}
}

// holds reports whether a thread holds a lock.
func (th *thread) holds(lock uint32) bool {
	return slices.ContainsFunc(th.frame.held, func(h held) bool { return h.lock == lock })
}

func (c *Checker) acquire(th *thread, e *event.Event, read bool) {
	if th.holds(e.Target) {
		if th.again == nil {
			th.again = make(map[uint32]int)
		}
		th.again[e.Target]++
		return
	}
	c.takers.own(e.Target, th.number)
	h := held{lock: e.Target, read: read, serial: th.serial, under: th.frame}
	th.serial++
	list := append(slices.Clip(th.frame.held), h)
	c.enter(th, list, c.locks.of(list, th.frame.locks, h))
	if u := th.now; u != nil {
		th.pos++
		u.sections = append(u.sections, section{held: h, interval: interval{first: th.pos},
			begin: c.place(e)})
	}
}

func (c *Checker) release(th *thread, e *event.Event) {
	if n := th.again[e.Target]; n > 0 {
		th.again[e.Target]--
		return
	}
	list := th.frame.held
	i := slices.IndexFunc(list, func(h held) bool { return h.lock == e.Target })
	if i < 0 {
		return // it was taken before the trace begins
	}
	h := list[i]
	if u := th.now; u != nil {
		th.pos++
		if s := u.section(h.serial); s != nil {
			s.last, s.end, s.ended = th.pos, c.place(e), true
		}
	}
	if i == len(list)-1 && h.under.stretch == th.current() &&
		sameSections(h.under.held, list[:i]) &&
		(th.now == nil || h.serial >= th.now.firstSerial) {
		th.frame = h.under
		return
	}
	list = slices.Delete(slices.Clone(list), i, i+1)
	c.enter(th, list, c.locks.of(list, th.frame.locks, h))
}

func sameSections(a, b []held) bool {
	return slices.EqualFunc(a, b, func(g, h held) bool { return g.serial == h.serial })
}

func (c *Checker) begin(th *thread, e *event.Event) {
	if th.depth++; th.depth > 1 {
		return
	}
	th.begun++
	u := th.spare
	if th.spare = nil; u == nil {
		u = new(unit)
	}
	*u = unit{
		thread: th.number, marked: true, count: 1, begin: th.current(), firstSerial: th.serial,
		accesses: th.accesses[:0], sections: th.sections[:0],
		id: event.Transaction{Thread: th.number, Number: th.begun, Marked: true, First: c.index,
			Pos: e.Pos},
	}
	for _, h := range th.frame.held {
		u.sections = append(u.sections, section{held: h, begin: c.place(e), before: true})
	}
	u.inherited = len(u.sections)
	th.now, th.pos = u, 0
	if n := len(c.free); n > 0 {
		th.within, c.free = c.free[n-1], c.free[:n-1]
	}
	th.within.clear()
}

// end ends the present unit. One that is like another of the stretch is not kept.
func (c *Checker) end(th *thread) {
	u := th.now
	th.now = nil
	c.free, th.within = append(c.free, th.within), seen{}
	u.end, u.lastIndex = th.current(), c.index
	u.last = th.pos
	for i := range u.sections {
		if s := &u.sections[i]; !s.ended {
			s.last, s.end = u.last, place{c.index, 0}
		}
	}
	if u.plain() {
		shape := u.shape()
		if v := th.shapes[shape]; v != nil && v.like(u) {
			v.count++
			v.twin, v.lastIndex = u.id.First, c.index
			th.spare, th.accesses, th.sections = u, u.accesses, u.sections
			return
		}
		th.shapes[shape] = u
	}
	th.accesses, th.sections = u.accesses, u.sections // to be used again
	u.accesses, u.sections = slices.Clone(u.accesses), slices.Clone(u.sections)
	th.units = append(th.units, u)
}

// access takes an access, and keeps it unless others that are kept stand for it.
func (c *Checker) access(th *thread, e *event.Event, item, kind uint32) {
	c.owners.own(item, th.number)
	u := th.now
	if u == nil {
		c.outside(th, e, item, kind)
		return
	}
	n := th.within.at(seenKey{th.frame.number, item, kind})
	if *n > 2 { // kept twice; n-2 is the second one's position
		u.blurred = u.blurred || th.pos != *n-2
		return
	}
	th.pos++
	if *n++; *n == 2 {
		*n += th.pos
	}
	u.accesses = append(u.accesses, access{item: item, kind: kind, pos: th.pos, src: e.Pos,
		index: c.index, frame: th.frame})
}

// outside takes an access outside of transactions.
func (c *Checker) outside(th *thread, e *event.Event, item, kind uint32) {
	a := access{item: item, kind: kind, src: e.Pos, index: c.index, frame: th.frame}
	n := th.beside.at(seenKey{uint32(th.frame.locks), item, kind})
	if *n == 0 {
		th.loose = append(th.loose, loose{first: a})
		*n = uint32(len(th.loose))
		return
	}
	l := &th.loose[*n-1]
	if l.last == nil {
		l.last = new(access)
	}
	*l.last = a
}
