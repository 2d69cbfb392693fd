// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package sync

import (
	"github.com/commutego/commute/internal/engine/deadlock"
	"github.com/commutego/commute/internal/engine/instance"
	"github.com/commutego/commute/internal/engine/offheap"
	"github.com/commutego/commute/internal/engine/vclock"
)

// A goroutine that takes a lock inside of another one, or as a writer of an RWMutex, does so again
// and again at the same place of its program. Then all that is asked of the lock is in one record:
// what is known of its clocks, and how it was wanted.

// A lockRepeat is how a goroutine has taken a lock, when that told nothing.
type lockRepeat struct {
	lock     uintptr
	mode     deadlock.Mode
	apart    bool         // while at holds, no section of the lock is known
	vain     uint8        // how often there was reason to note it since it was of use
	at, also lastAcquired // where the lock announces; also.not is 0 if it is at one address
	wanted   deadlock.Repeat
}

const (
	logRepeats = 3
	inVain     = 8  // how often a lockRepeat is noted that is of no use; later each inVain-th time
	restFor    = 16 // how often it isn't even asked for then
)

// lockRepeats are such locks, each at one of two places by its hash. A lock that finds others in
// both takes one over at the second time in a row.
type lockRepeats struct {
	at   [1 << logRepeats]lockRepeat
	next [1 << logRepeats]uintptr
}

// place is the first place of a lock.
func (l *lockRepeats) place(lock uintptr) uint64 {
	return uint64(lock) * 0x9E3779B97F4A7C15 >> (64 - logRepeats)
}

// find is what is remembered of a lock, nil if there is nothing.
func (l *lockRepeats) find(lock uintptr) *lockRepeat {
	i := l.place(lock)
	if r := &l.at[i]; r.lock == lock {
		return r
	}
	if r := &l.at[i^1]; r.lock == lock {
		return r
	}
	return nil
}

// room is where to remember a lock of which there is nothing, nil if it has to come once more.
func (l *lockRepeats) room(lock uintptr) *lockRepeat {
	i := l.place(lock)
	switch {
	case l.at[i].lock == 0, l.next[i] == lock:
		return &l.at[i]
	case l.at[i^1].lock == 0:
		return &l.at[i^1]
	}
	l.next[i] = lock
	return nil
}

// TakesInside does what the hook of a lock has to do, if the goroutine has taken it in this way
// before, and nothing is to be learned or noted. The lock announces at addr, and at also if that is
// not 0. The result is where to note the place, nil if nothing was done.
func TakesInside(g *Thread, lock, addr, also uintptr, m deadlock.Mode) *deadlock.Place {
	list := g.locks.more.P()
	if list == nil {
		return nil
	}
	r := list.repeats.find(lock)
	if r == nil || r.mode != m || r.idle() || !r.tellsNothing(g, addr, also) {
		return nil
	}
	at := g.holds.TakesAgain(&instance.Deadlocks, &r.wanted, lock, m, g.released)
	if at != nil {
		r.vain = 0
	}
	return at
}

// idle reports whether a lockRepeat is of no use now. A lock that is taken inside of each of many
// others is wanted in another way each time.
func (r *lockRepeat) idle() bool { return r.vain > inVain && r.vain%inVain != 0 }

// rests reports that no lockRepeat is asked for, and counts that.
func (k *knownLocks) rests(lock uintptr) bool {
	if k.resting != lock {
		return false
	}
	if k.rest--; k.rest == 0 {
		k.resting = 0
	}
	return true
}

// MayTakeInside reports whether TakesInside may do anything. It is inlined.
func MayTakeInside(g *Thread, lock, also uintptr) bool {
	return !g.locks.more.Nil() && (also != 0 || g.holds.Holds()) && g.locks.resting != lock
}

// tellsNothing reports that TakesAgain would be true.
func (r *lockRepeat) tellsNothing(g *Thread, addr, also uintptr) bool {
	set := sides.Load()
	if set&^(orderClocks|weakClocks) != 0 || !r.at.holds(addr) || also != 0 && !r.also.holds(also) {
		return false
	}
	return (set&weakClocks == 0 ||
		knownWeak(g, addr) != nil && (also == 0 || knownWeak(g, also) != nil)) &&
		(r.apart || set&orderClocks == 0 || !mayHaveSections(g, r.lock) ||
			knowsSections(g, r.lock))
}

// NoteInside notes how g has taken a lock, by TakesAgain and TakeNext.
func NoteInside(g *Thread, lock, addr, also uintptr, m deadlock.Mode) {
	if g.locks.rests(lock) || !g.locks.wantsList() {
		return
	}
	l := &g.locks.list().repeats
	r := l.find(lock)
	if r == nil {
		if r = l.room(lock); r == nil {
			return
		}
		r.vain = 0
	} else if r.vain++; r.idle() {
		g.locks.resting, g.locks.rest = lock, restFor
		return
	}
	wanted, ok := g.holds.Repeat(&instance.Deadlocks, lock, m)
	if r.lock = 0; ok && r.note(g, lock, addr, also) {
		r.lock, r.mode, r.wanted = lock, m, wanted
	}
}

// note notes what g knows of the clocks of a lock. It returns false if that isn't all.
func (r *lockRepeat) note(g *Thread, lock, addr, also uintptr) bool {
	r.also = lastAcquired{}
	if !r.at.noteFor(g, addr) || also != 0 && !r.also.noteFor(g, also) {
		return false
	}
	p := g.Pages.Find(lock)
	r.apart = p != nil && r.at.word == offheap.To(&p.block(lock).changes) &&
		r.at.flags&flagOrder == 0
	return true
}

// noteFor notes what is known at an address where a lock announces, if g knows what there is, and
// nothing was released there in a call.
func (l *lastAcquired) noteFor(g *Thread, addr uintptr) bool {
	if at := g.locks.find(addr); at != nil {
		*l = *at
	} else if p := g.Pages.Find(addr); p != nil {
		l.remember(g, p, addr)
	} else {
		return false
	}
	return l.not != 0 && l.flags&flagInCall == 0
}

// HoldsMany reports whether LetsInside may do anything. It is inlined.
func HoldsMany(g *Thread) bool { return g.holds.Spreads() && !g.locks.more.Nil() }

// LetsInside does what the hook of a lock has to do that is let go, if nothing is to be told or
// noted, and the goroutine has taken the lock in a way that is remembered.
func LetsInside(g *Thread, lock, addr uintptr) bool {
	list := g.locks.more.P()
	if list == nil || sides.Load()&lockSides != 0 || g.InCall || !g.WorksFor.Nil() {
		return false
	}
	r := list.repeats.find(lock)
	return r != nil && r.at.holds(addr) && vclock.ReleasedAt(&g.Clock, r.at.was) &&
		g.holds.GivesLast(lock, g.released)
}
