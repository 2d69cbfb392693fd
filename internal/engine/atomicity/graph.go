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
	AllocSite func(addr uintptr) uint32

	lock       offheap.Lock
	nRunning   atomic.Uint32 // transactions in running
	logRunning uint
	running    offheap.Ref[offheap.Ref[Transaction]] // 1<<log places

	earliest [maxChunks]offheap.AtomicRef[slotTimes]
	births   [maxChunks]offheap.AtomicRef[slotTimes] // when the last goroutine of a slot began, 0 if that is not known

	edges      offheap.Ref[[maxEdges]Edge]        // a ring
	nEdges     uint64                             // noted so far
	finished   offheap.Ref[[maxFinished]finished] // a ring
	nFinished  uint64
	relevant   uint64 // edges that mattered
	incomplete atomic.Uint32
	visits     [maxVisits]visit // of a search for a cycle
}

// leasts are the least times that any running transaction reaches, of a piece of the slots; 0 for none.
type slotTimes [slotChunk]atomic.Uint64

const (
	slotChunk   = 1 << 12
	maxChunks   = 1 << 12
	maxEdges    = 1 << 13
	maxFinished = 1 << 11
)

// An ended is what is kept of a transaction that is over.
type finished struct {
	code       uintptr
	begin, end vclock.Epoch
	goid       uint64
}

func (o *finished) contains(e vclock.Epoch) bool {
	return o.begin != 0 && o.begin.Slot() == e.Slot() && e >= o.begin && e <= o.end
}

func (g *Graph) runningRef(i uint32) *offheap.Ref[Transaction] {
	return (*offheap.Ref[Transaction])(unsafe.Add(unsafe.Pointer(g.running.P()), uintptr(i)*unsafe.Sizeof(offheap.Ref[Transaction]{})))
}

// at is the i-th transaction that runs; the lock is held.
func (g *Graph) runningAt(i uint32) *Transaction { return g.runningRef(i).P() }

// add adds a transaction that begins.
func (g *Graph) add(x *Transaction) {
	n := g.nRunning.Load()
	if g.running.Nil() || n == 1<<g.logRunning {
		old, oldLog := g.running, g.logRunning
		g.logRunning = max(4, g.logRunning+1)
		g.running = offheap.To((*offheap.Ref[Transaction])(tables.Get(g.logRunning)))
		if !old.Nil() {
			copied := unsafe.Slice(old.P(), n)
			for i := range n {
				*g.runningRef(i) = copied[i]
			}
			tables.Put(unsafe.Pointer(old.P()), oldLog)
		}
	}
	if g.edges.Nil() {
		g.edges = offheap.To((*[maxEdges]Edge)(host.Alloc(unsafe.Sizeof([maxEdges]Edge{}))))
		g.finished = offheap.To((*[maxFinished]finished)(host.Alloc(unsafe.Sizeof([maxFinished]finished{}))))
	}
	x.index = n
	*g.runningRef(n) = offheap.To(x)
	g.lowerEarliest(x.slot, x.begin.Time())
	g.nRunning.Store(n + 1)
}

// remove takes out a transaction that is over.
func (g *Graph) remove(x *Transaction) {
	n := g.nRunning.Load() - 1
	last := g.runningAt(n)
	*g.runningRef(x.index) = offheap.To(last)
	last.index = x.index
	g.nRunning.Store(n)
	g.keepFinished(finished{x.code, x.begin, x.clock.P().Now(), x.goid})
	if x.earlier.begin != 0 {
		g.keepFinished(x.earlier)
	}
	g.recomputeEarliest(x.slot)
	x.frontier.each(func(slot uint32, r *reachable) {
		if g.earliest[slot/slotChunk].Load()[slot%slotChunk].Load() >= r.from { // else it's another's
			g.recomputeEarliest(slot)
		}
	})
}

func (g *Graph) keepFinished(o finished) {
	g.finished.P()[g.nFinished%maxFinished] = o
	g.nFinished++
}

// leastOf reports whether a running transaction may reach an event.
func (g *Graph) mayReach(e vclock.Epoch) bool {
	c := g.earliest[e.Slot()/slotChunk].Load()
	if c == nil {
		return false
	}
	from := c[e.Slot()%slotChunk].Load()
	return from != 0 && e.Time() >= from
}

// lower notes that a running transaction reaches a slot from a time on.
func (g *Graph) lowerEarliest(slot uint32, from uint64) {
	at := &g.earliest[slot/slotChunk]
	if at.Load() == nil {
		at.Store((*slotTimes)(host.Alloc(unsafe.Sizeof(slotTimes{}))))
	}
	if p := &at.Load()[slot%slotChunk]; p.Load() == 0 || from < p.Load() {
		p.Store(max(1, from))
	}
}

// bear notes that a goroutine begins.
func (g *Graph) noteBirth(first vclock.Epoch) {
	at := &g.births[first.Slot()/slotChunk]
	if at.Load() == nil {
		at.Store((*slotTimes)(host.Alloc(unsafe.Sizeof(slotTimes{}))))
	}
	at.Load()[first.Slot()%slotChunk].Store(first.Time())
}

// starts reports whether an edge is that of the go statement which has started the goroutine of an event.
func (g *Graph) isForkOf(e *Edge, of vclock.Epoch) bool {
	at := g.births[of.Slot()/slotChunk].Load()
	return e.Kind == Go && e.To.Slot() == of.Slot() && at != nil && at[of.Slot()%slotChunk].Load() == e.To.Time()
}

// raise works out anew the least time that is reached of a slot.
func (g *Graph) recomputeEarliest(slot uint32) {
	least := uint64(0)
	for i := range g.nRunning.Load() {
		x := g.runningAt(i)
		from := uint64(0)
		if x.slot == slot {
			from = x.begin.Time()
		} else if r := x.frontier.get(slot); r != nil {
			from = r.from
		}
		if from != 0 && (least == 0 || from < least) {
			least = from
		}
	}
	g.earliest[slot/slotChunk].Load()[slot%slotChunk].Store(least)
}

// note keeps an edge, in the place of the oldest one if need be.
func (g *Graph) keepEdge(e *Edge) {
	g.edges.P()[g.nEdges%maxEdges] = *e
	g.nEdges++
}

// oldest is the number of the oldest edge that is kept.
func (g *Graph) oldestEdge() uint64 { return g.nEdges - min(g.nEdges, maxEdges) }

// bounds is the transaction that an event is part of: its first and last epoch, and what is known of it. An event outside
// of any has its own epoch for both.
func (g *Graph) transactionOf(e vclock.Epoch) finished {
	for i := range g.nRunning.Load() {
		switch x := g.runningAt(i); {
		case x.earlier.contains(e):
			return x.earlier
		case x.contains(e):
			return finished{x.code, x.begin, e | (1<<40 - 1), x.goid}
		}
	}
	for i := g.nFinished; i > 0 && i+maxFinished > g.nFinished; i-- {
		if o := &g.finished.P()[(i-1)%maxFinished]; o.contains(e) {
			return *o
		}
	}
	return finished{begin: e, end: e}
}

// Totals are the transactions that are over, and the conflicts of which a transaction was found to be part.
func (g *Graph) Totals() (ended, conflicts uint64) {
	g.lock.Lock()
	ended, conflicts = g.nFinished, g.relevant
	g.lock.Unlock()
	return ended, conflicts
}

// Lost is how many violations could not be reported, for some edge of their cycle was not remembered.
func (g *Graph) Incomplete() int { return int(g.incomplete.Load()) }
