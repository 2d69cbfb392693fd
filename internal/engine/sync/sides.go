// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package sync

import (
	"sync/atomic"

	"github.com/commutego/commute/internal/engine/section"
)

// sides has a bit for each side clock that goroutines have. Most programs have none, so a hook asks
// for all of them at once, and what follows is out of its way.
var sides atomic.Uint32

// The bits of sides.
const (
	memoryClocks = 1 << iota // set from the first call on that makes the two clocks differ
	weakClocks               // set from the first function on that has pairs
	orderClocks              // set from the first lock on that is taken while another is held
	covered                  // no clock: pairs of operations are noted (coverage.go)
)

// What a lock announces orders nothing for the order clock.
const (
	allSides  = memoryClocks | weakClocks | orderClocks
	lockSides = memoryClocks | weakClocks
)

// AnySides reports whether goroutines have any side clock, or pairs of operations are noted.
func AnySides() bool { return sides.Load() != 0 }

// MemoryClocks reports whether goroutines have memory clocks.
func MemoryClocks() bool { return sides.Load()&memoryClocks != 0 }

// WeakClocks reports whether goroutines have weak clocks.
func WeakClocks() bool { return sides.Load()&weakClocks != 0 }

// SideClocks is how many side clocks each goroutine has, at most.
func SideClocks() (n int) {
	set := sides.Load()
	return int(set&1 + set>>1&1 + set>>2&1)
}

// OrderClocks reports whether goroutines have order clocks.
func OrderClocks() bool { return sides.Load()&orderClocks != 0 }

// OrdersCalls reports whether goroutines have clocks that [Thread.OrderWeak] is for, or calls are
// noted for coverage.
func OrdersCalls() bool { return sides.Load()&(weakClocks|orderClocks|covered) != 0 }

// SetMemoryClocks says whether goroutines have memory clocks from now on. Only tests take it back.
func SetMemoryClocks(on bool) { setSide(memoryClocks, on) }

// SetWeakClocks says whether goroutines have weak clocks from now on. Only tests take it back.
func SetWeakClocks(on bool) { setSide(weakClocks, on) }

// SetOrderClocks says whether goroutines have order clocks from now on. Only tests take it back.
func SetOrderClocks(on bool) { setSide(orderClocks, on) }

func setSide(bit uint32, on bool) {
	for {
		set := sides.Load()
		with := set &^ bit
		if on {
			with |= bit
		}
		if sides.CompareAndSwap(set, with) {
			return
		}
	}
}

// The functions below do for all side clocks what the hook of their name does for the call clock.
// As a rule the memory clock comes first: where an address has none yet, its call clock from before
// the event stands for it.

// acquireSides is Acquire. There may be no page; then nothing was ever released. Set has the side
// clocks that follow.
func acquireSides(g *Thread, p *Page, addr uintptr, set uint32) {
	switch {
	case set&weakClocks == 0:
	case !apart(g, addr):
		g.haveWeak(g.TimerContext)
		if g.Weak.Acquire((*weakPage)(p), addr, g.TimerContext) && p.lastOfAnother(g, addr) {
			section.Shared(&g.Weak.Section)
		}
	case p != nil:
		p.acquireSide(g.Weak.Clock.P(), addr, ofWeak, false)
	}
	if set&memoryClocks != 0 && p != nil && g.haveMemoryClock() {
		p.acquireSide(g.memory.P(), addr, ofMemory, g.TimerContext)
	}
	if set&orderClocks != 0 && p != nil {
		acquireOrder(g, p, addr)
	}
}

// lastOfAnother reports whether the last release at an address that told something was another
// goroutine's, or several are merged there, by the call clock. There may be no page.
func (p *Page) lastOfAnother(g *Thread, addr uintptr) bool {
	if p == nil || g.TimerContext {
		return false
	}
	s := p.snapshot(addr)
	own := s.Of(&g.Clock)
	s.Drop()
	return !own
}

// releaseSides is Release, or ReleaseMerge if merge is set. The side clocks learn and pass on all,
// in calls as well.
func releaseSides(g *Thread, p *Page, addr uintptr, merge bool, set uint32) {
	if set&memoryClocks != 0 && g.haveMemoryClock() {
		p.releaseSide(g.memory.P(), addr, ofMemory, g.TimerContext, merge)
	}
	switch {
	case set&weakClocks == 0:
	case !apart(g, addr):
		g.haveWeak(g.TimerContext)
		g.Weak.Release((*weakPage)(p), addr, g.TimerContext, merge)
	default:
		p.releaseSide(g.Weak.Clock.P(), addr, ofWeak, false, merge)
	}
	if set&orderClocks != 0 {
		releaseOrder(g, p, addr, merge)
	}
}

// apart reports whether the weak clock of g takes an acquire or a release at an address as any
// other side clock does: neither g nor the address has to do with critical sections. That is so for
// most.
func apart(g *Thread, addr uintptr) bool {
	return g.Weak.Started() && !g.TimerContext && section.Apart(&g.Weak.Section, addr)
}

// exchangeSides is ReleaseAcquire.
func exchangeSides(g *Thread, p *Page, addr uintptr) {
	if g.HasMemoryClock() {
		p.exchangeSide(g.memory.P(), addr, ofMemory, g.TimerContext)
	}
	if g.hasWeak(g.TimerContext) {
		g.Weak.Exchange((*weakPage)(p), addr, g.TimerContext)
	}
	if OrderClocks() {
		exchangeOrder(g, p, addr)
	}
}

// orderSides is AtomicRMW.
func orderSides(g *Thread, p *Page, addr uintptr) {
	if g.HasMemoryClock() {
		p.acquireSide(g.memory.P(), addr, ofMemory, g.TimerContext)
		p.releaseSide(g.memory.P(), addr, ofMemory, g.TimerContext, false)
	}
	if g.hasWeak(g.TimerContext) {
		g.Weak.Order((*weakPage)(p), addr, g.TimerContext)
	}
	if OrderClocks() {
		orderOrder(g, p, addr)
	}
}
