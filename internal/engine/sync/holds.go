// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package sync

import (
	"unsafe"

	"github.com/commutego/commute/internal/engine/compiled"
	"github.com/commutego/commute/internal/engine/deadlock"
	"github.com/commutego/commute/internal/engine/finding"
	"github.com/commutego/commute/internal/engine/host"
	"github.com/commutego/commute/internal/engine/instance"
	"github.com/commutego/commute/internal/engine/option"
	"github.com/commutego/commute/internal/engine/source"
	"github.com/commutego/commute/internal/engine/stack"
	"github.com/commutego/commute/internal/engine/vclock"
)

// Locks are noted for deadlocks, and compared by the order clock (orderclock.go).

// TakeLock notes that g has taken a lock. The result is where to note at which place, if g holds no
// other lock. If it is nil, g may hold some, and the caller calls NextPlace and TakeNext.
func TakeLock(g *Thread, lock uintptr, m deadlock.Mode) *deadlock.Place {
	if OrderClocks() {
		takeOrdered(g, lock)
	}
	return g.holds.TakesAlone(&instance.Deadlocks, lock, m, g.released)
}

// NextPlace returns where to note at which place g takes a lock, where TakeLock returns nil.
// TakeNext follows.
func NextPlace(g *Thread) *deadlock.Place { return g.holds.Next(&instance.Deadlocks) }

// TakeNext is TakeLock where that returns nil.
func TakeNext(g *Thread, lock uintptr, m deadlock.Mode) {
	// G could have waited here. It knows no more then, but for sections that have ended in any case
	// if it waits for another one.
	g.holds.Wants(&instance.Deadlocks, lock, m, g.released, (*holdSink)(g))
	if Covers() {
		coverLock(g, lock, m, g.holds.Wanted())
	}
	g.holds.Takes(&instance.Deadlocks, lock, m, g.released)
}

// TakesAlone is TakeLock for a caller that TakesKnown has told so. It is inlined.
func TakesAlone(g *Thread, lock uintptr, m deadlock.Mode) *deadlock.Place {
	return g.holds.TakesAlone(&instance.Deadlocks, lock, m, g.released)
}

// LetLock notes that g is about to let a lock go.
func LetLock(g *Thread, lock uintptr) {
	if !LetAlone(g, lock) {
		LetOther(g, lock)
	}
}

// LetAlone is LetLock, and returns true, where nothing else was done since g has taken the lock.
func LetAlone(g *Thread, lock uintptr) bool { return g.holds.GivesAlone(lock, g.released) }

// LetLast is LetAlone for a lock that was taken inside of others, and last.
func LetLast(g *Thread, lock uintptr) bool { return g.holds.GivesLast(lock, g.released) }

// LetOther is LetLock where that returns false.
func LetOther(g *Thread, lock uintptr) {
	begin, released, held := g.holds.Gives(&instance.Deadlocks, lock, (*holdSink)(g))
	if !OrderClocks() || held && released == g.released || g.order.Nil() {
		return
	}
	if c := &g.order.P().Thread; begin == 0 || vclock.LearnedAfter(c, begin) {
		addSection(c, lock, begin)
	}
}

// FollowsLocks reports whether locks are noted. Without frame pointers it can't be told who takes
// them. All ports that have those have room in addresses for the mark of an order clock.
func FollowsLocks() bool { return host.FramePointers && option.FollowsLocks() }

// A holdSink is what package deadlock asks of a goroutine.
type holdSink Thread

// Own reports whether the program itself takes a lock.
func (s *holdSink) Own(at *deadlock.Place) bool {
	for _, pc := range at.PCs {
		if pc == 0 {
			break
		}
		if taker := source.TakerOf(pc); taker != source.TakerUnknown {
			return taker == source.TakerProgram
		}
	}
	return false
}

// Fresh reports whether the source says of a lock that is taken that nobody else knows it yet. All
// calls on the line must be so. G remembers what it has found at a few places.
func (s *holdSink) Fresh(at *deadlock.Place) bool {
	if !s.locks.wantsList() {
		return freshFrom(at)
	}
	m := s.locks.list()
	packages := source.Registered.N.Load()
	for i := range m.fresh {
		if f := &m.fresh[i]; f.pcs == at.PCs && f.packages == packages {
			return f.fresh
		}
	}
	f := &m.fresh[m.nextFresh]
	m.nextFresh = (m.nextFresh + 1) % len(m.fresh)
	*f = freshPlace{at.PCs, packages, freshFrom(at)}
	return f.fresh
}

// A freshPlace is what Fresh has found when so many packages were registered; 0 is no number.
type freshPlace struct {
	pcs      [3]uintptr
	packages uint32
	fresh    bool
}

// freshFrom is Fresh without what is remembered.
func freshFrom(at *deadlock.Place) bool {
	for _, pc := range at.PCs {
		if pc == 0 {
			break
		}
		for i := 0; ; i++ {
			fr, ok := host.FrameAt(pc, i)
			if !ok {
				break
			}
			if !source.IsStd(fr) {
				return freshAt(fr)
			}
		}
	}
	return false
}

// freshAt is Fresh for the place of a call.
func freshAt(fr host.Frame) bool {
	known, other := false, false
	for _, method := range [...]string{"Lock", "RLock", "TryLock", "TryRLock"} {
		source.Sites(fr, method, func(s *compiled.Site) {
			known = true
			other = other || !s.Fresh
		})
	}
	return known && !other
}

// OrderClock is the order clock. Goroutines have one from now on.
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
