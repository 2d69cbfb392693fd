// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package datarace

import (
	"sync/atomic"

	"github.com/commutego/commute/internal/engine/host"
)

// A cell's earlier word is the write before the last, if that was to other bytes too. So is the
// cell of a number that is written again and again, after the struct that it is in was: the
// compiler announces the number's first byte alone. A block would be made at each epoch otherwise.
//
// The word of the last writes says whether there is an earlier one: by earlierBit. If not, what the
// earlier word holds means nothing. Both are plain accesses. What the earlier one is known to be
// before was so for the last one's goroutine, so who knows the last one knows both.
//
// The earlier word is stored first, and the other one by a compare-and-swap. The collector looks at
// them in the other order, so it meets what is moved in one of them.

const earlierBit Word = 1 << classShift // in a cell's word of writes, if that is one access

// hasEarlier reports whether w, a cell's word of writes, has an earlier one beside it.
func (w Word) hasEarlier() bool { return w&(earlierBit|blockBit) == earlierBit }

// bare is w, an access, without the mark that there is an earlier one.
func (w Word) bare() Word {
	if w.isBlock() {
		return w
	}
	return w &^ earlierBit
}

// after is w, which takes the place of old, with old's mark. Nothing is left of an earlier write if
// w is to the whole cell.
//
//go:nosplit
func (w Word) after(old Word) Word {
	if w&allBytes == allBytes || old.isBlock() {
		return w
	}
	return w | old&earlierBit
}

// replace stores w in the place of old, a word of writes. It reports false if old had a mark, and
// is not there any more.
//
//go:nosplit
func replace(c *atomic.Uint64, old, w Word) bool {
	if w&(earlierBit|blockBit) == earlierBit {
		return c.CompareAndSwap(uint64(old), uint64(w))
	}
	host.Publish64(c, uint64(w))
	return true
}

// putBehind makes old, the cell's word of writes, its earlier one, and w its last. It reports false
// if it doesn't: old must be one plain access that is surely known, as w must be a plain one. If
// there is an earlier one of old already, it must be to no other bytes: old counts for both.
//
//go:nosplit
func (t *checker) putBehind(r *region, addr uintptr, old, w Word) bool {
	if old == 0 || (old|w)&(blockBit|atomicBit) != 0 || w&earlierBit != 0 || !t.easilyKnows(old) {
		return false
	}
	c, e := r.write(addr), r.earlier(addr)
	// A word that has become the earlier one since, by another goroutine, stays.
	had := e.Load()
	if old&earlierBit != 0 && !Word(had).within(old) {
		return false
	}
	return c.Load() == uint64(old) && e.CompareAndSwap(had, uint64(old&^earlierBit)) &&
		c.CompareAndSwap(uint64(old), uint64(w|earlierBit))
}

// fold has the cell's word of writes, old, stand for the earlier one as well, by a block.
func (t *checker) fold(r *region, addr uintptr, old Word) {
	last := old.bare()
	is := set{n: 1, word: [maxWords]Word{last}}
	if e := Word(r.earlier(addr).Load()); e != 0 {
		if e = e.with(e &^ last); e != 0 {
			is.add(e)
		}
	}
	now := t.makeWord(&is, 0)
	if !r.write(addr).CompareAndSwap(uint64(old), uint64(now)) && now.isBlock() {
		t.dropBlock(now)
	}
}

// earlierWrite is the earlier word of a cell whose word of writes is w, 0 if there is none.
func (r *region) earlierWrite(addr uintptr, w Word) Word {
	if !w.hasEarlier() {
		return 0
	}
	return Word(r.earlier(addr).Load())
}
