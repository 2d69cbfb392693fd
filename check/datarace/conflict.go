// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package datarace

import (
	"github.com/commutego/commute/check/atomicity"
)

// conflicts draws, while transactions run, the edges of an access to the bytes from addr to end, on one page: from the
// last write of each, and if it's a write itself also from the reads since. Those that are ordered count as well.
func (t *Thread) conflicts(addr, end uintptr, kind int, site uint32) {
	r := findRegion(addr)
	x := t.txn.P()
	if r == nil || x == nil || x.Hidden || kind&Atomic != 0 {
		return
	}
	has, write := r.page(addr).Load(), kind == Write
	for addr < end {
		n := min(8-addr&7, end-addr)
		w := bytesOf(addr, n)
		if has&pageWritten != 0 {
			t.conflictsIn(Word(r.write(addr).Load()), w, addr, true, write, site)
		}
		if write && has&pageRead != 0 {
			t.conflictsIn(Word(r.read(addr).Load()), w, addr, false, true, site)
		}
		if write && has&pageOther != 0 {
			t.conflictsIn(Word(r.other(addr).Load()), w, addr, false, true, site)
		}
		addr += n
	}
}

// conflictsIn is conflicts for what a cell's word, old, stands for; bytes are those that are accessed.
func (t *Thread) conflictsIn(old, bytes Word, addr uintptr, wrote, write bool, site uint32) {
	if old == 0 {
		return
	}
	if !old.isBlock() {
		t.conflict(old, bytes, addr, wrote, write, site)
		return
	}
	var s set
	if !s.load(old) {
		return
	}
	for _, v := range s.word[:s.n] {
		t.conflict(v, bytes, addr, wrote, write, site)
	}
}

// conflict is conflictsIn for one access, which must not be by t itself; both have to count.
func (t *Thread) conflict(old, bytes Word, addr uintptr, wrote, write bool, site uint32) {
	if old&bytes == 0 || old&atomicBit != 0 || t.own(old) {
		return
	}
	from := epochOf(old.moment())
	if !atomicity.Matters(from) {
		return
	}
	l := old.run().life.Load()
	if l == nil || l == t.life.P() || !atomicity.Counts(old.Site()) || !atomicity.Counts(site) {
		return
	}
	t.txn.P().Draw(t.clock.P(), atomicity.Edge{
		From: from, FromGoid: l.Goid, FromSite: old.Site(), FromWrites: wrote,
		ToGoid: t.life.P().Goid, ToSite: site, ToWrites: write, Kind: atomicity.Memory, Addr: addr,
	})
}
