// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package datarace

import (
	"sync/atomic"

	"github.com/commutego/commute/check/atomicity"
	"github.com/commutego/commute/check/vclock"
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
			t.conflictsIn(r.write(addr), w, addr, true, write, site)
		}
		if has&(pageRead|pageOther) != 0 {
			t.shed(r, addr, w, has, write, site)
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

// A shed is a read by another goroutine that one of the present one, which comes after it, has taken the place of: who
// reads, and then writes, conflicts with both.
type shed struct {
	cell  uintptr
	bytes Word
	from  vclock.Epoch
	goid  uint64
	site  uint32
	freed uint32 // as freed was
}

const sheds = 4

// freed counts what is freed while transactions run: the same address may be another variable's then.
var freed atomic.Uint32

// shed keeps the read that one of t, of those bytes of a cell, is about to take the place of. If t is about to write, it draws
// the edge from the one that was kept, provided that t's own is still there.
func (t *Thread) shed(r *region, addr uintptr, bytes Word, has uint32, write bool, site uint32) {
	kept := &t.sheds[addr>>3%sheds]
	match := kept.cell == addr&^7 && kept.freed == freed.Load()
	if write && (!match || kept.bytes&bytes == 0) {
		return
	}
	own, other := false, atomicity.Edge{}
	for _, what := range [...]uint32{pageRead, pageOther} {
		if has&what == 0 {
			continue
		}
		var at *atomic.Uint64
		if what == pageRead {
			at = r.read(addr)
		} else {
			at = r.other(addr)
		}
		var s set
		if whole := Word(at.Load()); whole == 0 || !s.load(whole) {
			continue
		}
		for _, v := range s.word[:s.n] {
			if v&bytes != 0 && t.own(v) {
				own = true
			} else if e, ok := t.conflict(v, bytes); ok {
				other = e
			}
		}
	}
	switch {
	case write && own:
		if atomicity.Matters(kept.from) && atomicity.Counts(site) {
			t.txn.P().Draw(t.clock.P(), atomicity.Edge{
				Kind: atomicity.Memory, Addr: addr, From: kept.from, FromGoid: kept.goid, FromSite: kept.site,
				ToGoid: t.life.P().Goid, ToSite: site, ToWrites: true,
			})
		}
		kept.cell = 0
	case write || own: // what was kept before its first read stays
	case other.From != 0:
		*kept = shed{addr &^ 7, bytes, other.From, other.FromGoid, other.FromSite, freed.Load()}
	case match:
		kept.cell = 0
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
