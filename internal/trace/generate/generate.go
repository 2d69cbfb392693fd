// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

// Package generate makes well-formed traces of any length, for measurements and experiments.
//
// Input: a shape, sizes and a seed. Output: a stream of events, as a [trace.Reader], which makes
// them as it is read. The same input gives the same events. Threads run transactions one after the
// other, a few events of one thread at a time. All shapes but "late" are conflict serializable,
// unless [Params] ask for a violation.
//
// # Terms
//
//	shape      a kind of trace: what the transactions of its threads access, and under which locks
//	script     one transaction: its lock, and how its accesses are drawn
//	turn       the events that a thread makes before another one runs
//	violation  five events that close a cycle through one transaction
package generate

import (
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/commutego/commute/internal/event"
	"github.com/commutego/commute/internal/trace"
)

// Params are the input. Zero fields have the shape's values.
type Params struct {
	Shape                string
	Events               uint64
	Threads, Locks, Vars uint32
	Length               uint64 // events of a transaction
	Seed                 uint64

	// Violation is the number, from 1, of the first of the five events of a violation.
	Violation uint64
}

// A Shape is a kind of trace.
type Shape struct {
	Name   string
	Short  string
	sizes  Params
	script func(g *Generator, t uint32) script
}

// Shapes has all shapes.
var Shapes = []Shape{
	{"locked", "each transaction is under one lock, which guards its share of the variables",
		Params{Threads: 9, Locks: 16, Vars: 1000, Length: 20}, underLock},
	{"independent",
		"threads have variables of their own; an access in a hundred reads a shared one",
		Params{Threads: 9, Vars: 10000, Length: 6}, independent},
	{"variables", "as locked, a hundred transactions over very many variables",
		Params{Threads: 4, Locks: 4}, underLock},
	{"threads", "as locked, with many threads",
		Params{Threads: 64, Locks: 256, Vars: 4096, Length: 20}, underLock},
	{"producers",
		"half of the threads put into queues what the others take out, under a lock for each queue",
		Params{Threads: 8, Locks: 4, Vars: 256, Length: 7}, queues},
	{"late", "as locked, with a violation among the last five events",
		Params{Threads: 9, Locks: 16, Vars: 1000, Length: 20}, underLock},
	{"long",
		"two transactions last from beginning to end; half of the other threads begin with what " +
			"the one has\nwritten, the others with what the other one has, and give it to the one",
		Params{Threads: 9, Locks: 16, Length: 20}, besideLong},
}

// ShapeNames are the names of all shapes.
func ShapeNames() string {
	var names []string
	for _, s := range Shapes {
		names = append(names, s.Name)
	}
	return strings.Join(names, ", ")
}

// A Generator makes a trace.
type Generator struct {
	Params
	shape   *Shape
	tables  *trace.Tables
	r       *rand.Rand
	threads []thread
	held    []bool // by lock
	now     uint32 // the thread that runs
	turns   int    // the number of events that it still makes
	made    uint64 // the number of events so far
	first   uint64 // the number of events before those of the last Read
	long    long
}

// unlocked is the lock of a script without one.
const unlocked = 1<<32 - 1

// A script is a transaction. Its accesses are drawn when they are made.
type script struct {
	lock     uint32
	accesses uint64
	draw     func(g *Generator, t uint32, s *script) event.Event
}

// A thread has the transaction that it runs.
type thread struct {
	script
	step uint8
}

// The steps of a thread: between transactions, or which event is next.
const (
	idle = iota
	acquiring
	accessing
	releasing
	ending
)

// New returns a generator before its first event.
func New(p Params) (*Generator, error) {
	for i := range Shapes {
		if Shapes[i].Name == p.Shape {
			return newGenerator(&Shapes[i], p)
		}
	}
	return nil, fmt.Errorf("unknown shape %q (there are %s)", p.Shape, ShapeNames())
}

// newGenerator checks the parameters, after those that are 0 got the shape's values.
func newGenerator(s *Shape, p Params) (*Generator, error) {
	set(&p.Threads, s.sizes.Threads)
	set(&p.Locks, s.sizes.Locks)
	set(&p.Vars, s.sizes.Vars)
	if p.Length == 0 {
		p.Length = s.sizes.Length
	}
	if p.Shape == "variables" {
		set(&p.Vars, uint32(min(max(p.Events/10, uint64(p.Locks)), 1<<31)))
		if p.Length == 0 {
			p.Length = p.Events / 100
		}
	}
	p.Length = max(p.Length, 5)
	if p.Shape == "late" {
		p.Violation = max(p.Events, lateEvents) - lateEvents + 1
	}
	if p.Shape == "long" {
		set(&p.Vars, uint32(min(p.Events/p.Length+1000, 1<<31)))
	}
	switch {
	case p.Events == 0:
		return nil, fmt.Errorf("a trace of no events")
	case p.Violation > p.Events:
		return nil, fmt.Errorf("a violation at event %d of %d", p.Violation, p.Events)
	case p.Shape == "long" && p.Violation > 0 && p.Violation <= longStart:
		return nil, fmt.Errorf("a violation at event %d, want it after the first %d, which shape "+
			"long begins with", p.Violation, longStart)
	case p.Threads < least(&p):
		return nil, fmt.Errorf("%d threads are too few for shape %s", p.Threads, p.Shape)
	case p.Threads > 1<<20:
		return nil, fmt.Errorf("%d threads, want at most %d", p.Threads, 1<<20)
	case p.Vars < p.Locks || p.Shape == "long" && p.Vars < p.Locks+longVars ||
		p.Shape == "independent" && p.Vars < sharedVars+p.Threads:
		return nil, fmt.Errorf("%d variables are too few for %d threads and %d locks", p.Vars,
			p.Threads, p.Locks)
	}
	g := &Generator{
		Params: p, shape: s, tables: trace.NewTables(), r: rand.New(rand.NewPCG(p.Seed, 1)),
		threads: make([]thread, p.Threads), held: make([]bool, p.Locks),
	}
	g.tables.Mutexes = true
	if p.Shape == "long" {
		g.long.results = (p.Vars - p.Locks - longVars) / 2
		g.long.own = slices.Repeat([]uint32{violationVar}, int(p.Threads))
	}
	return g, nil
}

// least is the number of threads that a trace needs.
func least(p *Params) uint32 {
	switch {
	case p.Shape == "long" && p.Violation > 0:
		return 5
	case p.Shape == "long":
		return 4
	case p.Violation > 0:
		return 3
	case p.Shape == "producers":
		return 2
	}
	return 1
}

// set sets n to a value, if it is 0.
func set(n *uint32, value uint32) {
	if *n == 0 {
		*n = value
	}
}

// Tables has no names.
func (g *Generator) Tables() *trace.Tables { return g.tables }

// Place is the number of event i of the last Read.
func (g *Generator) Place(i int) trace.Place { return trace.Place{Event: g.first + uint64(i)} }

// Offset is 0.
func (g *Generator) Offset() int64 { return 0 }

// Read makes the next events.
func (g *Generator) Read(events []event.Event) (int, error) {
	g.first = g.made
	if g.made == g.Events {
		return 0, io.EOF
	}
	n := int(min(uint64(len(events)), g.Events-g.made))
	for i := range events[:n] {
		e := g.next()
		e.Pos = uint32(g.made)
		events[i] = e
		g.made++
	}
	return n, nil
}

// lateEvents is the length of a violation.
const lateEvents = 5

// violation is event i of the violation. It is made by the last two threads, of which at least one
// makes no other events.
func (g *Generator) violation(i uint64) event.Event {
	t, u := g.Threads-2, g.Threads-1
	if g.Shape == "long" {
		return []event.Event{
			{Op: event.Begin, Thread: u}, {Op: event.Read, Thread: u, Target: firstVar},
			{Op: event.Write, Thread: u, Target: violationVar},
			{Op: event.End, Thread: u}, {Op: event.Read, Target: violationVar},
		}[i]
	}
	return []event.Event{
		{Op: event.Begin, Thread: t}, {Op: event.Read, Thread: t}, {Op: event.Write, Thread: u},
		{Op: event.Write, Thread: t},
		{Op: event.End, Thread: t},
	}[i]
}

// next is the next event: of the violation, of the beginning of shape "long", or of the thread
// whose turn it is.
func (g *Generator) next() event.Event {
	runs := g.Threads
	if g.Violation > 0 {
		if runs -= 2; g.Shape == "long" {
			runs++
		}
		if i := g.made + 1 - g.Violation; g.made+1 >= g.Violation && i < lateEvents {
			return g.violation(i)
		}
	}
	if g.Shape == "long" && g.made < longStart {
		return [longStart]event.Event{
			{Op: event.Begin}, {Op: event.Write, Target: firstVar}, {Op: event.Begin, Thread: 1},
			{Op: event.Write, Thread: 1, Target: secondVar},
		}[g.made]
	}
	for {
		if g.turns == 0 {
			g.now, g.turns = g.r.Uint32N(runs), 1+g.r.IntN(8)
		}
		e, ok := g.step(g.now, &g.threads[g.now])
		if ok {
			g.turns--
			e.Thread = g.now
			return e
		}
		g.turns = 0 // the thread waits for a lock
	}
}

// step is the next event of a thread, unless it waits for a lock.
func (g *Generator) step(t uint32, th *thread) (event.Event, bool) {
	if g.Shape == "long" && t < 2 {
		return g.collect(t)
	}
	switch th.step {
	case idle:
		th.script = g.shape.script(g, t)
		th.step = accessing
		if th.lock != unlocked {
			th.step = acquiring
		}
		return event.Event{Op: event.Begin}, true
	case acquiring:
		if g.held[th.lock] {
			return event.Event{}, false
		}
		g.held[th.lock] = true
		th.step = accessing
		return event.Event{Op: event.Acquire, Target: th.lock}, true
	case accessing:
		th.accesses--
		e := th.draw(g, t, &th.script)
		if th.accesses == 0 {
			th.step = ending
			if th.lock != unlocked {
				th.step = releasing
			}
		}
		return e, true
	case releasing:
		g.held[th.lock] = false
		th.step = ending
		return event.Event{Op: event.Release, Target: th.lock}, true
	}
	th.step = idle
	return event.Event{Op: event.End}, true
}

// underLock is a transaction under a lock. A lock guards the variables whose number is its own
// modulo the number of locks.
func underLock(g *Generator, _ uint32) script {
	return script{g.r.Uint32N(g.Locks), g.Length - 4,
		func(g *Generator, _ uint32, s *script) event.Event {
			return g.access(g.r.Uint32N(g.Vars/g.Locks)*g.Locks + s.lock)
		}}
}

// sharedVars is the number of variables that threads of shape "independent" share.
const sharedVars = 16

// independent is a transaction without a lock, mostly on variables of the thread's own.
func independent(g *Generator, _ uint32) script {
	return script{unlocked, g.Length - 2, func(g *Generator, t uint32, _ *script) event.Event {
		if g.r.IntN(100) == 0 {
			return event.Event{Op: event.Read, Target: g.r.Uint32N(sharedVars)}
		}
		return g.access(sharedVars + g.r.Uint32N((g.Vars-sharedVars)/g.Threads)*g.Threads + t)
	}}
}

// queues is a transaction that puts an element into a queue or takes one out. A queue is the
// variables of one lock. Threads with even numbers write a place of it, the others read one.
func queues(g *Generator, _ uint32) script {
	return script{g.r.Uint32N(g.Locks), g.Length - 4,
		func(g *Generator, t uint32, s *script) event.Event {
			e := event.Event{Op: event.Read, Target: g.r.Uint32N(g.Vars/g.Locks)*g.Locks + s.lock}
			switch {
			case s.accesses == 0: // the number of elements changes
				e = event.Event{Op: event.Write, Target: s.lock}
			case t%2 == 0:
				e.Op = event.Write
			}
			return e
		}}
}

// access is a read or, one time in three, a write of a variable.
func (g *Generator) access(x uint32) event.Event {
	if g.r.IntN(3) == 0 {
		return event.Event{Op: event.Write, Target: x}
	}
	return event.Event{Op: event.Read, Target: x}
}

// All returns the whole trace.
func All(p Params) ([]event.Event, error) {
	g, err := New(p)
	if err != nil {
		return nil, err
	}
	events := make([]event.Event, p.Events)
	for n := 0; n < len(events); {
		m, err := g.Read(events[n:])
		if err != nil {
			return nil, err
		}
		n += m
	}
	return events, nil
}
