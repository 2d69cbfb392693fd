// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package datarace

import (
	"github.com/commutego/commute/internal/engine/instance"
	"sync/atomic"

	"github.com/commutego/commute/internal/engine/atomicity"
	"github.com/commutego/commute/internal/engine/offheap"
	"github.com/commutego/commute/internal/engine/vclock"
)

// conflicts draws, while transactions run, the edges of an access to the bytes from addr to end, on one page: from the
// last write of each, and if it's a write itself also from the reads since. Those that are ordered count as well.
func (t *Thread) drawEdges(addr, end uintptr, kind int, site uint32) {
	r := findRegion(addr)
	x := t.txn.P()
	if x != nil && instance.Predictor.Busy() {
		t.predictAccess(r, addr, end, kind, site)
	}
	if r == nil || x == nil || x.Hidden || kind&Atomic != 0 || !instance.Transactions.Running() {
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

// conflictsWith is conflicts for reads.
func (t *Thread) drawReads(c *atomic.Uint64, bytes Word, addr uintptr, write bool, site uint32) {
	if write {
		t.drawWord(c, bytes, addr, false, true, site)
	} else {
		t.keepDisplaced(c, bytes, addr)
	}
}

// conflictsIn is conflicts for one of a cell's words; bytes are those that are accessed.
func (t *Thread) drawWord(c *atomic.Uint64, bytes Word, addr uintptr, wrote, write bool, site uint32) {
	whole := Word(c.Load())
	if whole == 0 {
		return
	}
	var s set
	if !s.load(whole) {
		return
	}
	for _, v := range s.word[:s.n] {
		if e, ok := t.edgeFrom(v, bytes); ok && Counts(site) && Word(c.Load()) == whole { // else it may be another's by now
			e.FromWrites, e.ToSite, e.ToWrites, e.Addr = wrote, site, write, addr
			instance.Transactions.Draw(t.txn.P(), t.clock.P(), e)
		}
	}
}

// A shed has reads of a cell that were worth to be known, of which others, that came after them, have taken the place: who
// writes there conflicts with all. It's a place of a table, and has those of the cell that came there last.
type displacedReads struct {
	lock      offheap.Lock
	cell      atomic.Uintptr
	pageFrees uint32 // as it was for the page
	n         uint32
	reads     [maxDisplaced]displacedRead
}

type displacedRead struct {
	from  vclock.Epoch
	goid  uint64
	bytes Word
	site  uint32
}

const maxDisplaced = 4

var displaced [1 << 8]displacedReads

// freed counts, for pages, what is freed while transactions run: the same address may be another variable's then. Several pages
// share one.
var pageFrees [1 << 8]atomic.Uint32

func pageFreesAt(addr uintptr) *atomic.Uint32 {
	return &pageFrees[addr>>pageBits%uintptr(len(pageFrees))]
}

// noteFree notes that memory is freed.
func noteFree(addr, size uintptr) {
	for i := uintptr(0); i < min(size+addr%pageSize, uintptr(len(pageFrees))*pageSize); i += pageSize {
		pageFreesAt(addr + i).Add(1)
	}
}

//go:nosplit
func displacedAt(addr uintptr) *displacedReads {
	return &displaced[addr>>3*0x9E3779B1>>12%uintptr(len(displaced))]
}

// has reports whether there may be something about a cell.
//
//go:nosplit
func (s *displacedReads) has(addr uintptr) bool { return s.cell.Load() == addr&^7 }

// displace keeps what a read of t, of those bytes of a cell, is about to take the place of.
func (t *Thread) keepDisplaced(c *atomic.Uint64, bytes Word, addr uintptr) {
	var s set
	if whole := Word(c.Load()); whole == 0 || !s.load(whole) {
		return
	}
	for _, v := range s.word[:s.n] {
		if e, ok := t.edgeFrom(v, bytes); ok {
			displacedAt(addr).keep(&e, v&bytes, addr)
		}
	}
}

func (s *displacedReads) keep(e *atomicity.Edge, bytes Word, addr uintptr) {
	s.lock.Lock()
	if now := pageFreesAt(addr).Load(); !s.has(addr) || s.pageFrees != now {
		s.n, s.pageFrees = 0, now
		s.cell.Store(addr &^ 7)
	}
	at := s.n
	for i := range s.n {
		if r := &s.reads[i]; r.from.Slot() == e.From.Slot() && r.bytes == bytes {
			at = i // of one goroutine's, the last will do
		}
	}
	if at < maxDisplaced {
		s.reads[at] = displacedRead{e.From, e.FromGoid, bytes, e.FromSite}
		s.n = max(s.n, at+1)
	}
	s.lock.Unlock()
}

// claim draws the edges from what is kept of a cell to a write of t.
func (t *Thread) drawDisplaced(bytes Word, addr uintptr, site uint32) {
	s := displacedAt(addr)
	if !s.has(addr) || !Counts(site) {
		return
	}
	s.lock.Lock()
	reads, n := s.reads, s.n
	if !s.has(addr) || s.pageFrees != pageFreesAt(addr).Load() {
		n = 0
	}
	s.cell.Store(0)
	s.lock.Unlock()
	for i := range n {
		if r := &reads[i]; r.bytes&bytes != 0 && instance.Transactions.Matters(r.from) {
			instance.Transactions.Draw(t.txn.P(), t.clock.P(), atomicity.Edge{
				Kind: atomicity.Memory, Addr: addr, From: r.from, FromGoid: r.goid, FromSite: r.site,
				ToGoid: t.record.P().Goid, ToSite: site, ToWrites: true,
			})
		}
	}
}

// conflict is the edge from an earlier access to those bytes by another goroutine, if it matters and counts.
func (t *Thread) edgeFrom(old, bytes Word) (e atomicity.Edge, ok bool) {
	if old&bytes == 0 || old&atomicBit != 0 || t.own(old) {
		return e, false
	}
	from := epochOf(old.epochID())
	if !instance.Transactions.Matters(from) {
		return e, false
	}
	l := old.epochBlock().record.Load()
	if l == nil || l == t.record.P() || !Counts(old.Site()) {
		return e, false
	}
	return atomicity.Edge{From: from, FromGoid: l.Goid, FromSite: old.Site(), ToGoid: t.record.P().Goid, Kind: atomicity.Memory}, true
}
