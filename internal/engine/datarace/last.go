// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package datarace

// LastWrite is the last write of the byte at addr, 0 if none is known. It is ok only if one of the
// writes was the last: there is no order between those of two words.
func LastWrite(addr uintptr) (w Word, ok bool) {
	r := findRegion(addr)
	if r == nil || r.page(addr).Load()&pageWritten == 0 {
		return 0, true
	}
	var s set
	if !s.load(Word(r.write(addr).Load())) {
		return 0, false
	}
	for _, v := range s.word[:s.n] {
		if v>>(addr&7)&1 == 0 {
			continue
		}
		if w != 0 || v&atomicBit != 0 {
			return 0, false
		}
		w = v
	}
	return w, true
}
