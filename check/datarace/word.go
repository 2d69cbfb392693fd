// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package datarace

// A Word is the record of one access to a cell, 0 for none; or of several, a block.
//
//	moment 26 bits | site 26 bits | class 2 bits | block 1 bit | atomic 1 bit | bytes 8 bits
//
// In the word of a block the site is the block's number, the class tells its size, and the moment
// is 0: it is nobody's present.
type Word uint64

const (
	allBytes    = 1<<8 - 1
	atomicBit   = 1 << 8
	blockBit    = 1 << 9
	classShift  = 10
	siteShift   = 12
	siteBits    = 26
	momentShift = siteShift + siteBits
	momentBits  = 26
)

// MaxSites is the number of different sites, and 1: they are numbered from 0.
const MaxSites = 1 << siteBits

// Site is what the access was recorded with.
func (w Word) Site() uint32 { return uint32(w>>siteShift) & (1<<siteBits - 1) }

// Atomic reports whether it was an atomic access.
func (w Word) Atomic() bool { return w&atomicBit != 0 }

// Bytes are those of the cell's that the access was to, as bits.
func (w Word) Bytes() uint8 { return uint8(w) }

func (w Word) moment() uint32 { return uint32(w >> momentShift) }

func (w Word) isBlock() bool { return w&blockBit != 0 }

func (w Word) class() uint32 { return uint32(w>>classShift) & 3 }

// with is w for some of its bytes, 0 if that are none.
func (w Word) with(bytes Word) Word {
	if bytes &= allBytes; bytes != 0 {
		return w&^allBytes | bytes
	}
	return 0
}

// supersedes reports whether whatever races with old, an ordered access of the same kind to bytes that
// w is to as well, also races with w.
func (w Word) supersedes(old Word) bool { return w&atomicBit == 0 || old&atomicBit != 0 }

// same reports whether w and old differ in their bytes only.
func (w Word) same(old Word) bool { return (w^old)&^allBytes == 0 }
