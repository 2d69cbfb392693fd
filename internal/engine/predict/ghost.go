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
type Side struct {
	Epoch  vclock.Epoch
	Goid   uint64
	Site   uint32
	PC     uintptr // of the site
	Writes bool
	Place  uintptr // the mark of the transaction that it is in, 0 for none
	Owner  uintptr // whom it is charged to
}

// A Prediction is an interleaving that has not happened, and could have: First, Other and Second, in this order. First
// and Second are of one transaction.
type Prediction struct {
	First, Other, Second Side
	Addr                 uintptr
	Renewed              bool // Other's transaction reads other values than it did, but does the same
	Intrudes             bool // Other reads, maybe another value than it did, and its goroutine then lets its locks go
}

// A ghost is a transaction that could have been interrupted at a cut.
type ghost struct {
	Prediction
	born    uint32 // serial
	since   uint64 // realm.ticks at its birth
	bytes   uint8
	armed   bool
	waiting bool // Other is known, but not yet that the locks are free after it
	found   bool
	key     uint32
	hash    uint64 // of the key, which may have become another's
	nNeeds  uint8
	nSeen   uint8
	needs   [maxHeld]uintptr // the locks that are taken between the cut and Second, as hold has them
	seen    [maxSeen]sight
	nDeps   uint8
	deps    [maxDeps]dep
}

// A sight is what was read between the cut and Second: 8 bytes, and what stands for their last write.
type sight struct {
	addr uintptr
	last uint64
	own  bool // what was the next to write there depends on what came after the cut
}

// A dep is from which time on what the goroutines of a slot did depends on what came after the cut.
type dep struct {
	slot        uint32
	from, until uint64 // until is the first time that is another goroutine's, 0 for none
}

const (
	ghosts   = 32
	maxSeen  = 12
	maxDeps  = 32
	maxKeys  = 1 << 10
	maxLives = 256 // ghosts of two accesses by two places, of one owner
)

// A Mark is a set of ghosts, as of a serial: those that were born later are not meant.
type Mark uint64

// A realm is what there is of ghosts. The lock is held for all but the atomic words.
type realm struct {
	lock    offheap.Lock
	busy    atomic.Uint32 // ghosts and segments
	live    atomic.Uint32 // the ghosts that there are, a bit each
	ticks   uint64        // acquires while there were ghosts
	dying   atomic.Uint32 // ghosts whose memory has been freed
	found   atomic.Uint32 // predictions that nobody has collected
	unknown atomic.Uint32 // events whose dependences aren't known
	filter  [256]atomic.Uint32
	least   [256]atomic.Uint64 // by slot: the least time of a dep or segment, 0 for none
	pages   atomic.Uint64      // a hash of the pages that ghosts' addresses are in
	serial  atomic.Uint32      // of the last ghost that was born
	ghost   [ghosts]ghost
	addr    [ghosts]atomic.Uintptr // those of the ghosts, for who doesn't have the lock
	segment [maxSegments]segment
	vain    [256]atomic.Uint32 // segments since the last ghost, by place
	keys    [maxKeys]struct {
		hash uint64
		n    uint32
	}
	locks   table[lockState]
	objects table[object]
}

// A segment is one that runs, in a transaction that has been without a lock before.
type segment struct {
	slot    uint32 // and 1, 0 for none
	since   uint64
	exposed bool // somebody has read what was written in it
	nSeen   uint8
	seen    [maxSeen]sight // what was read in it; the thread's own
}

const maxSegments = 64

// A Predictor is what is known of the ghosts of one execution. The zero Predictor knows of none and
// is ready for use once it has Last; it must not be copied.
type Predictor struct {
	// Last is what stands for the last write to the 8 bytes at an address: another write makes it
	// another number.
	Last func(addr uintptr) uint64

	realm  offheap.AtomicRef[realm] // nil as long as none was needed: it's large
	making offheap.Lock
}

func (p *Predictor) theRealm() *realm {
	if r := p.realm.Load(); r != nil {
		return r
	}
	p.making.Lock()
	if p.realm.Load() == nil {
		p.realm.Store((*realm)(host.Alloc(unsafe.Sizeof(realm{}))))
	}
	p.making.Unlock()
	return p.realm.Load()
}

// Busy reports whether events have to be told.
//
//go:nosplit
func (p *Predictor) Busy() bool {
	r := p.realm.Load()
	return r != nil && r.busy.Load() != 0
}

// Live reports whether there are ghosts.
//
//go:nosplit
func (p *Predictor) Live() bool {
	r := p.realm.Load()
	return r != nil && r.live.Load() != 0
}

// bits are the ghosts of m that there are.
func (r *realm) bits(m Mark) uint32 {
	set := uint32(m) & r.live.Load()
	for rest, s := set, uint32(m>>32); rest != 0 && s != r.serial.Load(); {
		g := trailing(rest)
		rest &^= 1 << g
		if r.ghost[g].born > s {
			set &^= 1 << g
		}
	}
	return set
}

func (r *realm) mark(bits uint32) Mark { return Mark(r.serial.Load())<<32 | Mark(bits) }

// join adds ghosts to m.
func (r *realm) join(m *Mark, bits uint32) { *m = r.mark(r.bits(*m) | bits) }

func trailing(x uint32) (n uint32) {
	for x&1 == 0 {
		x >>= 1
		n++
	}
	return n
}

// spawn makes a ghost, in the place of the oldest one if need be; nil if there have been enough of its kind.
func (r *realm) spawn(p *Prediction, bytes uint8) *ghost {
	k := r.key(p)
	if r.keys[k].n >= maxLives || r.serial.Load() == 1<<32-1 {
		return nil
	}
	live, best := r.live.Load(), uint32(ghosts)
	for g := range uint32(ghosts) {
		x := &r.ghost[g]
		if live>>g&1 != 0 && x.key == k && x.Addr == p.Addr && x.First.Goid == p.First.Goid && x.bytes == bytes {
			if x.waiting {
				return nil
			}
			r.kill(g) // a later cut drops less
			live = r.live.Load()
		}
	}
	for g := range uint32(ghosts) {
		switch {
		case live>>g&1 == 0:
			best = g
		case best == ghosts || live>>best&1 != 0 && r.ghost[g].born < r.ghost[best].born:
			if !r.ghost[g].found {
				best = g
			}
		}
	}
	if best == ghosts {
		return nil
	}
	if live>>best&1 != 0 {
		r.kill(best)
	}
	r.keys[k].n++
	r.vain[p.First.Place>>4%uintptr(len(r.vain))].Store(0)
	x := &r.ghost[best]
	*x = ghost{Prediction: *p, since: r.ticks, born: r.serial.Add(1), bytes: bytes, key: k, hash: r.keys[k].hash}
	r.addr[best].Store(p.Addr)
	r.live.Store(r.live.Load() | 1<<best)
	r.busy.Add(1)
	r.refilter()
	return x
}

// key is the number of the kind of a prediction.
func (r *realm) key(p *Prediction) uint32 {
	h := uint64(p.First.Place)
	for _, v := range [...]uint64{uint64(p.First.PC), uint64(p.Second.PC), uint64(p.First.Owner)} {
		h = (h ^ v) * 0x9E3779B97F4A7C15
		h ^= h >> 29
	}
	h |= 1
	for i := range uint32(8) {
		k := (uint32(h>>40) + i) % maxKeys
		if r.keys[k].hash == 0 {
			r.keys[k].hash = h
		}
		if r.keys[k].hash == h {
			return k
		}
	}
	k := (uint32(h>>40) + uint32(h>>32)%8) % maxKeys // another's, of which it's forgotten how often it was there
	r.keys[k].hash, r.keys[k].n = h, 0
	return k
}

func (r *realm) number(x *ghost) uint32 {
	return uint32((uintptr(unsafe.Pointer(x)) - uintptr(unsafe.Pointer(&r.ghost[0]))) / unsafe.Sizeof(ghost{}))
}

// kill ends a ghost, unless it's found.
func (r *realm) kill(g uint32) {
	if r.live.Load()>>g&1 == 0 || r.ghost[g].found {
		return // a prediction stays until it's collected
	}
	r.live.Store(r.live.Load() &^ (1 << g))
	r.busy.Add(^uint32(0))
	r.refilter()
}

// tick comes with each acquire: ghosts that have been for long go.
func (r *realm) tick() {
	if r.ticks++; r.ticks%1024 != 0 {
		return
	}
	for rest := r.live.Load(); rest != 0; rest &= rest - 1 {
		if g := trailing(rest); r.ticks-r.ghost[g].since > maxAge {
			r.kill(g)
		}
	}
}

const maxAge = 1 << 15

func (r *realm) killAll() {
	for g := range uint32(ghosts) {
		r.kill(g)
	}
}

// refilter works out anew what the words that are read without a lock say.
func (r *realm) refilter() {
	for i := range r.filter {
		if r.filter[i].Load() != 0 {
			r.filter[i].Store(0)
		}
		if r.least[i].Load() != 0 {
			r.least[i].Store(0)
		}
	}
	pages := uint64(0)
	for rest := r.live.Load(); rest != 0; rest &= rest - 1 {
		x := &r.ghost[trailing(rest)]
		r.filter[filterOf(x.Addr)].Store(1)
		for _, s := range x.seen[:x.nSeen] {
			r.filter[filterOf(s.addr)].Store(1)
		}
		pages |= 1 << pageOf(x.Addr)
		for _, d := range x.deps[:x.nDeps] {
			r.lower(d.slot, d.from)
		}
	}
	r.pages.Store(pages)
	for i := range r.segment {
		if s := &r.segment[i]; s.slot != 0 {
			r.lower(s.slot-1, s.since)
		}
	}
}

func filterOf(addr uintptr) uintptr { return (addr >> 3 * 0x9E3779B1 >> 12) % 256 }

func pageOf(addr uintptr) uintptr { return addr >> 12 % 64 }

// lower notes that something depends on what a slot does from a time on.
func (r *realm) lower(slot uint32, from uint64) {
	if p := &r.least[slot%256]; p.Load() == 0 || from < p.Load() {
		p.Store(max(1, from))
	}
}

// concerns reports whether what happened at an epoch may be dependent.
func (r *realm) concerns(e vclock.Epoch) bool {
	from := r.least[e.Slot()%256].Load()
	return from != 0 && e.Time() >= from
}

// depends notes that what the goroutine of an epoch does from there on depends on x. It reports whether there was room.
func (r *realm) depends(x *ghost, from vclock.Epoch) bool {
	for i := range x.deps[:x.nDeps] {
		if d := &x.deps[i]; d.slot == from.Slot() {
			d.until = 0
			return true
		}
	}
	if x.nDeps == maxDeps {
		return false
	}
	x.deps[x.nDeps] = dep{slot: from.Slot(), from: from.Time()}
	x.nDeps++
	r.lower(from.Slot(), from.Time())
	return true
}

// has reports whether what happened at an epoch depends on x.
func (x *ghost) has(e vclock.Epoch) bool {
	for i := range x.deps[:x.nDeps] {
		if d := &x.deps[i]; d.slot == e.Slot() {
			return e.Time() >= d.from && (d.until == 0 || e.Time() < d.until)
		}
	}
	return false
}

// Freed tells that memory is nobody's any more. As that may be a stack which has become too small for a function of this
// package, it takes no lock: ghosts are ended when the lock is taken next.
func (p *Predictor) Freed(addr, size uintptr) {
	r := p.realm.Load()
	if r == nil || r.live.Load() == 0 || size <= 1<<12 && r.pages.Load()&(1<<pageOf(addr)|1<<pageOf(addr+size-1)) == 0 {
		return
	}
	for rest := r.live.Load(); rest != 0; rest &= rest - 1 {
		if g := trailing(rest); r.addr[g].Load()-addr < size {
			for {
				if old := r.dying.Load(); r.dying.CompareAndSwap(old, old|1<<g) {
					break
				}
			}
		}
	}
}

// enter takes the lock.
func (r *realm) enter() {
	r.lock.Lock()
	if dying := r.dying.Load(); dying != 0 {
		for rest := dying; rest != 0; rest &= rest - 1 {
			r.kill(trailing(rest))
		}
		for {
			if old := r.dying.Load(); r.dying.CompareAndSwap(old, old&^dying) {
				break
			}
		}
	}
}

// Found reports whether there are predictions to collect.
//
//go:nosplit
func (p *Predictor) Found() bool {
	r := p.realm.Load()
	return r != nil && r.found.Load() != 0
}

// Collect returns a prediction that nobody has had yet.
func (p *Predictor) Collect() (found Prediction, ok bool) {
	r := p.realm.Load()
	if r == nil || r.found.Load() == 0 {
		return found, false
	}
	r.enter()
	for rest := r.live.Load(); rest != 0 && !ok; rest &= rest - 1 {
		if g := trailing(rest); r.ghost[g].found {
			found, ok = r.ghost[g].Prediction, true
			r.ghost[g].found = false
			r.found.Add(^uint32(0))
			if key := &r.keys[r.ghost[g].key]; key.hash == r.ghost[g].hash {
				key.n = maxLives // it's told once
			}
			r.kill(g)
		}
	}
	r.lock.Unlock()
	return found, ok
}
