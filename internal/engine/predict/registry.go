// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package predict

import (
	"sync/atomic"

	"github.com/commutego/commute/internal/engine/offheap"
	"github.com/commutego/commute/internal/engine/vclock"
)

// A CandidateSet is a set of candidates: 32 bits, and the serial of the last candidate that existed
// when they were set, in the upper half. A bit whose candidate has a later serial is void: the
// candidate that was meant has been dropped, and its index given to another.
type CandidateSet uint64

// A registry is what is known of the candidates of one execution. The lock guards all but the
// atomic words, which events read first: most find that no candidate concerns them, and take no
// lock.
type registry struct {
	lock          offheap.Lock
	busy          atomic.Uint32                 // the number of candidates and sections
	live          atomic.Uint32                 // the candidates that exist, a bit each
	open          atomic.Uint32                 // those of them that are open
	acquires      uint64                        // acquires while there were candidates
	freed         atomic.Uint32                 // candidates whose memory was freed, a bit each
	found         atomic.Uint32                 // the number of predictions to collect
	unknownEvents atomic.Uint32                 // events whose dependences aren't known
	filter        [256]atomic.Uint32            // by address: 1 if a candidate concerns it
	earliest      [256]atomic.Uint64            // by slot: the first time of a dependent or section
	begins        [256]atomic.Uint64            // by slot: the first time of open transactions
	pages         atomic.Uint64                 // a bit for each page of a candidate's address
	serial        atomic.Uint32                 // of the newest candidate
	candidate     [maxCandidates]candidate      // those that live says exist
	addr          [maxCandidates]atomic.Uintptr // their addresses, for readers without the lock
	section       [maxSections]section          // those whose slot isn't 0 run
	fruitless     [256]atomic.Uint32            // by code: sections since the last candidate
	kinds         [maxKinds]struct {
		hash uint64 // 0 for none
		n    uint32 // candidates of this kind so far
	}
	locks   table[lockState]
	objects table[syncObject]
	next    filters // as refilter computes them
}

// A section is a second critical section that runs now: one of a transaction that has been
// without a lock before.
type section struct {
	slot        uint32 // of the thread, plus 1; 0 for no section
	since       uint64 // the thread's time at its begin
	readByOther bool   // another thread has read what was written in it
	// The section's thread alone writes what follows, without the lock.
	nOpen      uint8 // how often an open candidate was tried
	looksAgain bool  // it has read what the transaction had read before it
	nReads     uint8
	reads      [maxReads]sectionRead
}

const maxSections = 64

// present is the candidates of m that still exist.
func (r *registry) present(m CandidateSet) uint32 {
	set := uint32(m) & r.live.Load()
	for rest, s := set, uint32(m>>32); rest != 0 && s != r.serial.Load(); {
		g := trailingZeros(rest)
		rest &^= 1 << g
		if r.candidate[g].serial > s {
			set &^= 1 << g
		}
	}
	return set
}

// setOf is the set of these candidates, which exist now.
func (r *registry) setOf(bits uint32) CandidateSet {
	return CandidateSet(r.serial.Load())<<32 | CandidateSet(bits)
}

// addTo adds candidates to m.
func (r *registry) addTo(m *CandidateSet, bits uint32) { *m = r.setOf(r.present(*m) | bits) }

func trailingZeros(x uint32) (n uint32) {
	for x&1 == 0 {
		x >>= 1
		n++
	}
	return n
}

// lockAndDropFreed takes the lock, and drops the candidates whose memory was freed meanwhile.
func (r *registry) lockAndDropFreed() {
	r.lock.Lock()
	if freed := r.freed.Load(); freed != 0 {
		for rest := freed; rest != 0; rest &= rest - 1 {
			r.drop(trailingZeros(rest))
		}
		for {
			if old := r.freed.Load(); r.freed.CompareAndSwap(old, old&^freed) {
				break
			}
		}
	}
}

// refilter computes the words anew that events read without the lock. It publishes each when it is
// complete: an event that found a 0 meanwhile would be taken for one that concerns no candidate,
// and a dependence that is missed makes a witness wrong.
func (r *registry) refilter() {
	f := &r.next
	*f = filters{}
	pages := uint64(0)
	for rest := r.live.Load(); rest != 0; rest &= rest - 1 {
		x := &r.candidate[trailingZeros(rest)]
		f.filter[filterOf(x.Addr)] = 1
		for _, s := range x.reads[:x.nReads] {
			f.filter[filterOf(s.addr)] = 1
		}
		pages |= 1 << pageOf(x.Addr)
		for i := range x.readFirst[:x.nReadFirst] {
			f.filter[filterOf(x.readFirst[i].addr)] = 1
		}
		if x.open {
			lower(&f.begins, x.begin.Slot(), x.begin.Time())
		}
		for _, d := range x.dependents[:x.nDependents] {
			lower(&f.earliest, d.slot, d.from)
		}
	}
	for i := range r.section {
		if s := &r.section[i]; s.slot != 0 {
			lower(&f.earliest, s.slot-1, s.since)
		}
	}
	for i := range r.filter {
		if r.filter[i].Load() != f.filter[i] {
			r.filter[i].Store(f.filter[i])
		}
		if r.earliest[i].Load() != f.earliest[i] {
			r.earliest[i].Store(f.earliest[i])
		}
		if r.begins[i].Load() != f.begins[i] {
			r.begins[i].Store(f.begins[i])
		}
	}
	r.pages.Store(pages)
}

// filters are what the fields of these names in registry are going to be.
type filters struct {
	filter   [256]uint32
	earliest [256]uint64
	begins   [256]uint64
}

func lower(times *[256]uint64, slot uint32, from uint64) {
	if p := &times[slot%256]; *p == 0 || from < *p {
		*p = max(1, from)
	}
}

// filterOf is the index of an address in registry.filter.
func filterOf(addr uintptr) uintptr { return (addr >> 3 * 0x9E3779B1 >> 12) % 256 }

// pageOf is the bit of an address in registry.pages.
func pageOf(addr uintptr) uintptr { return addr >> 12 % 64 }

// lowerEarliest notes that a candidate or a section concerns what a slot does from a time on.
func (r *registry) lowerEarliest(slot uint32, from uint64) {
	if p := &r.earliest[slot%256]; p.Load() == 0 || from < p.Load() {
		p.Store(max(1, from))
	}
}

// mayDepend reports whether the event at e may depend on a candidate, or be in a section.
func (r *registry) mayDepend(e vclock.Epoch) bool {
	from := r.earliest[e.Slot()%256].Load()
	return from != 0 && e.Time() >= from
}
