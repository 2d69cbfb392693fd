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

	ended  clockSet // the ends of the complete sections
	base   clockSet // the ends of those whose points were forgotten
	points points
}

// several is the owner of a lock that several threads have taken.
const several = ^uint64(0)

const maxAllPoints = 1 << 18

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
	l.spin.Unlock()
	w.tracked.spin.Lock()
	if other := p.lock.Load(); other != nil { // another thread has come first
		lockSlab.Put(l)
		l = other
	} else {
		// Not before: a thread that has had l as its last lock, of the same address, takes it for
		// that again.
		host.PublishWord(&l.addr, addr)
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
// that has just begun is the first known section of the lock.
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
		if wrote && l.points.n > 0 {
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

// endsOpaque is moveAll at the end of an opaque section that excludes all others.
func (l *lock) endsOpaque(w *World, addr uintptr) {
	l.spin.Lock()
	if l.addr.Load() == addr {
		l.moved()
		if l.atomic.Load() == 0 { // else readers have points
			w.points.Add(-int32(l.points.shed()))
		}
	}
	l.spin.Unlock()
}

// forget forgets all points. Those that are made later come after all sections so far.
func (l *lock) forget(w *World) {
	if l.points.table.Nil() {
		return
	}
	l.dismissAll()
	w.points.Add(-int32(l.points.n))
	l.points.clear()
	l.known.Store(0)
	l.base.addSet(&l.ended)
	l.moved()
}

// find is the point of a place, nil if it is not known.
func (l *lock) find(o *place, c class, key uint64) *point {
	if l.points.table.Nil() {
		return nil
	}
	return l.points.find(hashOf(o, c, key), o, c, key)
}

// make is find, but makes the point if it is not known. It returns nil if there is no room.
func (l *lock) make(w *World, o *place, c class, key uint64) *point {
	h := hashOf(o, c, key)
	if p := l.points.find(h, o, c, key); p != nil {
		return p
	}
	if w.points.Load() >= maxAllPoints {
		return nil
	}
	p := pointSlab.Get()
	l.counter++
	p.place, p.generation = offheap.To(o), o.generation.Load()
	p.class, p.key, p.noted = c, key, false
	p.created++
	p.version, p.wide = l.counter, l.wide
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
	w.points.Add(1 - int32(l.points.add(h, p)))
	l.known.Store(1)
	return p
}
