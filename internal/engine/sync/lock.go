// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package sync

import (
	"github.com/commutego/commute/internal/engine/deadlock"
	"github.com/commutego/commute/internal/engine/offheap"
	"github.com/commutego/commute/internal/engine/vclock"
)

// What locks announce. Most often a goroutine takes and lets go a lock that it has taken before,
// and nobody has done so meanwhile who had anything to tell. Then it learns nothing, and tells
// nothing new. What it has found at the last locks is remembered as with atomic operations
// (again.go), by the address: that of a reader of an RWMutex differs from a writer's. Where
// accesses to memory are watched nobody asks, as each lock is followed there.

// AcquireLock is Acquire for what a lock announces, and remembers what it has found, if one look at
// the block doesn't tell that (look.go).
func AcquireLock(g *Thread, addr uintptr) {
	acquireWith(g, addr, lockSides)
	if g.TimerContext || WatchMemory {
		return
	}
	p := g.Pages.Find(addr)
	if p == nil || p.block(addr).find(addr) >= 0 && !WeakClocks() {
		return // one look at the block will tell
	}
	if g.locks.seen.note(addr) || g.locks.find(addr) != nil {
		noteLock(g, p, addr, &g.locks.last)
	}
}

// TookLast reports whether TakesQuick or TakesOrdered may do anything. It is inlined.
func TookLast(g *Thread, addr uintptr) bool { return g.locks.last.not == ^addr && !g.holds.Holds() }

// HoldsAlone reports whether LetsQuick may do anything. It is inlined.
func HoldsAlone(g *Thread, lock uintptr) bool { return !g.InCall && g.holds.HoldsAlone(lock) }

// TakesQuick does all that the hook of a lock does, where g holds no other one, has taken that one
// last, and learns nothing. The result is where to note the place; if it is nil, nothing was done.
// Most locks end here. It calls no function, so it needs no frame.
func TakesQuick(g *Thread, lock, addr uintptr, m deadlock.Mode) *deadlock.Place {
	l := &g.locks.last
	if l.not != ^addr || l.epoch.P().Load() != l.was || l.word.P().Load() != l.had ||
		l.flags&flagInCall != 0 && !g.InCall || !FollowsLocks() {
		return nil
	}
	if set := sides.Load(); set != 0 &&
		(set != orderClocks || lock != addr || l.flags&flagOrder != 0) {
		return nil
	}
	return TakesAlone(g, lock, m)
}

// TakesOrdered is TakesQuick where there may be sections of the lock, for the order clock.
func TakesOrdered(g *Thread, lock, addr uintptr, m deadlock.Mode) *deadlock.Place {
	l := &g.locks.last
	if sides.Load() != orderClocks || !l.holds(addr) ||
		l.flags&flagInCall != 0 && !g.InCall || !FollowsLocks() ||
		mayHaveSections(g, lock) && !knowsSections(g, lock) {
		return nil
	}
	return TakesAlone(g, lock, m)
}

// LetsQuick does all that the hook of a lock does that TakesQuick has told of, where nothing is to
// be told. It returns false, and does nothing, where that isn't so.
func LetsQuick(g *Thread, lock, addr uintptr) bool {
	l := &g.locks.last
	if g.InCall || l.not != ^addr || l.epoch.P().Load() != l.was ||
		l.word.P().Load() != l.had || sides.Load()&lockSides != 0 || !g.WorksFor.Nil() ||
		!vclock.ReleasedAt(&g.Clock, l.was) {
		return false
	}
	return g.holds.GivesAlone(lock, g.released)
}

// TakesAgain reports that AcquireLock would change nothing, nor learnSections after it. A false
// answer may be wrong. In a call g doesn't learn what was released in calls. Order clocks and weak
// clocks may follow. The lock announces that it is taken at addr, and at also if that is not 0.
func TakesAgain(g *Thread, lock, addr, also uintptr) bool {
	set := sides.Load()
	if set&^(orderClocks|weakClocks) != 0 || !takesAgain(g, addr, set) ||
		also != 0 && !takesAgain(g, also, set) {
		return false
	}
	return set&orderClocks == 0 || !mayHaveSections(g, lock) || knowsSections(g, lock)
}

// takesAgain reports that an acquire for a lock at an address would change nothing for the call
// clock and the weak clock.
func takesAgain(g *Thread, addr uintptr, set uint32) bool {
	l := &g.locks.last
	if l.not != ^addr || !l.holds(addr) {
		if set&weakClocks == 0 && takenBefore(g, addr) {
			return true
		}
		l = g.locks.find(addr)
	}
	return l != nil && l.holds(addr) && (l.flags&flagInCall == 0 || g.InCall) &&
		(set&weakClocks == 0 || knownWeak(g, addr) != nil)
}

// ReleaseLock is Release for what a lock announces.
func ReleaseLock(g *Thread, addr uintptr) {
	if !releaseWith(g, addr, lockSides) || WeakClocks() {
		rememberLet(g, addr)
	}
}

// ReleaseMergeLock is ReleaseMerge for what a lock announces.
func ReleaseMergeLock(g *Thread, addr uintptr) {
	if !mergeWith(g, addr, lockSides) || WeakClocks() {
		rememberLet(g, addr)
	}
}

// rememberLet notes what there is at an address that g has released to, if g comes back to it, and
// one look at its block doesn't tell. Of a mutex that is clear when it is taken again.
func rememberLet(g *Thread, addr uintptr) {
	if g.TimerContext || WatchMemory || g.InAnyCall() {
		return
	}
	if g.locks.find(addr) == nil && (g.locks.seen.has(addr) || !g.locks.seen.note(^addr)) {
		return
	}
	p := g.Pages.Make(addr)
	if l := noteLock(g, p, addr, &g.locks.let); l.not == 0 {
		g.mergedVar = offheap.To(p.findVar(addr))
	}
}

// LetsKnown reports that ReleaseLock, or ReleaseMergeLock if merge is set, would change nothing. A
// false answer may be wrong.
func LetsKnown(g *Thread, addr uintptr, merge bool) bool {
	set := sides.Load() & lockSides
	if set&^weakClocks != 0 || g.InCall || !g.WorksFor.Nil() {
		return false
	}
	if set == 0 {
		if l := &g.locks.let; l.holds(addr) && vclock.ReleasedAt(&g.Clock, l.was) {
			return true
		}
		if idle, sure := letBefore(g, addr); sure {
			return idle
		}
	}
	if l := g.locks.find(addr); l != nil {
		return l.holds(addr) && vclock.ReleasedAt(&g.Clock, l.was) &&
			(set == 0 || knownWeak(g, addr) != nil && releasedWeak(g, addr))
	}
	v := g.mergedVar.P()
	return set == 0 && merge && v != nil && v.addr.Load() == addr && v.sync.HasMerged(&g.Clock)
}
