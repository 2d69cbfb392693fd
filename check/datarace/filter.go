// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package datarace

// bytesOf are the bits of n bytes from addr on, in one cell.
func bytesOf(addr, n uintptr) Word { return (1<<n - 1) << (addr & 7) & allBytes }

// Kinds of accesses: Read or Write, with Atomic added if it's an atomic one.
const (
	Read   = 0
	Write  = 1
	Atomic = 2
)

// LastOther is what is recorded of reads by a second goroutine.
func LastOther(addr uintptr) Word {
	if r := findRegion(addr); r != nil && r.page(addr).Load()&pageOther != 0 {
		return Word(r.other(addr).Load())
	}
	return 0
}

// Repeats reports whether an access to n bytes from addr on adds nothing to what has been recorded at
// the moment now, which is [vclock.Thread.Current].
func Repeats(now uint64, addr, n uintptr, kind int) bool {
	if now == 0 {
		return false
	}
	atomic := Word(kind/Atomic) << atomicShift
	for last := addr + n; addr < last; addr = addr&^7 + 8 {
		r := findRegion(addr)
		if r == nil {
			return false
		}
		whole := Word(now) | allBytes
		for addr&7 == 0 && last-addr >= 8 && Word(r.write(addr).Load())&^(1<<atomicShift-1)|Word(r.write(addr).Load())&(blockBit|allBytes) == whole {
			if addr += 8; addr&(regionSize-1) == 0 {
				break
			}
		}
		if addr >= last {
			return true
		}
		if r = findRegion(addr); r == nil {
			return false
		}
		w := Word(now) | bytesOf(addr, min(last-addr, 8-addr&7)) | atomic
		if !covered(Word(r.write(addr).Load()), w) &&
			(kind&Write != 0 || r.page(addr).Load()&pageRead == 0 || !covered(Word(r.read(addr).Load()), w)) &&
			(kind&Write != 0 || !covered(LastOther(addr), w)) {
			return false
		}
	}
	return true
}

// covered reports whether w adds nothing to what a cell's word stands for.
func covered(old, w Word) bool {
	if !old.isBlock() {
		return old.covers(w)
	}
	words := old.words()
	for i := range words {
		if Word(words[i].Load()).covers(w) {
			return true
		}
	}
	return false
}
