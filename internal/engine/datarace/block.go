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
// units of two words, and have the number of the first.
//
// Many cells have the same history, as those of an array do that several goroutines read; they share a block. So what a
// block has never changes: who has another word to add makes another block. One that no cell but one has had yet is
// private, and given back with its place there; others are left to the collector. Each time that a block is given back
// it begins another generation, which is part of the words that stand for it: who is late with one of those finds out.
type unit [2]atomic.Uint64

const (
	unitChunk = 1 << 14
	classes   = 4
	maxWords  = 2 << (classes - 1)
)

type units struct {
	unit  [unitChunk]unit
	state [unitChunk]atomic.Uint32 // of a block's first unit: see below; 0: free
	gen   [unitChunk]atomic.Uint32 // of a block's first unit: its generation
	next  [unitChunk]uint32        // of a free block's first unit: the next that is free
}

// The state of a block: its class and 1, whether it is private, whether it stays so (see renew), and the last cycle of the
// collector that met it.
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
	fresh uint32
	used  atomic.Uint32 // units
}

//go:nosplit
func unitsOf(n uint32) *units { return heap.chunk[n/unitChunk].Load() }

func blockState(n uint32) *atomic.Uint32 { return &unitsOf(n).state[n%unitChunk] }

// wordsOf returns the words of block n, of which it has as many as its class says.
//
//go:nosplit
func wordsOf(n uint32) *[maxWords]atomic.Uint64 {
	return (*[maxWords]atomic.Uint64)(unsafe.Pointer(&unitsOf(n).unit[n%unitChunk]))
}

func genOf(n uint32) *atomic.Uint32 { return &unitsOf(n).gen[n%unitChunk] }

// words returns the words that w, which is that of a block, stands for. They are its words only if it is alive still
// when they have been loaded.
//
//go:nosplit
func (w Word) words() []atomic.Uint64 { return wordsOf(w.Site())[:2<<w.class()] }

// alive reports whether the block that w stands for has not been given back.
func (w Word) alive() bool { return genOf(w.Site()).Load() == w.epochID() }

// A store is free blocks of one processor, so that not all ask for the lock of all blocks.
type blockCache struct {
	lock offheap.Lock
	free [classes]uint32 // by class: the first
	n    [classes]uint32
	_    [24]byte // stores are on cache lines of their own
}

var blockCaches [host.Shards]blockCache

const batch = 32 // blocks that move between a store and the common lists

// share makes the block of w one that several cells may have. It reports whether that may be: not so if the block has
// been given back, or if the collector has to be told of it.
func (w Word) share() bool {
	u, i := unitsOf(w.Site()), w.Site()%unitChunk
	s := u.state[i].Load()
	if s&stateClass != w.class()+1 || s&keepsPrivate != 0 || u.gen[i].Load() != w.epochID() {
		return false
	}
	if active := collector.active.Load(); active != 0 && s>>cycleShift != active {
		return false
	}
	return s&private == 0 || u.state[i].CompareAndSwap(s, s&^private)
}

// newBlock returns the number of a free block, 0 if there are too many.
func (t *Thread) newBlock(class uint32) uint32 {
	if n := t.spare[class]; n != 0 {
		t.spare[class] = 0
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

// fill gets blocks from the common list, or new ones.
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

// freshBlock returns a block that never was in use, 0 if there are too many; heap.lock is held.
func freshBlock(class uint32) uint32 {
	h := &heap
	if h.fresh == 0 {
		h.fresh = 8
	}
	n := (h.fresh + 1<<class - 1) &^ (1<<class - 1) // so that none lies across chunks
	if n+1<<class > 1<<siteBits {
		return 0
	}
	h.fresh = n + 1<<class
	if c := &h.chunk[n/unitChunk]; c.Load() == nil {
		c.Store((*units)(host.Alloc(unsafe.Sizeof(units{}))))
	}
	return n
}

// freeBlock gives a block back; heap.lock is held. Who is late may still look at its words.
func freeBlock(n, class uint32) {
	nextGen(n)
	*nextBlock(n) = heap.free[class]
	heap.free[class] = n
	heap.used.Add(-(uint32(1) << class))
}

func nextGen(n uint32) { host.Publish32(genOf(n), (genOf(n).Load()+1)&(1<<epochBits-1)) }

// dropBlock gives back the block of a word that a cell doesn't have any more, if none other may have it.
func (t *Thread) dropBlock(w Word) {
	n, class := w.Site(), w.class()
	state := blockState(n)
	if old := state.Load(); old&private == 0 || !w.alive() || !state.CompareAndSwap(old, 0) {
		return // it's shared, or the collector was first
	}
	nextGen(n)
	if t.spare[class] == 0 {
		t.spare[class] = n
	} else {
		putBlock(n, class)
	}
}

// putBlock gives a free block to a store.
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

// spill gives blocks to the common list.
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

// A set is the words of a cell, taken out to be changed.
type set struct {
	n    uint32
	word [maxWords]Word
}

// load takes out what w stands for. It reports whether that was there still.
func (s *set) load(w Word) bool {
	s.n = 0
	switch {
	case w == 0:
	case !w.isBlock():
		s.word[0], s.n = w, 1
	default:
		words := w.words()
		for i := range words {
			v := Word(words[i].Load())
			if v == 0 {
				break
			}
			s.word[s.n] = v
			s.n++
		}
		if !w.alive() {
			s.n = 0
			return false
		}
	}
	return true
}

// add adds a word; where there are too many, another has to go.
func (s *set) add(w Word) {
	if s.n < maxWords {
		s.word[s.n] = w
		s.n++
		return
	}
	forgotten.Add(1)
	s.word[uint32(w>>epochShift+w>>siteShift)%maxWords] = w
}

var forgotten atomic.Uint32

// Forgotten is the number of accesses that had no place.
func Forgotten() int { return int(forgotten.Load() + epochBlocks.exhausted.Load()) }

// store returns a word that stands for s; if it's that of a block, it's to be put into a cell, or dropped. While the
// collector is about, the block counts as met. Should a whole cycle go by before it is in its cell, it's given back, and
// the cell has nothing. Extra is what a block's state has beside: solo or nothing.
func (t *Thread) makeWord(s *set, extra uint32) Word {
	switch s.n {
	case 0:
		return 0
	case 1:
		return s.word[0]
	}
	class := uint32(0)
	for s.n > 2<<class {
		class++
	}
	n := t.newBlock(class)
	if n == 0 {
		forgotten.Add(s.n - 1)
		return s.word[0]
	}
	words := wordsOf(n)[:2<<class]
	for i := range words {
		v := Word(0)
		if uint32(i) < s.n {
			v = s.word[i]
		}
		host.Publish64(&words[i], uint64(v))
	}
	active := collector.active.Load()
	if active != 0 {
		for _, v := range s.word[:s.n] {
			v.epochBlock().mark()
		}
	}
	host.Publish32(blockState(n), active<<cycleShift|private|extra|(class+1))
	return Word(genOf(n).Load())<<epochShift | atomicBit | Word(n)<<siteShift | Word(class)<<classShift | blockBit
}
