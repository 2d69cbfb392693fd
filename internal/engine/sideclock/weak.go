// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package sideclock

import (
	"github.com/commutego/commute/internal/engine/offheap"
	"github.com/commutego/commute/internal/engine/section"
	"github.com/commutego/commute/internal/engine/vclock"
)

// Addresses keep what weak clocks have released. Each method does to the clock of an address what
// the one of [Clock] does. Timer is set for the clock of a timer context.
type Addresses interface {
	Acquire(c *Clock, addr uintptr, timer bool)
	Release(c *Clock, addr uintptr, timer, merge bool)
	Order(c *Clock, addr uintptr, timer bool)
	Exchange(c *Clock, addr uintptr, timer bool)
}

// A World is one execution: what the weak clocks of all its goroutines share.
type World struct {
	Clocks   *vclock.World
	Sections *section.World
}

// A Weak is a goroutine's weak clock, and its part in the comparison of critical sections.
type Weak struct {
	Clock   offheap.Ref[Clock] // nil until it is started, as most programs have no such sections
	Section section.Thread
}

// Reset makes s that of a new goroutine.
func (s *Weak) Reset() {
	s.Clock = offheap.Ref[Clock]{}
	s.Section.Reset()
}

// Started reports whether the goroutine has a weak clock.
func (s *Weak) Started() bool { return !s.Clock.Nil() }

// Start starts the weak clock of a goroutine that has begun already. What it knows by then is of no
// interest: there were no acts. A timer context follows no sections.
func (s *Weak) Start(w World, timer bool) {
	if timer {
		s.Clock = offheap.To(New())
		s.Clock.P().Started = true
		return
	}
	s.start(w, nil, false)
}

// start starts the weak clock as Clock.Start does.
func (s *Weak) start(w World, from *Clock, timer bool) {
	c := New()
	c.Start(w.Clocks, from, timer)
	s.Clock = offheap.To(c)
	s.Section.Start(w.Sections, &c.Thread)
}

// Fork starts the weak clock of a child of the goroutine, which has one, or of the timer context.
func (s *Weak) Fork(child *Weak, w World, timer bool) {
	s.Section.Flush()
	child.start(w, s.Clock.P(), timer)
}

// End ends the weak clock.
func (s *Weak) End(timer bool) {
	s.Section.End()
	s.Clock.P().Free(timer)
	s.Clock = offheap.Ref[Clock]{}
}

// Acquire has the goroutine acquire what was released at addr, which may be a lock. The result is
// that of [section.Thread.Acquired].
func (s *Weak) Acquire(at Addresses, addr uintptr, timer bool) (alone bool) {
	at.Acquire(s.Clock.P(), addr, timer)
	return s.Section.Acquired(addr)
}

// Release has the goroutine release at addr; merge says that earlier releases stay. At the end of a
// complete section it releases nothing.
func (s *Weak) Release(at Addresses, addr uintptr, timer, merge bool) {
	if !s.Section.Releasing(addr) {
		at.Release(s.Clock.P(), addr, timer, merge)
	}
}

// Exchange has the goroutine acquire at addr, and release there what it knew before.
func (s *Weak) Exchange(at Addresses, addr uintptr, timer bool) {
	s.Section.Flush()
	at.Exchange(s.Clock.P(), addr, timer)
	s.Section.Learned()
}

// Order has the goroutine acquire and release at addr. Nothing that was released before is
// forgotten. An atomic operation that is a section of its own releases nothing.
func (s *Weak) Order(at Addresses, addr uintptr, timer bool) {
	s.Section.Flush()
	if s.Section.Ordering(addr) {
		at.Acquire(s.Clock.P(), addr, timer)
	} else {
		at.Order(s.Clock.P(), addr, timer)
	}
	s.Section.Learned()
}

// OrderCall is for the begin and the end of a call of the method of an object at obj: it comes
// after all calls of the object so far, and before those that are still to come.
func (s *Weak) OrderCall(at Addresses, obj uintptr, timer bool) { s.Order(at, obj^1, timer) }

// Meet orders what two goroutines did before what either does next.
func (s *Weak) Meet(o *Weak) {
	s.Section.Flush()
	o.Section.Flush()
	s.Clock.P().Thread.Rendezvous(&o.Clock.P().Thread)
	s.Section.Learned()
	o.Section.Learned()
}

// Unknown is for an event that doesn't tell what it comes after, such as a lock that is found
// taken: what the goroutine does next may depend on anything that has happened. If there was no act
// since it was called last, there is nothing to learn.
func (s *Weak) Unknown(timer bool) {
	if !timer && section.Behind(&s.Section) {
		s.Section.Flush()
		s.JoinAll()
	}
}

// JoinAll orders all that has happened so far before what the goroutine does next.
func (s *Weak) JoinAll() {
	section.Joins(&s.Section)
	s.Clock.P().Thread.JoinAll()
	s.Section.Learned()
}
