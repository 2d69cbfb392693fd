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
func (t *Thread) conflicts(addr, end uintptr, kind int, site uint32) {
	r := findRegion(addr)
	x := t.txn.P()
	if x != nil && instance.Predictor.Busy() {
		t.foresee(r, addr, end, kind, site)
	}
	if r == nil || x == nil || x.InCall || kind&Atomic != 0 || !instance.Transactions.Running() {
		return
	}
	has, write := r.page(addr).Load(), kind == Write
	for addr < end {
		n := min(8-addr&7, end-addr)
		w := bytesOf(addr, n)
		if has&pageWritten != 0 {
			t.conflictsIn(r.write(addr), w, addr, true, write, site)
		}
		if write {
			t.claim(w, addr, site)
		}
		if has&pageRead != 0 {
			t.conflictsWith(r.read(addr), w, addr, write, site)
		}
		if has&pageOther != 0 {
			t.conflictsWith(r.other(addr), w, addr, write, site)
		}
		addr += n
	}
}

// conflictsWith is conflicts for reads.
func (t *Thread) conflictsWith(c *atomic.Uint64, bytes Word, addr uintptr, write bool, site uint32) {
	if write {
		t.conflictsIn(c, bytes, addr, false, true, site)
	} else {
		t.displace(c, bytes, addr)
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
		if e, ok := t.conflict(v, bytes); ok && Counts(site) && Word(c.Load()) == whole { // else it may be another's by now
			e.FromWrites, e.ToSite, e.ToWrites, e.Addr = wrote, site, write, addr
			instance.Transactions.AddEdge(t.txn.P(), t.clock.P(), e)
		}
	}
}

// A shed has reads of a cell that were worth to be known, of which others, that came after them, have taken the place: who
// writes there conflicts with all. It's a place of a table, and has those of the cell that came there last.
type shed struct {
	lock  offheap.Lock
	cell  atomic.Uintptr
	freed uint32 // as it was for the page
	n     uint32
	reads [maxShed]shedRead
}

type shedRead struct {
	from  vclock.Epoch
	goid  uint64
	bytes Word
	site  uint32
}

const maxShed = 4

var sheds [1 << 8]shed

// freed counts, for pages, what is freed while transactions run: the same address may be another variable's then. Several pages
// share one.
var freed [1 << 8]atomic.Uint32

func freedAt(addr uintptr) *atomic.Uint32 { return &freed[addr>>pageBits%uintptr(len(freed))] }

// noteFree notes that memory is freed.
func noteFree(addr, size uintptr) {
	for i := uintptr(0); i < min(size+addr%pageSize, uintptr(len(freed))*pageSize); i += pageSize {
		freedAt(addr + i).Add(1)
	}
}

//go:nosplit
func shedOf(addr uintptr) *shed { return &sheds[addr>>3*0x9E3779B1>>12%uintptr(len(sheds))] }

// has reports whether there may be something about a cell.
//
//go:nosplit
func (s *shed) has(addr uintptr) bool { return s.cell.Load() == addr&^7 }

// displace keeps what a read of t, of those bytes of a cell, is about to take the place of.
func (t *Thread) displace(c *atomic.Uint64, bytes Word, addr uintptr) {
	var s set
	if whole := Word(c.Load()); whole == 0 || !s.load(whole) {
		return
	}
	for _, v := range s.word[:s.n] {
		if e, ok := t.conflict(v, bytes); ok {
			shedOf(addr).keep(&e, v&bytes, addr)
		}
	}
}

func (s *shed) keep(e *atomicity.Edge, bytes Word, addr uintptr) {
	s.lock.Lock()
	if now := freedAt(addr).Load(); !s.has(addr) || s.freed != now {
		s.n, s.freed = 0, now
		s.cell.Store(addr &^ 7)
	}
	at := s.n
	for i := range s.n {
		if r := &s.reads[i]; r.from.Slot() == e.From.Slot() && r.bytes == bytes {
			at = i // of one goroutine's, the last will do
		}
	}
	if at < maxShed {
		s.reads[at] = shedRead{e.From, e.FromGoid, bytes, e.FromSite}
		s.n = max(s.n, at+1)
	}
	s.lock.Unlock()
}

// claim draws the edges from what is kept of a cell to a write of t.
func (t *Thread) claim(bytes Word, addr uintptr, site uint32) {
	s := shedOf(addr)
	if !s.has(addr) || !Counts(site) {
		return
	}
	s.lock.Lock()
	reads, n := s.reads, s.n
	if !s.has(addr) || s.freed != freedAt(addr).Load() {
		n = 0
	}
	s.cell.Store(0)
	s.lock.Unlock()
	for i := range n {
		if r := &reads[i]; r.bytes&bytes != 0 && instance.Transactions.MayCloseCycle(r.from) {
			instance.Transactions.AddEdge(t.txn.P(), t.clock.P(), atomicity.Edge{
				Kind: atomicity.Memory, Addr: addr, From: r.from, FromGoid: r.goid, FromSite: r.site,
				ToGoid: t.life.P().Goid, ToSite: site, ToWrites: true,
			})
		}
	}
}

// conflict is the edge from an earlier access to those bytes by another goroutine, if it matters and counts.
func (t *Thread) conflict(old, bytes Word) (e atomicity.Edge, ok bool) {
	if old&bytes == 0 || old&atomicBit != 0 || t.own(old) {
		return e, false
	}
	from := epochOf(old.moment())
	if !instance.Transactions.MayCloseCycle(from) {
		return e, false
	}
	l := old.run().life.Load()
	if l == nil || l == t.life.P() || !Counts(old.Site()) {
		return e, false
	}
	return atomicity.Edge{From: from, FromGoid: l.Goid, FromSite: old.Site(), ToGoid: t.life.P().Goid, Kind: atomicity.Memory}, true
}
