// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package datarace

import "github.com/commutego/commute/internal/engine/host"

// JoinRead is QuickRead where t has read other bytes of the cell at this epoch: most reads by loops
// over bytes are such. Then it is clear that the cell is watched, and what the read joins. It is
// also true if t has read the byte itself at this epoch, which is in a block.
//
//go:nosplit
func (t *Thread) JoinRead(c Cell, now uint64, site, caller uint32) bool {
	if c.region == nil || now == 0 || t.quickOff {
		return false
	}
	at := c.region.read(c.addr)
	old, w := Word(at.Load()), Word(now)|Word(site)<<siteShift|1<<(c.addr&7)
	if old.isBlock() {
		return t.joinBlock(c, old, w, caller)
	}
	if (old^w)>>atomicShift != 0 || orderedMatter() ||
		!t.readable(Word(c.region.write(c.addr).Load())) {
		return false
	}
	one := old.together(w, caller)
	if one == 0 {
		return false
	}
	host.Publish64(at, uint64(one))
	return true
}

// joinBlock is JoinRead where the cell's reads are a block, old. Of t's earlier reads, what is
// subsumed stays until t has read the whole cell (quickJoinIn), or there is no place left (joinIn).
//
//go:nosplit
func (t *Thread) joinBlock(c Cell, old, w Word, caller uint32) bool {
	words := wordsOf(old.Site())
	at, v := -1, Word(0)
	for i := range 2 << old.class() {
		u := Word(words[i&(maxWords-1)].Load())
		switch {
		case (u^w)>>atomicShift == 0:
			if w.within(u) {
				return old.alive()
			}
			at, v = i, u
		case u&w&allBytes != 0 && !t.own(u) && !t.surelyUnknown(u):
			return false
		}
	}
	state := keepsPrivate | (old.class() + 1)
	if at < 0 || (v|w)&allBytes == allBytes || orderedMatter() ||
		blockState(old.Site()).Load()&(stateClass|keepsPrivate) != state ||
		!t.readable(Word(c.region.write(c.addr).Load())) {
		return false
	}
	one := v.together(w, caller)
	return one != 0 && t.change(old, at, v, one, w, 0)
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
	return t.surelyKnows(write)
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
