// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package sync

import (
	"github.com/commutego/commute/internal/engine/instance"
	"github.com/commutego/commute/internal/engine/offheap"
	"github.com/commutego/commute/internal/engine/sideclock"
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
