// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package sync

import (
	"github.com/commutego/commute/internal/engine/compiled"
	"github.com/commutego/commute/internal/engine/instance"
	"github.com/commutego/commute/internal/engine/option"
	"github.com/commutego/commute/internal/engine/sideclock"
)

// Critical sections are compared by the weak clock (package sideclock), which is a side clock.
// Goroutines have one from the first activation on of a function that has pairs of a check and an
// act. Many programs have such functions in some package, and call none of them.

// wordBits is the width of an address. Those of 32 bits have no room for the mark of a weak clock.
const wordBits = 32 << (^uintptr(0) >> 63)

// RegisterSection notes a function with pairs of a check and an act in two critical sections. It
// reports whether the function has any that the option for the level asks for. The others are taken
// out of it, so that nothing is spent on what would not be reported.
func RegisterSection(f *compiled.SectionFunc) (wanted bool) {
	if wordBits != 64 {
		f.Pairs = nil
		return false
	}
	option.Ready()
	if option.Current.Level != option.All {
		f.Pairs = severe(f.Pairs)
	}
	if len(f.Pairs) == 0 {
		return false
	}
	instance.Sections.Perturb(option.Current.Perturb)
	instance.Sections.Await(f)
	return true
}

// FollowSections has critical sections followed from now on.
func FollowSections() {
	if !WeakClocks() {
		instance.Sections.Begin() // first: who has a weak clock may miss no event
		SetWeakClocks(true)
	}
}

// Follow is FollowSections, and starts the goroutine's weak clock. It comes before instrumented
// code takes a lock or makes an atomic operation that it announces, or enters a function with
// pairs. Timer is set for a timer context.
func (s *Sections) Follow(timer bool) {
	FollowSections()
	s.haveWeak(timer)
}

// severe keeps, in place, the pairs whose shape is reported at all levels.
func severe(pairs []compiled.SectionPair) []compiled.SectionPair {
	n := 0
	for i := range pairs {
		if !pairs[i].Shape.Minor() {
			pairs[n] = pairs[i]
			n++
		}
	}
	return pairs[:n]
}

// weakWorld is the execution that goroutines are part of.
func weakWorld() sideclock.World {
	return sideclock.World{Clocks: &instance.Clocks, Sections: &instance.Sections}
}

// A Sections is a goroutine's part in the comparison of critical sections.
type Sections struct{ Weak sideclock.Weak }

// hasWeak reports whether the goroutine has a weak clock, and starts it if it must have one. Timer
// is set for a timer context. Each hook asks, so it is inlined.
func (s *Sections) hasWeak(timer bool) bool {
	return WeakClocks() && s.haveWeak(timer)
}

// haveWeak returns true when the goroutine has a weak clock.
func (s *Sections) haveWeak(timer bool) bool {
	if !s.Weak.Started() {
		s.Weak.Start(weakWorld(), timer)
	}
	return true
}

// forked starts the weak clock of a goroutine that g has started, if it must have one.
func (s *Sections) forked(g *Thread) {
	switch {
	case !WeakClocks():
	case g == nil:
		s.Weak.Start(weakWorld(), false)
	default:
		g.hasWeak(g.TimerContext)
		g.Weak.Fork(&s.Weak, weakWorld(), g.TimerContext)
	}
}

// UnknownWeak is for an event that doesn't tell what it comes after. Timer is set for a timer
// context.
func (s *Sections) UnknownWeak(timer bool) {
	if s.hasWeak(timer) {
		s.Weak.Unknown(timer)
	}
}

// A weakPage is a page of addresses with the weak clocks of these. It may be nil for an acquire:
// then nothing was released.
type weakPage Page

func (p *weakPage) Acquire(c *sideclock.Clock, addr uintptr, timer bool) {
	if p != nil {
		(*Page)(p).acquireSide(c, addr, ofWeak, timer)
	}
}

func (p *weakPage) Release(c *sideclock.Clock, addr uintptr, timer, merge bool) {
	(*Page)(p).releaseSide(c, addr, ofWeak, timer, merge)
}

func (p *weakPage) Exchange(c *sideclock.Clock, addr uintptr, timer bool) {
	(*Page)(p).exchangeSide(c, addr, ofWeak, timer)
}

func (p *weakPage) Order(c *sideclock.Clock, addr uintptr, timer bool) {
	(*Page)(p).orderSide(c, addr, ofWeak, timer)
}

// OrderWeak is for the begin and the end of a call of an object's method, which orders weak clocks
// and order clocks.
func (g *Thread) OrderWeak(obj uintptr) {
	if g.hasWeak(g.TimerContext) {
		g.Weak.OrderCall((*weakPage)(g.Pages.Make(obj)), obj, g.TimerContext)
	}
	if OrderClocks() {
		g.released++
		orderOrder(g, g.Pages.Make(obj), obj^1)
	}
}
