// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package sync

import (
	"sync/atomic"

	"github.com/commutego/commute/internal/engine/offheap"
	"github.com/commutego/commute/internal/engine/vclock"
)

// A goroutine that comes to one address after the other, as to the locks of many objects or to
// counters in turns, remembers little that is of use. One look at the block of an address tells it
// mostly that there is nothing to do: the address has a singleton clock whose epoch it knows, or no
// clock. What it has found there takes the place of what it remembers of the last address.

// A look is what a goroutine has found in the block of an address.
type look struct {
	b   *block
	i   int    // the singleton clock of the address, -1 if it has no clock
	had uint32 // block.changes before that
	// The tags of the block, and the epoch of the clock, 0 if there is none.
	tags, was uint64
}

// looks looks at the block of an address. The result is false where the address may have a clock
// that is not in the block.
//
//bundle:inline
func (l *look) looks(p *Page, addr uintptr) bool {
	l.b = p.block(addr)
	l.had = l.b.changes.Load()
	l.tags = l.b.tags.Load()
	if l.i = tagged(l.tags, addr); l.i < 0 {
		l.was = 0
		return l.tags&tagOverflow == 0
	}
	l.was = l.b.singletons[l.i].Epoch().Load()
	return true
}

// known reports that an acquire by g would change nothing for the call clock. It takes no lock: as
// in Acquire, the clock is asked first, and then whether it was that of the address all the time.
//
//bundle:inline
func (l *look) known(g *Thread) bool {
	return (l.was == 0 || vclock.KnowsReleased(&g.Clock, l.was)) && l.b.tags.Load() == l.tags
}

// note has the last address be one of which known was true.
func (l *look) note(last *lastAcquired, addr uintptr, none *atomic.Uint64) {
	if l.i >= 0 {
		none = l.b.singletons[l.i].Epoch()
	}
	*last = lastAcquired{
		not: ^addr, was: l.was, epoch: offheap.To(none), word: offheap.To(&l.b.changes),
		had: l.had, flags: uint32(l.tags >> 32),
	}
}

// LooksKnown reports that an acquire of addr for an atomic operation would change nothing. A false
// answer may be wrong. Where there is no page, the second operation in a row has one made.
func LooksKnown(g *Thread, addr uintptr) bool {
	if sides.Load()&^orderClocks != 0 || g.TimerContext {
		return false
	}
	// While there are order clocks, LearnsNothing doesn't ask that.
	if l := &g.last; l.not == ^addr {
		if l.flags&flagOrder != 0 {
			return false
		} else if l.holds(addr) {
			return true
		}
	}
	p := g.Pages.Find(addr)
	if p == nil {
		return !g.returns.last.noteEnd(addr)
	}
	var l look
	if !l.looks(p, addr) || l.tags&(tagInCall|tagOrder) != 0 || !l.known(g) {
		return false
	}
	l.note(&g.last, addr, &g.none)
	return true
}

// LooksReleased reports that a release at addr would change nothing, nor an acquire of what was
// released outside of calls, and counts the release. If sure is set, a false answer is right.
func LooksReleased(g *Thread, addr uintptr) (idle, sure bool) {
	set := sides.Load()
	if g.InCall || !g.WorksFor.Nil() || g.TimerContext || set != 0 &&
		(set != orderClocks || !g.order.Nil() || g.holds.Fresh(g.released+1)) {
		return false, false
	}
	if l := &g.last; l.not == ^addr && l.flags&flagOrder != 0 {
		return false, false
	} else if l.holds(addr) {
		idle = vclock.ReleasedAt(&g.Clock, l.was)
	} else if p := g.Pages.Find(addr); p != nil {
		var l look
		if !l.looks(p, addr) || l.tags&tagOrder != 0 {
			return false, false
		}
		idle = l.upToDate(g)
	}
	if idle {
		g.released++
	}
	return idle, true
}

// upToDate reports that a release by g would change nothing for the call clock.
func (l *look) upToDate(g *Thread) bool {
	return l.was != 0 && vclock.ReleasedAt(&g.Clock, l.was) && l.b.tags.Load() == l.tags
}

// takenBefore reports that an acquire for a lock at addr would change nothing for the call clock. A
// false answer may be wrong. In a call, g doesn't learn what was released in calls.
func takenBefore(g *Thread, addr uintptr) bool {
	if g.TimerContext {
		return false
	}
	p := g.Pages.Find(addr)
	if p == nil {
		return true
	}
	var l look
	if !l.looks(p, addr) || l.tags&tagInCall != 0 && !g.InCall || !l.known(g) {
		return false
	}
	// A new lock has a clock when it is let go. It is another matter if nobody writes.
	if l.i >= 0 || g.locks.seen.noteEnd(addr) {
		l.note(&g.locks.last, addr, &g.none)
	}
	return true
}

// letBefore reports that a release at addr by g, which is in no call, would change nothing for the
// call clock. If sure is set, a false answer is right.
func letBefore(g *Thread, addr uintptr) (idle, sure bool) {
	p := g.Pages.Find(addr)
	if p == nil || g.TimerContext {
		return false, true
	}
	var l look
	if sure = l.looks(p, addr); !sure || !l.upToDate(g) {
		return false, sure
	}
	l.note(&g.locks.let, addr, nil)
	return true, true
}
