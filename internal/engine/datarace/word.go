// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package datarace

// A Word is the record of one access to a cell, 0 for none; or of several, a block.
//
//	epoch ID 26 bits | atomic 1 bit | site 26 bits | class 2 bits | block 1 bit | bytes 8 bits
//
// In a cell's word of writes, the class of an access tells whether there is an earlier one: see
// earlier.go. In the word of a block the site is the block's number, the class tells its size, and
// the epoch ID is the block's generation. It has no bytes. It is marked as atomic, so that the
// quick comparisons never take it for a plain access of the present epoch.
//
// The epoch ID and the atomic bit are on top: two words are of the same epoch and kind if they
// agree above atomicShift.
type Word uint64

const (
	allBytes    = 1<<8 - 1
	blockBit    = 1 << 8
	classShift  = 9
	siteShift   = 11
	siteBits    = 26
	atomicShift = siteShift + siteBits
	atomicBit   = 1 << atomicShift
	epochShift  = atomicShift + 1
	epochBits   = 26
	siteMask    = 1<<atomicShift - 1<<classShift
)

// Site is what the access was recorded with; or the number of a mixture, see mixed.go.
func (w Word) Site() uint32 { return uint32(w>>siteShift) & (1<<siteBits - 1) }

// epochID is the number of the epoch of the access, or the generation of a block.
func (w Word) epochID() uint32 { return uint32(w >> epochShift) }

func (w Word) isBlock() bool { return w&blockBit != 0 }

// class is the size of a block: it has 2<<class words.
func (w Word) class() uint32 { return uint32(w>>classShift) & 3 }

// whole reports whether w is a plain access at the epoch now to all bytes of the cell. Whatever the
// site, another such access adds nothing.
func (w Word) whole(now Word) bool { return w&^siteMask == now|allBytes }

// with is w for some of its bytes, 0 if that are none.
func (w Word) with(bytes Word) Word {
	if bytes &= allBytes; bytes != 0 {
		return w&^allBytes | bytes
	}
	return 0
}

// within reports whether w is to no byte that v isn't to.
func (w Word) within(v Word) bool { return w&^v&allBytes == 0 }

// subsumes reports whether whatever races with old, an ordered access of the same kind to bytes
// that w is to as well, also races with w. A plain access races with more than an atomic one.
//
//go:nosplit
func (w Word) subsumes(old Word) bool { return w&atomicBit <= old&atomicBit }

// same reports whether w and old differ in their bytes only.
//
//go:nosplit
func (w Word) same(old Word) bool { return (w^old)&^(allBytes|earlierBit) == 0 }

// covers reports whether w, a later access, adds nothing to old.
func (old Word) covers(w Word) bool {
	return (old^w)>>epochShift == 0 && w.within(old) && old.subsumes(w)
}

// has reports whether w is a plain access at the epoch now to the byte at addr. One comparison does
// for two: of the epochs' difference, which has to be 0, and the byte's bit, which has to be 1.
//
//go:nosplit
func (w Word) has(now Word, addr uintptr) bool {
	return (w^now)>>atomicShift < w>>(addr&7)&1 // neither 0 nor a block's word has bytes
}
