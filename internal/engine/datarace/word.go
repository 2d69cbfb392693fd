// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package datarace

// A Word is the record of one access to a cell, 0 for none; or of several, a block.
//
//	moment 26 bits | atomic 1 bit | site 26 bits | class 2 bits | block 1 bit | bytes 8 bits
//
// In the word of a block the site is the block's number, the class tells its size, and the moment is the block's
// generation. It has no bytes, and is marked as atomic, as no plain access is that a goroutine makes at its present.
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

// Site is what the access was recorded with.
func (w Word) Site() uint32 { return uint32(w>>siteShift) & (1<<siteBits - 1) }

func (w Word) epochID() uint32 { return uint32(w >> epochShift) }

func (w Word) isBlock() bool { return w&blockBit != 0 }

func (w Word) class() uint32 { return uint32(w>>classShift) & 3 }

// whole reports whether w is a plain access, or one that is kept for it, to all bytes of the cell at the moment now.
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

// supersedes reports whether whatever races with old, an ordered access of the same kind to bytes that
// w is to as well, also races with w.
//
//go:nosplit
func (w Word) subsumes(old Word) bool { return w&atomicBit <= old&atomicBit }

// same reports whether w and old differ in their bytes only.
//
//go:nosplit
func (w Word) same(old Word) bool { return (w^old)&^allBytes == 0 }

// covers reports whether w, a later access, adds nothing to old.
func (old Word) covers(w Word) bool {
	return (old^w)>>epochShift == 0 && w.within(old) && old.subsumes(w)
}

// has reports whether w is a plain access at the moment now to the byte at addr.
//
//go:nosplit
func (w Word) has(now Word, addr uintptr) bool {
	return (w^now)>>atomicShift == 0 && w>>(addr&7)&1 != 0 // neither 0 nor a block has bytes
}

// joins reports whether two accesses of one kind may be kept as one, at the site of the later: they are by one
// function, to neighbouring bytes, at one moment. Else who goes through bytes would leave words for each.
func (old Word) mergesWith(w Word) bool {
	return (old^w)>>atomicShift == 0 && old&blockBit == 0 && (old.same(w) || inOneFunction(old.Site(), w.Site()))
}
