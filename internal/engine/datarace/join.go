// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package datarace

import "sync/atomic"

// easyBlock is EasyRead where the cell's reads, c, are a block, old. Mostly t has read other bytes
// of the cell at this epoch, or the byte at the epoch before: loops over bytes do so, and readers
// of a lock. Of t's earlier reads, what is subsumed stays until t has read the whole cell
// (quickJoinIn), or there is no place left (joinIn).
//
//go:nosplit
func (t *Thread) easyBlock(c *atomic.Uint64, old, w Word, caller uint32) bool {
	words := wordsOf(old.Site())
	at, v, one := -1, Word(0), w
	for i := range 2 << old.class() {
		if u := Word(words[i&(maxWords-1)].Load()); (u^w)>>atomicShift == 0 {
			if w.within(u) {
				return old.alive()
			}
			at, v = i, u
			break
		}
	}
	state := keepsPrivate | (old.class() + 1)
	if blockState(old.Site()).Load()&(stateClass|keepsPrivate) != state {
		return t.quickRecall(c, old, w)
	}
	if at >= 0 {
		if one = v.together(w, caller); one == 0 {
			return false
		}
		if one&allBytes != allBytes && t.knowsNoneOf(old) {
			return t.change(old, at, v, one, w, 0)
		}
		return t.quickJoinIn(old, at, v, one, w)
	}
	if at, v = t.placeIn(old, w); at >= 0 && t.knowsNoneOf(old) {
		return t.change(old, at, v, w, w, 0)
	}
	return t.quickJoinIn(old, at, v, w, w)
}

// readable reports whether a read surely races with none of the writes that a cell's word stands
// for.
//
//go:nosplit
func (t *checker) readable(write Word) bool {
	switch {
	case write == 0:
		return true
	case write.isBlock():
		return t.remembers(write)
	}
	return t.easilyKnows(write)
}

// together is joined for w, whose site's caller is given; but it is 0 as well if that takes a new
// mixture. Old is of the same epoch and kind.
//
//go:nosplit
func (old Word) together(w Word, caller uint32) Word {
	if old.same(w) || caller > CutOff && !isMixed(old.Site()) &&
		siteAt(old.Site()).parent == caller {
		return w | old&allBytes
	}
	return old.quickJoined(w)
}
