// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package datarace

import (
	"sync/atomic"

	"github.com/commutego/commute/check/atomicity"
	"github.com/commutego/commute/check/predict"
)

// conflicts draws, while transactions run, the edges of an access to the bytes from addr to end, on one page: from the
// last write of each, and if it's a write itself also from the reads since. Those that are ordered count as well.
func (t *Thread) conflicts(addr, end uintptr, kind int, site uint32) {
	r := findRegion(addr)
	x := t.txn.P()
	if x != nil && predict.Busy() {
		t.foresee(r, addr, end, kind, site)
	}
	if r == nil || x == nil || x.Hidden || kind&Atomic != 0 || !atomicity.Running() {
		return
	}
	has, write := r.page(addr).Load(), kind == Write
	for addr < end {
		n := min(8-addr&7, end-addr)
		w := bytesOf(addr, n)
		if has&pageWritten != 0 {
			t.conflictsIn(r.write(addr), w, addr, true, write, site)
		}
		if write && has&pageRead != 0 {
			t.conflictsIn(r.read(addr), w, addr, false, true, site)
		}
		if write && has&pageOther != 0 {
			t.conflictsIn(r.other(addr), w, addr, false, true, site)
		}
		addr += n
	}
}

// conflictsIn is conflicts for one of a cell's words; bytes are those that are accessed.
func (t *Thread) conflictsIn(c *atomic.Uint64, bytes Word, addr uintptr, wrote, write bool, site uint32) {
	whole := Word(c.Load())
	if whole == 0 {
		return
	}
	var s set
	if !s.load(whole) {
		return
	}
	for _, v := range s.word[:s.n] {
		if e, ok := t.conflict(v, bytes); ok && atomicity.Counts(site) && Word(c.Load()) == whole { // else it may be another's by now
			e.FromWrites, e.ToSite, e.ToWrites, e.Addr = wrote, site, write, addr
			t.txn.P().Draw(t.clock.P(), e)
		}
	}
}

// conflict is the edge from an earlier access to those bytes by another goroutine, if it matters and counts.
func (t *Thread) conflict(old, bytes Word) (e atomicity.Edge, ok bool) {
	if old&bytes == 0 || old&atomicBit != 0 || t.own(old) {
		return e, false
	}
	from := epochOf(old.moment())
	if !atomicity.Matters(from) {
		return e, false
	}
	l := old.run().life.Load()
	if l == nil || l == t.life.P() || !atomicity.Counts(old.Site()) {
		return e, false
	}
	return atomicity.Edge{From: from, FromGoid: l.Goid, FromSite: old.Site(), ToGoid: t.life.P().Goid, Kind: atomicity.Memory}, true
}
