// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package datarace

// A Cell is where accesses to the byte at an address are recorded, and those to the 7 other bytes
// of its cell. Its methods tell whether a plain access to the byte would add nothing to that. Now
// is [vclock.Thread.EpochID], the top bits of a word.
//
// Most accesses end at one of these methods. Wrote and ReadBefore take one load from the shadow's
// words; the other two also go through blocks.
type Cell struct {
	region *region
	addr   uintptr
}

// CellOf is the cell of addr.
func CellOf(addr uintptr) Cell { return Cell{findRegion(addr), addr} }

// Mapped reports whether anything may be recorded of the cell. Who has asked that asks Wrote and
// ReadBefore in a few instructions each, as the compiler leaves out what they have in common.
func (c Cell) Mapped() bool { return c.region != nil }

// Wrote reports whether a write of the byte is recorded at this epoch. Then neither a read nor a
// write adds anything.
func (c Cell) Wrote(now uint64) bool {
	if c.region == nil {
		return false
	}
	want, in := sought(now, c.addr)
	return (Word(c.region.write(c.addr).Load())^want)&in == 0
}

// ReadBefore reports whether a read of the byte is recorded at this epoch. Then a read adds
// nothing.
func (c Cell) ReadBefore(now uint64) bool {
	if c.region == nil {
		return false
	}
	want, in := sought(now, c.addr)
	return (Word(c.region.read(c.addr).Load())^want)&in == 0
}

// AtomicBefore reports whether an atomic access of the byte, which is a read if reads is set, adds
// nothing: one is recorded at this epoch.
//
//go:nosplit
func (c Cell) AtomicBefore(now uint64, reads bool) bool {
	if c.region == nil {
		return false
	}
	want, in := sought(now, c.addr)
	want |= atomicBit
	wrote := Word(c.region.write(c.addr).Load())
	return (wrote^want)&in == 0 || wrote.isBlock() && wrote.isAmong(want, in) ||
		reads && (Word(c.region.read(c.addr).Load())^want)&in == 0
}

// isAmong reports whether one of the words of a block, which w leads to, is what is sought.
//
//go:nosplit
func (w Word) isAmong(want, in Word) bool {
	words := wordsOf(w.Site())
	for i := range 2 << w.class() {
		if (Word(words[i&(maxWords-1)].Load())^want)&in == 0 {
			return w.alive()
		}
	}
	return false
}

// sought is what a plain access at the epoch now to the byte at addr has in some bits of its word,
// and which bits these are. No other word has the same there: neither 0 nor a block's has bytes.
func sought(now uint64, addr uintptr) (want, in Word) {
	byte := Word(1) << (addr & 7)
	return Word(now) | byte, 1<<64 - 1<<atomicShift | byte
}

// WroteAmong is Wrote where there are several words.
//
//go:nosplit
func (c Cell) WroteAmong(now uint64) bool {
	if c.region == nil {
		return false
	}
	wrote := Word(c.region.write(c.addr).Load())
	want, in := sought(now, c.addr)
	return wrote.isBlock() && wrote.isAmong(want, in)
}

// ReadAmong is, for a read, ReadBefore or Wrote where there are several words.
//
//go:nosplit
func (c Cell) ReadAmong(now uint64) bool {
	if c.region == nil {
		return false
	}
	read, wrote := Word(c.region.read(c.addr).Load()), Word(c.region.write(c.addr).Load())
	want, in := sought(now, c.addr)
	return read.isBlock() && read.isAmong(want, in) ||
		wrote.isBlock() && wrote.isAmong(want, in) ||
		c.region.page(c.addr).Load()&pageOther != 0 &&
			Word(c.region.other(c.addr).Load()).has(Word(now), c.addr)
}
