// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package datarace

import "github.com/commutego/commute/internal/engine/vclock"

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

// MadeBy tells which goroutine made an access, and at which epoch. It is not ok if the access is
// t's own, or if that isn't known any more.
func (t *Thread) MadeBy(w Word) (goid uint64, when vclock.Epoch, ok bool) {
	if w == 0 || t.own(w) {
		return 0, 0, false
	}
	l := w.epochBlock().record.Load()
	if l == nil || l == t.record.P() {
		return 0, 0, false
	}
	return l.Goid, epochOf(w.epochID()), true
}
