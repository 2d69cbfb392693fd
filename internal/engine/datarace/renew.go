// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package datarace

// joinIn puts w, a read, into a block that no other cell has, in place: joined to a read of its
// epoch, or where a word has gone. It takes the bytes of w from others that it subsumes, which may
// leave nothing of them. No other cell will have the block from then on. It reports whether it has
// done so: a goroutine that reads byte after byte where others have read would make a block at each
// otherwise. It does not where nothing else would be left in the block. If another goroutine
// changes the cell at the same time, w may be lost.
func (t *checker) joinIn(old, w Word) bool {
	words := old.words()
	at, one, stays := -1, Word(0), false
	for i := range words {
		v := Word(words[i].Load())
		switch {
		case (v^w)>>atomicShift == 0:
			at, one = i, v
		case v == 0:
			if at < 0 {
				at = i
			}
		case !v.within(w) || !w.subsumes(v) || !t.knows(v):
			stays = true
		}
	}
	if at < 0 || !stays || !keepPrivate(old) {
		return false
	}
	v := one
	if one = w; v != 0 {
		one = v.joined(w)
	}
	if one == 0 || !words[at].CompareAndSwap(uint64(v), uint64(one)) {
		return false
	}
	if !old.alive() {
		words[at].CompareAndSwap(uint64(one), uint64(v)) // it may be another cell's
		return false
	}
	for i := range words {
		if v := Word(words[i].Load()); i != at && v&w&allBytes != 0 && w.subsumes(v) &&
			t.knows(v) {
			words[i].CompareAndSwap(uint64(v), uint64(v.with(v&^w)))
		}
	}
	return true
}

// quickJoinIn is joinIn for a plain read, where that is easy: it is clear that no other cell will
// have the block. What is not surely known stays in it.
//
//go:nosplit
func (t *checker) quickJoinIn(old, w Word, caller uint32) bool {
	s := blockState(old.Site()).Load()
	if s&(stateClass|keepsPrivate) != keepsPrivate|(old.class()+1) || orderedMatter() {
		return false
	}
	words := old.words()
	at, one, stays := -1, Word(0), false
	for i := range words {
		v := Word(words[i].Load())
		switch {
		case (v^w)>>atomicShift == 0:
			at, one = i, v
		case v == 0:
			if at < 0 {
				at = i
			}
		case !v.within(w) || !t.surelyKnows(v):
			stays = true
		}
	}
	if at < 0 || !stays {
		return false
	}
	v := one
	if one = t.merged(v, w, caller); one == 0 || !words[at].CompareAndSwap(uint64(v), uint64(one)) {
		return false
	}
	if !old.alive() {
		words[at].CompareAndSwap(uint64(one), uint64(v)) // it may be another cell's
		return false
	}
	for i := range words {
		if v := Word(words[i].Load()); i != at && v&w&allBytes != 0 && w.subsumes(v) &&
			t.surelyKnows(v) {
			words[i].CompareAndSwap(uint64(v), uint64(v.with(v&^w)))
		}
	}
	return true
}

// keepPrivate has the block of a word, if only one cell has it, be that cell's alone for good. It
// reports whether it is.
func keepPrivate(w Word) bool {
	state := blockState(w.Site())
	s := state.Load()
	return s&stateClass == w.class()+1 && w.alive() && (s&keepsPrivate != 0 ||
		s&private != 0 && state.CompareAndSwap(s, s|keepsPrivate))
}
