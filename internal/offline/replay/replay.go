// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package replay

import (
	"fmt"
	"sync"

	"github.com/commutego/commute/internal/check/table"
	"github.com/commutego/commute/internal/engine/commrace"
	"github.com/commutego/commute/internal/engine/compiled"
	"github.com/commutego/commute/internal/engine/offheap"
	"github.com/commutego/commute/internal/engine/vclock"
	"github.com/commutego/commute/internal/event"
	"github.com/commutego/commute/internal/trace"
	"github.com/commutego/commute/internal/trace/spec"
)

// A Replay is the state of one trace.
type Replay struct {
	program  *trace.Program
	relation *event.Relation // of the access points that are defined so far
	world    vclock.World
	threads  []*thread
	locks    []lock
	objects  []*object
	types    map[uint32]*specified // by method
	places   map[uint32]*place     // by position
	sites    map[uintptr]uint32    // by site, a position of calls that others may depend on
	gaps     map[uintptr][]uint64  // touches of calls that do not follow each other, by the first
	decided  map[[2]uint32]bool    // by the positions of a check and of what may be its act
	throughs map[[2]uint32]throughPath
	found    func(Race)
	index    uint64 // of the event that comes next

	orders bool          // calls are checked, or ordered for the check of transactions
	txns   *transactions // nil if only calls are checked
	waits  bool          // no transaction has begun yet
}

// A Race is two calls that race, as [commrace.Race] has it. Its contents are valid only during the
// call of the function that gets it.
type Race struct {
	commrace.Race
	Table         *commrace.Table
	First, Second event.Step // the touches that conflict
	Check         event.Step // a touch of the check, if any, at the place of the last such check
	Depth         int        // the functions through which the check was made
}

// A specified type has its table, and the numbers of its first point and method.
type specified struct {
	table         *commrace.Table
	point, method uint32
}

// A thread is a goroutine of the program.
type thread struct {
	replay *Replay
	number uint32
	acts   bool // it has done something
	actor  *actor
	clock  *vclock.Thread
	open   []*call // that are under way, the innermost last
	ending *call   // that was made last: its touches are read
	spare  *call

	// A timer has no time of its own: it carries what its setter knew, as in the program.
	carrier bool
	carried vclock.Snapshot

	// If the thread is a helper: whom it helps, and how many calls that had made then.
	helps *thread
	since uint32
	ended uint32           // calls of the thread's own
	kids  vclock.LockClock // what helpers have released during the call
	heard bool             // there is something in kids
}

// An object is one that calls are made on.
type object struct {
	*commrace.Object
	of *specified
}

var (
	clocks  offheap.Slab[vclock.Thread]
	objects offheap.Slab[commrace.Object]
)

// New makes a Replay for the trace of a program. It calls found for each race.
func New(program *trace.Program, found func(Race)) *Replay {
	return &Replay{
		program: program, found: found,
		types: make(map[uint32]*specified), places: make(map[uint32]*place),
		sites: make(map[uintptr]uint32), gaps: make(map[uintptr][]uint64),
		decided: make(map[[2]uint32]bool), throughs: make(map[[2]uint32]throughPath),
		orders: true,
	}
}

// Relation sets the conflicts of the access points that are defined so far.
func (r *Replay) Relation(relation *event.Relation) { r.relation = relation }

// Events takes the next events, and the steps of calls that come before each. A check of
// transactions begins with the first of these events: earlier events are no part of a cycle, and
// order no later ones.
func (r *Replay) Events(events []event.Event, steps []trace.CallStep) {
	if r.waits {
		n := 0
		for n < len(events) && events[n].Op != event.Begin {
			n++
		}
		r.waits = n == len(events)
		events = events[n:]
		r.index += uint64(n)
		for len(steps) > 0 && (r.waits || steps[0].Event < r.index) {
			steps = steps[1:]
		}
	}
	for i := range events {
		for len(steps) > 0 && steps[0].Event <= r.index {
			r.step(&steps[0])
			steps = steps[1:]
		}
		if r.orders {
			r.event(&events[i])
		}
		if r.txns != nil {
			r.txns.event(&events[i])
		}
		r.index++
	}
	for i := range steps { // what comes after the last event
		r.step(&steps[i])
	}
}

// thread is a thread that does something. It is started if nothing has started it.
func (r *Replay) thread(number uint32) *thread {
	r.threads = table.Grow(r.threads, number)
	t := r.threads[number]
	if t == nil {
		t = r.newThread(number)
		if g, ok := r.program.Goroutine(number); ok && g.ID == 0 {
			t.carrier = true // a timer
		} else {
			r.world.Start(t.clock)
		}
	}
	t.acts = true
	return t
}

func (r *Replay) newThread(number uint32) *thread {
	t := &thread{replay: r, number: number, clock: clocks.Get()}
	r.threads = table.Grow(r.threads, number)
	r.threads[number] = t
	return t
}

// exit ends a thread.
func (r *Replay) exit(t *thread) {
	if r.txns != nil {
		r.txns.exit(t)
	}
	for len(t.open) > 0 {
		t.gone()
	}
	t.kids.Clear()
	t.carried.Drop()
	if !t.carrier {
		t.clock.End()
	}
	clocks.Put(t.clock)
	r.threads[t.number] = nil
}

// step takes a step of a call.
func (r *Replay) step(s *trace.CallStep) {
	if s.Kind == event.Fresh {
		r.forget(s.Object)
		return
	}
	t := r.thread(s.Thread)
	if t.carrier && s.Kind != event.Exit {
		return // it makes no calls
	}
	switch s.Kind {
	case event.Enter:
		t.enter(s)
	case event.Call:
		t.ends(s)
	case event.Value:
		switch s.What {
		case spec.Left:
			t.leave(true)
		case spec.Out:
			t.leave(false)
		case spec.Back:
			t.resume()
		case spec.Gone:
			t.gone()
		}
	case event.Exit:
		r.exit(t)
	case event.AcquireAll:
		if !t.carrier {
			t.clock.JoinAll()
		}
	}
}

// object is the object with a number, which a method is called of; nil if the trace doesn't tell
// what is specified of it.
func (r *Replay) object(number, method uint32) *object {
	r.objects = table.Grow(r.objects, number)
	o := r.objects[number]
	s := r.specified(method)
	if s == nil || o != nil && o.of == s {
		return o
	}
	r.forget(number) // another type's, so another object
	o = &object{Object: objects.Get(), of: s}
	o.Init(s.table, &r.world)
	r.objects[number] = o
	return o
}

// tableOf is the specification that an access point is of, nil if none is known.
func (r *Replay) tableOf(point uint32) (t *commrace.Table) {
	first := uint32(0)
	for _, s := range r.types {
		if s != nil && s.point <= point && (t == nil || s.point > first) {
			t, first = s.table, s.point
		}
	}
	return t
}

// forget is told that an object is no more.
func (r *Replay) forget(number uint32) {
	if uint64(number) < uint64(len(r.objects)) && r.objects[number] != nil {
		o := r.objects[number]
		r.objects[number] = nil
		for _, t := range r.threads {
			if t != nil {
				t.drop(o)
			}
		}
		o.Drop()
		objects.Put(o.Object)
	}
}

// specified is the type that has a method, nil if the trace doesn't tell enough.
func (r *Replay) specified(method uint32) *specified {
	s, ok := r.types[method]
	if ok {
		return s
	}
	of, point, first, ok := r.program.Specification(method, r.relation)
	if ok {
		if t, ok := build(of); ok {
			s = &specified{t, point, first}
		}
	}
	r.types[method] = s
	if s != nil {
		for i := range of.Methods {
			r.types[first+uint32(i)] = s
		}
	}
	return s
}

// tables are those that were built, by what they were built of: tables are never freed. They refer
// to that, which the collector doesn't see.
var tables struct {
	sync.Mutex
	built map[string]built
}

type built struct {
	of    *compiled.Table
	table *commrace.Table
}

func build(of *compiled.Table) (*commrace.Table, bool) {
	key := fmt.Sprintf("%+v", *of)
	tables.Lock()
	defer tables.Unlock()
	b, ok := tables.built[key]
	if !ok {
		b.of = of
		if b.table, ok = commrace.Build(of); ok {
			if tables.built == nil {
				tables.built = make(map[string]built)
			}
			tables.built[key] = b
		}
	}
	return b.table, ok
}

// Close frees the engine's memory that the replay uses.
func (r *Replay) Close() {
	for _, t := range r.threads {
		if t != nil {
			r.exit(t)
		}
	}
	for i := range r.objects {
		r.forget(uint32(i))
	}
	for i := range r.locks {
		r.locks[i].own.Clear()
		r.locks[i].inside.Clear()
	}
	if r.txns != nil {
		r.txns.giveBack()
	}
}
