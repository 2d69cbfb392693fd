// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package section

import (
	"sync/atomic"

	"github.com/commutego/commute/internal/engine/host"
	"github.com/commutego/commute/internal/engine/offheap"
	"github.com/commutego/commute/internal/engine/vclock"
)

// A lock is what is known of a lock of the program, and of the points that its sections touch.
// Its field spin guards all others but addr. Where two threads are in sections of the lock at
// once, as readers, they come one after the other here.
type lock struct {
	addr atomic.Uintptr // where its acquires are announced, 0 if the record is free
	// owner is the number of the only thread with sections so far, several if there were.
	owner atomic.Uint64
	spin  offheap.Lock
	lo    uintptr
	hi    uintptr

	atomic atomic.Uint32 // 1 if it is the address of atomic operations: see atomic.go
	order  offheap.Lock  // held while one is made, but not by a reader
	// readers are the active readers of that variable: see reader.go.
	readers offheap.AtomicRef[reader]

	counter uint64 // the last version that was given to a point
	// wide is the version of all: it moves when an opaque section may have changed anything.
	wide uint64
	// changes moves with each change of a point, and with wide.
	changes atomic.Uint64

	// While one thread alone has had sections, those outside of activations are not recorded: alone
	// says that there were some, and upTo is its epoch at the last one that ended has. What the
	// points of the lock have seen of them, base has.
	alone bool
	upTo  atomic.Uint64
	// known says that there are points.
	known atomic.Uint32

	ended   clockSet // the ends of the complete sections
	base    clockSet // the ends of those whose points were forgotten
	log     uint     // 1<<log lists of points
	buckets offheap.Ref[offheap.Ref[point]]
	n       int // points
}

// several is the owner of a lock that several threads have taken.
const several = ^uint64(0)

const (
	smallestTable = 3
	maxPoints     = 1 << 13 // of a lock
	maxAllPoints  = 1 << 18
)

var arrays offheap.Arrays

// lockAt returns the lock whose acquires are announced at an address, and makes it if it is not
// known: it has the bytes from lo to hi-1.
func (w *World) lockAt(addr, lo, hi uintptr) *lock {
	p := w.place(addr)
	if l := p.lock.Load(); l != nil {
		return l
	}
	l := lockSlab.Get()
	l.spin.Lock()
	l.lo, l.hi, l.counter, l.wide = lo, hi, 0, 0
	l.ended.clear()
	l.base.clear()
	l.owner.Store(0)
	l.atomic.Store(0)
	l.readers.Store(nil)
	l.alone = false
	l.upTo.Store(0)
	host.PublishWord(&l.addr, addr)
	l.spin.Unlock()
	w.tracked.spin.Lock()
	if other := p.lock.Load(); other != nil { // another thread has come first
		host.PublishWord(&l.addr, 0)
		lockSlab.Put(l)
		l = other
	} else {
		p.lock.Store(l)
	}
	w.unlockPlaces()
	return l
}

// knownLock is the lock whose acquires are announced at an address, nil if it is not known.
func (w *World) knownLock(addr uintptr) *lock {
	if p := w.tracked.find(addr); p != nil {
		return p.lock.Load()
	}
	return nil
}

// drop forgets a lock whose memory was freed.
func (l *lock) drop(w *World) {
	l.spin.Lock()
	host.PublishWord(&l.addr, 0)
	l.forget(w)
	l.ended.clear()
	l.base.clear()
	l.spin.Unlock()
	lockSlab.Put(l)
}

// Shared says that another goroutine has taken the lock before sections were followed. The section
// that has just begun is the first one that is known of the lock.
func Shared(t *Thread) {
	s := t.state.P()
	s.held[s.nHeld-1].lock.P().owner.Store(several)
	if o := &s.section; o.on && o.alone {
		o.alone = false
		o.begin = t.clock.P().Tick()
	}
}

// endAlone ends a section that is not recorded.
func (l *lock) endAlone(addr uintptr, clock *vclock.Thread, wrote bool) {
	upToDate := vclock.Epoch(l.upTo.Load()) == clock.Now()
	if upToDate && (!wrote || l.known.Load() == 0) {
		return // there is nothing new to keep
	}
	l.spin.Lock()
	if l.addr.Load() == addr {
		l.alone = true
		if !upToDate {
			l.upTo.Store(uint64(clock.Tick()))
			l.ended.add(clock)
		}
		if wrote && l.n > 0 {
			l.moved()
		}
	}
	l.spin.Unlock()
}

// endsAlone notes that a section is recorded: what came before it is in base.
func (l *lock) endsAlone() {
	if l.alone {
		l.alone = false
		l.upTo.Store(0)
		l.base.clear()
		l.base.addSet(&l.ended)
	}
}

// list is the list of points with a hash.
func (l *lock) list(h uint64) *offheap.Ref[point] {
	return at(l.buckets, uintptr(h>>(64-l.log)))
}

// forget forgets all points. Those that are made later come after all sections so far.
func (l *lock) forget(w *World) {
	if l.n == 0 && l.buckets.Nil() {
		return
	}
	l.dismissAll()
	for i := range uintptr(1) << l.log {
		for p := at(l.buckets, i).P(); p != nil; {
			next := p.next.P()
			p.free()
			p = next
		}
	}
	arrays.Put(pointerTo(l.buckets), l.log)
	w.points.Add(-int32(l.n))
	l.buckets, l.n = offheap.Ref[offheap.Ref[point]]{}, 0
	l.known.Store(0)
	l.base.addSet(&l.ended)
	l.moved()
}

// find is the point of a place, nil if it is not known.
func (l *lock) find(o *place, c class, key uint64) *point {
	if l.buckets.Nil() {
		return nil
	}
	h := hashOf(o, c, key)
	p := l.list(h).P()
	for p != nil && (p.place.P() != o || p.class != c || p.key != key ||
		p.generation != o.generation.Load()) {
		p = p.next.P()
	}
	return p
}

// make is find, but makes the point if it is not known. It returns nil if there is no room.
func (l *lock) make(w *World, o *place, c class, key uint64) *point {
	if p := l.find(o, c, key); p != nil {
		return p
	}
	if w.points.Load() >= maxAllPoints {
		return nil
	}
	switch {
	case l.buckets.Nil():
		l.log = smallestTable
		l.buckets = newBuckets(l.log)
	case l.n == 2<<l.log:
		l.grow(w)
	}
	p := pointSlab.Get()
	l.counter++
	p.place, p.generation = offheap.To(o), o.generation.Load()
	p.class, p.key = c, key
	p.created, p.version, p.wide = l.counter, l.counter, l.wide
	p.value, p.certain, p.by, p.changed = Unknown, false, 0, 0
	p.acts.n, p.links.n = 0, 0
	p.written.clear()
	p.read.clear()
	if l.base.n != 0 || !l.base.more.Empty() {
		p.written.addSet(&l.base)
	}
	if c == length || c == all {
		p.written.addSet(&l.ended) // what sections did to it was not noted so far
	}
	at := l.list(hashOf(o, c, key))
	p.next = *at
	*at = offheap.To(p)
	l.n++
	l.known.Store(1)
	w.points.Add(1)
	return p
}

// grow makes the table larger, and leaves out the points of memory that was freed.
func (l *lock) grow(w *World) {
	old, log := l.buckets, l.log
	if l.log < 40 {
		l.log++
	}
	l.buckets = newBuckets(l.log)
	for i := range uintptr(1) << log {
		for p := at(old, i).P(); p != nil; {
			next := p.next.P()
			if o := p.place.P(); p.generation == o.generation.Load() {
				to := l.list(hashOf(o, p.class, p.key))
				p.next = *to
				*to = offheap.To(p)
			} else {
				p.free()
				l.n--
				w.points.Add(-1)
			}
			p = next
		}
	}
	arrays.Put(pointerTo(old), log)
}
