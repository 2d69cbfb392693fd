// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package sideclock

import (
	"fmt"
	"maps"
	"math/rand"
	"slices"
	"strings"
	"testing"

	"github.com/commutego/commute/internal/engine/compiled"
	"github.com/commutego/commute/internal/engine/section"
	"github.com/commutego/commute/internal/engine/vclock"
)

// An actor is a goroutine or a timer context, as the engine and the oracle have it.
type actor struct {
	Weak
	model
	name  string
	timer bool
	run   section.Activation
}

func (*actor) Capture(*section.Event)  {}
func (*actor) Report(*section.Finding) {}

// A program makes random events, which the engine and the oracle are told of.
type program struct {
	*rand.Rand
	t        *testing.T
	clocks   vclock.World
	sections section.World
	actors   []*actor
	timer    *actor
	started  int
	at       addresses         // the engine's clocks of addresses
	released map[uintptr]known // the oracle's
	locks    []modelLock
	reads    []*compiled.SectionTouch // by variable
	writes   []*compiled.SectionTouch
	held     []*actor // by lock: who has it
	events   []vclock.Epoch
	values   uint64
	log      []string
}

const (
	variables = 4
	base      = uintptr(0xc000000000)
)

func lockAt(i int) uintptr     { return base + uintptr(i)*64 }
func variableAt(i int) uintptr { return base + 1024 + uintptr(i)*8 }

func newProgram(t *testing.T, seed int64) *program {
	p := &program{Rand: rand.New(rand.NewSource(seed)), t: t, at: make(addresses),
		released: make(map[uintptr]known), locks: make([]modelLock, 2), held: make([]*actor, 2)}
	f := new(compiled.SectionFunc)
	for range variables {
		read := &compiled.SectionTouch{Op: compiled.ReadVar}
		write := &compiled.SectionTouch{Op: compiled.WriteVar}
		p.reads, p.writes = append(p.reads, read), append(p.writes, write)
		f.Pairs = append(f.Pairs, compiled.SectionPair{Check: read, Act: write})
	}
	p.sections.Register(f)
	p.timer = &actor{name: "timer", timer: true, model: model{known: make(known)}}
	p.timer.Start(p.world(), true)
	for range 3 {
		p.add(make(known), func(a *Weak) { a.Start(p.world(), false) })
	}
	return p
}

func (p *program) world() World { return World{Clocks: &p.clocks, Sections: &p.sections} }

// add adds an actor that knows something. It is in an activation, as then all its sections count.
func (p *program) add(k known, start func(*Weak)) {
	p.started++
	a := &actor{name: fmt.Sprint("goroutine ", p.started), model: model{known: k}}
	start(&a.Weak)
	a.Section.Enter(&a.run, &noPairs)
	p.actors = append(p.actors, a)
}

var noPairs compiled.SectionFunc

// step makes a random event.
func (p *program) step() {
	a := pick(p.Rand, p.actors)
	addr := base + 4096 + uintptr(p.Intn(3))*16
	timer := p.Intn(12) == 0
	if timer {
		a = p.timer
	}
	switch n := p.Intn(24); {
	case n < 4 && !timer:
		p.lock(a)
	case n < 10 && !timer:
		p.touch(a)
	case n < 13:
		p.note("acquire %#x", a, addr)
		a.Acquire(p.at, addr, timer)
		if timer {
			a.known = make(known)
		}
		a.known.learn(p.released[addr])
	case n < 16:
		p.note("release %#x", a, addr)
		merge := n == 15
		a.flush(p.locks)
		a.Release(p.at, addr, timer, merge)
		a.known.release(p.released, addr, merge)
	case n == 16:
		p.note("exchange %#x", a, addr)
		a.flush(p.locks)
		a.Exchange(p.at, addr, timer)
		if timer {
			p.released[addr] = maps.Clone(a.known)
		} else {
			a.known.exchange(p.released, addr)
		}
	case n == 17:
		p.order(a, addr)
	case n == 18 && len(p.actors) < 5:
		p.note("fork", a)
		a.flush(p.locks)
		p.add(maps.Clone(a.known), func(b *Weak) { a.Fork(b, p.world(), timer) })
	case n == 19 && !timer:
		b := pick(p.Rand, p.actors)
		if b != a {
			p.note("meet", a)
			a.flush(p.locks)
			b.flush(p.locks)
			a.Meet(&b.Weak)
			a.known.learn(b.known)
			b.known.learn(a.known)
		}
	case n == 20 && !timer:
		p.note("unknown", a)
		a.Unknown(false) // there was no act, so it is nothing
	case n == 21 && !timer && p.Intn(4) == 0:
		p.note("join all", a)
		a.JoinAll()
		for i := range p.events {
			a.known[i] = true
		}
	case n == 22 && !timer && len(p.actors) > 2 && a.in == 0:
		p.note("end", a)
		a.End(false)
		p.actors = slices.DeleteFunc(p.actors, func(b *actor) bool { return b == a })
	case !timer:
		p.note("event %d", a, len(p.events))
		a.known[len(p.events)] = true
		p.events = append(p.events, a.Clock.P().Thread.Tick())
	}
}

// order makes an event that acquires and releases: an atomic operation, or the begin or the end of
// a call of an object's method.
func (p *program) order(a *actor, addr uintptr) {
	p.note("order %#x", a, addr)
	a.flush(p.locks)
	at := addr
	if p.Intn(2) == 0 {
		a.OrderCall(p.at, addr, a.timer)
		at = addr ^ 1
	} else {
		a.Order(p.at, addr, a.timer)
	}
	if a.timer { // it relays what it acquires, and that alone
		a.known = make(known)
	}
	a.known.order(p.released, at)
}

// lock takes a lock that is free, or releases the one that the actor has.
func (p *program) lock(a *actor) {
	if a.in > 0 {
		i := a.in - 1
		p.note("unlock %d", a, i)
		p.held[i] = nil
		a.Release(p.at, lockAt(i), false, false)
		a.end(&p.locks[i])
		return
	}
	i := p.Intn(len(p.locks))
	if p.held[i] != nil {
		return
	}
	p.held[i] = a
	site := &compiled.LockSite{Size: 8, Complete: p.Intn(4) > 0}
	p.note("lock %d complete=%v", a, i, site.Complete)
	a.Section.Locking(site, lockAt(i), a)
	a.Acquire(p.at, lockAt(i), false)
	a.begin(&p.locks[i], i, site.Complete)
}

// touch reads or writes a variable of the lock that the actor has; each value is a new one.
func (p *program) touch(a *actor) {
	if a.in == 0 || !a.complete {
		return
	}
	i := p.Intn(variables/len(p.locks))*len(p.locks) + a.in - 1
	at, did := p.reads[i], a.reads
	if p.Intn(2) == 0 {
		at, did = p.writes[i], a.writes
		p.values++
	}
	p.note("touch %d op %d", a, i, at.Op)
	a.Section.Touch(a, at, variableAt(i), 0, p.values, 0)
	did[i] = true
}

func (p *program) note(format string, a *actor, args ...any) {
	p.log = append(p.log, a.name+": "+fmt.Sprintf(format, args...))
}

// check compares what the clocks know with what the oracle does.
func (p *program) check() bool {
	for _, a := range p.actors {
		for i, e := range p.events {
			if a.Clock.P().Thread.Knows(e) != a.known[i] {
				p.t.Errorf("%s knows event %d: %v, want %v, after\n%s", a.name, i, !a.known[i],
					a.known[i], strings.Join(p.log, "\n"))
				return false
			}
		}
	}
	return true
}

// TestWeak has random programs, and an oracle that keeps sets of events for each goroutine and
// address: the weak clock knows an event if the set has it.
func TestWeak(t *testing.T) {
	if ^uintptr(0)>>63 == 0 {
		t.Skip("systems of 32 bits have no weak clocks")
	}
	for seed := range int64(3000) {
		p := newProgram(t, seed)
		for range 80 {
			p.step()
			if !p.check() {
				t.Fatalf("seed %d", seed)
			}
		}
		for _, a := range p.actors {
			a.End(false)
		}
		p.timer.End(true)
		for _, c := range p.at {
			c.Clear()
		}
	}
}

// TestWeakEnds ends weak clocks, whose memory others get then.
func TestWeakEnds(t *testing.T) {
	p := newProgram(t, 1)
	for _, timer := range []bool{false, true} {
		var s Weak
		s.Reset()
		if s.Started() {
			t.Errorf("timer %v: a new goroutine has a weak clock", timer)
		}
		s.Start(p.world(), timer)
		if !s.Started() {
			t.Errorf("timer %v: the weak clock is not started", timer)
		}
		if s.End(timer); s.Started() {
			t.Errorf("timer %v: the weak clock has not ended", timer)
		}
		s.Start(p.world(), timer)
		c := s.Clock.P()
		if s.Reset(); s.Started() {
			t.Errorf("timer %v: a goroutine has the weak clock of the one before", timer)
		}
		c.Free(timer)
	}
}
