// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

// Package generate makes well-formed traces of any length, for measuring and for trying things out.
//
// Input: a shape, sizes and a seed. Output: a stream of events (it is a [trace.Reader]), made as it is read, the same for the same
// input. Threads run transactions one after the other, a few events of one thread at a time; all shapes but
// "late" are conflict serializable.
package generate

import (
	"fmt"
	"io"
	"math/rand/v2"
	"strings"

	"github.com/commutego/commute/check/event"
	"github.com/commutego/commute/trace"
)

// Params say what to make. What is 0 is as the shape has it.
type Params struct {
	Shape                string
	Events               uint64
	Threads, Locks, Vars uint32
	Length               uint64 // events of a transaction
	Seed                 uint64
}

// A Shape is a kind of trace.
type Shape struct {
	Name   string
	Short  string
	sizes  Params
	script func(g *Generator, t uint32) script
}

// Shapes are all there are.
var Shapes = []Shape{
	{"locked", "each transaction is under one lock, which guards its share of the variables",
		Params{Threads: 9, Locks: 16, Vars: 1000, Length: 20}, underLock},
	{"independent", "threads have variables of their own; an access in a hundred reads a shared one",
		Params{Threads: 9, Vars: 10000, Length: 6}, independent},
	{"variables", "as locked, a hundred transactions over very many variables", Params{Threads: 4, Locks: 4}, underLock},
	{"threads", "as locked, with many threads", Params{Threads: 64, Locks: 256, Vars: 4096, Length: 20}, underLock},
	{"producers", "half of the threads put into queues what the others take out, under a lock for each queue",
		Params{Threads: 8, Locks: 4, Vars: 256, Length: 7}, queues},
	{"late", "as locked, with a violation among the last five events",
		Params{Threads: 9, Locks: 16, Vars: 1000, Length: 20}, underLock},
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
	now     uint32 // the thread that runs,
	turns   int    // for so many events more
	made    uint64
	first   uint64 // events before those of the last Read
}

const unlocked = 1<<32 - 1

// A script is a transaction. Its accesses are drawn when they are made.
type script struct {
	lock     uint32
	accesses uint64
	draw     func(g *Generator, t uint32, s *script) event.Event
}

type thread struct {
	script
	step uint8 // 0: between transactions; then the next event is an acquire, an access, a release, an end
}

const (
	idle = iota
	acquiring
	accessing
	releasing
	ending
)

// New is a generator at its beginning.
func New(p Params) (*Generator, error) {
	for i := range Shapes {
		if Shapes[i].Name == p.Shape {
			return fresh(&Shapes[i], p)
		}
	}
	return nil, fmt.Errorf("unknown shape %q (there are %s)", p.Shape, ShapeNames())
}

func fresh(s *Shape, p Params) (*Generator, error) {
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
	switch {
	case p.Events == 0:
		return nil, fmt.Errorf("a trace of no events")
	case p.Threads < 3 && p.Shape == "late", p.Threads < 2:
		return nil, fmt.Errorf("%d threads are too few for shape %s", p.Threads, p.Shape)
	case p.Threads > 1<<20:
		return nil, fmt.Errorf("%d threads, want at most %d", p.Threads, 1<<20)
	case p.Vars < p.Locks || p.Shape == "independent" && p.Vars < sharedVars+p.Threads:
		return nil, fmt.Errorf("%d variables are too few for %d threads and %d locks", p.Vars, p.Threads, p.Locks)
	}
	g := &Generator{
		Params: p, shape: s, tables: trace.NewTables(), r: rand.New(rand.NewPCG(p.Seed, 1)),
		threads: make([]thread, p.Threads), held: make([]bool, p.Locks),
	}
	g.tables.Mutexes = true
	return g, nil
}

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

// lateEvents is the length of the violation at the end of shape late, between the last two threads.
const lateEvents = 5

func (g *Generator) next() event.Event {
	runs := g.Threads
	if g.Shape == "late" {
		runs -= 2
		if left := g.Events - g.made; left <= lateEvents {
			t, u := runs, runs+1
			return []event.Event{
				{Op: event.Begin, Thread: t}, {Op: event.Read, Thread: t}, {Op: event.Write, Thread: u}, {Op: event.Write, Thread: t},
				{Op: event.End, Thread: t},
			}[lateEvents-left]
		}
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
		g.turns = 0 // the thread waits
	}
}

// step is the next event of a thread, unless it waits for a lock.
func (g *Generator) step(t uint32, th *thread) (event.Event, bool) {
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

// underLock is a transaction under a lock; the variables that it guards are those with its number, modulo that of the locks.
func underLock(g *Generator, _ uint32) script {
	return script{g.r.Uint32N(g.Locks), g.Length - 4, func(g *Generator, _ uint32, s *script) event.Event {
		return g.access(g.r.Uint32N(g.Vars/g.Locks)*g.Locks + s.lock)
	}}
}

const sharedVars = 16

func independent(g *Generator, _ uint32) script {
	return script{unlocked, g.Length - 2, func(g *Generator, t uint32, _ *script) event.Event {
		if g.r.IntN(100) == 0 {
			return event.Event{Op: event.Read, Target: g.r.Uint32N(sharedVars)}
		}
		return g.access(sharedVars + g.r.Uint32N((g.Vars-sharedVars)/g.Threads)*g.Threads + t)
	}}
}

// queues has threads of even numbers write a place of a queue, which is its lock's variables, and the others read one.
func queues(g *Generator, _ uint32) script {
	return script{g.r.Uint32N(g.Locks), g.Length - 4, func(g *Generator, t uint32, s *script) event.Event {
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

func (g *Generator) access(x uint32) event.Event {
	if g.r.IntN(3) == 0 {
		return event.Event{Op: event.Write, Target: x}
	}
	return event.Event{Op: event.Read, Target: x}
}

// All is the whole trace.
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
