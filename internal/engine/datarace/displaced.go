// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package datarace

import (
	"sync/atomic"

	"github.com/commutego/commute/internal/engine/atomicity"
	"github.com/commutego/commute/internal/engine/instance"
	"github.com/commutego/commute/internal/engine/offheap"
	"github.com/commutego/commute/internal/engine/vclock"
)

// A read of a cell can be subsumed by a later read: for races the later one stands for both. But a
// transaction's write conflicts with each of them. So reads that matter to transactions are kept
// here when another takes their place. The table has a fixed size: an entry is that of the cell
// that came there last.
type displacedReads struct {
	lock      offheap.Lock
	cell      atomic.Uintptr
	pageFrees uint32 // the page's count of frees, when the reads were kept
	n         uint32
	reads     [maxDisplaced]displacedRead
}

// A displacedRead is the source of an edge, should a write follow.
type displacedRead struct {
	from  vclock.Epoch
	goid  uint64
	bytes Word
	site  uint32
}

const maxDisplaced = 4

var displaced [1 << 8]displacedReads

// pageFrees counts, for pages, what is freed while transactions run or are candidates: the same
// address may be another variable's afterwards. Several pages share a count.
var pageFrees [1 << 8]atomic.Uint32

func pageFreesAt(addr uintptr) *atomic.Uint32 {
	return &pageFrees[addr>>pageBits%uintptr(len(pageFrees))]
}

// noteFree notes that memory is freed.
func noteFree(addr, size uintptr) {
	// One look at each count is enough, however long the memory is.
	const all = uintptr(len(pageFrees)) * pageSize
	for i := uintptr(0); i < min(size+addr%pageSize, all); i += pageSize {
		pageFreesAt(addr + i).Add(1)
	}
}

// displacedAt is where reads of the cell of addr are kept.
//
//go:nosplit
func displacedAt(addr uintptr) *displacedReads {
	return &displaced[addr>>3*0x9E3779B1>>12%uintptr(len(displaced))]
}

// has reports whether there may be something about the cell of addr.
//
//go:nosplit
func (s *displacedReads) has(addr uintptr) bool { return s.cell.Load() == addr&^7 }

// keepDisplaced keeps the reads of those bytes of a cell whose place a read of t is about to take.
func (t *knowledge) keepDisplaced(c *atomic.Uint64, bytes Word, addr uintptr) {
	var s set
	if whole := Word(c.Load()); whole == 0 || !s.load(whole) {
		return
	}
	for _, v := range s.word[:s.n] {
		for v, rest := v.cut(); v != 0; v, rest = rest.cut() {
			if e, ok := t.edgeFrom(v, bytes); ok {
				displacedAt(addr).keep(&e, v&bytes, addr)
			}
		}
	}
}

// keep adds a read. Of the reads of one goroutine the last is enough, as program order leads from
// the others to it.
func (s *displacedReads) keep(e *atomicity.Edge, bytes Word, addr uintptr) {
	s.lock.Lock()
	if now := pageFreesAt(addr).Load(); !s.has(addr) || s.pageFrees != now {
		s.n, s.pageFrees = 0, now
		s.cell.Store(addr &^ 7)
	}
	at := s.n
	for i := range s.n {
		if r := &s.reads[i]; r.from.Slot() == e.From.Slot() && r.bytes == bytes {
			at = i
		}
	}
	if at < maxDisplaced {
		s.reads[at] = displacedRead{e.From, e.FromGoid, bytes, e.FromSite}
		s.n = max(s.n, at+1)
	}
	s.lock.Unlock()
}

// drawDisplaced draws the edges from what is kept of a cell to a write. Then nothing of it is
// kept any more: the write stands for the reads from now on.
func (x *access) drawDisplaced(bytes Word, addr uintptr) {
	s := displacedAt(addr)
	if !s.has(addr) || !Counts(x.site) {
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
		if r := &reads[i]; r.bytes&bytes != 0 && instance.Transactions.MayCloseCycle(r.from) {
			instance.Transactions.AddEdge(x.txn, x.by.clock.P(), atomicity.Edge{
				Kind: atomicity.Memory, Addr: addr,
				From: r.from, FromGoid: r.goid, FromSite: r.site,
				ToGoid: x.by.record.P().Goid, ToSite: x.site, ToWrites: true,
			})
		}
	}
}
