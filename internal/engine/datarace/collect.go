// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package datarace

import (
	"sync/atomic"

	"github.com/commutego/commute/internal/engine/offheap"
)

// The collector goes through the shadow to find which epoch blocks and which blocks are still in
// use. It does so in small steps, each by a goroutine that needs an epoch block or has made a
// block. A cycle has three parts:
//
//	begin      the cycle gets a number, and active is set to it
//	mark       each word of each page is looked at, and what it mentions gets the cycle's number
//	endCycle   what does not have that number is given back
//
// The words change meanwhile. What makes this safe: a word only ever takes what it mentions from
// the word before, from another cell, or from the goroutine itself. In the first case it was marked
// with that word. In the second, a block that is not marked yet may not be shared (share,
// quickRecall). In the third, an epoch block that some goroutine still takes IDs from is not given
// back. If it ceases to be so in the middle of a cycle, it counts as marked (retire). A new block
// counts as marked together with what it mentions (makeWord).
var collector struct {
	cycle  atomic.Uint32 // the number of the last cycle
	active atomic.Uint32 // the same while it lasts, else 0
	freed  atomic.Uint32 // cycles that are over
	region offheap.Ref[region]
	page   uintptr
	rate   uint32        // pages that are gone through for each epoch block, in 1/256
	debt   uint32        // what is still to be done for those so far, likewise
	limit  uint32        // epoch blocks in use at which the next cycle begins
	blocks atomic.Uint32 // units in use at which it does; read without the lock, it may be old
}

// The numbers of epoch blocks and of units of blocks below which nothing is collected.
const (
	minEpochBlocks = 1 << 14
	minUnits       = 1 << 16
)

// How many epoch blocks, and units of blocks, for each page that has words may be in use by no
// cell. They take some 1.5 KB each, while the words of a page take up to 12. To find them takes a
// look at all pages.
const (
	spareEpochBlocks = 8
	spareUnits       = 64
)

// assist does a part of the collector's work, for a goroutine that makes blocks and needs no epoch
// blocks. No cell's lock is held.
func assist() {
	if heap.used.Load() < max(collector.blocks.Load(), minUnits) && collector.active.Load() == 0 {
		return
	}
	if epochBlocks.lock.TryLock() {
		collect()
		epochBlocks.lock.Unlock()
	}
}

// collect does a part of the collector's work, or begins a cycle. It is called before each new
// epoch block, with epochBlocks' lock held.
func collect() {
	c := &collector
	if c.active.Load() == 0 {
		if epochBlocks.used < max(c.limit, minEpochBlocks) &&
			heap.used.Load() < max(c.blocks.Load(), minUnits) {
			return
		}
		// A cycle has to be over when a quarter as many epoch blocks again are used up. So the
		// rate is the cost of a cycle by that number.
		c.rate = uint32(min(cycleCost()*4/uint64(max(c.limit, minEpochBlocks)), 1<<20)) + 1
		c.cycle.Store(max((c.cycle.Load()+1)&cycleMask, 1))
		c.region, c.page, c.debt = offheap.To(shadow.first.Load()), 0, 0
		c.active.Store(c.cycle.Load())
		return
	}
	// Each call pays for one epoch block. A page without words costs next to nothing.
	for c.debt += c.rate; c.debt >= 256; {
		r := c.region.P()
		if r == nil {
			endCycle()
			return
		}
		if has := r.pages[c.page].Load(); has&(pageWritten|pageRead) != 0 {
			r.mark(c.page, has)
			c.debt -= 256
		} else {
			c.debt -= 1
		}
		if c.page++; c.page == pages {
			c.region, c.page = offheap.To(r.next.Load()), 0
		}
	}
}

// cycleCost is the cost of going through the shadow: 256 for a page that has words, 1 for one that
// has none.
func cycleCost() (n uint64) {
	for r := shadow.first.Load(); r != nil; r = r.next.Load() {
		n += uint64(pages)
	}
	return n + 256*uint64(shadow.count.Load())
}

// mark marks what is mentioned on a page.
func (r *region) mark(page uintptr, has uint32) {
	for _, words := range r.marked(page*(pageSize/8), pageSize/8, has) {
		markAll(words)
	}
}

// marked is the words of n cells from one on, as far as there are any by what their page has, in
// the order in which they are marked. A word moves only to one that comes later: that of the last
// writes to the earlier one (putBehind), and that of the last reads to the other one (takeTurn).
func (r *region) marked(first, n uintptr, has uint32) (list [4][]atomic.Uint64) {
	if has&pageWritten != 0 {
		list[0] = r.writes[first : first+n]
	}
	if has&pageEarlier != 0 {
		list[1] = r.earliers[first : first+n]
	}
	if has&pageRead != 0 {
		list[2] = r.reads[first : first+n]
	}
	if has&pageOther != 0 {
		list[3] = r.others[first : first+n]
	}
	return list
}

// markAll marks what some words mention. Most are of the epoch block of one before, which was
// marked then.
func markAll(words []atomic.Uint64) {
	marked := Word(0) // a word whose epoch block was
	for i := range words {
		switch w := Word(words[i].Load()); {
		case w.isBlock():
			mark(&words[i])
		case w != 0 && (w^marked)>>ownShift != 0:
			w.epochBlock().mark()
			marked = w
		}
	}
}

// mark marks what a cell's word mentions. A goroutine that replaces the word meanwhile mentions no
// more than the word did, and its own epoch block, which needs no mark. So if the block that the
// word led to is gone, the cell has to be looked at again only if its word has changed.
func mark(c *atomic.Uint64) {
	for {
		w := Word(c.Load())
		switch {
		case w == 0:
			return
		case !w.isBlock():
			w.epochBlock().mark()
			return
		case w.markBlock() || Word(c.Load()) == w:
			return
		}
	}
}

// markBlock marks a block and what it mentions. It reports whether the block was there still.
func (w Word) markBlock() bool {
	var s set
	if !s.load(w) {
		return false
	}
	for state := blockState(w.Site()); ; {
		old := state.Load()
		if old&stateClass != w.class()+1 || !w.alive() {
			return false
		}
		cycle := collector.cycle.Load()
		if old>>cycleShift == cycle {
			return true
		}
		if state.CompareAndSwap(old, old&(keepsPrivate|private|stateClass)|cycle<<cycleShift) {
			break
		}
	}
	for _, v := range s.word[:s.n] {
		v.epochBlock().mark()
	}
	return true
}

// mark marks an epoch block as met in this cycle.
func (r *epochBlock) mark() {
	for {
		old := r.state.Load()
		if old>>2 == collector.cycle.Load() ||
			r.state.CompareAndSwap(old, collector.cycle.Load()<<2|old&stateMask) {
			return
		}
	}
}

// endCycle gives back what was not met. Nothing but the collector gives back epoch blocks. A block
// that only one cell had may be given back by its goroutine at the same time: the state's
// compare-and-swap decides.
func endCycle() {
	c := &collector
	c.freed.Add(1)
	for n := uint32(1); n < epochBlocks.fresh; n++ {
		r := epochBlockAt(n)
		if s := r.state.Load(); s&stateMask == stateUsed && s>>2 != c.cycle.Load() {
			r.state.Store(stateFree)
			r.record.Load().release()
			r.record.Store(nil)
			r.next = epochBlocks.free
			epochBlocks.free = n
			epochBlocks.used--
		}
	}
	heap.lock.Lock()
	for n := uint32(8); n < heap.fresh; n++ {
		state := blockState(n)
		if s := state.Load(); s != 0 && s>>cycleShift != c.cycle.Load() &&
			state.CompareAndSwap(s, 0) {
			freeBlock(n, s&stateClass-1)
		}
	}
	// The next cycle begins when as many again are in use, or as many as the shadow's pages allow.
	c.limit = epochBlocks.used +
		max(epochBlocks.used, min(spareEpochBlocks*shadow.count.Load(), maxEpochBlocks/8))
	c.blocks.Store(heap.used.Load() +
		max(heap.used.Load(), min(spareUnits*shadow.count.Load(), 1<<siteBits/8)))
	heap.lock.Unlock()
	c.active.Store(0)
}
