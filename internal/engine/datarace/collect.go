// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package datarace

import (
	"sync/atomic"

	"github.com/commutego/commute/internal/engine/offheap"
)

// The collector goes through the shadow to find which runs of moments and which blocks are still in use. It does so in
// small steps, by whoever needs a run. A run that some goroutine still records accesses at is not looked
// for; one that ceases to be so in the middle of a cycle counts as found (see retire).
var collector struct {
	cycle  atomic.Uint32 // the number of the last cycle
	active atomic.Uint32 // the same while it lasts, else 0
	freed  atomic.Uint32 // cycles that are over
	region offheap.Ref[region]
	page   uintptr
	rate   uint32 // pages that are gone through for each run, in 1/256
	debt   uint32
	limit  uint32        // runs in use at which the next cycle begins
	blocks atomic.Uint32 // units in use at which it does; who looks at it without the lock may be late
}

// The numbers of runs and of units of blocks below which nothing is collected.
const (
	minEpochBlocks = 1 << 14
	minUnits       = 1 << 16
)

// How many runs, and units of blocks, for each page that has words may be in use by no cell: some 1.5 KB each, while the
// words of a page take up to 12. To find them takes a look at all pages.
const (
	spareEpochBlocks = 8
	spareUnits       = 64
)

// lend has who makes blocks, and needs no runs, do a part of the work. No cell's lock is held.
func assist() {
	if heap.used.Load() < max(collector.blocks.Load(), minUnits) && collector.active.Load() == 0 {
		return
	}
	if epochBlocks.lock.TryLock() {
		collect()
		epochBlocks.lock.Unlock()
	}
}

// work does a part of the collector's work, or begins it. It is called before each new run, with pool's lock.
func collect() {
	c := &collector
	if c.active.Load() == 0 {
		if epochBlocks.used < max(c.limit, minEpochBlocks) && heap.used.Load() < max(c.blocks.Load(), minUnits) {
			return
		}
		// A cycle has to be over before as many runs again are used up.
		c.rate = uint32(min(cycleCost()*4/uint64(max(c.limit, minEpochBlocks)), 1<<20)) + 1
		c.cycle.Store(max((c.cycle.Load()+1)&cycleMask, 1))
		c.region, c.page, c.debt = offheap.To(shadow.first.Load()), 0, 0
		c.active.Store(c.cycle.Load())
		return
	}
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

// cost is that of going through the shadow: 256 for a page that has words, 1 for one that has none.
func cycleCost() (n uint64) {
	for r := shadow.first.Load(); r != nil; r = r.next.Load() {
		n += uint64(pages)
	}
	return n + 256*uint64(shadow.count.Load())
}

// mark marks what is mentioned on a page.
func (r *region) mark(page uintptr, has uint32) {
	for i := page * (pageSize / 8); i < (page+1)*(pageSize/8); i++ {
		if has&pageWritten != 0 {
			mark(&r.writes[i])
		}
		if has&pageRead != 0 {
			mark(&r.reads[i])
		}
		if has&pageOther != 0 {
			mark(&r.others[i])
		}
	}
}

// mark marks what a cell mentions. Who replaces its word meanwhile mentions no more than that did, and a run of its own,
// which needs no mark.
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

func (r *epochBlock) mark() {
	for {
		old := r.state.Load()
		if old>>2 == collector.cycle.Load() || r.state.CompareAndSwap(old, collector.cycle.Load()<<2|old&stateMask) {
			return
		}
	}
}

// finish gives back what was not met.
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
		if s := state.Load(); s != 0 && s>>cycleShift != c.cycle.Load() && state.CompareAndSwap(s, 0) {
			freeBlock(n, s&stateClass-1)
		}
	}
	c.limit = epochBlocks.used + max(epochBlocks.used, min(spareEpochBlocks*shadow.count.Load(), maxEpochBlocks/8))
	c.blocks.Store(heap.used.Load() + max(heap.used.Load(), min(spareUnits*shadow.count.Load(), 1<<siteBits/8)))
	heap.lock.Unlock()
	c.active.Store(0)
}
