// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package datarace

import (
	"sync/atomic"

	"github.com/commutego/commute/internal/engine/atomicity"
	"github.com/commutego/commute/internal/engine/instance"
	"github.com/commutego/commute/internal/engine/offheap"
	"github.com/commutego/commute/internal/engine/predict"
	"github.com/commutego/commute/internal/event"
)

// While transactions run, an access that conflicts with an earlier one draws an edge to package
// atomicity, whether the two are ordered or not. The shadow has the earlier accesses. So each
// access is looked at before it is recorded.

// analyses is the transactions and predictions that a thread's accesses are part of.
type analyses struct {
	txn  offheap.Ref[atomicity.Thread]
	past offheap.Ref[predict.Thread]
	// No access may take the quick path: the transaction has been without a lock, so predictions
	// have to see each access (see predict.go).
	quickOff bool
}

// SetTransactions makes x and p the transactions and predictions that the accesses are part of.
func (a *analyses) SetTransactions(x *atomicity.Thread, p *predict.Thread) {
	a.txn, a.past, a.quickOff = offheap.To(x), offheap.To(p), p.Unlocked()
}

// SetQuickOff has each first access at an epoch looked at by itself, or no more. Nil has made none:
// SetTransactions will know.
func (t *Thread) SetQuickOff(on bool) {
	if t != nil {
		t.quickOff = on
	}
}

// An access is one of a thread that is looked at before it is recorded.
type access struct {
	by   *knowledge
	txn  *atomicity.Thread
	past *predict.Thread
	kind event.Access
	site uint32
}

// drawEdges draws, while transactions run, the edges of an access to the bytes from addr to end, on
// one page. They come from the last write of each byte; if the access is a write, also from the
// reads since.
func (a *analyses) drawEdges(by *knowledge, addr, end uintptr, kind event.Access, site uint32) {
	r := findRegion(addr)
	x := access{by, a.txn.P(), a.past.P(), kind, site}
	if x.txn != nil && !x.txn.Left && instance.Predictor.Busy() {
		x.predict(r, addr, end)
	}
	if r == nil || x.txn == nil || x.txn.InCall || x.txn.Left || kind&Atomic != 0 ||
		!instance.Transactions.Running() {
		return
	}
	has, write := r.page(addr).Load(), kind == Write
	for addr < end {
		n := min(8-addr&7, end-addr)
		w := bytesOf(addr, n)
		if has&pageWritten != 0 {
			x.drawWord(r.write(addr), w, addr, true)
			if Word(r.write(addr).Load()).hasEarlier() {
				x.drawWord(r.earlier(addr), w, addr, true)
			}
		}
		if write {
			x.drawDisplaced(w, addr)
		}
		if has&pageRead != 0 {
			x.drawReads(r.read(addr), w, addr)
		}
		if has&pageOther != 0 {
			x.drawReads(r.other(addr), w, addr)
		}
		addr += n
	}
}

// drawReads deals with a word of reads: a write draws edges from them, and a read keeps those whose
// place it is about to take.
func (x *access) drawReads(c *atomic.Uint64, bytes Word, addr uintptr) {
	if x.kind == Write {
		x.drawWord(c, bytes, addr, false)
	} else {
		x.by.keepDisplaced(c, bytes, addr)
	}
}

// drawWord draws the edges from one of a cell's words; bytes are those that are accessed. The word
// must still be there when an edge is drawn: else the block may have been another cell's when it
// was read.
func (x *access) drawWord(c *atomic.Uint64, bytes Word, addr uintptr, wrote bool) {
	whole := Word(c.Load())
	if whole == 0 {
		return
	}
	var s set
	if !s.load(whole) {
		return
	}
	for _, v := range s.word[:s.n] {
		for v, rest := v.cut(); v != 0; v, rest = rest.cut() {
			if e, ok := x.by.edgeFrom(v, bytes); ok && Counts(x.site) && Word(c.Load()) == whole {
				e.FromWrites, e.ToSite, e.ToWrites, e.Addr = wrote, x.site, x.kind == Write, addr
				instance.Transactions.AddEdge(x.txn, x.by.clock.P(), e)
			}
		}
	}
}

// edgeFrom is the edge from an earlier access, of one site, to those bytes by another goroutine, if
// it matters and counts. It matters if a running transaction reaches the access's epoch.
func (t *knowledge) edgeFrom(old, bytes Word) (e atomicity.Edge, ok bool) {
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
