// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package predict

import (
	"sync/atomic"
	"unsafe"

	"github.com/commutego/commute/internal/engine/host"
	"github.com/commutego/commute/internal/engine/offheap"
	"github.com/commutego/commute/internal/engine/vclock"
)

// A Side is one access of a prediction.
type Access struct {
	Epoch  vclock.Epoch
	Goid   uint64
	Site   uint32
	PC     uintptr // of the site
	Writes bool
	Code   uintptr // the mark of the transaction that it is in, 0 for none
	Owner  uintptr // whom it is charged to
}

// A Prediction is an interleaving that has not happened, and could have: First, Other and Second, in this order. First
// and Second are of one transaction.
type Prediction struct {
	First, Other, Second Access
	Addr                 uintptr
	ValuesDiffer         bool // Other's transaction reads other values than it did, but does the same
	OtherReads           bool // Other reads, maybe another value than it did, and its goroutine then lets its locks go
}

// A ghost is a transaction that could have been interrupted at a cut.
type candidate struct {
	Prediction
	serial      uint32 // serial
	createdAt   uint64 // realm.ticks at its birth
	bytes       uint8
	armed       bool
	waiting     bool // Other is known, but not yet that the locks are free after it
	found       bool
	kind        uint32
	kindHash    uint64 // of the key, which may have become another's
	nNeeds      uint8
	nReads      uint8
	needs       [maxHeld]uintptr // the locks that are taken between the cut and Second, as hold has them
	reads       [maxReads]sectionRead
	nDependents uint8
	dependents  [maxDependents]dependent
}

// A sight is what was read between the cut and Second: 8 bytes, and what stands for their last write.
type sectionRead struct {
	addr           uintptr
	last           uint64
	dependentWrite bool // what was the next to write there depends on what came after the cut
}

// A dep is from which time on what the goroutines of a slot did depends on what came after the cut.
type dependent struct {
	slot        uint32
	from, until uint64 // until is the first time that is another goroutine's, 0 for none
}

const (
	maxCandidates = 32
	maxReads      = 12
	maxDependents = 32
	maxKinds      = 1 << 10
	maxPerKind    = 256 // ghosts of two accesses by two places, of one owner
)

// A Mark is a set of ghosts, as of a serial: those that were born later are not meant.
type CandidateSet uint64

// A realm is what there is of ghosts. The lock is held for all but the atomic words.
type registry struct {
	lock          offheap.Lock
	busy          atomic.Uint32 // ghosts and segments
	live          atomic.Uint32 // the ghosts that there are, a bit each
	acquires      uint64        // acquires while there were ghosts
	freed         atomic.Uint32 // ghosts whose memory has been freed
	found         atomic.Uint32 // predictions that nobody has collected
	unknownEvents atomic.Uint32 // events whose dependences aren't known
	filter        [256]atomic.Uint32
	earliest      [256]atomic.Uint64 // by slot: the least time of a dep or segment, 0 for none
	pages         atomic.Uint64      // a hash of the pages that ghosts' addresses are in
	serial        atomic.Uint32      // of the last ghost that was born
	candidate     [maxCandidates]candidate
	addr          [maxCandidates]atomic.Uintptr // those of the ghosts, for who doesn't have the lock
	section       [maxSections]section
	fruitless     [256]atomic.Uint32 // segments since the last ghost, by place
	kinds         [maxKinds]struct {
		hash uint64
		n    uint32
	}
	locks   table[lockState]
	objects table[syncObject]
}

// A segment is one that runs, in a transaction that has been without a lock before.
type section struct {
	slot        uint32 // and 1, 0 for none
	since       uint64
	readByOther bool // somebody has read what was written in it
	nReads      uint8
	reads       [maxReads]sectionRead // what was read in it; the thread's own
}

const maxSections = 64

// A Predictor is what is known of the ghosts of one execution. The zero Predictor knows of none and
// is ready for use once it has Last; it must not be copied.
type Predictor struct {
	// Last is what stands for the last write to the 8 bytes at an address: another write makes it
	// another number.
	Last func(addr uintptr) uint64

	registry offheap.AtomicRef[registry] // nil as long as none was needed: it's large
	making   offheap.Lock
}

func (p *Predictor) ensureRegistry() *registry {
	if r := p.registry.Load(); r != nil {
		return r
	}
	p.making.Lock()
	if p.registry.Load() == nil {
		p.registry.Store((*registry)(host.Alloc(unsafe.Sizeof(registry{}))))
	}
	p.making.Unlock()
	return p.registry.Load()
}

// Busy reports whether events have to be told.
//
//go:nosplit
func (p *Predictor) Busy() bool {
	r := p.registry.Load()
	return r != nil && r.busy.Load() != 0
}

// Live reports whether there are ghosts.
//
//go:nosplit
func (p *Predictor) Live() bool {
	r := p.registry.Load()
	return r != nil && r.live.Load() != 0
}

// bits are the ghosts of m that there are.
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

func (r *registry) setOf(bits uint32) CandidateSet {
	return CandidateSet(r.serial.Load())<<32 | CandidateSet(bits)
}

// join adds ghosts to m.
func (r *registry) addTo(m *CandidateSet, bits uint32) { *m = r.setOf(r.present(*m) | bits) }

func trailingZeros(x uint32) (n uint32) {
	for x&1 == 0 {
		x >>= 1
		n++
	}
	return n
}

// spawn makes a ghost, in the place of the oldest one if need be; nil if there have been enough of its kind.
func (r *registry) create(p *Prediction, bytes uint8) *candidate {
	k := r.kindOf(p)
	if r.kinds[k].n >= maxPerKind || r.serial.Load() == 1<<32-1 {
		return nil
	}
	live, best := r.live.Load(), uint32(maxCandidates)
	for g := range uint32(maxCandidates) {
		x := &r.candidate[g]
		if live>>g&1 != 0 && x.kind == k && x.Addr == p.Addr && x.First.Goid == p.First.Goid && x.bytes == bytes {
			if x.waiting {
				return nil
			}
			r.drop(g) // a later cut drops less
			live = r.live.Load()
		}
	}
	for g := range uint32(maxCandidates) {
		switch {
		case live>>g&1 == 0:
			best = g
		case best == maxCandidates || live>>best&1 != 0 && r.candidate[g].serial < r.candidate[best].serial:
			if !r.candidate[g].found {
				best = g
			}
		}
	}
	if best == maxCandidates {
		return nil
	}
	if live>>best&1 != 0 {
		r.drop(best)
	}
	r.kinds[k].n++
	r.fruitless[p.First.Code>>4%uintptr(len(r.fruitless))].Store(0)
	x := &r.candidate[best]
	*x = candidate{Prediction: *p, createdAt: r.acquires, serial: r.serial.Add(1), bytes: bytes, kind: k, kindHash: r.kinds[k].hash}
	r.addr[best].Store(p.Addr)
	r.live.Store(r.live.Load() | 1<<best)
	r.busy.Add(1)
	r.refilter()
	return x
}

// key is the number of the kind of a prediction.
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
	k := (uint32(h>>40) + uint32(h>>32)%8) % maxKinds // another's, of which it's forgotten how often it was there
	r.kinds[k].hash, r.kinds[k].n = h, 0
	return k
}

func (r *registry) indexOf(x *candidate) uint32 {
	return uint32((uintptr(unsafe.Pointer(x)) - uintptr(unsafe.Pointer(&r.candidate[0]))) / unsafe.Sizeof(candidate{}))
}

// kill ends a ghost, unless it's found.
func (r *registry) drop(g uint32) {
	if r.live.Load()>>g&1 == 0 || r.candidate[g].found {
		return // a prediction stays until it's collected
	}
	r.live.Store(r.live.Load() &^ (1 << g))
	r.busy.Add(^uint32(0))
	r.refilter()
}

// tick comes with each acquire: ghosts that have been for long go.
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

const maxAge = 1 << 15

func (r *registry) dropAll() {
	for g := range uint32(maxCandidates) {
		r.drop(g)
	}
}

// refilter works out anew what the words that are read without a lock say.
func (r *registry) refilter() {
	for i := range r.filter {
		if r.filter[i].Load() != 0 {
			r.filter[i].Store(0)
		}
		if r.earliest[i].Load() != 0 {
			r.earliest[i].Store(0)
		}
	}
	pages := uint64(0)
	for rest := r.live.Load(); rest != 0; rest &= rest - 1 {
		x := &r.candidate[trailingZeros(rest)]
		r.filter[filterOf(x.Addr)].Store(1)
		for _, s := range x.reads[:x.nReads] {
			r.filter[filterOf(s.addr)].Store(1)
		}
		pages |= 1 << pageOf(x.Addr)
		for _, d := range x.dependents[:x.nDependents] {
			r.lowerEarliest(d.slot, d.from)
		}
	}
	r.pages.Store(pages)
	for i := range r.section {
		if s := &r.section[i]; s.slot != 0 {
			r.lowerEarliest(s.slot-1, s.since)
		}
	}
}

func filterOf(addr uintptr) uintptr { return (addr >> 3 * 0x9E3779B1 >> 12) % 256 }

func pageOf(addr uintptr) uintptr { return addr >> 12 % 64 }

// lower notes that something depends on what a slot does from a time on.
func (r *registry) lowerEarliest(slot uint32, from uint64) {
	if p := &r.earliest[slot%256]; p.Load() == 0 || from < p.Load() {
		p.Store(max(1, from))
	}
}

// concerns reports whether what happened at an epoch may be dependent.
func (r *registry) mayDepend(e vclock.Epoch) bool {
	from := r.earliest[e.Slot()%256].Load()
	return from != 0 && e.Time() >= from
}

// depends notes that what the goroutine of an epoch does from there on depends on x. It reports whether there was room.
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

// has reports whether what happened at an epoch depends on x.
func (x *candidate) hasDependent(e vclock.Epoch) bool {
	for i := range x.dependents[:x.nDependents] {
		if d := &x.dependents[i]; d.slot == e.Slot() {
			return e.Time() >= d.from && (d.until == 0 || e.Time() < d.until)
		}
	}
	return false
}

// Freed tells that memory is nobody's any more. As that may be a stack which has become too small for a function of this
// package, it takes no lock: ghosts are ended when the lock is taken next.
func (p *Predictor) Freed(addr, size uintptr) {
	r := p.registry.Load()
	if r == nil || r.live.Load() == 0 || size <= 1<<12 && r.pages.Load()&(1<<pageOf(addr)|1<<pageOf(addr+size-1)) == 0 {
		return
	}
	for rest := r.live.Load(); rest != 0; rest &= rest - 1 {
		if g := trailingZeros(rest); r.addr[g].Load()-addr < size {
			for {
				if old := r.freed.Load(); r.freed.CompareAndSwap(old, old|1<<g) {
					break
				}
			}
		}
	}
}

// enter takes the lock.
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

// Found reports whether there are predictions to collect.
//
//go:nosplit
func (p *Predictor) Found() bool {
	r := p.registry.Load()
	return r != nil && r.found.Load() != 0
}

// Collect returns a prediction that nobody has had yet.
func (p *Predictor) Collect() (found Prediction, ok bool) {
	r := p.registry.Load()
	if r == nil || r.found.Load() == 0 {
		return found, false
	}
	r.lockAndDropFreed()
	for rest := r.live.Load(); rest != 0 && !ok; rest &= rest - 1 {
		if g := trailingZeros(rest); r.candidate[g].found {
			found, ok = r.candidate[g].Prediction, true
			r.candidate[g].found = false
			r.found.Add(^uint32(0))
			if key := &r.kinds[r.candidate[g].kind]; key.hash == r.candidate[g].kindHash {
				key.n = maxPerKind // it's told once
			}
			r.drop(g)
		}
	}
	r.lock.Unlock()
	return found, ok
}
