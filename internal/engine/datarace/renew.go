// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package datarace

import "github.com/commutego/commute/internal/engine/vclock"

// A cell that many goroutines read has a block of their reads. Each of them reads it at new epochs
// all the time, mostly with no write between. So a read takes a place in the block, in place: that
// of a read of its epoch, to which it is joined; else that of one that it subsumes; else one that
// is empty. In a full block of the largest size it takes that of another, which is forgotten: one
// that is known, if there is any.
//
// A goroutine's own earlier reads of a byte go when it has read the whole cell, or when a place is
// wanted: not at each byte.

// joinIn puts w, a read, into a block that no other cell has, in place. It takes the bytes of w
// from others that it subsumes, which may leave nothing of them. No other cell will have the block
// from then on. It reports whether it has done so. It does not where all that is in the block are
// t's own reads, which w subsumes, nor where a larger block is needed. So the block stays where
// goroutines read in rounds, each of which knows the last. If another goroutine changes the cell at
// the same time, w may be lost.
func (t *checker) joinIn(old, w Word) bool {
	words := old.words()
	at, v := t.placeIn(old, w)
	if at < 0 && keepPrivate(old) {
		tidy(old)
		at, v = t.placeIn(old, w)
	}
	one := w
	if at >= 0 && (v^w)>>atomicShift == 0 {
		if one = v.joined(w); one == 0 {
			return false
		}
	}
	stays, gone, last := false, uint32(0), -1 // last is the place of a known read
	for i := range words {
		u := Word(words[i].Load())
		if i == at || u == 0 {
			continue
		}
		over := t.over(u, one, w)
		if u&over&allBytes == 0 || !w.subsumes(u) || !t.knows(u) {
			stays = true
			continue
		}
		gone, last = gone|1<<i, i
		if !u.within(over) || !t.own(u) {
			stays = true
		}
		if u.within(over) && at < 0 {
			at, v = i, u
		}
	}
	if at < 0 && len(words) == maxWords {
		if at = last; at < 0 {
			at = int(uint32(w>>epochShift+w>>siteShift) % maxWords)
		}
		v = Word(words[at].Load())
		forgotten.Add(1)
	}
	return at >= 0 && stays && keepPrivate(old) && t.change(old, at, v, one, w, gone)
}

// quickPlace and quickJoinIn are joinIn for a plain read, where that is easy: it is clear that no
// other cell will have the block, and no clock has to be asked. They are two as neither has the
// stack for what the other calls. QuickPlace returns where w goes, what is there, and what that
// becomes: 0 if that is not easy to tell.
//
//go:nosplit
func (t *knowledge) quickPlace(old, w Word, caller uint32) (at int, v, one Word) {
	s := blockState(old.Site()).Load()
	if s&(stateClass|keepsPrivate) != keepsPrivate|(old.class()+1) || orderedMatter() {
		return 0, 0, 0
	}
	if at, v = t.placeIn(old, w); at >= 0 && (v^w)>>atomicShift == 0 {
		return at, v, v.together(w, caller)
	}
	return at, v, w
}

//go:nosplit
func (t *knowledge) quickJoinIn(old Word, at int, v, one, w Word) bool {
	words := wordsOf(old.Site())
	stays, gone := false, uint32(0)
	knowsNone, none := t.knowsNoneOf(old), true // of the reads of others
	for i := range 2 << old.class() {
		u := Word(words[i&(maxWords-1)].Load())
		if i == at || u == 0 {
			continue
		}
		if knowsNone && !t.surelyKnows(u) {
			stays = true
			continue
		}
		if over := t.over(u, one, w); u&over&allBytes != 0 && w.subsumes(u) {
			known, sure := t.answer(u)
			if !sure {
				return false
			}
			if known {
				none = none && t.own(u)
				gone |= 1 << i
				if !u.within(over) || !t.own(u) {
					stays = true
				}
				if u.within(over) && at < 0 {
					at, v = i, u
				}
				continue
			}
		} else {
			none = none && t.own(u)
		}
		stays = true
	}
	if at < 0 || !stays || !t.change(old, at, v, one, w, gone) {
		return false
	}
	if none && !knowsNone {
		t.noteKnowsNoneOf(old)
	}
	return true
}

// placeIn is where w, a read, goes among the words of old's block, as far as no clock has to be
// asked, and the word that is there; -1 if it does.
//
//go:nosplit
func (t *knowledge) placeIn(old, w Word) (at int, v Word) {
	words := wordsOf(old.Site())
	at = -1
	for i := range 2 << old.class() {
		switch u := Word(words[i&(maxWords-1)].Load()); {
		case (u^w)>>atomicShift == 0:
			return i, u
		case u == 0:
			if at < 0 {
				at = i
			}
		case u.within(w) && w.subsumes(u) && t.surelyKnows(u):
			at, v = i, u
		}
	}
	return at, v
}

// over is which bytes of u, a known read, are subsumed by w, and one, which is w and what it is
// joined to: of t's own reads those of one. Others may not have been known when t read the bytes
// before.
//
//go:nosplit
func (t *knowledge) over(u, one, w Word) Word {
	if t.own(u) {
		return one
	}
	return w
}

// change puts one, which is w and what it is joined to, in the place of v among the words of a
// block. It takes what w and one subsume from those that are known, which gone tells. It reports
// false, and does nothing, if the block or the word has changed.
//
//go:nosplit
func (t *knowledge) change(old Word, at int, v, one, w Word, gone uint32) bool {
	// Indices are masked, as the hooks have no stack for a check of bounds.
	words := wordsOf(old.Site())
	c := &words[at&(maxWords-1)]
	if !c.CompareAndSwap(uint64(v), uint64(one)) {
		return false
	}
	if !old.alive() {
		c.CompareAndSwap(uint64(one), uint64(v)) // it may be another cell's
		return false
	}
	for i := 0; gone != 0; i, gone = i+1, gone>>1 {
		if gone&1 == 0 || i == at {
			continue
		}
		// The word may be another by now.
		c := &words[i&(maxWords-1)]
		u := Word(c.Load())
		if over := t.over(u, one, w); u&over&allBytes != 0 && w.subsumes(u) {
			if t.surelyKnows(u) { // as answer has noted; there is no stack to ask it here
				c.CompareAndSwap(uint64(u), uint64(u.with(u&^over)))
			}
		}
	}
	return true
}

// tidy takes the bytes from the words of a block, which only one cell has, that a later read of the
// same goroutine is to as well.
func tidy(old Word) {
	words := old.words()
	var is [maxWords]Word
	var epoch [maxWords]vclock.Epoch
	for i := range words {
		if is[i] = Word(words[i].Load()); is[i] != 0 {
			epoch[i] = epochOf(is[i].epochID())
		}
	}
	if !old.alive() {
		return // the words may be another cell's
	}
	for i, u := range is[:len(words)] {
		left := u
		for k, v := range is[:len(words)] {
			if epoch[i] < epoch[k] && epoch[i].Slot() == epoch[k].Slot() && v.subsumes(u) {
				left = left.with(left &^ v)
			}
		}
		if left != u {
			words[i].CompareAndSwap(uint64(u), uint64(left))
		}
	}
}

// keepPrivate has the block of a word, if only one cell has it, be that cell's alone for good. It
// reports whether it is.
func keepPrivate(w Word) bool {
	state := blockState(w.Site())
	s := state.Load()
	return s&stateClass == w.class()+1 && w.alive() && (s&keepsPrivate != 0 ||
		s&private != 0 && state.CompareAndSwap(s, s|keepsPrivate))
}
