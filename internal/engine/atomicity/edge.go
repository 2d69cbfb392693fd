// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package atomicity

import (
	"github.com/commutego/commute/internal/engine/vclock"
)

// Kinds of what two events have in common.
const (
	Memory      = iota // accesses to memory
	Object             // calls of methods with a specification
	Atomic             // operations of sync/atomic
	Sync               // synchronization
	Go                 // a go statement and what it starts
	ClockChange        // the same goroutine, by two clocks; not shown
)

// An Edge is a conflict of two events, the first of which came first.
type Edge struct {
	From, To   vclock.Epoch
	FromGoid   uint64
	ToGoid     uint64
	FromSite   uint32
	ToSite     uint32
	Kind       uint8
	FromWrites bool // else it reads, or releases
	ToWrites   bool // else it reads, or acquires
	Addr       uintptr
	AllocSite  uint32 // where what is at Addr was allocated, as [Graph.AllocSite] says
	// Of calls, the *commrace.Method, and the *commrace.Table of both.
	FromCall, ToCall, Table uintptr
}

// Running reports whether any transaction runs. If not, no event matters.
//
//go:nosplit
func (g *Graph) Running() bool { return g.nRunning.Load() != 0 }

// locate notes where the memory of an edge was allocated.
func (g *Graph) noteAllocSite(e *Edge) {
	if g.AllocSite != nil && e.Addr != 0 && e.AllocSite == 0 {
		e.AllocSite = g.AllocSite(e.Addr)
	}
}

// Matters reports whether an edge from that event can be part of a cycle.
func (g *Graph) MayCloseCycle(from vclock.Epoch) bool { return g.mayReach(from) }

// Draw draws an edge into what t does now, whose clock is c: From and To are filled in but for To's epoch.
// Who calls has asked whether it matters.
func (g *Graph) AddEdge(t *Thread, c *vclock.Thread, e Edge) {
	if e.From.Slot() == c.Now().Slot() {
		return
	}
	g.lock.Lock()
	x := t.txn.P()
	if x != nil && x.clock.P() != c {
		g.lock.Unlock() // its epochs are of another clock from here on
		return
	}
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
			c.Advance() // what t has done before is not reached
			advanced = true
		}
		g.extend(b, c.Now())
	}
	if relevant {
		g.relevant++
		e.To = c.Now()
		if t.worthKeeping(&e) {
			g.noteAllocSite(&e)
			g.keepEdge(&e)
		}
	}
	g.lock.Unlock()
}

// worth reports whether an edge tells anything that was not noted already.
func (t *Thread) worthKeeping(e *Edge) bool {
	l := &t.kept[(e.From.Slot()*3+uint32(e.Kind))%maxSources]
	when := e.To
	if x := t.txn.P(); x != nil {
		when = x.begin
	}
	key := e.From.Slot()<<3 + uint32(e.Kind) + 1
	if l.key != key || l.when != when || l.from != e.From {
		*l = keptEdges{key: key, when: when, from: e.From}
	}
	l.n++
	return l.n <= maxPerSource
}

// close notes that an edge into x closes a cycle. Of several, that tells most which is of the least kind.
func (g *Graph) noteClosing(x *Transaction, e *Edge, now vclock.Epoch) {
	if x.closing.From == 0 || e.Kind < x.closing.Kind {
		g.noteAllocSite(e)
		x.closing = *e
		x.closing.To = now
		x.edgesBefore = g.nEdges
	}
}

// reached reports whether x reaches an event.
func (x *Transaction) reachesEpoch(e vclock.Epoch) bool {
	if e.Slot() == x.slot {
		return e >= x.begin
	}
	r := x.frontier.get(e.Slot())
	return r != nil && e.Time() >= r.from && (r.until == 0 || e.Time() < r.until)
}

// reach makes x reach an event, and what its goroutine does later.
func (g *Graph) extend(x *Transaction, e vclock.Epoch) {
	x.frontier.add(e.Slot(), e.Time())
	g.lowerEarliest(e.Slot(), e.Time())
}

// reachFrom makes x reach what another reaches of a slot.
func (g *Graph) extendBy(x *Transaction, slot uint32, r *reachable) {
	if slot == x.slot {
		return // a cycle, which is found when it is closed
	}
	if mine := x.frontier.get(slot); mine != nil && mine.until == 0 && mine.from <= r.from {
		return
	}
	x.frontier.add(slot, r.from)
	x.frontier.find(slot).until = r.until
	g.lowerEarliest(slot, r.from)
}
