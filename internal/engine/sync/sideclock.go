// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package sync

import (
	"github.com/commutego/commute/internal/engine/instance"
	"github.com/commutego/commute/internal/engine/vclock"
)

// A sideClock is a clock of a goroutine beside its call clock. It follows synchronization in calls
// of specified methods as well: calls hide nothing from it. The side clock of an address is kept
// beside its call clock, under an address that no variable has.
type sideClock struct {
	started bool
	clock   vclock.Thread
	relayed vclock.Snapshot // of a timer context, in place of clock
}

// A side is one of the side clocks, as the bit that marks an address under which it is kept.
type side uintptr

// The side clocks. An address without a memory clock was not released to since there are memory
// clocks, so its call clock stands for both. One without a weak clock was not released to since
// there are weak clocks, and what came before that doesn't matter.
const (
	ofMemory side = 1 << (32<<(^uintptr(0)>>63) - 1)
	ofWeak   side = ofMemory >> 1
)

// start starts the side clock of a goroutine that has begun; from is that of the goroutine or, if
// timer is set, of the timer context that has started it, or nil.
func (m *sideClock) start(from *sideClock, timer bool) {
	m.started = true
	switch {
	case from == nil:
		instance.Clocks.Start(&m.clock)
	case timer:
		instance.Clocks.StartAfter(&m.clock, &from.relayed)
	default:
		from.clock.Fork(&m.clock)
	}
}

// end ends the side clock of a goroutine or of a timer context.
func (m *sideClock) end(timer bool) {
	switch {
	case !m.started:
	case timer:
		m.relayed.Drop()
	default:
		m.clock.End()
	}
	m.started = false
}

// The methods below do for a side clock what the hook of their name does for the call clock. The
// hook calls them first, while the address still has the call clock from before the event.

// acquire is Acquire for a side clock, of a timer context if timer is set.
func (m *sideClock) acquire(p *Page, addr uintptr, of side, timer bool) {
	if of == ofWeak && !timer {
		if p.block(addr).more.Load() == nil {
			return
		}
		if v := p.findVar(addr | uintptr(of)); v == nil || v.sync.KnownTo(&m.clock) {
			return
		}
	}
	if v := p.sideVar(addr, of, false); v != nil {
		if timer {
			m.relayed.Drop()
			m.relayed = v.sync.Snapshot()
		} else {
			v.sync.Acquire(&m.clock)
		}
		v.lock.Unlock()
		return
	}
	var s vclock.Snapshot
	if of == ofMemory {
		s = p.snapshot(addr)
	}
	if timer {
		m.relayed.Drop()
		m.relayed = s
		return
	}
	m.clock.Join(&s)
	s.Drop()
}

// release is Release, or ReleaseMerge if merge is set.
func (m *sideClock) release(p *Page, addr uintptr, of side, timer, merge bool) {
	if !timer {
		if v := p.findVar(addr | uintptr(of)); v != nil && v.sync.UpToDate(&m.clock) {
			return // it has released all that already
		}
	}
	v := p.sideVar(addr, of, true)
	switch {
	case timer && merge:
		v.sync.ReleaseMergeSnapshot(&m.relayed)
	case timer:
		v.sync.ReleaseSnapshot(&m.relayed)
	case merge:
		v.sync.ReleaseMerge(&m.clock)
	default:
		v.sync.Release(&m.clock)
	}
	v.lock.Unlock()
}

// transfer is ReleaseAcquire.
func (m *sideClock) transfer(p *Page, addr uintptr, of side, timer bool) {
	v := p.sideVar(addr, of, true)
	if timer {
		v.sync.ReleaseSnapshot(&m.relayed)
	} else {
		v.sync.ReleaseAcquire(&m.clock)
	}
	v.lock.Unlock()
}

// exchange is AtomicRMW for a side clock: the goroutine learns what was released, and what it then
// knows is all that was released. Both come in one step, as else others would release between, and
// the join of what was released would be a vector of its own each time.
func (m *sideClock) exchange(p *Page, addr uintptr, of side, timer bool) {
	if timer {
		m.acquire(p, addr, of, timer)
		m.release(p, addr, of, timer, true)
		return
	}
	if v := p.findVar(addr | uintptr(of)); v != nil && v.sync.UpToDate(&m.clock) {
		return // nobody has released since it did
	}
	v := p.sideVar(addr, of, true)
	v.sync.Acquire(&m.clock)
	v.sync.Release(&m.clock)
	v.lock.Unlock()
}

// sideBits are the bits of all sides.
const sideBits = uintptr(ofMemory | ofWeak)

// sideVar returns the variable with the side clock of an address, locked. If make is set and there
// is none, it is made. A memory clock begins with what the call clock of the address knows.
func (p *Page) sideVar(addr uintptr, of side, make bool) *syncVar {
	v := p.lockVar(addr|uintptr(of), false)
	if v != nil || !make {
		return v
	}
	if of == ofWeak {
		return p.lockVar(addr|uintptr(of), true)
	}
	s := p.snapshot(addr)
	v = p.lockVar(addr|uintptr(of), true)
	v.sync.ReleaseMergeSnapshot(&s) // a merge, as another goroutine may have made it meanwhile
	s.Drop()
	return v
}
