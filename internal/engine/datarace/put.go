// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package datarace

import "sync/atomic"

// What becomes of a cell's word by an access. From the easiest case to the hardest: putSimple and
// putOrdered store one word; recall knows the result from the last time; putAmong makes a block.

// putWrite puts w, a write, into a cell, and returns a write that it races with.
func (t *checker) putWrite(r *region, addr uintptr, w Word) (race Word) {
	c := r.write(addr)
	for {
		old := Word(c.Load())
		if t.putSimple(c, old, w) {
			return 0
		}
		if Word(c.Load()) != old {
			continue
		}
		if !old.isBlock() && t.knows(old) { // surely, from now on
			if t.putSimple(c, old, w) {
				return 0
			}
			if old&(atomicBit|earlierBit) == 0 {
				r.notePage(addr, pageEarlier)
				if t.putBehind(r, addr, old, w) {
					return 0
				}
			}
		}
		if !old.hasEarlier() {
			return t.put(c, w, true, true)
		}
		if w&atomicBit != 0 {
			t.knows(Word(r.earlier(addr).Load())) // surely, from now on
			if t.putAtomic(r, addr, old, w) {
				return 0
			}
		}
		t.fold(r, addr, old)
	}
}

// putSimple puts w into a cell's word where that is easy. That is so if what the cell has, old, is
// nothing, or may go, or can be one word with w, or says all that w would. Else, and where another
// goroutine has changed the word, it does nothing, and reports false.
func (t *checker) putSimple(c *atomic.Uint64, old, w Word) bool {
	switch {
	case old == 0 || t.replaces(w, old):
		return c.CompareAndSwap(uint64(old), uint64(w.after(old)))
	case covered(old, w):
	default:
		if w = old.joined(w); w == 0 {
			return false
		}
		return c.CompareAndSwap(uint64(old), uint64(w.after(old)))
	}
	return true
}

// putOrdered puts w into a cell's word if old is of an access that happens before w, and nothing
// else is to stay. It reports whether it was so.
func (t *checker) putOrdered(c *atomic.Uint64, old, w Word) bool {
	return !old.isBlock() && old.within(w) && w.subsumes(old) && t.knows(old) &&
		c.CompareAndSwap(uint64(old), uint64(w))
}

// replaces reports whether w may simply take the place of old. A false answer may be wrong.
//
//go:nosplit
func (t *checker) replaces(w, old Word) bool {
	return (old&blockBit|old&^w&allBytes) == 0 && w.subsumes(old) && t.easilyKnows(old)
}

// The numbers of accesses at one epoch to different bytes of a cell, from different functions, that
// have words of their own. Of more, some get the place of another: else a loop over bytes would
// leave words for each.
const (
	maxReads  = 2
	maxWrites = 4
)

// put puts w into a cell's word, in the place of what it subsumes. A write is checked against what
// is there, and replaces whatever it conflicts with, so that a race is reported once. With a read,
// other reads stay that are not ordered before it. If add is false, w itself is not put.
func (t *checker) put(c *atomic.Uint64, w Word, write, add bool) (race Word) {
	old := Word(c.Load())
	for ; old == 0 || !old.isBlock() && old.within(w) && w.subsumes(old); old = Word(c.Load()) {
		// One word, or none, takes the place of one word.
		known := old == 0 || t.knows(old)
		if !write && !known {
			break
		}
		race, now := Word(0), w
		if !known {
			race = t.races(old, w)
		}
		if !add {
			now = 0
		}
		// A race counts only if the word was there still.
		if c.CompareAndSwap(uint64(old), uint64(now)) {
			return race
		}
	}
	// The lock words of the program's own synchronization come here, again and again.
	if add && write && w&atomicBit != 0 && old.isBlock() && t.renewAtomic(old, w) {
		return 0
	}
	// So do a goroutine's reads of byte after byte, where others have read.
	if add && !write && old.isBlock() && t.joinIn(old, w) {
		return 0
	}
	// A race is with the last read of its goroutine.
	if write && old.isBlock() && blockState(old.Site()).Load()&keepsPrivate != 0 {
		tidy(old)
	}
	// If this thread has made the same access to the same history before, the result is the same,
	// and there was no race.
	if add && t.recall(c, old, memoKey(w, write)) {
		return 0
	}
	for done := false; !done; {
		race, done = t.putAmong(c, w, write, add)
	}
	assist()
	return race
}

// putAmong is put where there are several words, or will be. If another goroutine changes the cell
// meanwhile it reports false, and the caller tries again.
func (t *checker) putAmong(c *atomic.Uint64, w Word, write, add bool) (race Word, done bool) {
	old, key := Word(c.Load()), memoKey(w, write)
	var was, is set
	// A block that is gone while its word is still in the cell was given back by the collector.
	// Then the cell has nothing, and was is empty.
	if !was.load(old) && Word(c.Load()) != old {
		return 0, false
	}
	w, race = t.keepOthers(&is, &was, w, write, add)
	if add {
		is.add(w)
	}
	// Before it is reported: the words may have been those of another cell, with the block anew.
	if race != 0 && Word(c.Load()) != old {
		return 0, false
	}
	// A block with an atomic write is likely to be a lock's, and to see many more of them. If no
	// other cell shares it, renewAtomic may change it in place.
	extra := uint32(0)
	if write && add && w&atomicBit != 0 {
		extra = keepsPrivate
	}
	now := t.makeWord(&is, extra)
	if !c.CompareAndSwap(uint64(old), uint64(now)) {
		if now.isBlock() {
			t.dropBlock(now)
		}
		return 0, false
	}
	// The cell has given up its old block. No other cell can have it if it is private.
	if old.isBlock() {
		t.dropBlock(old)
	}
	if add && race == 0 && now != 0 {
		t.remember(old, key, now)
	}
	return race, true
}

// keepOthers puts into is what stays of the words of was, when w comes to the cell. Words that w
// subsumes lose the bytes that w has. Those that can be one word with w join it. The others stay.
// It returns w with what has joined it, and a word that it races with.
func (t *checker) keepOthers(is, was *set, w Word, write, add bool) (with, race Word) {
	same, limit := 0, maxReads // accesses at w's epoch, and how many may stay
	if write {
		limit = maxWrites
	}
	for _, v := range was.word[:was.n] {
		one := Word(0) // v and w as one word
		if v&w&allBytes != 0 {
			known := t.knows(v)
			if write && !known && race == 0 {
				race = t.races(v, w)
			}
			if w.subsumes(v) && (write || known) {
				v = v.with(v &^ w)
			}
		}
		if add && v != 0 {
			one = v.joined(w)
		}
		switch {
		// What is left of v: nothing, a part that w takes in, or a word that stays.
		case v == 0:
		case one != 0:
			w = one
		// There are too many words of this epoch: w takes the bytes of this one, at its own site.
		case add && (v^w)>>atomicShift == 0 && same == limit-1:
			w |= v & allBytes
		default:
			if (v^w)>>atomicShift == 0 {
				same++
			}
			is.word[is.n] = v
			is.n++
		}
	}
	return w, race
}

// renewAtomic puts w, an atomic write, in the place of the last one in a block, if it races with
// nothing there. No other cell will have the block. The plain write that has initialized a lock is
// never subsumed by the lock's operations: without this, each of them would make a block. If
// another goroutine changes the cell at the same time, w may be lost.
func (t *checker) renewAtomic(old, w Word) bool {
	if blockState(old.Site()).Load()&keepsPrivate == 0 {
		return false
	}
	words := old.words()
	last, at := Word(0), 0
	for i := range words {
		switch v := Word(words[i].Load()); {
		case v&w&allBytes == 0:
		case v&atomicBit == 0:
			if !t.surelyKnows(v) && !t.knows(v) {
				return false
			}
		case last != 0 || !v.within(w):
			return false
		default:
			last, at = v, i
		}
	}
	return last != 0 && old.alive() && words[at].CompareAndSwap(uint64(last), uint64(w))
}
