// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package sync

import (
	"unsafe"

	"github.com/commutego/commute/internal/engine/deadlock"
	"github.com/commutego/commute/internal/engine/finding"
	"github.com/commutego/commute/internal/engine/host"
	"github.com/commutego/commute/internal/engine/instance"
	"github.com/commutego/commute/internal/engine/offheap"
	"github.com/commutego/commute/internal/engine/option"
	"github.com/commutego/commute/internal/engine/sideclock"
	"github.com/commutego/commute/internal/engine/source"
	"github.com/commutego/commute/internal/engine/stack"
	"github.com/commutego/commute/internal/engine/vclock"
)

// Locks are noted for deadlocks, and compared by the order clock. That is a side clock which has
// all synchronization but that of locks, from the first lock on that is taken while another one is
// held: what came before that doesn't matter.
//
// One order by locks is forced, though. If a goroutine starts another one, or the like, while it
// holds a lock, then whoever comes after that waits for the lock until the goroutine lets it go. So
// an order clock learns of a critical section in which something was released, if it knows of its
// begin already.

// TakeLock notes that g has taken a lock, which announces that at the address sync, and at also if
// that is not 0.
func (g *Thread) TakeLock(lock, sync, also uintptr, m deadlock.Mode, at deadlock.Place) {
	if !followsLocks() || g.TimerContext {
		acquireAt(g, sync, also)
		return
	}
	if g.holds.Holds() || m&deadlock.Shared != 0 && instance.Deadlocks.On() {
		g.holds.Purge(&instance.Deadlocks)
		// The clock is the one from before: g could have waited here, and known no more.
		g.holds.Wants(&instance.Deadlocks, lock, m, at, g.released, (*holdSink)(g))
	}
	acquireAt(g, sync, also)
	h := g.holds.Takes(&instance.Deadlocks, lock, m)
	h.At, h.Begin, h.Released = at, 0, g.released
	if OrderClocks() {
		c := &orderClock(g).Thread
		learnSections(c, lock)
		h.Begin = c.AccessEpoch()
	}
	g.holds.Began(h)
}

// LetLock notes that g is about to let a lock go, which announces that at the address sync.
func LetLock(g *Thread, lock, sync uintptr, m deadlock.Mode) {
	if !followsLocks() {
		if m&deadlock.Read != 0 {
			g.ReleaseMerge(sync)
		} else {
			g.Release(sync)
		}
		return
	}
	if !g.TimerContext {
		begin, released, held := g.holds.Gives(&instance.Deadlocks, lock, (*holdSink)(g))
		if OrderClocks() && !(held && released == g.released) {
			addSection(&orderClock(g).Thread, lock, begin)
		}
	}
	g.atLock = true
	if m&deadlock.Read != 0 {
		g.ReleaseMerge(sync)
	} else {
		g.Release(sync)
	}
	g.atLock = false
}

// followsLocks reports whether locks are noted. Addresses of 32 bits have no room for the mark of
// an order clock.
func followsLocks() bool { return wordBits == 64 && option.FollowsLocks() }

// acquireAt has g acquire what a lock announces. That orders nothing for the order clock.
func acquireAt(g *Thread, sync, also uintptr) {
	g.atLock = true
	g.Acquire(sync)
	if also != 0 {
		g.Acquire(also)
	}
	g.atLock = false
}

// orderClock is the order clock of g, which is started if g has none.
func orderClock(g *Thread) *sideclock.Clock {
	if !g.order.Started {
		g.order.Start(&instance.Orders, nil, false)
	}
	return &g.order
}

// forkOrderClock starts the order clock of child, which g has started.
func forkOrderClock(g, child *Thread) {
	if g == nil {
		child.order.Start(&instance.Orders, nil, false)
		return
	}
	child.order.Start(&instance.Orders, orderClock(g), g.TimerContext)
}

// A holdSink is what package deadlock asks of a goroutine.
type holdSink Thread

// Own reports whether the program itself takes a lock.
func (s *holdSink) Own(at *deadlock.Place) bool {
	for _, pc := range at.PCs {
		if taker := source.TakerOf(pc); taker != source.TakerUnknown {
			return taker == source.TakerProgram
		}
	}
	return false
}

// OrderClock is the order clock. All goroutines have one from now on.
func (s *holdSink) OrderClock() *vclock.Thread {
	if !OrderClocks() {
		SetOrderClocks(true)
	}
	return &orderClock((*Thread)(s)).Thread
}

// Capture fills in the stacks of a side, and who it is.
func (s *holdSink) Capture(d *deadlock.Side, held *deadlock.Place) {
	var pcs [stack.MaxDepth + stack.Outermost]uintptr
	n, elided := host.Callers(pcs[:], stack.Outermost)
	first := 0 // the functions of the lock are left out, as they are where held was taken
	for first < n-1 && source.TakerOf(pcs[first]) == source.TakerUnknown {
		first++
	}
	d.WantedStack = uintptr(unsafe.Pointer(stack.All.Put(pcs[first:n], elided)))
	if held != nil {
		for n = 0; n < len(held.PCs) && held.PCs[n] != 0; n++ {
			pcs[n] = held.PCs[n]
		}
		n += host.CallersFrom(pcs[n:], held.Frame, pcs[n-1])
		d.HeldStack = uintptr(unsafe.Pointer(stack.All.Put(pcs[:n], 0)))
	}
	d.Goid, d.Creator = host.Goid(), s.Creator
	d.Origin = uintptr(unsafe.Pointer(s.Origin.P()))
	d.Owner = uintptr(unsafe.Pointer(s.Test.P()))
}

// Report hands a cycle on.
func (s *holdSink) Report(c *deadlock.Cycle) { reportDeadlock(c) }

// reportDeadlock takes cycles. Tests have a function of their own.
var reportDeadlock = finding.Deadlock

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

// learnSections has a thread learn of the sections of a lock that come before what it does.
func learnSections(t *vclock.Thread, lock uintptr) {
	p := PageAt(lock)
	if p == nil {
		return
	}
	v := p.findVar(lock | uintptr(ofOrder))
	if v == nil {
		return
	}
	if v = p.lockFound(v, lock|uintptr(ofOrder), false); v == nil {
		return
	}
	if !v.sync.KnownTo(t) {
		v.sync.Acquire(t)
	}
	if l := v.ended.P(); l != nil {
		for i := range l.n {
			if s := &l.at[i]; t.Knows(s.begin) && !t.Knows(s.end.Epoch()) {
				t.Join(&s.end)
			}
		}
	}
	v.lock.Unlock()
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
