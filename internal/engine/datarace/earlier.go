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
// earlier word holds means nothing. The earlier one is a plain access, and happens before the last
// one: so who knows the last one knows both.
//
// The last one is atomic where the cell is a lock's, or has an atomic variable: the plain write
// that has set it up is the earlier one. It may be to the same bytes; no atomic write subsumes it.
// Each atomic write takes the place of the one before, whose goroutine may be unknown to its own;
// but the earlier one must be known.
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
// w is a plain one to the whole cell.
//
//go:nosplit
func (w Word) after(old Word) Word {
	if w&(allBytes|atomicBit) == allBytes || old.isBlock() {
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
// if it doesn't: old must be one plain access that is surely known. If there is an earlier one of
// old already, it must be to no other bytes: old counts for both.
//
//go:nosplit
func (t *checker) putBehind(r *region, addr uintptr, old, w Word) bool {
	if old == 0 || old&(blockBit|atomicBit)|w&(blockBit|earlierBit) != 0 || !t.easilyKnows(old) {
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

// putAtomic puts w, an atomic write, in the place of old, an atomic one of a cell that has an
// earlier one, which t must surely know. It reports false if it doesn't.
func (t *checker) putAtomic(r *region, addr uintptr, old, w Word) bool {
	if old&atomicBit == 0 || !old.hasEarlier() || !old.within(w) ||
		!t.easilyKnows(Word(r.earlier(addr).Load())) {
		return false
	}
	return r.write(addr).CompareAndSwap(uint64(old), uint64(w|earlierBit))
}

// fold has the cell's word of writes, old, stand for the earlier one as well, by a block.
func (t *checker) fold(r *region, addr uintptr, old Word) {
	last := old.bare()
	is := set{n: 1, word: [maxWords]Word{last}}
	if e := Word(r.earlier(addr).Load()); e != 0 {
		if last&atomicBit == 0 {
			e = e.with(e &^ last)
		}
		if e != 0 {
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
