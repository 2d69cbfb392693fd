// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package section

import (
	"runtime"
	"sync"
	"testing"

	"github.com/commutego/commute/internal/engine/compiled"
	"github.com/commutego/commute/internal/engine/offheap"
	"github.com/commutego/commute/internal/engine/vclock"
)

// A script is an execution whose events a test makes one by one, in any order of its goroutines.
type script struct {
	world    World
	released map[uintptr]*vclock.LockClock // in the weak clocks, by address
	last     map[uintptr]*goroutine        // who has released last, by address
	found    []Finding
	captured int
	started  []*goroutine
	late     bool  // nothing is followed before the first activation, as package sync has it
	hot      []int // the packages of a program that had an activation then
	skipped  int   // how many events came before that
	keep     []any // what the engine has references to that the garbage collector doesn't see
}

// clocks is the world of all scripts' clocks: the memory of one is never freed.
var clocks vclock.World

// A goroutine is one of a script.
type goroutine struct {
	Thread
	s     *script
	id    uint64
	clock vclock.Thread
	frame []*Activation
	alive bool // clock has started
}

func newScript() *script {
	return &script{released: make(map[uintptr]*vclock.LockClock),
		last: make(map[uintptr]*goroutine)}
}

// start starts a goroutine, by parent if that is not nil.
func (s *script) start(parent *goroutine) *goroutine {
	g := &goroutine{s: s, id: uint64(len(s.started) + 1)}
	s.started = append(s.started, g)
	if parent != nil && parent.follows() {
		parent.Flush()
		parent.clock.Fork(&g.clock)
		g.alive = true
		g.Start(&s.world, &g.clock)
	} else {
		g.follows()
	}
	return g
}

// follows reports whether sections are followed, and starts the clock of g if it must have one.
func (g *goroutine) follows() bool {
	if g.s.late && !g.s.world.On() {
		g.s.skipped++
		return false
	}
	if !g.alive {
		g.alive = true
		clocks.Start(&g.clock)
		g.Start(&g.s.world, &g.clock)
	}
	return true
}

// register registers a function.
func (s *script) register(f *compiled.SectionFunc) {
	s.keep = append(s.keep, f)
	if s.late {
		s.world.Await(f)
	} else {
		s.world.Register(f)
	}
}

// finish ends the execution.
func (s *script) finish() {
	runtime.KeepAlive(s.keep)
	for _, g := range s.started {
		g.Deliver(g)
		g.End()
		if g.alive {
			g.clock.End()
		}
	}
}

// Capture is that of Sink.
func (g *goroutine) Capture(e *Event) {
	e.Goid = g.id
	g.s.captured++
}

// Report is that of Sink.
func (g *goroutine) Report(f *Finding) { g.s.found = append(g.s.found, *f) }

// clockOf is the clock of an address in the weak clocks.
func (s *script) clockOf(addr uintptr) *vclock.LockClock {
	c := s.released[addr]
	if c == nil {
		c = new(vclock.LockClock)
		s.released[addr] = c
	}
	return c
}

// acquire and release are what the hooks do at an address.
func (g *goroutine) acquire(addr uintptr) {
	if !g.follows() {
		return
	}
	g.s.clockOf(addr).Acquire(&g.clock)
	if Apart(&g.Thread, addr) || !g.Acquired(addr) { // as package sync has it
		return
	}
	if last := g.s.last[addr]; last != nil && last != g {
		Shared(&g.Thread)
	}
}

func (g *goroutine) release(addr uintptr, merge bool) {
	g.s.last[addr] = g
	if !g.follows() {
		return
	}
	if !Apart(&g.Thread, addr) && g.Releasing(addr) {
		return
	}
	if merge {
		g.s.clockOf(addr).ReleaseMerge(&g.clock)
	} else {
		g.s.clockOf(addr).Release(&g.clock)
	}
}

// order is an atomic operation that is not announced.
func (g *goroutine) order(addr uintptr) {
	if !g.follows() {
		return
	}
	g.Flush()
	g.s.clockOf(addr).Acquire(&g.clock)
	if !g.Ordering(addr) {
		g.s.clockOf(addr).Release(&g.clock)
	}
	g.Learned()
}

// lock and unlock are those of a lock that has one address.
func (g *goroutine) lock(site *compiled.LockSite, addr uintptr) {
	if g.follows() {
		g.Locking(site, addr, g)
	}
	g.acquire(addr)
}

func (g *goroutine) unlock(addr uintptr) { g.release(addr, false) }

// enter and leave are the begin and the end of a function.
func (g *goroutine) enter(f *compiled.SectionFunc) {
	a := new(Activation)
	if g.s.late {
		g.s.world.Begin()
	}
	g.follows()
	g.Enter(a, f)
	g.frame = append(g.frame, a)
}

func (g *goroutine) leave() {
	n := len(g.frame) - 1
	g.Leave(g.frame[n], g)
	g.frame = g.frame[:n]
}

// A site makes a touch of a map's key or a variable. It stays where it is, as those of a program
// do: the engine has its address, and one on the stack would move where that grows.
func site(op compiled.TouchOp, name string) *compiled.SectionTouch {
	p := &compiled.SectionTouch{Op: op, Point: "p.T." + name, Name: "T." + name}
	sites.Store(p, nil)
	return p
}

var sites sync.Map // all that there are

const (
	mutex  = uintptr(0xc000001000) // the lock of most tests
	object = uintptr(0xc000002000)
	chanel = uintptr(0xc000003000)
)

var complete = &compiled.LockSite{Lock: "T.mu", Size: 8, Complete: true}
var opaque = &compiled.LockSite{Lock: "T.mu", Size: 8}
var completeRead = &compiled.LockSite{Lock: "T.mu", Size: 8, Complete: true, Read: true}

// raise is a function that reads a key in a section, and writes it in a later one.
func raise() (f *compiled.SectionFunc, get, put *compiled.SectionTouch) {
	get, put = site(compiled.Lookup, "m"), site(compiled.Insert, "m")
	f = &compiled.SectionFunc{Pairs: []compiled.SectionPair{
		{Check: get, Act: put, Shape: compiled.LostUpdate, Value: true, Always: true}}}
	return f, get, put
}

// evidence lists the evidence of what was found.
func (s *script) evidence() (list []Evidence) {
	for i := range s.found {
		list = append(list, s.found[i].Evidence)
	}
	return list
}

// get and put are whole sections of the lock with one touch.
func (g *goroutine) section(touch *compiled.SectionTouch, key, value, n uint64) {
	g.lock(complete, mutex)
	g.Touch(g, touch, object, key, value, n)
	g.unlock(mutex)
}

func TestObserved(t *testing.T) {
	s := newScript()
	defer s.finish()
	f, get, put := raise()
	s.register(f)
	a, b := s.start(nil), s.start(nil)
	a.enter(f)
	a.section(get, 1, 7, 0)
	b.enter(f)
	b.section(get, 1, 7, 0)
	b.section(put, 1, 8, 1)
	b.leave()
	a.section(put, 1, 8, 1)
	a.leave()
	if len(s.found) != 1 || s.found[0].Evidence != Observed {
		t.Fatalf("found %v, want it observed", s.evidence())
	}
	x := &s.found[0]
	if x.Check.Goid != a.id || x.Act.Goid != a.id || x.Other.Goid != b.id ||
		x.Other.Touch != offheap.To(put) || x.Check.Value != 7 || x.Act.Was != 8 {
		t.Errorf("found %+v", *x)
	}
}

func TestTwin(t *testing.T) {
	s := newScript()
	defer s.finish()
	f, get, put := raise()
	s.register(f)
	a, b := s.start(nil), s.start(nil)
	for i, g := range []*goroutine{a, b} {
		g.enter(f)
		g.section(get, 1, uint64(7+i), 0)
		g.section(put, 1, uint64(8+i), 1)
		g.leave()
	}
	if len(s.found) != 1 || s.found[0].Evidence != Twin {
		t.Fatalf("found %v, want a twin", s.evidence())
	}
	x := &s.found[0]
	if x.Check.Goid != a.id || x.Act.Goid != a.id || x.Other.Goid != b.id ||
		x.Other.Touch != offheap.To(get) {
		t.Errorf("found %+v", *x)
	}
}
