// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package sync

import (
	"github.com/commutego/commute/internal/engine/sideclock"
	"github.com/commutego/commute/internal/engine/vclock"
)

// The side clock of an address (package sideclock) is kept beside its call clock, under an address
// that no variable has.

// A side is one of the side clocks, as the bit that marks an address under which it is kept.
type side uintptr

// The side clocks. An address without a memory clock was not released to since there are memory
// clocks, so its call clock stands for both. One without another side clock was not released to
// since there are such clocks, and what came before that doesn't matter.
const (
	ofMemory side = 1 << (32<<(^uintptr(0)>>63) - 1)
	ofWeak   side = ofMemory >> 1
	ofOrder  side = ofWeak >> 1
)

// The methods below do for a side clock what the hook of their name does for the call clock. The
// hook calls them first, while the address still has the call clock from before the event.

// acquireSide is Acquire for a side clock, of a timer context if timer is set. It reports whether
// something may have been learned.
func (p *Page) acquireSide(c *sideclock.Clock, addr uintptr, of side, timer bool) (learned bool) {
	if of != ofMemory && !timer {
		if b := p.block(addr); b.more.Load() == nil ||
			of == ofOrder && b.tags.Load()&tagOrder == 0 {
			return false
		}
		v, common := p.findClock(addr | uintptr(of))
		switch {
		case v == nil && common == nil, v != nil && v.sync.KnownTo(&c.Thread),
			common.knownTo(&c.Thread, p, addr|uintptr(of)):
			return false
		case common != nil && p.acquireCommon(addr|uintptr(of), &c.Thread):
			return true
		}
	}
	if v := p.sideVar(addr, of, false); v != nil {
		c.Acquire(&v.sync, timer)
		v.lock.Unlock()
		return true
	}
	var s vclock.Snapshot
	if of == ofMemory {
		s = p.snapshot(addr)
	}
	if timer {
		c.Relay(s)
		return true
	}
	c.Thread.Join(&s)
	s.Drop()
	return true
}

// releaseSide is Release, or ReleaseMerge if merge is set.
func (p *Page) releaseSide(c *sideclock.Clock, addr uintptr, of side, timer, merge bool) {
	if !timer {
		v, common := p.findClock(addr | uintptr(of))
		u := forgets
		if merge {
			u = merges
		}
		switch {
		case v != nil && (v.sync.UpToDate(&c.Thread) || merge && v.sync.HasMerged(&c.Thread)),
			common.upToDate(&c.Thread, p, addr|uintptr(of)):
			return // it has released all that already
		case v == nil && p.releaseCommon(addr|uintptr(of), &c.Thread, u):
			return
		}
	}
	v := p.sideVar(addr, of, true)
	c.Release(&v.sync, timer, merge)
	v.lock.Unlock()
}

// exchangeSide is ReleaseAcquire. It reports whether something may have been learned.
func (p *Page) exchangeSide(c *sideclock.Clock, addr uintptr, of side, timer bool) (learned bool) {
	if !timer && of != ofMemory {
		if v, _ := p.findClock(addr | uintptr(of)); v != nil && v.sync.UpToDate(&c.Thread) {
			return false
		}
	}
	v := p.sideVar(addr, of, true)
	learned = timer || !v.sync.KnownTo(&c.Thread)
	c.Exchange(&v.sync, timer)
	v.lock.Unlock()
	return learned
}

// orderSide is AtomicRMW. It reports whether something may have been learned.
func (p *Page) orderSide(c *sideclock.Clock, addr uintptr, of side, timer bool) (learned bool) {
	if !timer {
		v, common := p.findClock(addr | uintptr(of))
		switch {
		case v != nil && v.sync.UpToDate(&c.Thread),
			common.upToDate(&c.Thread, p, addr|uintptr(of)):
			return false // nobody has released since it did
		case v == nil && common == nil &&
			p.releaseCommon(addr|uintptr(of), &c.Thread, learns):
			return true // it may have, if another one has come first
		}
	}
	v := p.sideVar(addr, of, true)
	learned = timer || !v.sync.KnownTo(&c.Thread)
	c.Order(&v.sync, timer)
	v.lock.Unlock()
	return learned
}

// sideBits are the bits of all sides.
const sideBits = uintptr(ofMemory | ofWeak | ofOrder)

// ofSide reports whether an address is that of a side clock: it has one of the bits. One of 32 bits
// may have them itself, and there are no side clocks then.
func ofSide(addr uintptr) bool {
	of := side(addr & sideBits)
	return wordBits == 64 && (of == ofMemory || of == ofWeak || of == ofOrder)
}

// sideVar returns the variable with the side clock of an address, locked. If make is set and there
// is none, it is made. A memory clock begins with what the call clock of the address knows.
func (p *Page) sideVar(addr uintptr, of side, make bool) *syncVar {
	v := p.lockVar(addr|uintptr(of), false)
	if v != nil || !make {
		return v
	}
	if of != ofMemory {
		return p.lockVar(addr|uintptr(of), true)
	}
	s := p.snapshot(addr)
	v = p.lockVar(addr|uintptr(of), true)
	v.sync.ReleaseMergeSnapshot(&s) // a merge, as another goroutine may have made it meanwhile
	s.Drop()
	return v
}
