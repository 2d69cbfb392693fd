// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package predict

import (
	"unsafe"

	"github.com/commutego/commute/internal/engine/vclock"
)

// A candidate is a transaction that could have been interrupted at a cut, between two accesses
// First and Second. It becomes a prediction when an Other is found for it that can come in
// between.
type candidate struct {
	Prediction
	serial      uint32 // the number of the candidate among all that ever were
	createdAt   uint64 // registry.acquires at that time
	bytes       uint8  // of the 8 at Addr, a bit each
	armed       bool   // an access can be its Other; a pair of reads waits for the section's end
	waiting     bool   // Other is known, but not yet that the locks are free after it
	found       bool   // it is a prediction
	kind        uint32
	kindHash    uint64 // the kind's hash: the number may have become another kind's
	nNeeds      uint8
	nReads      uint8
	needs       [maxHeld]uintptr // locks acquired between the cut and Second, as in heldLock.lock
	reads       [maxReads]sectionRead
	nDependents uint8
	dependents  [maxDependents]dependent
	crossing
}

// A sectionRead is a read between the cut and Second. The witness must leave these 8 bytes as they
// were read.
type sectionRead struct {
	addr           uintptr
	last           uint64 // stands for their last write before the read
	dependentWrite bool   // the next write to them is dependent: the witness leaves it out
}

// A dependent says from which time on the goroutines of a slot depend on what came after the cut.
type dependent struct {
	slot        uint32
	from, until uint64 // until is the first time of the slot's next goroutine, 0 for none
}

const (
	maxCandidates = 32
	maxReads      = 12
	maxDependents = 32
	maxKinds      = 1 << 10
	maxPerKind    = 256 // candidates of one kind
)

// create makes a candidate, in the place of the oldest one if need be. It returns nil if there have
// been enough candidates of this kind, or if all places are taken by predictions. Begin and since
// are the epochs of the transaction, and of its section.
func (r *registry) create(p *Prediction, bytes uint8, begin, since vclock.Epoch) *candidate {
	k := r.kindOf(p)
	if r.kinds[k].n >= maxPerKind || r.serial.Load() == 1<<32-1 {
		return nil
	}
	best := uint32(maxCandidates)
	for g := range uint32(maxCandidates) {
		x := &r.candidate[g]
		if r.live.Load()>>g&1 != 0 && x.kind == k && x.Addr == p.Addr &&
			x.First.Goid == p.First.Goid && x.bytes == bytes {
			if x.waiting {
				return nil
			}
			r.drop(g) // the later cut is better: its witness leaves out less
		}
	}
	open := p.First.Epoch == 0
	if best = r.place(open); best == maxCandidates {
		return nil
	}
	r.drop(best) // if there is one
	r.kinds[k].n++
	r.fruitless[p.First.Code>>4%uintptr(len(r.fruitless))].Store(0)
	x := &r.candidate[best]
	// The serial is raised before the candidate is live: a set that has this bit from before
	// doesn't mean the new candidate.
	*x = candidate{
		Prediction: *p, createdAt: r.acquires, serial: r.serial.Add(1), bytes: bytes,
		kind: k, kindHash: r.kinds[k].hash,
	}
	x.open, x.begin, x.since = open, begin, since
	r.addr[best].Store(p.Addr)
	r.live.Store(r.live.Load() | 1<<best)
	if open {
		r.open.Store(r.open.Load() | 1<<best)
	}
	r.busy.Add(1)
	r.refilter()
	return x
}

// place is the index for a new candidate, maxCandidates if there is none: a free one, or that of
// the oldest. Where all are taken, open candidates, which are many, have minOpen places.
func (r *registry) place(open bool) uint32 {
	live, full := r.live.Load(), 0
	for rest := r.open.Load(); rest != 0; rest &= rest - 1 {
		full++
	}
	best := uint32(maxCandidates)
	if free := ^live; free != 0 && !(open && full >= maxOpen) {
		for ; free != 0; free &= free - 1 {
			best = trailingZeros(free)
		}
		return best
	}
	rest := live // those of which one has to go
	switch {
	case full > minOpen, full == minOpen && open:
		rest = r.open.Load()
	case full == minOpen:
		rest &^= r.open.Load()
	}
	for ; rest != 0; rest &= rest - 1 {
		g := trailingZeros(rest)
		if x := &r.candidate[g]; !x.found &&
			(best == maxCandidates || x.serial < r.candidate[best].serial) {
			best = g
		}
	}
	return best
}

// kindOf is the number of the kind of a prediction: the code and the program counters of its two
// accesses, and their owner. The number is the kind's index in a small hash table. If its places
// are taken, the kind takes the place of another one, which is then counted anew.
func (r *registry) kindOf(p *Prediction) uint32 {
	h := uint64(p.First.Code)
	for _, v := range [...]uint64{uint64(p.First.PC), uint64(p.Second.PC), uint64(p.First.Owner)} {
		h = (h ^ v) * 0x9E3779B97F4A7C15
		h ^= h >> 29
	}
	h |= 1
	for i := range uint32(8) {
		k := (uint32(h>>40) + i) % maxKinds
		if r.kinds[k].hash == 0 {
			r.kinds[k].hash = h
		}
		if r.kinds[k].hash == h {
			return k
		}
	}
	k := (uint32(h>>40) + uint32(h>>32)%8) % maxKinds // the count of the kind that has it is lost
	r.kinds[k].hash, r.kinds[k].n = h, 0
	return k
}

// indexOf is the index of a candidate, which is its bit in a CandidateSet.
func (r *registry) indexOf(x *candidate) uint32 {
	return uint32((uintptr(unsafe.Pointer(x)) - uintptr(unsafe.Pointer(&r.candidate[0]))) /
		unsafe.Sizeof(candidate{}))
}

// drop ends a candidate. A prediction stays until Collect has returned it.
func (r *registry) drop(g uint32) {
	if r.live.Load()>>g&1 == 0 || r.candidate[g].found {
		return
	}
	r.live.Store(r.live.Load() &^ (1 << g))
	r.open.Store(r.open.Load() &^ (1 << g))
	r.busy.Add(^uint32(0))
	r.refilter()
}

// dropAll ends all candidates but those that are predictions.
func (r *registry) dropAll() {
	for g := range uint32(maxCandidates) {
		r.drop(g)
	}
}

// countAcquire counts an acquire, and from time to time drops the candidates that are too old.
func (r *registry) countAcquire() {
	if r.acquires++; r.acquires%1024 != 0 {
		return
	}
	for rest := r.live.Load(); rest != 0; rest &= rest - 1 {
		if g := trailingZeros(rest); r.acquires-r.candidate[g].createdAt > maxAge {
			r.drop(g)
		}
	}
}

// maxAge is how many acquires a candidate outlives, give or take 1024.
const maxAge = 1 << 15

// addDependent notes that what a goroutine does from the epoch from on depends on x. It reports
// whether there was room; if not, the caller drops x, for a dependence that is forgotten would make
// a witness wrong.
func (r *registry) addDependent(x *candidate, from vclock.Epoch) bool {
	for i := range x.dependents[:x.nDependents] {
		if d := &x.dependents[i]; d.slot == from.Slot() {
			d.until = 0
			return true
		}
	}
	if x.nDependents == maxDependents {
		return false
	}
	x.dependents[x.nDependents] = dependent{slot: from.Slot(), from: from.Time()}
	x.nDependents++
	r.lowerEarliest(from.Slot(), from.Time())
	return true
}

// hasDependent reports whether the event at e depends on x.
func (x *candidate) hasDependent(e vclock.Epoch) bool {
	for i := range x.dependents[:x.nDependents] {
		if d := &x.dependents[i]; d.slot == e.Slot() {
			return e.Time() >= d.from && (d.until == 0 || e.Time() < d.until)
		}
	}
	return false
}
