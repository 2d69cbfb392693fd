// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package datarace

import (
	"sync/atomic"

	"github.com/commutego/commute/internal/engine/atomicity"
	"github.com/commutego/commute/internal/engine/instance"
	"github.com/commutego/commute/internal/event"
)

// While transactions run, an access that conflicts with an earlier one draws an edge to package
// atomicity, whether the two are ordered or not. The shadow has the earlier accesses. So each
// access is looked at before it is recorded.

// drawEdges draws, while transactions run, the edges of an access to the bytes from addr to end, on
// one page. They come from the last write of each byte; if the access is a write, also from the
// reads since.
func (t *Thread) drawEdges(addr, end uintptr, kind event.Access, site uint32) {
	r := findRegion(addr)
	x := t.txn.P()
	if x != nil && instance.Predictor.Busy() {
		t.predictAccess(r, addr, end, kind, site)
	}
	if r == nil || x == nil || x.InCall || kind&Atomic != 0 || !instance.Transactions.Running() {
		return
	}
	has, write := r.page(addr).Load(), kind == Write
	for addr < end {
		n := min(8-addr&7, end-addr)
		w := bytesOf(addr, n)
		if has&pageWritten != 0 {
			t.drawWord(r.write(addr), w, addr, true, write, site)
		}
		if write {
			t.drawDisplaced(w, addr, site)
		}
		if has&pageRead != 0 {
			t.drawReads(r.read(addr), w, addr, write, site)
		}
		if has&pageOther != 0 {
			t.drawReads(r.other(addr), w, addr, write, site)
		}
		addr += n
	}
}

// drawReads deals with a word of reads: a write draws edges from them, and a read keeps those whose
// place it is about to take.
func (t *Thread) drawReads(c *atomic.Uint64, bytes Word, addr uintptr, write bool, site uint32) {
	if write {
		t.drawWord(c, bytes, addr, false, true, site)
	} else {
		t.keepDisplaced(c, bytes, addr)
	}
}

// drawWord draws the edges from one of a cell's words; bytes are those that are accessed. The word
// must still be there when an edge is drawn: else the block may have been another cell's when it
// was read.
func (t *Thread) drawWord(
	c *atomic.Uint64, bytes Word, addr uintptr, wrote, write bool, site uint32,
) {
	whole := Word(c.Load())
	if whole == 0 {
		return
	}
	var s set
	if !s.load(whole) {
		return
	}
	for _, v := range s.word[:s.n] {
		if e, ok := t.edgeFrom(v, bytes); ok && Counts(site) && Word(c.Load()) == whole {
			e.FromWrites, e.ToSite, e.ToWrites, e.Addr = wrote, site, write, addr
			instance.Transactions.AddEdge(t.txn.P(), t.clock.P(), e)
		}
	}
}

// edgeFrom is the edge from an earlier access to those bytes by another goroutine, if it matters
// and counts. It matters if a running transaction reaches the access's epoch.
func (t *Thread) edgeFrom(old, bytes Word) (e atomicity.Edge, ok bool) {
	if old&bytes == 0 || old&atomicBit != 0 || t.own(old) {
		return e, false
	}
	from := epochOf(old.epochID())
	if !instance.Transactions.MayCloseCycle(from) {
		return e, false
	}
	l := old.epochBlock().record.Load()
	if l == nil || l == t.record.P() || !Counts(old.Site()) {
		return e, false
	}
	return atomicity.Edge{
		From: from, FromGoid: l.Goid, FromSite: old.Site(),
		ToGoid: t.record.P().Goid, Kind: atomicity.Memory,
	}, true
}
