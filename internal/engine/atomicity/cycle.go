// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package atomicity

import (
	"unsafe"

	"github.com/commutego/commute/internal/engine/offheap"
	"github.com/commutego/commute/internal/engine/vclock"
)

// A Sink takes violations.
type Sink interface {
	// Wants reports whether to look for the cycle of a transaction of p that is not serializable. A
	// sink that has shown enough of them says no.
	Wants(p *AtomicCode) bool
	Cycle(c *Cycle)
}

// A Cycle is why a transaction is not serializable. Each edge leads into the transaction in which
// the next edge begins, or to a unary event of that goroutine or before it. The last edge leads
// into the transaction in which the first begins.
type Cycle struct {
	Code  *AtomicCode // the transaction's
	Goid  uint64
	Edges [MaxEdges]Edge
	// From and To are the code of the transactions that the ends of the edges are in, nil for none.
	From, To [MaxEdges]*AtomicCode
	N        int
	// SyncEdges are edges by synchronization between the two goroutines of the first edge: the
	// transaction released after its event, and the other goroutine acquired before its own.
	SyncEdges  [MaxSyncEdges]Edge
	NSyncEdges int
	// Predicted is whether this has not happened, and could have. ValuesDiffer and OtherReads are
	// those of the predict.Prediction, whose Other is the second edge's first access.
	Predicted, ValuesDiffer, OtherReads bool
}

// MaxSyncEdges is the greatest number of SyncEdges.
const MaxSyncEdges = 4

// MaxEdges is the greatest length of a cycle that is shown.
const MaxEdges = 16

var cycles offheap.Slab[Cycle]

// A visit is an edge that the search for a cycle has come to.
type visit struct {
	edge uint32 // its index in the ring of kept edges
	next uint32 // the visit that led to it, plus 1; 0 for the closing edge
}

// maxVisits bounds the search: all other threads wait for its end.
const maxVisits = 1 << 10

// findCycle finds the shortest cycle that the closing edge of x closes, nil for none. It goes
// back from the source of the closing edge, breadth first: from an event to the edges that lead
// into its transaction up to that event's end, and to their sources. It ends at an edge whose
// source is in x.
func (g *Graph) findCycle(x *Transaction) *Cycle {
	if x.closing.From == 0 {
		return nil
	}
	var visited [maxEdges / 64]uint64
	c := cycles.Get()
	*c = Cycle{Code: codeAt(x.code), Goid: x.goid}
	n, done := uint32(0), uint32(0)
	// Back visits the edges that lead to an event of a goroutine, or to an earlier one of the same
	// transaction. An edge by a go statement or a clock change doesn't know the goroutine.
	back := func(to vclock.Epoch, goid uint64, from uint32) (last uint32, found bool) {
		at := g.transactionOf(to)
		// The oldest edges come first: they are what led there first.
		for i := g.oldestEdge(); i < x.edgesBefore; i++ {
			k := uint32(i % maxEdges)
			e := &g.edges.P()[k]
			if e.To.Slot() != to.Slot() ||
				e.ToGoid != goid && e.Kind != ClockChange && !g.isForkOf(e, to) ||
				e.To > at.end || visited[k/64]>>(k%64)&1 != 0 {
				continue
			}
			if n == maxVisits {
				return 0, false
			}
			visited[k/64] |= 1 << (k % 64)
			g.visits[n] = visit{k, from}
			n++
			if x.contains(e.From) {
				return n, true
			}
		}
		return 0, false
	}
	last, found := back(x.closing.From, x.closing.FromGoid, 0)
	for ; !found && done < n; done++ {
		e := &g.edges.P()[g.visits[done].edge]
		goid := e.FromGoid
		if e.Kind == ClockChange {
			goid = x.closing.FromGoid
			if next := g.visits[done].next; next != 0 {
				goid = g.edges.P()[g.visits[next-1].edge].FromGoid
			}
		}
		last, found = back(e.From, goid, done+1)
	}
	if !found {
		g.incomplete.Add(1)
		cycles.Put(c)
		return nil
	}
	// The visits lead forward from x to the closing edge.
	for ; last != 0 && c.N < MaxEdges-1; last = g.visits[last-1].next {
		if e := &g.edges.P()[g.visits[last-1].edge]; e.Kind != ClockChange {
			c.add(g, e)
		}
	}
	if last != 0 {
		g.incomplete.Add(1)
		cycles.Put(c)
		return nil
	}
	c.add(g, &x.closing)
	for i := range c.N - 1 {
		c.preferAccesses(g, i, x.edgesBefore)
		if e := &c.Edges[i]; e.ToGoid == 0 {
			e.ToGoid = c.Edges[i+1].FromGoid // a go statement doesn't know the goroutine
		}
	}
	c.collectSyncEdges(g, &c.Edges[0], x.edgesBefore)
	return c
}

// preferAccesses replaces an edge that is not the last by another one between the same
// transactions that tells more: accesses to a variable rather than the lock that guards it. Only
// edges count that were kept before the cycle was closed.
func (c *Cycle) preferAccesses(g *Graph, i int, edgesBefore uint64) {
	e := &c.Edges[i]
	source, limit := g.transactionOf(e.From), g.transactionOf(c.Edges[i+1].From).end
	for k := g.oldestEdge(); k < edgesBefore; k++ {
		o := &g.edges.P()[k%maxEdges]
		if o.Kind < e.Kind && o.FromGoid == e.FromGoid &&
			o.From >= source.begin && o.From <= source.end &&
			o.ToGoid == e.ToGoid && o.To.Slot() == limit.Slot() && o.To <= limit {
			c.set(g, i, o)
		}
	}
}

// collectSyncEdges finds SyncEdges, the last ones if there are more; e is the first edge.
func (c *Cycle) collectSyncEdges(g *Graph, e *Edge, edgesBefore uint64) {
	for i := g.oldestEdge(); i < edgesBefore; i++ {
		o := &g.edges.P()[i%maxEdges]
		if (o.Kind == Sync || o.Kind == Go) &&
			o.FromGoid == e.FromGoid && o.From.Slot() == e.From.Slot() && o.From >= e.From &&
			(o.ToGoid == e.ToGoid || g.isForkOf(o, e.To)) &&
			o.To.Slot() == e.To.Slot() && o.To <= e.To {
			if c.NSyncEdges == MaxSyncEdges {
				copy(c.SyncEdges[:], c.SyncEdges[1:])
				c.NSyncEdges--
			}
			c.SyncEdges[c.NSyncEdges] = *o
			c.NSyncEdges++
		}
		if *o == *e {
			return
		}
	}
}

func (c *Cycle) add(g *Graph, e *Edge) {
	c.set(g, c.N, e)
	c.N++
}

// set makes e the n-th edge, and finds the transactions that its ends are in.
func (c *Cycle) set(g *Graph, n int, e *Edge) {
	c.Edges[n] = *e
	for i, at := range [...]vclock.Epoch{e.From, e.To} {
		p := codeAt(g.transactionOf(at).code)
		if i == 0 {
			c.From[n] = p
		} else {
			c.To[n] = p
		}
	}
}

func codeAt(p uintptr) *AtomicCode { return *(**AtomicCode)(unsafe.Pointer(&p)) }
