// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package sync

import (
	"github.com/commutego/commute/internal/engine/offheap"
	"github.com/commutego/commute/internal/engine/vclock"
)

// A goroutine that takes one lock inside of another one, or a few in turns, remembers what it has
// found at several: a list of its own has room for them, which most goroutines don't need.

// knownLocks is what a goroutine remembers of locks.
type knownLocks struct {
	last   lastAcquired // of the lock that was taken last
	let    lastAcquired // of the one that was let go last, if it announces that elsewhere
	seen   sightings    // where it has taken locks, and the complements of where it has let them go
	others uint32       // how often something else was to be noted, up to few
	// The lock of which no lockRepeat is asked for, so often from now on.
	rest    uint32
	resting uintptr
	more    offheap.Ref[lockList]
}

// few is how often a goroutine does without a list before it has one: many live only for less.
const few = 64

// A lockList is what a goroutine remembers besides the last lock and the last atomic operation.
type lockList struct {
	locks    acquiredList // before the last one
	weak     acquiredList // what the weak clock has found, of locks and atomic operations
	sections [4]knownSections
	next     int // of sections, the one that makes room

	atomics    [4]knownAtomic // before the last one
	nextAtomic int

	fresh     [4]freshPlace
	nextFresh int

	repeats lockRepeats
}

// An acquiredList is what was found at a few addresses.
type acquiredList struct {
	at    [4]lastAcquired
	found [4]bool // it was of use since next has passed it
	next  int     // the one that makes room
}

var lockLists offheap.Slab[lockList]

// find is what was found at an address, nil if that is not in the list.
func (a *acquiredList) find(addr uintptr) *lastAcquired {
	for i := range a.at {
		if l := &a.at[i]; l.not == ^addr {
			a.found[i] = true
			return l
		}
	}
	return nil
}

// room is the place of one that was of no use of late.
func (a *acquiredList) room() *lastAcquired {
	for a.found[a.next] {
		a.found[a.next] = false
		a.next = (a.next + 1) % len(a.at)
	}
	l := &a.at[a.next]
	a.next = (a.next + 1) % len(a.at)
	return l
}

// find is what is remembered of an address where locks announce, nil if there is nothing.
func (k *knownLocks) find(addr uintptr) *lastAcquired {
	switch ^addr {
	case k.last.not:
		return &k.last
	case k.let.not:
		return &k.let
	}
	if m := k.more.P(); m != nil {
		return m.locks.find(addr)
	}
	return nil
}

// place is where to note what there is at an address: at last, which is one of k's, if there is no
// other place.
func (k *knownLocks) place(addr uintptr, last *lastAcquired) *lastAcquired {
	if l := k.find(addr); l != nil {
		return l
	}
	if last.not != 0 && k.wantsList() {
		*k.list().locks.room() = *last
	}
	return last
}

// wantsList reports whether there is a list, or may be one by now.
func (k *knownLocks) wantsList() bool {
	if k.others < few {
		k.others++
		return false
	}
	return true
}

// list is the list, which is made if there is none.
func (k *knownLocks) list() *lockList {
	m := k.more.P()
	if m == nil {
		m = lockLists.Get()
		*m = lockList{}
		k.more = offheap.To(m)
	}
	return m
}

// forget forgets all locks.
func (k *knownLocks) forget() {
	k.last.not, k.let.not, k.seen, k.others, k.resting = 0, 0, 0, 0, 0
	if m := k.more.P(); m != nil {
		lockLists.Put(m)
		k.more = offheap.Ref[lockList]{}
	}
}

// noteLock notes what there is to acquire at an address where a lock announces: all of it is known
// to g, or was released by it. Last is where to note it at the latest.
func noteLock(g *Thread, p *Page, addr uintptr, last *lastAcquired) *lastAcquired {
	l := g.locks.place(addr, last)
	l.remember(g, p, addr)
	noteWeak(g, p, addr)
	return l
}

// noteWeak notes what there is for the weak clock to acquire at an address.
func noteWeak(g *Thread, p *Page, addr uintptr) {
	if !WeakClocks() || !apart(g, addr) || !g.locks.wantsList() {
		return
	}
	a := &g.locks.list().weak
	l := a.find(addr)
	if l == nil {
		l = a.room()
	}
	l.rememberClock(&g.Weak.Clock.P().Thread, p, addr, addr|uintptr(ofWeak), &g.none)
}

// knownWeak is what the weak clock has found at an address, if nothing has changed there and the
// goroutine has nothing to do with critical sections; else nil.
func knownWeak(g *Thread, addr uintptr) *lastAcquired {
	if m := g.locks.more.P(); m != nil && apart(g, addr) {
		if l := m.weak.find(addr); l != nil && l.holds(addr) {
			return l
		}
	}
	return nil
}

// releasedWeak reports that a release at an address would change nothing for the weak clock, where
// knownWeak has told so of an acquire.
func releasedWeak(g *Thread, addr uintptr) bool {
	m := g.locks.more.P()
	if m == nil {
		return false
	}
	l := m.weak.find(addr)
	return l != nil && vclock.ReleasedAt(&g.Weak.Clock.P().Thread, l.was)
}
