// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package sync

import (
	"github.com/commutego/commute/internal/engine/offheap"
	"github.com/commutego/commute/internal/engine/tests"
)

// The hooks, by what an event does to the clock T of its goroutine and the clock C of its address:
//
//	Acquire         T learns C
//	Release         C becomes T
//	ReleaseMerge    C learns T
//	ReleaseAcquire  T learns C, and C becomes what T was before
//	AtomicRMW       T learns C, and then C becomes T
//	Set             as Release, and C has the number of the test that sets the timer
//
// In a call of a specified method, a release goes to another clock of the address (incall.go). What
// a hook does to the side clocks is the same, in calls as well (sideclock.go). A timer context
// has its snapshot in the place of T, and learns by taking C instead of it.
//
// Each hook first looks without a lock whether there is nothing to do, which is mostly so. Then it
// locks the clock of its address: a singleton clock in the block, or a variable.

// Acquire orders the releases of addr before what g does next (raceacquire).
func (g *Thread) Acquire(addr uintptr) { acquireWith(g, addr, allSides) }

// acquireWith is Acquire for the call clock and some side clocks.
func acquireWith(g *Thread, addr uintptr, with uint32) {
	// Where there is no page nothing was ever released.
	p := g.Pages.Find(addr)
	if set := sides.Load() & with; set != 0 {
		acquireSides(g, p, addr, set)
	}
	if p != nil {
		g.acquire(p, addr)
	}
}

// acquire is Acquire for the call clock; p is the page of addr.
func (g *Thread) acquire(p *Page, addr uintptr) {
	if g.TimerContext {
		g.acquireRelayed(p, addr)
		return
	}
	// Outside of calls g also learns what was released in calls, if there ever was such a release.
	b := p.block(addr)
	if b.tags.Load()&tagInCall != 0 && !g.InAnyCall() {
		g.acquireInCall(p, addr)
	}
	// The tags may change while g reads without the lock. So g first asks the clock whether it has
	// anything to learn, and then whether that was the clock of addr all the time.
	if i := b.find(addr); i >= 0 {
		m := &b.singletons[i]
		if (m.KnownTo(&g.Clock) || m.Epoch().Load() == 0) && b.has(i, addr) {
			return
		}
		if c := p.makeSingleton(b, i, addr, nowhere, nil); c.m != nil {
			c.acquire(&g.Clock)
			b.lock.Unlock()
			return
		}
	}
	// There is no variable either: nothing was released at addr.
	if b.more.Load() == nil {
		return
	}
	removed := p.removed.Load()
	if s := b.spare(addr); s != nil {
		if (s.KnownTo(&g.Clock) || s.Epoch().Load() == 0) && p.removed.Load() == removed {
			return
		}
		if c := p.lockSingleton(b, addr); c.m != nil {
			c.acquire(&g.Clock)
			b.lock.Unlock()
			return
		}
	}
	v, c := p.findClock(addr)
	switch {
	case v == nil && c == nil, v != nil && v.sync.KnownTo(&g.Clock),
		c.knownTo(&g.Clock, p, addr), c != nil && p.acquireCommon(addr, &g.Clock):
		return
	}
	// The variable may be that of another address by now. Once it is locked that is clear.
	if v = p.lockFound(v, addr, false); v != nil {
		v.sync.Acquire(&g.Clock)
		v.lock.Unlock()
	}
}

// acquireRelayed is Acquire for a timer context, which drops what it relayed before.
func (g *Thread) acquireRelayed(p *Page, addr uintptr) {
	b := p.block(addr)
	if c := p.lockSingleton(b, addr); c.m != nil {
		g.relayed.Drop()
		g.relayed = c.snapshot()
		b.lock.Unlock()
	} else if v := p.lockVar(addr, false); v != nil {
		g.relayed.Drop()
		g.relayed = v.sync.Snapshot()
		// What a timer starts is charged to the test that has set it.
		g.Test = offheap.To(tests.All.At(v.test))
		v.lock.Unlock()
	}
}

// singleton returns the singleton clock of addr, to release to, and its block locked. Where addr
// has no clock it is made if there is room. There is none if another kind has the clock, and if
// idle is true because a release by g would change nothing. If not, v is what findVar says; the
// caller locks it by lockFound.
func (g *Thread) singleton(p *Page, addr uintptr, r room) (s single, v *syncVar, idle bool) {
	if g.TimerContext {
		return single{}, p.findVar(addr), false
	}
	b := p.block(addr)
	tags := b.tags.Load()
	i := tagged(tags, addr)
	// As in acquire, the clock is asked first, and then whether it is that of addr.
	if i >= 0 {
		if b.upToDate(&g.Clock, i, tags) {
			return single{}, nil, true
		}
		if m := b.take(i, addr); m != nil {
			return single{m: m}, nil, false
		}
	} else if m := b.claim(p, addr, tags); m != nil {
		return single{m: m}, nil, false
	} else if tags&tagOverflow != 0 {
		removed := p.removed.Load()
		if s := b.spare(addr); s != nil {
			if s.UpToDate(&g.Clock) && p.removed.Load() == removed {
				return single{}, nil, true
			}
		} else if v, c := p.findClock(addr); v != nil {
			return single{}, v, v.sync.UpToDate(&g.Clock)
		} else if c != nil {
			return single{}, nil, c.upToDate(&g.Clock, p, addr)
		}
	}
	return p.makeSingleton(b, i, addr, r, &g.Clock), nil, false
}

// releaseToAny releases to a clock that several addresses may have, or to one of the annex. It
// returns false where a variable has to have the clock.
func releaseToAny(g *Thread, p *Page, addr uintptr, u use) (done bool) {
	if p.releaseCommon(addr, &g.Clock, u) {
		return true
	}
	c := p.makeSingleton(p.block(addr), -1, addr, inAnnex, &g.Clock)
	if c.m == nil {
		return false
	}
	switch done = true; u {
	case merges:
		done = c.releaseMerge(&g.Clock)
	case learns:
		c.acquire(&g.Clock)
		fallthrough
	default:
		c.release(&g.Clock)
	}
	p.block(addr).lock.Unlock()
	return done
}

// Release orders what g did before the acquires of addr, and forgets earlier releases
// (racerelease).
func (g *Thread) Release(addr uintptr) {
	g.released++
	releaseWith(g, addr, allSides)
}

// releaseWith is Release for the call clock and some side clocks. It reports whether the address
// has its clock in its block.
func releaseWith(g *Thread, addr uintptr, with uint32) (inBlock bool) {
	p := g.Pages.Find(addr) // it is inlined, and Make is not
	if p == nil {
		p = makePageAt(addr)
	}
	if set := sides.Load() & with; set != 0 {
		releaseSides(g, p, addr, false, set)
	}
	if g.InAnyCall() {
		g.releaseInCall(p, addr)
		return false
	}
	if releasesAtOnce(g, p, addr) {
		return true
	}
	// Most addresses have one release at a time, for which a singleton clock will do.
	c, v, idle := g.singleton(p, addr, anywhere)
	switch {
	case c.m != nil:
		c.release(&g.Clock)
		p.block(addr).lock.Unlock()
		return c.spare == nil
	case idle, v == nil && !g.TimerContext && releaseToAny(g, p, addr, forgets):
		return false
	}
	// A variable has the clock; or g is a timer context, whose snapshot needs one.
	v = p.lockFound(v, addr, true)
	if g.TimerContext {
		v.sync.ReleaseSnapshot(&g.relayed)
	} else {
		v.sync.Release(&g.Clock)
	}
	v.lock.Unlock()
	return false
}

// Set is Release for a timer: what the timer starts is charged to g's test.
func (g *Thread) Set(timer uintptr) {
	g.released++
	if g.TimerContext {
		g.Release(timer)
		return
	}
	if g.InCall {
		g.Clock.Hold()
	}
	p := g.Pages.Make(timer)
	if set := sides.Load() & allSides; set != 0 {
		releaseSides(g, p, timer, false, set)
	}
	// It is always a variable, for that has room for the test.
	v := p.lockVar(timer, true)
	v.sync.Release(&g.Clock)
	v.test = g.Test.P().ID()
	v.lock.Unlock()
}

// ReleaseMerge is Release, but earlier releases stay (racereleasemerge).
func (g *Thread) ReleaseMerge(addr uintptr) {
	g.released++
	mergeWith(g, addr, allSides)
}

// mergeWith is ReleaseMerge for the call clock and some side clocks. Its result is that of
// releaseWith.
func mergeWith(g *Thread, addr uintptr, with uint32) (inBlock bool) {
	p := g.Pages.Find(addr)
	if p == nil {
		p = makePageAt(addr)
	}
	if set := sides.Load() & with; set != 0 {
		releaseSides(g, p, addr, true, set)
	}
	if g.InAnyCall() {
		g.releaseInCall(p, addr)
		return false
	}
	if releasesAtOnce(g, p, addr) {
		return true
	}
	// The join of two releases has no room in a singleton clock, unless one knows the other.
	c, v, idle := g.singleton(p, addr, anywhere)
	switch {
	case c.m != nil:
		idle = c.releaseMerge(&g.Clock)
		inBlock = idle && c.spare == nil
		p.block(addr).lock.Unlock()
	case !g.TimerContext && v != nil && !idle:
		idle = v.sync.HasMerged(&g.Clock) // asked without a lock
	}
	if idle || c.m == nil && v == nil && !g.TimerContext && releaseToAny(g, p, addr, merges) {
		return inBlock
	}
	v = p.lockFound(v, addr, true)
	if g.TimerContext {
		v.sync.ReleaseMergeSnapshot(&g.relayed)
	} else {
		v.sync.ReleaseMerge(&g.Clock)
	}
	v.lock.Unlock()
	return false
}

// ReleaseAcquire exchanges g's clock with that of addr (racereleaseacquire). g learns what was
// released. The next acquirer learns what g did before, without that. It is for slots of buffered
// channels, where a send orders the receive, and the receive the next send.
func (g *Thread) ReleaseAcquire(addr uintptr) {
	g.released++
	p := g.Pages.Make(addr)
	if sides.Load()&allSides != 0 {
		exchangeSides(g, p, addr)
	}
	if g.InAnyCall() {
		// In a call, g learns what was released outside of calls, and releases in the call.
		g.acquire(p, addr)
		g.releaseInCall(p, addr)
		return
	}
	g.transfer(p, addr)
	if p.block(addr).tags.Load()&tagInCall != 0 && !g.TimerContext {
		g.acquireInCall(p, addr)
	}
}

// transfer is ReleaseAcquire for the call clock, outside of calls.
func (g *Thread) transfer(p *Page, addr uintptr) {
	if releasesAtOnce(g, p, addr) {
		return
	}
	// The address has one release after the exchange, too, so a singleton clock will do.
	c, v, idle := g.singleton(p, addr, inAnnex)
	switch {
	case c.m != nil:
		c.releaseAcquire(&g.Clock)
		p.block(addr).lock.Unlock()
		return
	case idle:
		return
	}
	v = p.lockFound(v, addr, true)
	if g.TimerContext {
		// A timer's channel. The context acquires at the next timer before it releases again.
		v.sync.ReleaseSnapshot(&g.relayed)
	} else {
		v.sync.ReleaseAcquire(&g.Clock)
	}
	v.lock.Unlock()
}

// AtomicRMW is the part of an atomic read-modify-write that comes before the operation: a goroutine
// that sees the written value comes after g. Acquire follows when the operation is done.
func (g *Thread) AtomicRMW(addr uintptr) {
	g.released++
	p := g.Pages.Make(addr)
	if sides.Load()&allSides != 0 {
		orderSides(g, p, addr)
	}
	if g.InAnyCall() {
		g.releaseInCall(p, addr) // the Acquire that follows does the rest
		return
	}
	if releasesAtOnce(g, p, addr) {
		return
	}
	// By the acquire g knows all that was released, so a release alone is the merge of both.
	c, v, idle := g.singleton(p, addr, anywhere)
	switch {
	case c.m != nil:
		c.acquire(&g.Clock)
		c.release(&g.Clock)
		p.block(addr).lock.Unlock()
		return
	case idle:
		return
	}
	if v == nil && !g.TimerContext && releaseToAny(g, p, addr, learns) {
		return
	}
	v = p.lockFound(v, addr, true)
	if g.TimerContext {
		v.sync.ReleaseMergeSnapshot(&g.relayed)
	} else {
		v.sync.Acquire(&g.Clock)
		v.sync.Release(&g.Clock)
	}
	v.lock.Unlock()
}
