// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package datarace

import (
	"sync/atomic"
	"unsafe"

	"github.com/commutego/commute/internal/engine/host"
	"github.com/commutego/commute/internal/engine/offheap"
)

// A block is the words of a cell that has several: 2, 4, 8 or 16, by its class. Blocks are made of
// units of two words, and have the number of the first unit.
//
// Many cells have the same history, as those of an array do that several goroutines read; they
// share a block. So what a block holds doesn't change: a goroutine that has another word to add
// makes another block. Only one that no other cell will have is changed (renewAtomic, joinIn).
//
// A block that only one cell has had yet is private. It is given back when it loses its place in
// that cell. All others are left to the collector. Each time that a block is given back its next
// generation begins. The words that stand for the block have its generation, so a goroutine that
// still holds such a word finds out.
type unit [2]atomic.Uint64

const (
	unitChunk = 1 << 14
	classes   = 4
	maxWords  = 2 << (classes - 1)
)

// units are what is kept of unitChunk units. Of is and next only the entries of a block's
// first unit are in use.
type units struct {
	unit [unitChunk]unit
	is   [unitChunk]blockIs
	next [unitChunk]uint32 // of a free block: the next that is free
}

// A blockIs has what is mostly asked for together.
type blockIs struct {
	state atomic.Uint32 // see below; 0: the block is free
	gen   atomic.Uint32 // the block's generation
}

// The state of a block is its class and 1, whether it is private, whether it stays so (see
// renewAtomic and joinIn), and the collector's last cycle that met it.
const (
	stateClass   = 7
	private      = 8
	keepsPrivate = 16
	cycleShift   = 5
	cycleMask    = 1<<28 - 1
)

// heap is all blocks. Their numbers begin at 8.
var heap struct {
	lock  offheap.Lock
	chunk [1 << siteBits / unitChunk]offheap.AtomicRef[units]
	free  [classes]uint32 // by class: the first free block
	fresh uint32          // blocks from this number on never were in use
	used  atomic.Uint32   // units
}

//go:nosplit
func unitsOf(n uint32) *units { return heap.chunk[n/unitChunk].Load() }

// blockState is the state of block n.
func blockState(n uint32) *atomic.Uint32 { return &unitsOf(n).is[n%unitChunk].state }

// wordsOf returns the words of block n, of which it has as many as its class says.
//
//go:nosplit
func wordsOf(n uint32) *[maxWords]atomic.Uint64 {
	return (*[maxWords]atomic.Uint64)(unsafe.Pointer(&unitsOf(n).unit[n%unitChunk]))
}

// genOf is the generation of block n.
func genOf(n uint32) *atomic.Uint32 { return &unitsOf(n).is[n%unitChunk].gen }

// words returns the words that w, which is that of a block, stands for. They are its words only if
// it is alive still when they have been loaded.
//
//go:nosplit
func (w Word) words() []atomic.Uint64 { return wordsOf(w.Site())[:2<<w.class()] }

// alive reports whether the block that w stands for has not been given back.
func (w Word) alive() bool { return genOf(w.Site()).Load() == w.epochID() }

// A blockCache is free blocks of one processor, so that not all ask for the lock of the heap.
type blockCache struct {
	lock offheap.Lock
	free [classes]uint32 // by class: the first
	n    [classes]uint32
	_    [24]byte // caches are on cache lines of their own
}

var blockCaches [host.Shards]blockCache

const batch = 32 // blocks that move between a cache and the heap

// share makes the block of w one that several cells may have. It reports whether that may be. It
// may not if the block has been given back. Nor may it if the collector has still to meet the
// block, as a cell that the collector has passed could get it.
func (w Word) share() bool {
	b := &unitsOf(w.Site()).is[w.Site()%unitChunk]
	s := b.state.Load()
	if s&stateClass != w.class()+1 || s&keepsPrivate != 0 || b.gen.Load() != w.epochID() {
		return false
	}
	if active := collector.active.Load(); active != 0 && s>>cycleShift != active {
		return false
	}
	return s&private == 0 || b.state.CompareAndSwap(s, s&^private)
}

// spareBlocks is, by class, a free block of one thread, or 0.
type spareBlocks [classes]uint32

// newBlock returns the number of a free block, 0 if there are too many.
func (b *spareBlocks) newBlock(class uint32) uint32 {
	if n := b[class]; n != 0 {
		b[class] = 0
		return n
	}
	s := &blockCaches[host.Shard()]
	s.lock.Lock()
	if s.n[class] == 0 {
		s.fill(class)
	}
	n := s.free[class]
	if n != 0 {
		s.free[class] = *nextBlock(n)
		s.n[class]--
	}
	s.lock.Unlock()
	return n
}

func nextBlock(n uint32) *uint32 { return &unitsOf(n).next[n%unitChunk] }

// fill gets blocks from the heap's list, or new ones.
func (s *blockCache) fill(class uint32) {
	h := &heap
	h.lock.Lock()
	for s.n[class] < batch {
		n := h.free[class]
		if n != 0 {
			h.free[class] = *nextBlock(n)
		} else if n = freshBlock(class); n == 0 {
			break
		}
		*nextBlock(n) = s.free[class]
		s.free[class] = n
		s.n[class]++
		h.used.Add(1 << class)
	}
	h.lock.Unlock()
}

// freshBlock returns a block that never was in use, 0 if there are too many; heap.lock is held. A
// block begins at a multiple of its size, so that none lies across chunks.
func freshBlock(class uint32) uint32 {
	h := &heap
	if h.fresh == 0 {
		h.fresh = 8
	}
	n := (h.fresh + 1<<class - 1) &^ (1<<class - 1)
	if n+1<<class > 1<<siteBits {
		return 0
	}
	h.fresh = n + 1<<class
	if c := &h.chunk[n/unitChunk]; c.Load() == nil {
		c.Store((*units)(host.Alloc(unsafe.Sizeof(units{}))))
	}
	return n
}

// freeBlock gives a block back; heap.lock is held. A goroutine that holds an old word of it may
// still look at its words.
func freeBlock(n, class uint32) {
	nextGen(n)
	*nextBlock(n) = heap.free[class]
	heap.free[class] = n
	heap.used.Add(-(uint32(1) << class))
}

// nextGen begins the next generation of block n, before anything else can happen to it.
func nextGen(n uint32) { host.Publish32(genOf(n), (genOf(n).Load()+1)&(1<<epochBits-1)) }

// dropBlock gives back the block of a word that a cell doesn't have any more, if no other cell may
// have it.
func (b *spareBlocks) dropBlock(w Word) {
	n, class := w.Site(), w.class()
	state := blockState(n)
	if old := state.Load(); old&private == 0 || !w.alive() || !state.CompareAndSwap(old, 0) {
		return // it's shared, or the collector was first
	}
	nextGen(n)
	if b[class] == 0 {
		b[class] = n
	} else {
		putBlock(n, class)
	}
}

// giveBack gives all of them to a cache.
func (b *spareBlocks) giveBack() {
	for class, n := range b {
		if n != 0 {
			putBlock(n, uint32(class))
		}
	}
}

// putBlock gives a free block to a cache.
func putBlock(n, class uint32) {
	s := &blockCaches[host.Shard()]
	s.lock.Lock()
	*nextBlock(n) = s.free[class]
	s.free[class] = n
	s.n[class]++
	if s.n[class] > 2*batch {
		s.spill(class)
	}
	s.lock.Unlock()
}

// spill gives blocks to the heap's list.
func (s *blockCache) spill(class uint32) {
	h := &heap
	h.lock.Lock()
	for range batch {
		n := s.free[class]
		s.free[class] = *nextBlock(n)
		s.n[class]--
		*nextBlock(n) = h.free[class]
		h.free[class] = n
		h.used.Add(-(uint32(1) << class))
	}
	h.lock.Unlock()
}
