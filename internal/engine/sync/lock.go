// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package sync

import (
	"github.com/commutego/commute/internal/engine/deadlock"
	"github.com/commutego/commute/internal/engine/instance"
	"github.com/commutego/commute/internal/engine/offheap"
	"github.com/commutego/commute/internal/engine/vclock"
)

// What locks announce. Most often a goroutine takes and lets go the lock that was its last one, and
// nobody has done so meanwhile who had anything to tell. Then it learns nothing, and tells nothing
// new. What it has found last is remembered as with atomic operations (again.go): where it has
// taken a lock, and where it has let one go. For a reader of an RWMutex these addresses differ.
// Where accesses to memory are watched nobody asks, as each lock is followed there.

// AcquireLock is Acquire for what a lock announces.
func AcquireLock(g *Thread, addr uintptr) {
	acquireWith(g, addr, lockSides)
	if g.TimerContext || WatchMemory {
		return
	}
	if p := g.Pages.Find(addr); p != nil {
		g.taken.remember(g, p, addr)
	}
}

// TakesKnown reports that AcquireLock would change nothing, nor learnSections after it. A false
// answer may be wrong. In a call g doesn't learn what was released in calls. Each lock asks, so it
// is inlined.
func TakesKnown(g *Thread, addr uintptr) bool {
	l := &g.taken
	return l.holds(addr) && (l.tags&tagInCall == 0 || g.InCall) && sides.Load() == 0
}

// TakesNoOrder is TakesKnown where order clocks follow, and no other side clock; addr is where the
// lock announces that it is taken.
func TakesNoOrder(g *Thread, lock, addr uintptr) bool {
	l := &g.taken
	if sides.Load() != orderClocks || !l.holds(addr) || l.tags&tagInCall != 0 && !g.InCall {
		return false
	}
	p := g.Pages.Find(lock)
	return p == nil || p.block(lock).tags.Load()&tagOrder == 0 || g.takenOrder.holds(lock)
}

// TakesAlone is TakeLock for a caller that TakesKnown has told so. It is inlined.
func TakesAlone(g *Thread, lock uintptr, m deadlock.Mode) *deadlock.Place {
	return g.holds.TakesAlone(&instance.Deadlocks, lock, m, g.released)
}

// ReleaseLock is Release for what a lock announces.
func ReleaseLock(g *Thread, addr uintptr) {
	releaseWith(g, addr, lockSides)
	rememberLet(g, addr)
}

// ReleaseMergeLock is ReleaseMerge for what a lock announces.
func ReleaseMergeLock(g *Thread, addr uintptr) {
	mergeWith(g, addr, lockSides)
	rememberLet(g, addr)
}

// rememberLet notes what there is at an address that g has released to.
func rememberLet(g *Thread, addr uintptr) {
	if g.TimerContext || WatchMemory || g.InAnyCall() {
		return
	}
	p := g.Pages.Make(addr)
	g.let.remember(g, p, addr)
	switch {
	case g.let.not == 0:
		g.mergedVar = offheap.To(p.findVar(addr))
	case g.taken.not == ^addr:
		g.taken = g.let // so that the next one that takes the lock finds what g has left there
	}
}

// LetsKnown reports that ReleaseLock, or ReleaseMergeLock if merge is set, would change nothing,
// and that no critical sections are followed. A false answer may be wrong.
func LetsKnown(g *Thread, addr uintptr, merge bool) bool {
	switch {
	case sides.Load()&lockSides != 0:
		return false
	case g.InCall || !g.WorksFor.Nil():
		return false
	case g.let.not == ^addr:
		return g.let.holds(addr) && vclock.ReleasedAt(&g.Clock, g.let.was)
	case merge:
		v := g.mergedVar.P()
		return v != nil && v.addr.Load() == addr && v.sync.HasMerged(&g.Clock)
	}
	return false
}
