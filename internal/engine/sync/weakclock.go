// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package sync

import (
	"sync/atomic"

	"github.com/commutego/commute/internal/engine/compiled"
	"github.com/commutego/commute/internal/engine/instance"
	"github.com/commutego/commute/internal/engine/option"
	"github.com/commutego/commute/internal/engine/section"
)

// Critical sections are compared by the weak clock. It follows all synchronization as the memory
// clock does, but for locks whose sections are recorded. A complete section of such a lock releases
// nothing by the lock itself. It comes after those earlier sections that it is in conflict with,
// which package section finds. Calls of specified methods are ordered by their object, both ways:
// what is ordered is not reported.
//
// Goroutines have a weak clock from the first function on that has pairs of a check and an act.

// WeakClocks says whether goroutines have weak clocks.
var WeakClocks struct {
	On atomic.Uint32 // 1 from the first such function on
}

// wordBits is the width of an address. Those of 32 bits have no room for the mark of a weak clock.
const wordBits = 32 << (^uintptr(0) >> 63)

// RegisterSection notes a function with pairs of a check and an act in two critical sections.
func RegisterSection(f *compiled.SectionFunc) {
	if wordBits != 64 {
		return
	}
	option.Ready()
	instance.Sections.Perturb(option.Current.Perturb)
	instance.Sections.Register(f)
	if instance.Sections.On() {
		WeakClocks.On.Store(1)
	}
}

// A Sections is a goroutine's part in the comparison of critical sections.
type Sections struct {
	weak    sideClock
	Section section.Thread
}

// reset makes s that of a new goroutine.
func (s *Sections) reset() {
	s.weak.started = false
	s.Section.Reset()
}

// hasClock reports whether the goroutine has a weak clock, and starts it if it must have one. Timer
// is set for a timer context.
func (s *Sections) hasClock(timer bool) bool {
	if WeakClocks.On.Load() == 0 {
		return false
	}
	if !s.weak.started {
		s.startClock(timer)
	}
	return true
}

func (s *Sections) startClock(timer bool) {
	if timer {
		s.weak.started = true
		return
	}
	s.weak.start(nil, false) // what came before is of no interest: there were no acts yet
	s.Section.Start(&instance.Sections, &s.weak.clock)
}

// fork starts the weak clock of child, which g has started, if it must have one.
func (child *Sections) fork(g *Thread) {
	if WeakClocks.On.Load() == 0 {
		return
	}
	if g == nil {
		child.weak.start(nil, false)
	} else {
		g.hasClock(g.TimerContext)
		g.Section.Flush()
		child.weak.start(&g.weak, g.TimerContext)
	}
	child.Section.Start(&instance.Sections, &child.weak.clock)
}

// end ends the weak clock.
func (s *Sections) end(timer bool) {
	s.Section.End()
	s.weak.end(timer)
}

// acquireWeak is Acquire for the weak clock; p is the page of addr, which may be nil.
func (s *Sections) acquireWeak(p *Page, addr uintptr, timer bool) {
	if p != nil {
		s.weak.acquire(p, addr, ofWeak, timer)
	}
	s.Section.Acquired(addr)
}

// releaseWeak is Release for the weak clock, or ReleaseMerge if merge is set. At the end of a
// complete section there is none.
func (s *Sections) releaseWeak(p *Page, addr uintptr, timer, merge bool) {
	if !s.Section.Releasing(addr) {
		s.weak.release(p, addr, ofWeak, timer, merge)
	}
}

// transferWeak is ReleaseAcquire for the weak clock.
func (s *Sections) transferWeak(p *Page, addr uintptr, timer bool) {
	s.Section.Flush()
	s.weak.transfer(p, addr, ofWeak, timer)
	s.Section.Learned()
}

// orderWeak makes the weak clock learn what was released at addr, and releases it there. Nothing
// that was released before is forgotten.
func (s *Sections) orderWeak(p *Page, addr uintptr, timer bool) {
	s.Section.Flush()
	s.weak.acquire(p, addr, ofWeak, timer)
	if !s.Section.Ordering(addr) {
		s.weak.release(p, addr, ofWeak, timer, true)
	}
	s.Section.Learned()
}

// OrderWeak is for the begin and the end of a call of an object's method: the weak clock comes
// after all calls of the object so far, and before those that are still to come.
func (g *Thread) OrderWeak(obj uintptr) {
	if g.hasClock(g.TimerContext) {
		g.orderWeak(g.Pages.Make(obj), obj^1, g.TimerContext)
	}
}
