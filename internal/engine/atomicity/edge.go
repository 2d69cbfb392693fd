// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package atomicity

import (
	"github.com/commutego/commute/internal/engine/vclock"
	"github.com/commutego/commute/internal/event"
)

// Kinds of conflicts: what two events have in common. Of two edges between the same transactions,
// the one of the smaller kind tells a reader more.
const (
	Memory      = event.OfMemory
	Object      = event.OfObject
	Atomic      = event.OfAtomic
	Sync        = event.OfSync
	Go          = event.OfFork
	ClockChange = event.Classes // of one goroutine, by two clocks; not shown
)

// An Edge is a conflict of two events, the first of which came first.
type Edge struct {
	From, To   vclock.Epoch
	FromGoid   uint64
	ToGoid     uint64
	FromSite   uint32
	ToSite     uint32
	Kind       event.Class
	FromWrites bool // else it reads, or releases
	ToWrites   bool // else it reads, or acquires
	Addr       uintptr
	AllocSite  uint32 // of the memory at Addr, by Graph.AllocSite
	// Of calls: the *commrace.Method of each, and the *commrace.Table of both.
	FromCall, ToCall, Table uintptr
}

// MayCloseCycle reports whether an edge from that event can be part of a cycle. It takes no lock;
// for most events the answer is no, and the caller need not make the edge.
func (g *Graph) MayCloseCycle(from vclock.Epoch) bool { return g.mayReach(from) }

// AddEdge adds an edge into what t does now, whose clock is c. The caller has filled in e, but
// for To, and MayCloseCycle has returned true for its source.
func (g *Graph) AddEdge(t *Thread, c *vclock.Thread, e Edge) {
	if e.From.Slot() == c.Now().Slot() {
		return
	}
	g.lock.Lock()
	x := t.txn.P()
	if x != nil && x.clock.P() != c {
		g.lock.Unlock() // the clock has changed: events of the old one are no longer x's
		return
	}
	// The edge is relevant if a running transaction reaches its source. The transaction x that
	// runs in t can be that one: then the edge closes a cycle.
	relevant := x != nil && x.reachesEpoch(e.From)
	if relevant {
		g.noteClosing(x, &e, c.Now())
	}
	advanced := x != nil
	for i := range g.nRunning.Load() {
		b := g.runningAt(i)
		if b == x || !b.reachesEpoch(e.From) {
			continue
		}
		relevant = true
		if x != nil {
			// If b reaches the begin of x, it has x's frontier already: extensions of x came to
			// b, too.
			if !b.reachesEpoch(x.begin) {
				g.extend(b, x.begin)
				x.frontier.each(func(slot uint32, r *reachable) { g.extendBy(b, slot, r) })
			}
			continue
		}
		if b.reachesEpoch(c.Now()) {
			continue
		}
		if !advanced {
			c.Advance() // what t has done at the present epoch is not reached
			advanced = true
		}
		g.extend(b, c.Now())
	}
	if relevant {
		if !advanced {
			c.Advance() // what t has done before is no end of this edge
		}
		g.relevant++
		e.To = c.Now()
		if t.worthKeeping(&e) {
			g.noteAllocSite(&e)
			g.keepEdge(&e)
		}
	}
	g.lock.Unlock()
}

// noteClosing notes that an edge into x closes a cycle. Of several such edges it keeps the first
// one of the least kind.
func (g *Graph) noteClosing(x *Transaction, e *Edge, now vclock.Epoch) {
	if x.closing.From == 0 || e.Kind < x.closing.Kind {
		g.noteAllocSite(e)
		x.closing = *e
		x.closing.To = now
		x.edgesBefore = g.nEdges
	}
}

// reachesEpoch reports whether x reaches an event.
func (x *Transaction) reachesEpoch(e vclock.Epoch) bool {
	if e.Slot() == x.slot {
		return e >= x.begin
	}
	r := x.frontier.get(e.Slot())
	return r != nil && e.Time() >= r.from && (r.until == 0 || e.Time() < r.until)
}

// extend makes x reach an event, and what its goroutine does later.
func (g *Graph) extend(x *Transaction, e vclock.Epoch) {
	x.frontier.add(e.Slot(), e.Time())
	g.lowerEarliest(e.Slot(), e.Time())
}

// extendBy makes x reach what another transaction reaches of a slot.
func (g *Graph) extendBy(x *Transaction, slot uint32, r *reachable) {
	if slot == x.slot {
		return // a cycle through x: noteClosing finds it when an edge into x closes it
	}
	// Add alone would lose until, the end of what is reached. An entry that reaches more is kept.
	if mine := x.frontier.get(slot); mine != nil && mine.until == 0 && mine.from <= r.from {
		return
	}
	x.frontier.add(slot, r.from)
	x.frontier.find(slot).until = r.until
	g.lowerEarliest(slot, r.from)
}

// noteAllocSite notes where the memory of an edge was allocated, before it may be freed.
func (g *Graph) noteAllocSite(e *Edge) {
	if g.AllocSite != nil && e.Addr != 0 && e.AllocSite == 0 {
		e.AllocSite = g.AllocSite(e.Addr)
	}
}
