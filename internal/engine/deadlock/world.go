// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package deadlock

import (
	"sync/atomic"

	"github.com/commutego/commute/internal/engine/offheap"
	"github.com/commutego/commute/internal/engine/vclock"
)

const (
	blockBits = 10 // locks are found by blocks of 1 KB
	buckets   = 1 << 12
	maxUses   = 1 << 16 // in all
	maxOut    = 32      // of one lock
)

// A World is one execution: the locks that were taken while others were held, by their addresses.
type World struct {
	on      atomic.Uint32
	handed  atomic.Uint32 // how often a lock was let go by another goroutine than had taken it
	threads atomic.Uint64
	// freed counts, for the blocks with a hash, how often memory was freed as a whole, and some
	// the locks that there are.
	freed [buckets]atomic.Uint32
	some  [buckets]atomic.Uint32
	// places counts uses by a hash of their places, and marks says what a lock is in a use.
	places [buckets]atomic.Uint32
	marks  [4 * buckets]atomic.Uint32

	late late // memory that was freed while the lock was taken

	spin   offheap.Lock // guards what follows; see lock
	bucket [buckets]offheap.Ref[lock]
	uses   int
	// sections has the sections that are under way, and in which something was released.
	sections [maxSections]section
	top      int // no section is at or above
	crowded  int // sections for which there is no room
}

// A lock is what is known of a lock.
type lock struct {
	addr   uintptr
	serial uint64 // moves when the record becomes another lock's
	freed  uint32 // the number of its block
	roles  role   // in uses so far
	handed bool
	next   offheap.Ref[lock]
	out    offheap.Ref[use] // that hold it, the last one first
	nOut   int
	// writers are those that lock it, the last one first.
	writers offheap.Ref[use]
	nWrite  int
}

// A gate is a lock that is held by a thread: the one that makes a use, or one that may wait for it.
type gate struct {
	lock   uintptr
	read   bool
	thread uint64
}

// A use is a goroutine that takes a lock while it holds another one, or a writer.
type use struct {
	Side
	next       offheap.Ref[use]
	thread     uint64
	clock      vclock.Snapshot
	begin      vclock.Epoch // when what its clock has for itself began
	from, to   offheap.Ref[lock]
	fromSerial uint64
	toSerial   uint64
	n          int
	held       [maxHeld]gate
	passed     [maxPassed]gate // locks that it had let go since it held nothing
	nPassed    int
	inherits   bool // some of held are of others, who may wait for the goroutine
	reported   bool // it is part of a cycle that was reported
}

var (
	locks  offheap.Slab[lock]
	uses   offheap.Slab[use]
	cycles offheap.Slab[Cycle]
)

// On reports whether there was a use.
func (w *World) On() bool { return w.on.Load() != 0 }

func bucketOf(addr uintptr) uint64 { return mix(addr>>blockBits, 1) % buckets }

// known is the lock at an address, nil if there is none. w.spin is held.
func (w *World) known(addr uintptr) *lock {
	b := bucketOf(addr)
	w.purge(b)
	for l := w.bucket[b].P(); l != nil; l = l.next.P() {
		if l.addr == addr {
			return l
		}
	}
	return nil
}

// lockAt is the lock at an address, made if it is not known. w.spin is held.
func (w *World) lockAt(addr uintptr) *lock {
	if l := w.known(addr); l != nil {
		return l
	}
	b := bucketOf(addr)
	l := locks.Get()
	*l = lock{addr: addr, serial: l.serial + 1, freed: w.freed[b].Load(), next: w.bucket[b]}
	w.bucket[b] = offheap.To(l)
	w.some[b].Add(1)
	return l
}

// purge forgets the locks of a bucket whose block was freed. w.spin is held.
func (w *World) purge(b uint64) {
	freed := w.freed[b].Load()
	for at := &w.bucket[b]; !at.Nil(); {
		if l := at.P(); l.freed != freed {
			w.forget(at, b)
		} else {
			at = &l.next
		}
	}
}

// forget forgets a lock. w.spin is held.
func (w *World) forget(at *offheap.Ref[lock], b uint64) {
	l := at.P()
	*at = l.next
	for u := l.out.P(); u != nil; {
		u = w.drop(u)
	}
	for u := l.writers.P(); u != nil; {
		u = w.drop(u)
	}
	l.serial++
	l.out, l.writers, l.addr = offheap.Ref[use]{}, offheap.Ref[use]{}, 0
	w.some[b].Add(^uint32(0))
	locks.Put(l)
}

// drop gives a use back, and returns the next one. w.spin is held.
func (w *World) drop(u *use) *use {
	next := u.next.P()
	w.uses--
	u.free()
	return next
}

func (u *use) free() {
	u.clock.Drop()
	uses.Put(u)
}

// find finds the locks of a use. It reports whether the use can count.
func (w *World) find(u *use) bool {
	w.lock()
	to := w.lockAt(u.Wanted)
	switch u.Held {
	case 0:
		w.give(to, written)
	case u.Wanted:
		w.give(to, repeated)
	default:
		w.give(to, second)
	}
	u.to, u.toSerial = offheap.To(to), to.serial
	ok := !to.handed && w.inherit(u)
	if u.Held != 0 {
		from := w.lockAt(u.Held)
		u.from, u.fromSerial = offheap.To(from), from.serial
		if from != to {
			w.give(from, first)
		}
		ok = ok && !from.handed
	}
	w.spin.Unlock()
	return ok
}

// alive reports whether the locks of a use are still there. w.spin is held.
func (u *use) alive(w *World) bool {
	to := u.to.P()
	return is(w, to, u.toSerial) && (u.Held == 0 || is(w, u.from.P(), u.fromSerial))
}

func is(w *World, l *lock, serial uint64) bool {
	return l.serial == serial && !l.handed && l.freed == w.freed[bucketOf(l.addr)].Load()
}

// hand notes that a goroutine lets a lock go that it doesn't hold. Whoever has taken it, the lock
// is of no interest from now on.
func (w *World) hand(addr uintptr) {
	w.lock()
	if l := w.lockAt(addr); !l.handed {
		l.handed = true
		w.handed.Add(1)
	}
	w.spin.Unlock()
}

// isHanded reports whether a lock was let go by another goroutine than had taken it.
func (w *World) isHanded(addr uintptr) bool {
	w.lock()
	handed := w.wasHanded(addr)
	w.spin.Unlock()
	return handed
}

// wasHanded is isHanded for a caller that holds w.spin.
func (w *World) wasHanded(addr uintptr) bool {
	if w.handed.Load() == 0 {
		return false
	}
	l := w.known(addr)
	return l != nil && l.handed
}

// add adds a use, and reports the cycles that it closes. It frees the use if it is not kept.
func (w *World) add(u *use, sink Sink) {
	c := cycles.Get()
	w.lock()
	kept := u.alive(w) && w.keep(u)
	found := kept && !u.reported && w.search(u, c)
	if !kept {
		u.free()
	}
	w.spin.Unlock()
	if found {
		sink.Report(c)
	}
	cycles.Put(c)
}

// keep puts a use into its list, in place of an earlier one that is alike. It reports whether there
// is room. w.spin is held.
func (w *World) keep(u *use) bool {
	list, n := &u.to.P().writers, &u.to.P().nWrite
	if u.Held != 0 {
		list, n = &u.from.P().out, &u.from.P().nOut
	}
	for at := list; !at.Nil(); {
		o := at.P()
		like := o.like(u)
		u.reported = u.reported || like && o.reported
		if last := *n >= maxOut && o.next.Nil(); like || last || !o.alive(w) {
			*at = offheap.To(w.drop(o))
			*n--
			continue
		}
		at = &o.next
	}
	if w.uses >= maxUses {
		return false
	}
	w.uses++
	*n++
	u.next = *list
	*list = offheap.To(u)
	return true
}

// like reports whether two uses differ in time only.
func (u *use) like(o *use) bool {
	if u.thread != o.thread || u.Wanted != o.Wanted || u.n != o.n || u.HeldRead != o.HeldRead ||
		u.WantedRead != o.WantedRead || u.nPassed != o.nPassed {
		return false
	}
	for i := range u.n {
		if u.held[i] != o.held[i] {
			return false
		}
	}
	for i := range u.nPassed {
		if u.passed[i] != o.passed[i] {
			return false
		}
	}
	return true
}

// Freed forgets the locks in memory that was freed: those addresses from lo to hi-1 for which free
// returns true, or all if free is nil. With a function free, the caller must not be in a function
// of this package. Without, it may be, as its stack may have to grow: so no lock is taken.
func (w *World) Freed(lo, hi uintptr, free func(addr uintptr) bool) {
	if w.on.Load()|w.handed.Load() == 0 || lo >= hi {
		return
	}
	first, last := lo>>blockBits, (hi-1)>>blockBits
	if last-first >= buckets {
		for b := range uint64(buckets) {
			w.freedBucket(b, lo, hi, free)
		}
		return
	}
	for block := first; block <= last; block++ {
		w.freedBucket(bucketOf(block<<blockBits), lo, hi, free)
	}
}

// freedBucket is Freed for one bucket.
func (w *World) freedBucket(b uint64, lo, hi uintptr, free func(addr uintptr) bool) {
	if w.some[b].Load() == 0 {
		return
	}
	if free == nil {
		w.void(freed{b, lo, hi})
		return
	}
	w.lock()
	for at := &w.bucket[b]; !at.Nil(); {
		if l := at.P(); l.addr-lo < hi-lo && free(l.addr) {
			w.forget(at, b)
		} else {
			at = &l.next
		}
	}
	w.spin.Unlock()
}
