// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package datarace

// joinIn joins w, a read, to a read of its epoch in a block that no other cell has, in place, and
// takes the bytes of w from others that it subsumes. No other cell will have the block from then
// on. It reports whether it has done so: a goroutine that reads byte after byte where others have
// read would make a block at each otherwise. If another goroutine changes the cell at the same
// time, w may be lost.
func (t *checker) joinIn(old, w Word) bool {
	words := old.words()
	at, one := -1, Word(0)
	for i := range words {
		v := Word(words[i].Load())
		switch {
		case v == 0:
		case (v^w)>>atomicShift == 0:
			at, one = i, v
		case v.within(w) && w.subsumes(v) && t.knows(v):
			return false // it has to go
		}
	}
	if at < 0 || !keepPrivate(old) {
		return false
	}
	v := one
	if one = v.joined(w); one == 0 || !words[at].CompareAndSwap(uint64(v), uint64(one)) {
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

// keepPrivate has the block of a word, if only one cell has it, be that cell's alone for good. It
// reports whether it is.
func keepPrivate(w Word) bool {
	state := blockState(w.Site())
	s := state.Load()
	return s&stateClass == w.class()+1 && w.alive() && (s&keepsPrivate != 0 ||
		s&private != 0 && state.CompareAndSwap(s, s|keepsPrivate))
}
