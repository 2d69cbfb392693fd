// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package sync

import (
	"github.com/commutego/commute/internal/engine/instance"
	"github.com/commutego/commute/internal/engine/offheap"
	"github.com/commutego/commute/internal/engine/sideclock"
	"github.com/commutego/commute/internal/engine/vclock"
)

// The order clock is a side clock which has all synchronization but that of locks, from the first
// lock on that is taken while another one is held: what came before that doesn't matter. A
// goroutine has one once it knows of such a lock, or has released something while it held a lock.
//
// One order by locks is forced, though. If a goroutine starts another one, or the like, while it
// holds a lock, then whoever comes after that waits for the lock until the goroutine lets it go. So
// an order clock learns of a critical section in which something was released, if it knows of its
// begin already. The begin is the epoch of the first release in it. If nothing was learned since,
// who knows the begin knows all that there is.
//
// The functions below do for the order clock what the hook of their name does for the call clock.
// Where a goroutine has none, it knows nothing.

// orderClock is the order clock of g, which is started if g has none.
func orderClock(g *Thread) *sideclock.Clock {
	if g.order.Nil() {
		g.order = offheap.To(sideclock.New())
		if g.TimerContext {
			g.order.P().Started = true
		} else {
			g.order.P().Start(&instance.Orders, nil, false)
		}
	}
	return g.order.P()
}

// releasing reports whether g has anything to release. If it holds locks, it notes the release.
func releasing(g *Thread) bool {
	if g.holds.Fresh(g.released) {
		c := &orderClock(g).Thread
		if e := c.Pin(); g.holds.Nests(&instance.Deadlocks) {
			g.holds.Released(&instance.Deadlocks, c.AccessEpoch(), g.released)
		} else {
			g.holds.Released(&instance.Deadlocks, e, g.released)
		}
	}
	return !g.order.Nil()
}

// acquireOrder is Acquire.
func acquireOrder(g *Thread, p *Page, addr uintptr) {
	if !g.order.Nil() || p.hasClock(addr|uintptr(ofOrder)) {
		if p.acquireSide(orderClock(g), addr, ofOrder, g.TimerContext) {
			learnHeld(g)
		}
	}
}

// releaseOrder is Release, or ReleaseMerge if merge is set.
func releaseOrder(g *Thread, p *Page, addr uintptr, merge bool) {
	if releasing(g) {
		p.releaseSide(g.order.P(), addr, ofOrder, g.TimerContext, merge)
	} else if v, c := p.findClock(addr | uintptr(ofOrder)); (v != nil || c != nil) && !merge {
		if v = p.lockFound(v, addr|uintptr(ofOrder), false); v != nil {
			v.sync.Clear()
			v.lock.Unlock()
		}
	}
}

// exchangeOrder is ReleaseAcquire.
func exchangeOrder(g *Thread, p *Page, addr uintptr) {
	if releasing(g) || p.hasClock(addr|uintptr(ofOrder)) {
		if p.exchangeSide(orderClock(g), addr, ofOrder, g.TimerContext) {
			learnHeld(g)
		}
	}
}

// orderOrder is AtomicRMW.
func orderOrder(g *Thread, p *Page, addr uintptr) {
	if releasing(g) || p.hasClock(addr|uintptr(ofOrder)) {
		if p.orderSide(orderClock(g), addr, ofOrder, g.TimerContext) {
			learnHeld(g)
		}
	}
}

// forkOrder is Fork.
func forkOrder(g, child *Thread) {
	if releasing(g) {
		child.order = offheap.To(sideclock.New())
		child.order.P().Start(&instance.Orders, g.order.P(), g.TimerContext)
	}
}

// meetOrder is Rendezvous.
func meetOrder(g, h *Thread) {
	if a, b := releasing(g), releasing(h); a || b {
		orderClock(g).Thread.Rendezvous(&orderClock(h).Thread)
		learnHeld(g)
		learnHeld(h)
	}
}

// sections are critical sections of a lock in which something was released. Those that were
// forgotten, and those whose begin is not known, are in the clock of the variable.
type sections struct {
	n  int
	at [4]struct {
		begin vclock.Epoch
		end   vclock.Snapshot
	}
}

var sectionLists offheap.Slab[sections]

// addSection notes that a thread ends a section of a lock; begin is 0 if that is not known.
func addSection(t *vclock.Thread, lock uintptr, begin vclock.Epoch) {
	v := makePageAt(lock).sideVar(lock, ofOrder, true)
	t.AccessEpoch()
	if begin == 0 {
		v.sync.ReleaseMerge(t)
		v.lock.Unlock()
		return
	}
	l := v.ended.P()
	if l == nil {
		l = sectionLists.Get()
		l.n = 0
		v.ended = offheap.To(l)
	}
	if l.n == len(l.at) {
		v.sync.ReleaseMergeSnapshot(&l.at[0].end)
		l.at[0].end.Drop()
		l.n--
		for i := range l.n {
			l.at[i] = l.at[i+1]
		}
	}
	l.at[l.n].begin, l.at[l.n].end = begin, t.Snapshot()
	l.n++
	v.lock.Unlock()
}

// learnSections has g learn of the sections of a lock that come before what it does.
func learnSections(g *Thread, lock uintptr) {
	p := g.Pages.Find(lock)
	if p == nil || p.block(lock).more.Load() == nil {
		return
	}
	v, c := p.findClock(lock | uintptr(ofOrder))
	if v == nil && c == nil {
		return
	}
	if v = p.lockFound(v, lock|uintptr(ofOrder), false); v == nil {
		return
	}
	if !v.sync.Empty() {
		v.sync.Acquire(&orderClock(g).Thread)
	}
	if l := v.ended.P(); l != nil && !g.order.Nil() {
		t := &g.order.P().Thread
		for i := range l.n {
			if s := &l.at[i]; t.Knows(s.begin) && !t.Knows(s.end.Epoch()) {
				t.Join(&s.end)
			}
		}
	}
	v.lock.Unlock()
}

// learnHeld has g learn of the sections of the locks that it holds, where it may know more of their
// begins than before: they have ended, as g has the locks.
func learnHeld(g *Thread) {
	for i := 0; ; i++ {
		lock, ok := g.holds.Held(i)
		if !ok {
			return
		}
		learnSections(g, lock)
	}
}

// free gives the sections of a lock back.
func (l *sections) free() {
	if l == nil {
		return
	}
	for i := range l.n {
		l.at[i].end.Drop()
	}
	l.n = 0
	sectionLists.Put(l)
}
