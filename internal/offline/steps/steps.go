// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

// Package steps makes steps for package reorder of a trace that commute has recorded.
//
// Input: the events of the trace, and its steps of calls and locks ([trace.CallStep]). Output: for
// each event a [reorder.Step]; and the cuts, where the trace has too little information to move
// earlier steps behind later ones.
//
// # What becomes of synchronization
//
//   - Locks of package sync exclude others. They order nothing, unless the trace lacks some
//     accesses that they guard: see [reorder.Piece.Settle].
//   - Atomic operations of the program read and write a variable. Those inside of calls that count
//     as one step are operations on an object.
//   - All other synchronization is operations on objects: of channels, of a WaitGroup, of timers.
//     The trace identifies the channel or WaitGroup. Adding to the counter of a WaitGroup is such
//     an operation. So is an attempt that fails because of earlier operations on one channel. Done
//     comes after earlier additions to the counter, unless its own addition comes before it in any
//     case. If a goroutine has failed on several channels that no other goroutine has used, the
//     first operation of another goroutine comes after that attempt.
//   - If two goroutines meet on a channel and both are in a select, the object isn't known.
//   - After any other failed attempt, the next step of its goroutine is fixed: it comes after
//     exactly the steps that were before it, in the same order.
//   - A call keeps its order with calls that it conflicts with. If it overlaps another call of its
//     object, or calls back, its touches are fixed.
//
// # Terms
//
//	block   the steps of a goroutine between two of its releases; the trace leaves out accesses
//	        that repeat others of a block
//	fixed   of a step: see package reorder
//	cut     a place in the trace across which no order moves a step
package steps

import (
	"github.com/commutego/commute/internal/check/reorder"
	"github.com/commutego/commute/internal/check/table"
	"github.com/commutego/commute/internal/event"
	"github.com/commutego/commute/internal/trace"
)

// A Decoder makes steps of the events of one trace.
type Decoder struct {
	program *trace.Program
	blocks  reorder.Blocks
	threads []thread
	locks   []lock   // by number of a lock in events
	calls   []object // by number of an object in steps of calls
	places  places
	parts   []part            // that are split off by the next events
	named   []uint32          // by number of a lock in events: 1 and that of its object; 0: not known
	looks   map[uint32]uint32 // by object: 1 and the thread that has failed on it, or several
	groups  map[uint32][]added
	index   uint64 // of the event that comes next
	begun   bool   // there was an event
	cut     bool   // before the next step
}

// A thread is what is known of one.
type thread struct {
	known   bool   // it has been started, or has done something
	carrier bool   // it is a timer
	fixed   bool   // its next step is
	also    uint32 // see [reorder.Step]
	offset  uint16 // likewise
	depth   uint32 // of transactions
	begun   uint32
	atomic  uint32         // 1 and the lock of its last atomic operation
	made    uint32         // how many there were by then
	told    []reorder.Step // what its next synchronization is
	apart   reorder.Step   // what its next event that acquires nothing is
	chosen  int            // of so many of its next operations the object isn't known

	startedBy uint32 // 1 and the thread that has started it, 0 if that isn't known
	startedAt uint64
	touches   uint32 // of its last call, that are still to come
	inOrder   bool   // these touches are not fixed
	spread    bool   // these touches are spread
	acts      uint32 // steps that are conflicts
	calls     []call // that are under way
}

// A lock is what events name as one. Which atomic operations are on something that is an object to
// others isn't known before.
type lock struct {
	atomic, object bool
	made           uint32 // atomic operations
}

// An object has calls.
type object struct {
	open  int32  // calls that are under way
	ended uint32 // how many calls have ended
}

// A part of a variable begins at an offset.
type part struct {
	variable uint32
	offset   uint16
}

// A call is under way.
type call struct {
	object, ended uint32
	overlaps      bool
	acts          uint32 // of its thread, at its beginning
}

// New is a decoder for the trace of a program.
func New(program *trace.Program) *Decoder { return &Decoder{program: program} }

// Events takes the next events, and the steps of calls that come before each. It calls take for
// each event. Cut says that no order moves a step across the place before the event. All events of
// an atomic operation must be among events.
func (d *Decoder) Events(events []event.Event, calls []trace.CallStep,
	take func(e *event.Event, s reorder.Step, cut bool)) {
	for i := range events {
		for len(calls) > 0 && calls[0].Event <= d.index {
			d.call(&calls[0])
			calls = calls[1:]
		}
		s := d.step(events, i)
		if events[i].Op != event.Acquire || events[i].Target != trace.NoLock {
			d.name(&s, events[i].Pos)
		}
		if e := &events[i]; e.Op == event.Split {
			d.blocks.Split(e.Target, e.Point)
		} else {
			d.blocks.Add(&s)
		}
		take(&events[i], s, d.cut)
		d.cut = false
		d.index++
	}
	for i := range calls {
		d.call(&calls[i])
	}
}

func (d *Decoder) thread(number uint32) *thread {
	d.threads = table.Grow(d.threads, number)
	return &d.threads[number]
}

// start is told that a thread does something. If nothing tells what has started it, its first step
// is fixed, but for a timer's and that of the program's first goroutine.
func (d *Decoder) start(number uint32) *thread {
	t := d.thread(number)
	if !t.known {
		t.known = true
		g, ok := d.program.Goroutine(number)
		t.carrier = ok && g.ID == 0
		t.fixed = t.fixed || d.begun && !t.carrier && g.Parent == 0
	}
	d.begun = true
	return t
}

// step is the step of events[i].
func (d *Decoder) step(events []event.Event, i int) reorder.Step {
	e := &events[i]
	s := reorder.Step{
		Thread: e.Thread, Target: e.Target, Point: e.Point, Silent: e.Flags&event.Silent != 0,
	}
	if e.Op == event.Split {
		s.Offset = d.part(e.Target)
		return s // not by the thread itself
	}
	if e.Op == event.ReleaseMerge && e.Target == trace.AllLock {
		return s // likewise
	}
	t := d.start(e.Thread)
	s.Fixed, s.Also, s.Offset = t.fixed, t.also, t.offset
	t.fixed, t.also, t.offset = false, 0, 0
	if !s.Silent && e.Op != event.Touch {
		t.acts++
	}
	switch e.Op {
	case event.Read, event.Write:
		d.access(t, &s, events, i)
	case event.Acquire, event.Release, event.ReleaseMerge:
		d.sync(t, &s, events, i)
	case event.Begin:
		if t.depth++; t.depth == 1 {
			t.begun++
			s.Op, s.Point, s.Closes = reorder.Begin, t.begun, true
		}
	case event.End:
		if t.depth > 0 {
			t.depth--
		}
		if t.depth == 0 {
			s.Op = reorder.End
		}
	case event.Fork:
		s.Op, s.Closes = reorder.Fork, true
		d.thread(e.Target).known = true
		d.threads[e.Target].startedBy, d.threads[e.Target].startedAt = e.Thread+1, d.index
	case event.Join:
		s.Op = reorder.Join
	case event.Touch:
		s.Op = reorder.Touch
		if t.touches > 0 {
			t.touches--
			s.Fixed, s.Spread = s.Fixed || !t.inOrder, t.spread
		} else {
			s.Fixed, s.Spread = true, true // its call is lost
		}
	}
	return s
}

// part is where the part of a variable begins that an event splits off. What was told of parts
// before belongs to events that are no more.
func (d *Decoder) part(variable uint32) (offset uint16) {
	for i := range d.parts {
		if d.parts[i].variable == variable {
			offset = d.parts[i].offset
			d.parts = append(d.parts[:0], d.parts[i+1:]...)
			return offset
		}
	}
	return 0
}

// access makes a step of an access, or of that of an atomic operation.
func (d *Decoder) access(t *thread, s *reorder.Step, events []event.Event, i int) {
	e := &events[i]
	s.Op = reorder.Read
	if e.Op == event.Write {
		s.Op = reorder.Write
	}
	if e.Flags&event.Only == 0 {
		return
	}
	s.Atomic = true
	from, l, _, ok := atomicAt(events, i)
	if !ok || !d.isAtomic(e, l) {
		s.Op = reorder.Nothing // the operations on an object stand for it
		return
	}
	s.Reads = e.Op == event.Write && from < i
	d.locks[l].made++
	t.atomic, t.made = l+1, d.locks[l].made
}

// atomicAt is the part of the events that an atomic operation is, of which one is the access at i,
// and the lock by which the others order threads.
func atomicAt(events []event.Event, i int) (from int, lock uint32, to int, ok bool) {
	if i < 0 || i >= len(events) || events[i].Flags&event.Only == 0 {
		return 0, 0, 0, false
	}
	from, to = i-1, i
	if events[i].Op == event.Write {
		if to = i + 1; to == len(events) {
			return 0, 0, 0, false
		}
		if events[to].Op == event.Release {
			from = i
		}
	}
	if from < 0 {
		return 0, 0, 0, false
	}
	lock = events[to].Target
	if to == i {
		lock = events[from].Target
	}
	for n := from; n <= to; n++ {
		e := &events[n]
		ok := e.Thread == events[i].Thread && (n == i || e.Target == lock && (n < i &&
			e.Op == event.Acquire || n > i && (e.Op == event.Release || e.Op == event.ReleaseMerge)))
		if !ok {
			return 0, 0, 0, false
		}
	}
	return from, lock, to, true
}

// isAtomic reports whether an atomic operation counts for its access only.
func (d *Decoder) isAtomic(e *event.Event, l uint32) bool {
	d.locks = table.Grow(d.locks, l)
	if e.Flags&event.Hidden != 0 {
		d.object(l)
	}
	d.locks[l].atomic = d.locks[l].atomic || !d.locks[l].object
	return d.locks[l].atomic
}

// object notes that there are operations on an object.
func (d *Decoder) object(l uint32) {
	d.locks = table.Grow(d.locks, l)
	x := &d.locks[l]
	if x.atomic {
		d.cut, x.atomic = true, false // what was atomic operations is operations on an object now
	}
	x.object = true
}

// sync makes a step of synchronization.
func (d *Decoder) sync(t *thread, s *reorder.Step, events []event.Event, i int) {
	e := &events[i]
	s.Closes = e.Op != event.Acquire
	if e.Target == trace.NoLock {
		s.Op, s.Target, s.Named = t.apart.Op, t.apart.Target, t.apart.Named
		t.apart = reorder.Step{}
		return
	}
	switch {
	case e.Target == trace.AllLock:
		s.Op = reorder.Untold
		return
	case len(t.told) > 0:
		told := t.told[0]
		t.told = t.told[1:]
		s.Op, s.Target, s.Opaque = told.Op, told.Target, told.Opaque
		return
	}
	at := i - 1
	if e.Op == event.Acquire {
		at = i + 1
	}
	if from, _, to, ok := atomicAt(events, at); ok && from <= i && i <= to &&
		d.isAtomic(&events[at], e.Target) {
		return // its access stands for it
	}
	if e.Op == event.Acquire && t.atomic == e.Target+1 && t.made == d.locks[e.Target].made {
		return // its atomic operation is over, and there was no other meanwhile
	}
	d.object(e.Target)
	s.Op = reorder.Acquire
	switch e.Op {
	case event.Release:
		s.Op = reorder.Release
	case event.ReleaseMerge:
		s.Op = reorder.Merge
	}
	d.ofObject(t, s)
}
