// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package datarace

import (
	"unsafe"

	"github.com/commutego/commute/internal/event"
)

// bytesOf are the bits of n bytes from addr on, in one cell.
func bytesOf(addr, n uintptr) Word { return (1<<n - 1) << (addr & 7) & allBytes }

// LastOther is what is recorded of reads by a second goroutine.
func LastOther(addr uintptr) Word {
	if r := findRegion(addr); r != nil && r.page(addr).Load()&pageOther != 0 {
		return Word(r.other(addr).Load())
	}
	return 0
}

// Repeats reports whether an access to n bytes from addr on adds nothing to what has been recorded
// at the epoch now, which is [vclock.Thread.EpochID].
func Repeats(now uint64, addr, n uintptr, kind event.Access) bool {
	if now == 0 {
		return false
	}
	for last := addr + n; addr < last; {
		r := findRegion(addr)
		if r == nil || !r.repeats(Word(now), addr, min(last, addr&^(pageSize-1)+pageSize), kind) {
			return false
		}
		addr = addr&^(pageSize-1) + pageSize
	}
	return true
}

// NewFrom is the first byte of a range to which a plain access by the goroutine whose epoch is now
// may add something to what is recorded, as far as its region goes; the end of the range if there
// is none. Each byte before it has a plain access of the same epoch, which is a write if this one
// is. Of words in blocks, and of those for a second goroutine's reads, nothing is told.
//
//go:nosplit
func NewFrom(now uint64, addr, n uintptr, write bool) uintptr {
	r := findRegion(addr)
	if r == nil || now == 0 {
		return addr
	}
	end := addr + min(n, regionSize-addr&(regionSize-1))
	for at := unsafe.Pointer(r.write(addr)); addr < end; at = unsafe.Add(at, 8) {
		w := Word(allBytes)
		if addr&7 != 0 || end-addr < 8 {
			w = bytesOf(addr, min(8-addr&7, end-addr))
		}
		want, in := Word(now)|w, 1<<64-1<<atomicShift|w
		if (Word(cellWord(at, 0).Load())^want)&in != 0 &&
			(write || (Word(cellWord(at, toReads).Load())^want)&in != 0) {
			return addr
		}
		addr = min(addr&^7+8, end)
	}
	return addr
}

// Repeats is [Repeats] for the byte of a cell.
func (c Cell) Repeats(now uint64, kind event.Access) bool {
	if c.region == nil || now == 0 {
		return false
	}
	w := Word(now) | 1<<(c.addr&7) | Word(kind/Atomic)<<atomicShift
	if covered(Word(c.region.write(c.addr).Load()), w) {
		return true
	}
	return kind&Write == 0 && (covered(Word(c.region.read(c.addr).Load()), w) ||
		c.region.page(c.addr).Load()&pageOther != 0 &&
			covered(Word(c.region.other(c.addr).Load()), w))
}

// repeats is Repeats for what lies on one page.
func (r *region) repeats(now Word, addr, end uintptr, kind event.Access) bool {
	reads := kind&Write == 0 && r.page(addr).Load()&pageRead != 0
	for addr < end {
		if addr&7 == 0 && end-addr >= 8 {
			if addr = r.skip(now, addr, end&^7, reads); addr == end {
				return true
			}
		}
		bytes := min(8-addr&7, end-addr)
		w := now | bytesOf(addr, bytes) | Word(kind/Atomic)<<atomicShift
		if !covered(Word(r.write(addr).Load()), w) &&
			(!reads || !covered(Word(r.read(addr).Load()), w)) &&
			(kind&Write != 0 || !covered(LastOther(addr), w)) {
			return false
		}
		addr += bytes
	}
	return true
}

// skip returns the first of the whole cells from addr to end, on one page, that has no access at
// the epoch now. Writes count, and reads if reads is set. It's end if there is none.
//
//go:nosplit
func (r *region) skip(now Word, addr, end uintptr, reads bool) uintptr {
	if reads {
		for addr < end &&
			(Word(r.read(addr).Load()).whole(now) || Word(r.write(addr).Load()).whole(now)) {
			addr += 8
		}
		return addr
	}
	for addr < end && Word(r.write(addr).Load()).whole(now) {
		addr += 8
	}
	return addr
}

// covered reports whether w adds nothing to what a cell's word stands for.
func covered(old, w Word) bool {
	if !old.isBlock() {
		return old.covers(w)
	}
	words := old.words()
	for i := range words {
		if Word(words[i].Load()).covers(w) {
			return old.alive()
		}
	}
	return false
}
