// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package datarace

import (
	"sync/atomic"
	"unsafe"

	"github.com/commutego/commute/internal/engine/host"
	"github.com/commutego/commute/internal/engine/offheap"
	"github.com/commutego/commute/internal/engine/vclock"
)

// A GoroutineRecord is what is kept of a goroutine as long as accesses of it are. All but the first
// field are package runtime's, for reports.
type GoroutineRecord struct {
	refs    atomic.Uint32 // epoch blocks, and one for the goroutine itself
	Ended   atomic.Uint32 // 1 when the goroutine has
	Goid    uint64
	Creator uint64 // the goroutine that started it, or ByTimer
	Origin  uintptr
}

// ByTimer is the creator of goroutines that timers start: those of time.AfterFunc.
const ByTimer = 1<<64 - 1

var records offheap.Slab[GoroutineRecord]

// hold adds a reference to l, if it isn't given back already. A reader without a lock may come too
// late, but then finds a record of the same type, with no references.
func (l *GoroutineRecord) hold() bool {
	for {
		n := l.refs.Load()
		if n == 0 || l.refs.CompareAndSwap(n, n+1) {
			return n != 0
		}
	}
}

// release takes a reference away.
func (l *GoroutineRecord) release() {
	if l.refs.Add(^uint32(0)) == 0 {
		records.Put(l)
	}
}

// An epochBlock is 16 epoch IDs: an epoch ID stands for an epoch of a goroutine at which it
// accessed memory. Each goroutine has some IDs in advance, so that it can tell its own words by a
// comparison, and need not take a lock for each epoch.
type epochBlock struct {
	epoch  [epochBlockSize]atomic.Uint64
	record offheap.AtomicRef[GoroutineRecord]
	test   uintptr       // what the accesses are charged to
	state  atomic.Uint32 // the last cycle of the collector that met it, and one of these:
	next   uint32        // of a free one: the next that is free
}

const (
	stateFree    = iota
	stateCurrent // some goroutine takes IDs from it
	stateUsed    // it is full, or its goroutine has ended; words may have its IDs
	stateMask    = 3
)

const (
	epochBlockBits      = 4
	epochBlockSize      = 1 << epochBlockBits
	maxEpochBlocks      = 1 << (epochBits - epochBlockBits)
	epochBlocksPerChunk = 1 << 10
)

type epochBlockChunk [epochBlocksPerChunk]epochBlock

// epochBlocks is all of them. Their numbers begin at 1.
var epochBlocks struct {
	lock      offheap.Lock
	chunk     [maxEpochBlocks / epochBlocksPerChunk]offheap.AtomicRef[epochBlockChunk]
	free      uint32 // the first of the free ones
	fresh     uint32 // those from here on never were in use
	used      uint32
	exhausted atomic.Uint32 // times that there was none left
}

// epochBlockAt is the epoch block with a number.
func epochBlockAt(n uint32) *epochBlock {
	return &epochBlocks.chunk[n/epochBlocksPerChunk].Load()[n%epochBlocksPerChunk]
}

// epochBlock is the epoch block of w's epoch ID.
func (w Word) epochBlock() *epochBlock { return epochBlockAt(w.epochID() >> epochBlockBits) }

// epochOf is the epoch that an ID stands for.
func epochOf(id uint32) vclock.Epoch {
	return vclock.Epoch(epochBlockAt(id >> epochBlockBits).epoch[id%epochBlockSize].Load())
}

// newEpochBlock returns the number of an epoch block for l's goroutine, whose accesses are charged
// to a test; 0 if there are too many.
// The collector does a part of its work first, in proportion to what is used up.
func newEpochBlock(l *GoroutineRecord, test uintptr) uint32 {
	p := &epochBlocks
	p.lock.Lock()
	if p.fresh == 0 {
		p.fresh = 1
	}
	collect()
	n := p.free
	switch {
	case n != 0:
		p.free = epochBlockAt(n).next
	case p.fresh < maxEpochBlocks:
		n = p.fresh
		p.fresh++
		if c := &p.chunk[n/epochBlocksPerChunk]; c.Load() == nil {
			c.Store((*epochBlockChunk)(host.Alloc(unsafe.Sizeof(epochBlockChunk{}))))
		}
	default:
		p.exhausted.Add(1)
		p.lock.Unlock()
		return 0
	}
	p.used++
	r := epochBlockAt(n)
	r.test = test
	r.record.Store(l)
	r.state.Store(collector.cycle.Load()<<2 | stateCurrent)
	p.lock.Unlock()
	l.refs.Add(1)
	return n
}

// retire notes that no goroutine takes IDs from a block any more. Words have its IDs still, and the
// collector may have passed some of those before they did. So the block counts as met in this
// cycle.
func (r *epochBlock) retire() {
	for {
		old := r.state.Load()
		cycle := old >> 2
		if c := collector.active.Load(); c != 0 {
			cycle = c
		}
		if r.state.CompareAndSwap(old, cycle<<2|stateUsed) {
			return
		}
	}
}
