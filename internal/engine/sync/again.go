// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package sync

import (
	"sync/atomic"

	"github.com/commutego/commute/internal/engine/offheap"
	"github.com/commutego/commute/internal/engine/vclock"
)

// Most atomic operations of a goroutine are at the address of its last one, and tell it nothing: a
// flag is loaded that was set long ago, or a counter is added to that nobody else has. A goroutine
// remembers what it found there. As long as that is so, an operation is one look at the clock, and
// nothing is written that others read. What locks announce is remembered apart (lock.go).

// A lastAcquired is what was found at an acquire that told nothing. A goroutine never forgets an
// epoch that it knows, so it is good until the block's tags or the epoch have changed.
type lastAcquired struct {
	not   uintptr // the complement of the address
	was   uint64  // the epoch, 0 where nothing was released; the goroutine knows it
	epoch offheap.Ref[atomic.Uint64]
	block offheap.Ref[block]
	tags  uint32
}

// LearnsNothing reports that an acquire of addr would change nothing, and that nothing but call
// clocks follows it. A false answer may be wrong. The epoch is asked first, as in Acquire. Each
// atomic operation comes here, so it is inlined.
func LearnsNothing(g *Thread, addr uintptr) bool {
	l := &g.last
	return l.not == ^addr && l.epoch.P().Load() == l.was &&
		l.block.P().tags.Load() == l.tags && sides.Load() == 0
}

// ReleasesNothing reports that a release at addr, or an atomic operation, would change nothing, and
// counts it. An acquire would teach g nothing. A false answer may be wrong.
func ReleasesNothing(g *Thread) bool {
	if g.InCall || !g.WorksFor.Nil() || !vclock.ReleasedAt(&g.Clock, g.last.was) {
		return false
	}
	g.released++
	return true
}

// AcquireAtomic is Acquire for an atomic operation, and remembers what it has found. Where there
// was no page twice in a row, there is one from then on, to remember that nothing is there.
func AcquireAtomic(g *Thread, addr uintptr) {
	g.Acquire(addr)
	if g.TimerContext {
		return
	}
	p := g.Pages.Find(addr)
	if p == nil {
		if g.absent != addr {
			g.absent = addr
			return
		}
		p = makePageAt(addr)
	}
	if g.last.remember(g, p, addr); g.last.tags&tagInCall != 0 {
		g.last.not = 0 // what was released in calls is elsewhere
	}
}

// remember notes what there is to acquire at addr, in a page, if g knows it.
func (l *lastAcquired) remember(g *Thread, p *Page, addr uintptr) {
	b := p.block(addr)
	l.not = 0 // until the rest is there
	l.block, l.tags = offheap.To(b), b.tags.Load()
	i := tagged(l.tags, addr)
	if i < 0 && l.tags&tagOverflow != 0 {
		// A variable may be added that the tags don't show, unless the address has a singleton
		// clock, be it an empty one.
		if p.lockSingleton(b, i, addr, true) == nil {
			return
		}
		l.tags = b.tags.Load()
		i = tagged(l.tags, addr)
		b.lock.Unlock()
	}
	if i < 0 {
		l.was, l.epoch = 0, offheap.To(&g.none)
	} else {
		at := b.singletons[i].Epoch()
		l.was, l.epoch = at.Load(), offheap.To(at)
		if !b.has(i, addr) || l.was != 0 && !vclock.KnowsRelease(&g.Clock, l.was) {
			return
		}
	}
	l.not = ^addr
}
