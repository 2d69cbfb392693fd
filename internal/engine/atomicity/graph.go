// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package atomicity

import (
	"sync/atomic"
	"unsafe"

	"github.com/commutego/commute/internal/engine/host"
	"github.com/commutego/commute/internal/engine/offheap"
)

// A Graph is the transactions that run in one execution, and what is remembered of edges and of
// transactions that are over. The zero Graph has none and is ready for use; it must not be copied.
type Graph struct {
	// AllocSite returns the site where the memory at an address was allocated, 0 if that is not
	// known. It is called when an edge is kept, as the memory may be freed before a cycle is
	// shown. It may be nil.
	AllocSite func(addr uintptr) uint32

	lock       offheap.Guard
	nRunning   atomic.Uint32 // the number of transactions in running
	logRunning uint
	running    offheap.Ref[offheap.Ref[Transaction]] // 1<<logRunning places

	earliest [maxChunks]offheap.AtomicRef[slotTimes]
	births   [maxChunks]offheap.AtomicRef[slotTimes] // when the last goroutine of a slot began

	edges      offheap.Ref[[maxEdges]Edge]        // a ring
	nEdges     uint64                             // kept so far
	finished   offheap.Ref[[maxFinished]finished] // a ring
	nFinished  uint64
	relevant   uint64 // edges whose source a running transaction reached
	incomplete atomic.Uint32
	visits     [maxVisits]visit // of findCycle; the lock is held
}

const (
	slotChunk   = 1 << 12
	maxChunks   = 1 << 12
	maxEdges    = 1 << 13
	maxFinished = 1 << 11
)

// Running reports whether any transaction runs. If not, no event matters.
//
//go:nosplit
func (g *Graph) Running() bool { return g.nRunning.Load() != 0 }

// runningRef is the i-th place for a transaction that runs.
func (g *Graph) runningRef(i uint32) *offheap.Ref[Transaction] {
	return (*offheap.Ref[Transaction])(unsafe.Add(unsafe.Pointer(g.running.P()),
		uintptr(i)*unsafe.Sizeof(offheap.Ref[Transaction]{})))
}

// runningAt is the i-th transaction that runs. The lock is held.
func (g *Graph) runningAt(i uint32) *Transaction { return g.runningRef(i).P() }

// add adds a transaction that begins. The earliest time of its slot is lowered before the
// transaction counts as running, so that an event that sees it running is compared with the right
// time.
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
		g.finished = offheap.To(
			(*[maxFinished]finished)(host.Alloc(unsafe.Sizeof([maxFinished]finished{}))))
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
		// If it is less, another transaction's time is the earliest.
		if g.earliest[slot/slotChunk].Load()[slot%slotChunk].Load() >= r.from {
			g.recomputeEarliest(slot)
		}
	})
}

// Totals are the number of transactions that are over, and of edges that a running transaction
// reached.
func (g *Graph) Totals() (ended, conflicts uint64) {
	g.lock.Lock()
	ended, conflicts = g.nFinished, g.relevant
	g.lock.Unlock()
	return ended, conflicts
}

// Incomplete is how many violations could not be reported, as an edge of their cycle was forgotten.
func (g *Graph) Incomplete() int { return int(g.incomplete.Load()) }
