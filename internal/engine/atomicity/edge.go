// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package atomicity

import (
	"github.com/commutego/commute/internal/engine/vclock"
)

// Kinds of what two events have in common.
const (
	Memory = iota // accesses to memory
	Object        // calls of methods with a specification
	Atomic        // operations of sync/atomic
	Sync          // synchronization
	Go            // a go statement and what it starts
	Turned        // the same goroutine, by two clocks; not shown
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
	Home       uint32 // where what is at Addr was allocated, as [Graph.Home] says
	// Of calls, the *commrace.Method, and the *commrace.Table of both.
	FromCall, ToCall, Table uintptr
}

// Running reports whether any transaction runs. If not, no event matters.
//
//go:nosplit
func (g *Graph) Running() bool { return g.n.Load() != 0 }

// locate notes where the memory of an edge was allocated.
func (g *Graph) locate(e *Edge) {
	if g.Home != nil && e.Addr != 0 && e.Home == 0 {
		e.Home = g.Home(e.Addr)
	}
}

// Matters reports whether an edge from that event can be part of a cycle.
func (g *Graph) Matters(from vclock.Epoch) bool { return g.leastOf(from) }

// Draw draws an edge into what t does now, whose clock is c: From and To are filled in but for To's epoch.
// Who calls has asked whether it matters.
func (g *Graph) Draw(t *Thread, c *vclock.Thread, e Edge) {
	if e.From.Slot() == c.Now().Slot() {
		return
	}
	g.lock.Lock()
	x := t.txn.P()
	if x != nil && x.clock.P() != c {
		g.lock.Unlock() // its epochs are of another clock from here on
		return
	}
	related := x != nil && x.reached(e.From)
	if related {
		g.close(x, &e, c.Now())
	}
	moved := x != nil
	for i := range g.n.Load() {
		b := g.at(i)
		if b == x || !b.reached(e.From) {
			continue
		}
		related = true
		if x != nil {
			if !b.reached(x.begin) {
				g.reach(b, x.begin)
				x.reaches.each(func(slot uint32, r *reach) { g.reachFrom(b, slot, r) })
			}
			continue
		}
		if b.reached(c.Now()) {
			continue
		}
		if !moved {
			c.Advance() // what t has done before is not reached
			moved = true
		}
		g.reach(b, c.Now())
	}
	if related {
		g.drawn++
		e.To = c.Now()
		if t.worth(&e) {
			g.locate(&e)
			g.note(&e)
		}
	}
	g.lock.Unlock()
}

// worth reports whether an edge tells anything that was not noted already.
func (t *Thread) worth(e *Edge) bool {
	l := &t.lines[(e.From.Slot()*3+uint32(e.Kind))%noted]
	when := e.To
	if x := t.txn.P(); x != nil {
		when = x.begin
	}
	key := e.From.Slot()<<3 + uint32(e.Kind) + 1
	if l.key != key || l.when != when || l.from != e.From {
		*l = line{key: key, when: when, from: e.From}
	}
	l.n++
	return l.n <= maxNoted
}

// close notes that an edge into x closes a cycle. Of several, that tells most which is of the least kind.
func (g *Graph) close(x *Transaction, e *Edge, now vclock.Epoch) {
	if x.closing.From == 0 || e.Kind < x.closing.Kind {
		g.locate(e)
		x.closing = *e
		x.closing.To = now
		x.closed = g.nEdges
	}
}

// reached reports whether x reaches an event.
func (x *Transaction) reached(e vclock.Epoch) bool {
	if e.Slot() == x.slot {
		return e >= x.begin
	}
	r := x.reaches.get(e.Slot())
	return r != nil && e.Time() >= r.from && (r.until == 0 || e.Time() < r.until)
}

// reach makes x reach an event, and what its goroutine does later.
func (g *Graph) reach(x *Transaction, e vclock.Epoch) {
	x.reaches.add(e.Slot(), e.Time())
	g.lower(e.Slot(), e.Time())
}

// reachFrom makes x reach what another reaches of a slot.
func (g *Graph) reachFrom(x *Transaction, slot uint32, r *reach) {
	if slot == x.slot {
		return // a cycle, which is found when it is closed
	}
	if mine := x.reaches.get(slot); mine != nil && mine.until == 0 && mine.from <= r.from {
		return
	}
	x.reaches.add(slot, r.from)
	x.reaches.find(slot).until = r.until
	g.lower(slot, r.from)
}
