// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package replay

import (
	"sync"

	"github.com/commutego/commute/internal/check/table"
	"github.com/commutego/commute/internal/engine/compiled"
	"github.com/commutego/commute/internal/engine/offheap"
	"github.com/commutego/commute/internal/engine/section"
	"github.com/commutego/commute/internal/engine/sideclock"
	"github.com/commutego/commute/internal/engine/vclock"
	"github.com/commutego/commute/internal/event"
	"github.com/commutego/commute/internal/trace"
	"github.com/commutego/commute/internal/trace/spec"
)

// Sections checks the critical sections of one trace. It makes the program's calls of package
// section, in the order of the trace, and keeps the weak clocks of addresses.
type Sections struct {
	*guard
	program  *trace.Program
	found    func(*trace.SectionFunc, *section.Finding)
	released released
	threads  []*sectionThread
	funcs    []*trace.SectionFunc     // by number
	known    uint32                   // up to here all are registered
	touches  []*compiled.SectionTouch // by number, those that were made
	sites    []*compiled.LockSite
}

// A guard is the engine's part. Its memory is never given back, so the next trace goes on with it.
type guard struct {
	sections section.World
	times    vclock.World
}

var idleGuards struct {
	sync.Mutex
	list []*guard
}

func takeGuard() *guard {
	idleGuards.Lock()
	defer idleGuards.Unlock()
	n := len(idleGuards.list)
	if n == 0 {
		return new(guard)
	}
	g := idleGuards.list[n-1]
	idleGuards.list = idleGuards.list[:n-1]
	return g
}

func (g *guard) giveBack() {
	g.sections.Reset()
	idleGuards.Lock()
	idleGuards.list = append(idleGuards.list, g)
	idleGuards.Unlock()
}

// world is the execution, for weak clocks.
func (g *guard) world() sideclock.World {
	return sideclock.World{Clocks: &g.times, Sections: &g.sections}
}

// A sectionThread is a thread's part in the check.
type sectionThread struct {
	of      *Sections
	number  uint32
	carrier bool // a timer
	weak    *sideclock.Weak
	entered []*section.Activation
	index   uint64 // of the event at which it is
	pos     uint32 // of its touch

	// The variables of the operations that were announced last: of a load, and of another one.
	loads, writes uintptr
}

var weakClocks offheap.Slab[sideclock.Weak]

// NewSections makes the check for the trace of a program. It calls found for each check and act if
// another thread comes between the two, or can come. The finding is valid only during the call. In
// it, Goid is a thread plus 1, Stack a position, and Owner the index of an event.
func NewSections(
	program *trace.Program, found func(*trace.SectionFunc, *section.Finding),
) *Sections {
	return &Sections{guard: takeGuard(), program: program, found: found}
}

// Steps takes the next steps.
func (s *Sections) Steps(steps []trace.SectionStep) {
	for s.function(s.known) != nil { // in the program each was registered when it began
		s.known++
	}
	for i := range steps {
		s.step(&steps[i])
	}
}

// thread is a thread that does something. If nothing is known of its start, it begins here.
func (s *Sections) thread(number uint32) *sectionThread {
	s.threads = table.Grow(s.threads, number)
	t := s.threads[number]
	if t == nil {
		t = s.newThread(number)
		g, ok := s.program.Goroutine(number)
		t.carrier = ok && g.ID == 0
		t.weak.Start(s.world(), t.carrier)
	}
	return t
}

func (s *Sections) newThread(number uint32) *sectionThread {
	t := &sectionThread{of: s, number: number, weak: weakClocks.Get()}
	t.weak.Reset()
	s.threads = table.Grow(s.threads, number)
	s.threads[number] = t
	return t
}

// step takes a step.
func (s *Sections) step(e *trace.SectionStep) {
	if e.Kind == event.Fresh {
		s.freed(uintptr(e.Address), uintptr(e.Size))
		return
	}
	t := s.thread(e.Thread)
	t.index, t.pos = e.Event, e.Pos
	addr := uintptr(e.Address)
	switch e.Kind {
	case event.Value:
		t.told(e)
	case event.Acquire, event.AtomicLoad:
		t.weak.Acquire(&s.released, addr, t.carrier)
	case event.Release, event.AtomicStore:
		if e.Exchange {
			t.weak.Exchange(&s.released, addr, t.carrier)
		} else {
			t.weak.Release(&s.released, addr, t.carrier, false)
		}
		t.weak.Section.Deliver(t)
	case event.ReleaseMerge:
		t.weak.Release(&s.released, addr, t.carrier, true)
		t.weak.Section.Deliver(t)
	case event.AtomicRMW:
		if !e.Inside {
			t.weak.Acquire(&s.released, addr, t.carrier)
		}
		t.weak.Order(&s.released, addr, t.carrier)
	case event.Fork:
		if s.threads = table.Grow(s.threads, e.Child); s.threads[e.Child] == nil {
			t.weak.Fork(s.newThread(e.Child).weak, s.world(), t.carrier)
		}
	case event.AcquireAll:
		if !t.carrier {
			t.weak.JoinAll()
		}
	case event.Exit:
		s.exit(t)
	}
}

// told takes what only the check of critical sections is told.
func (t *sectionThread) told(e *trace.SectionStep) {
	s, w, addr := t.of, &t.weak.Section, uintptr(e.Address)
	switch e.What {
	case spec.Locking:
		if p := s.site(e.Number); p != nil {
			w.Locking(p, addr, t)
		}
	case spec.Enters:
		a := new(section.Activation)
		if f := s.function(e.Number); f != nil {
			w.Enter(a, &f.SectionFunc)
		}
		t.entered = append(t.entered, a)
	case spec.Leaves:
		if n := int(e.Number); n > 0 && n <= len(t.entered) {
			w.Leave(t.entered[n-1], t)
			t.entered = t.entered[:n-1]
		}
	case spec.Touches:
		switch p := s.touch(e.Number); {
		case p == nil:
		case e.Full:
			w.Touch(t, p, addr, e.Key, e.Word, e.Length)
		default:
			w.Wants(p, addr)
		}
	case spec.Announces:
		if p := s.touch(e.Number); p != nil {
			t.announced(p, addr, uintptr(e.Size))
		}
	case spec.Operated:
		t.operated(compiled.TouchOp(e.Number), e.Word)
	case spec.Fails:
		t.weak.Unknown(t.carrier)
	case spec.Orders:
		t.weak.OrderCall(&s.released, addr, t.carrier)
	}
}

// announced is told that an atomic operation is about to be made, of a variable of some bytes.
func (t *sectionThread) announced(p *compiled.SectionTouch, addr, size uintptr) {
	if p.Op == compiled.ReadVar {
		t.loads = addr
	} else {
		t.writes = addr
	}
	t.weak.Section.Announce(p, addr, size, t)
}

// operated is told that it was made, and has left the variable with a word.
func (t *sectionThread) operated(op compiled.TouchOp, word uint64) {
	addr := t.writes
	if op == compiled.ReadVar {
		addr = t.loads
	}
	if t.weak.Section.Making(addr, op, false) {
		t.weak.Section.Made(word)
		t.weak.Section.Deliver(t)
	}
}

// Capture fills in an event of the thread, which is at the touch.
func (t *sectionThread) Capture(e *section.Event) {
	e.Goid, e.Stack, e.Owner = uint64(t.number)+1, uintptr(t.pos), uintptr(t.index)
}

// Report tells of a finding.
func (t *sectionThread) Report(f *section.Finding) {
	s := t.of
	if s.times.Exhausted.Load() != 0 {
		return
	}
	for _, of := range s.funcs {
		if of != nil && &of.SectionFunc == f.Func.P() {
			s.found(of, f)
			return
		}
	}
}

// function is the function with a number, nil if the trace doesn't have it.
func (s *Sections) function(n uint32) *trace.SectionFunc {
	s.funcs = table.Grow(s.funcs, n)
	if s.funcs[n] == nil {
		if f := s.program.SectionFunc(n); f != nil {
			s.funcs[n] = f
			s.sections.Register(&f.SectionFunc)
		}
	}
	return s.funcs[n]
}

// touch is the place of a touch with a number, and site that of a lock.
func (s *Sections) touch(n uint32) *compiled.SectionTouch {
	s.touches = table.Grow(s.touches, n)
	if s.touches[n] == nil {
		if p := s.program.TouchSite(n); p != nil {
			s.touches[n] = p
			s.sections.Heat(p)
		}
	}
	return s.touches[n]
}

func (s *Sections) site(n uint32) *compiled.LockSite {
	s.sites = table.Grow(s.sites, n)
	if s.sites[n] == nil {
		s.sites[n] = s.program.LockSite(n)
	}
	return s.sites[n]
}

// freed forgets what is known of memory.
func (s *Sections) freed(addr, size uintptr) {
	end := addr + size
	if end < addr {
		end = ^uintptr(0)
	}
	s.sections.Freed(addr, end, nil)
	s.released.forget(addr, end)
}

// exit ends a thread.
func (s *Sections) exit(t *sectionThread) {
	t.weak.Section.Deliver(t)
	t.weak.End(t.carrier)
	t.weak.Reset()
	weakClocks.Put(t.weak)
	s.threads[t.number] = nil
}

// Close frees the engine's memory that the check uses.
func (s *Sections) Close() {
	for _, t := range s.threads {
		if t != nil {
			s.exit(t)
		}
	}
	s.released.forget(0, ^uintptr(0))
	s.giveBack()
}
