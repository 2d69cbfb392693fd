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
// here when another takes their place.
//
// The table has a fixed size. A cell has its place in one of the ways of a row, as in a cache; if
// all are taken, the reads of another cell are forgotten. A row of one way would do so for any two
// cells whose addresses meet there, though hardly anything is kept.
type displacedRow struct {
	lock offheap.Lock
	next uint32 // the way that is taken next where all are
	ways [displacedWays]displacedReads
}

// displacedReads are those of one cell.
type displacedReads struct {
	cell  atomic.Uintptr // 0 if there is none
	frees freeCount      // the page's, when the reads were kept
	n     uint32
	reads [maxDisplaced]displacedRead
}

// A displacedRead is the source of an edge, should a write follow.
type displacedRead struct {
	from  vclock.Epoch
	goid  uint64
	bytes Word
	site  uint32
}

const (
	maxDisplaced  = 4
	displacedWays = 4
)

var displaced [1 << 7]displacedRow

// pageFrees counts, for pages, what is freed while transactions run or are candidates: the same
// address may be another variable's afterwards. Pages share counts. So there are two of a page,
// which it shares with different ones: if one of the two is as before, nothing of it was freed.
var pageFrees [2][1 << pageFreesBits]atomic.Uint32

const pageFreesBits = 10

// A freeCount is the two counts of a page.
type freeCount [2]uint32

// freesAt is the counts of the page of addr.
func freesAt(addr uintptr) freeCount {
	i, j := pageFreesOf(addr)
	return freeCount{pageFrees[0][i].Load(), pageFrees[1][j].Load()}
}

// freed reports whether something of a page may have been freed between two times.
func (f freeCount) freed(now freeCount) bool { return f[0] != now[0] && f[1] != now[1] }

// pageFreesOf is where the two counts of the page of addr are.
func pageFreesOf(addr uintptr) (i, j uintptr) {
	page := addr >> pageBits
	return page % (1 << pageFreesBits), page * 0x9E3779B1 >> 15 % (1 << pageFreesBits)
}

// noteFree notes that memory is freed.
func noteFree(addr, size uintptr) {
	if size >= pageSize<<pageFreesBits {
		for i := range pageFrees[0] { // it has pages for all counts
			pageFrees[0][i].Add(1)
			pageFrees[1][i].Add(1)
		}
		return
	}
	for i := uintptr(0); i < size+addr%pageSize; i += pageSize {
		i, j := pageFreesOf(addr + i)
		pageFrees[0][i].Add(1)
		pageFrees[1][j].Add(1)
	}
}

// displacedAt is the row in which reads of the cell of addr are kept.
//
//go:nosplit
func displacedAt(addr uintptr) *displacedRow {
	return &displaced[addr>>3*0x9E3779B1>>12%uintptr(len(displaced))]
}

// has reports whether there may be something about the cell of addr.
//
//go:nosplit
func (r *displacedRow) has(addr uintptr) bool { return r.of(addr) != nil }

// of is what there may be about the cell of addr, nil if there is nothing.
//
//go:nosplit
func (r *displacedRow) of(addr uintptr) *displacedReads {
	for i := range r.ways {
		if s := &r.ways[i]; s.cell.Load() == addr&^7 {
			return s
		}
	}
	return nil
}

// take is where the reads of the cell of addr are kept from now on, empty if they were not before.
// The row is locked.
func (r *displacedRow) take(addr uintptr) *displacedReads {
	frees := freesAt(addr)
	s := r.of(addr)
	if s != nil && !s.frees.freed(frees) {
		return s
	}
	for i := 0; s == nil && i < len(r.ways); i++ {
		if r.ways[i].cell.Load() == 0 {
			s = &r.ways[i]
		}
	}
	if s == nil {
		s = &r.ways[r.next%displacedWays]
		r.next++
	}
	s.n, s.frees = 0, frees
	s.cell.Store(addr &^ 7)
	return s
}

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
func (r *displacedRow) keep(e *atomicity.Edge, bytes Word, addr uintptr) {
	r.lock.Lock()
	s := r.take(addr)
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
	r.lock.Unlock()
}

// drawDisplaced draws the edges from what is kept of a cell to a write. Then nothing of it is
// kept any more: the write stands for the reads from now on.
func (x *access) drawDisplaced(bytes Word, addr uintptr) {
	row := displacedAt(addr)
	if !row.has(addr) || !Counts(x.site) {
		return
	}
	var reads [maxDisplaced]displacedRead
	n := uint32(0)
	row.lock.Lock()
	if s := row.of(addr); s != nil {
		if !s.frees.freed(freesAt(addr)) {
			reads, n = s.reads, s.n
		}
		s.cell.Store(0)
	}
	row.lock.Unlock()
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
