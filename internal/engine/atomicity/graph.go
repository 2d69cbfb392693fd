// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package atomicity

import (
	"sync/atomic"
	"unsafe"

	"github.com/commutego/commute/internal/engine/host"
	"github.com/commutego/commute/internal/engine/offheap"
	"github.com/commutego/commute/internal/engine/vclock"
)

// A Graph is the transactions that run in one execution, and what is remembered of edges and of
// transactions that are over. The zero Graph has none and is ready for use; it must not be copied.
type Graph struct {
	// Home is the site where the memory at an address was allocated, which may be freed before a
	// cycle is shown; 0 if that is not known. A nil Home never knows.
	Home func(addr uintptr) uint32

	lock    offheap.Lock
	n       atomic.Uint32 // transactions in running
	log     uint
	running offheap.Ref[offheap.Ref[Transaction]] // 1<<log places

	least [maxChunks]offheap.AtomicRef[leasts]
	born  [maxChunks]offheap.AtomicRef[leasts] // when the last goroutine of a slot began, 0 if that is not known

	edges  offheap.Ref[[maxEdges]Edge] // a ring
	nEdges uint64                      // noted so far
	over   offheap.Ref[[maxOver]ended] // a ring
	nOver  uint64
	drawn  uint64 // edges that mattered
	lost   atomic.Uint32
	visits [maxVisits]visit // of a search for a cycle
}

// leasts are the least times that any running transaction reaches, of a piece of the slots; 0 for none.
type leasts [slotChunk]atomic.Uint64

const (
	slotChunk = 1 << 12
	maxChunks = 1 << 12
	maxEdges  = 1 << 13
	maxOver   = 1 << 11
)

// An ended is what is kept of a transaction that is over.
type ended struct {
	place      uintptr
	begin, end vclock.Epoch
	goid       uint64
}

func (o *ended) has(e vclock.Epoch) bool {
	return o.begin != 0 && o.begin.Slot() == e.Slot() && e >= o.begin && e <= o.end
}

func (g *Graph) place(i uint32) *offheap.Ref[Transaction] {
	return (*offheap.Ref[Transaction])(unsafe.Add(unsafe.Pointer(g.running.P()), uintptr(i)*unsafe.Sizeof(offheap.Ref[Transaction]{})))
}

// at is the i-th transaction that runs; the lock is held.
func (g *Graph) at(i uint32) *Transaction { return g.place(i).P() }

// add adds a transaction that begins.
func (g *Graph) add(x *Transaction) {
	n := g.n.Load()
	if g.running.Nil() || n == 1<<g.log {
		old, oldLog := g.running, g.log
		g.log = max(4, g.log+1)
		g.running = offheap.To((*offheap.Ref[Transaction])(tables.Get(g.log)))
		if !old.Nil() {
			copied := unsafe.Slice(old.P(), n)
			for i := range n {
				*g.place(i) = copied[i]
			}
			tables.Put(unsafe.Pointer(old.P()), oldLog)
		}
	}
	if g.edges.Nil() {
		g.edges = offheap.To((*[maxEdges]Edge)(host.Alloc(unsafe.Sizeof([maxEdges]Edge{}))))
		g.over = offheap.To((*[maxOver]ended)(host.Alloc(unsafe.Sizeof([maxOver]ended{}))))
	}
	x.index = n
	*g.place(n) = offheap.To(x)
	g.lower(x.slot, x.begin.Time())
	g.n.Store(n + 1)
}

// remove takes out a transaction that is over.
func (g *Graph) remove(x *Transaction) {
	n := g.n.Load() - 1
	last := g.at(n)
	*g.place(x.index) = offheap.To(last)
	last.index = x.index
	g.n.Store(n)
	g.keep(ended{x.place, x.begin, x.clock.P().Now(), x.goid})
	if x.turned.begin != 0 {
		g.keep(x.turned)
	}
	g.raise(x.slot)
	x.reaches.each(func(slot uint32, r *reach) {
		if g.least[slot/slotChunk].Load()[slot%slotChunk].Load() >= r.from { // else it's another's
			g.raise(slot)
		}
	})
}

func (g *Graph) keep(o ended) {
	g.over.P()[g.nOver%maxOver] = o
	g.nOver++
}

// leastOf reports whether a running transaction may reach an event.
func (g *Graph) leastOf(e vclock.Epoch) bool {
	c := g.least[e.Slot()/slotChunk].Load()
	if c == nil {
		return false
	}
	from := c[e.Slot()%slotChunk].Load()
	return from != 0 && e.Time() >= from
}

// lower notes that a running transaction reaches a slot from a time on.
func (g *Graph) lower(slot uint32, from uint64) {
	at := &g.least[slot/slotChunk]
	if at.Load() == nil {
		at.Store((*leasts)(host.Alloc(unsafe.Sizeof(leasts{}))))
	}
	if p := &at.Load()[slot%slotChunk]; p.Load() == 0 || from < p.Load() {
		p.Store(max(1, from))
	}
}

// bear notes that a goroutine begins.
func (g *Graph) bear(first vclock.Epoch) {
	at := &g.born[first.Slot()/slotChunk]
	if at.Load() == nil {
		at.Store((*leasts)(host.Alloc(unsafe.Sizeof(leasts{}))))
	}
	at.Load()[first.Slot()%slotChunk].Store(first.Time())
}

// starts reports whether an edge is that of the go statement which has started the goroutine of an event.
func (g *Graph) starts(e *Edge, of vclock.Epoch) bool {
	at := g.born[of.Slot()/slotChunk].Load()
	return e.Kind == Go && e.To.Slot() == of.Slot() && at != nil && at[of.Slot()%slotChunk].Load() == e.To.Time()
}

// raise works out anew the least time that is reached of a slot.
func (g *Graph) raise(slot uint32) {
	least := uint64(0)
	for i := range g.n.Load() {
		x := g.at(i)
		from := uint64(0)
		if x.slot == slot {
			from = x.begin.Time()
		} else if r := x.reaches.get(slot); r != nil {
			from = r.from
		}
		if from != 0 && (least == 0 || from < least) {
			least = from
		}
	}
	g.least[slot/slotChunk].Load()[slot%slotChunk].Store(least)
}

// note keeps an edge, in the place of the oldest one if need be.
func (g *Graph) note(e *Edge) {
	g.edges.P()[g.nEdges%maxEdges] = *e
	g.nEdges++
}

// oldest is the number of the oldest edge that is kept.
func (g *Graph) oldest() uint64 { return g.nEdges - min(g.nEdges, maxEdges) }

// bounds is the transaction that an event is part of: its first and last epoch, and what is known of it. An event outside
// of any has its own epoch for both.
func (g *Graph) bounds(e vclock.Epoch) ended {
	for i := range g.n.Load() {
		switch x := g.at(i); {
		case x.turned.has(e):
			return x.turned
		case x.has(e):
			return ended{x.place, x.begin, e | (1<<40 - 1), x.goid}
		}
	}
	for i := g.nOver; i > 0 && i+maxOver > g.nOver; i-- {
		if o := &g.over.P()[(i-1)%maxOver]; o.has(e) {
			return *o
		}
	}
	return ended{begin: e, end: e}
}

// Totals are the transactions that are over, and the conflicts of which a transaction was found to be part.
func (g *Graph) Totals() (ended, conflicts uint64) {
	g.lock.Lock()
	ended, conflicts = g.nOver, g.drawn
	g.lock.Unlock()
	return ended, conflicts
}

// Lost is how many violations could not be reported, for some edge of their cycle was not remembered.
func (g *Graph) Lost() int { return int(g.lost.Load()) }
