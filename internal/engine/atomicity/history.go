// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package atomicity

import (
	"github.com/commutego/commute/internal/engine/offheap"
	"github.com/commutego/commute/internal/engine/vclock"
)

// A finished is what is kept of a transaction that is over.
type finished struct {
	code       uintptr
	begin, end vclock.Epoch
	goid       uint64
}

// contains reports whether an event is one of the transaction's.
func (o *finished) contains(e vclock.Epoch) bool {
	return o.begin != 0 && o.begin.Slot() == e.Slot() && e >= o.begin && e <= o.end
}

// keepFinished keeps a transaction, in the place of the oldest one if need be.
func (g *Graph) keepFinished(o finished) {
	g.finished.P()[g.nFinished%maxFinished] = o
	g.nFinished++
}

// keepEdge keeps an edge, in the place of the oldest one if need be.
func (g *Graph) keepEdge(e *Edge) {
	g.edges.P()[g.nEdges%maxEdges] = *e
	g.nEdges++
}

// oldestEdge is the number of the oldest edge that is kept.
func (g *Graph) oldestEdge() uint64 { return g.nEdges - min(g.nEdges, maxEdges) }

// A keptEdges counts the edges that were kept from one event and of one kind.
type keptEdges struct {
	key  uint32       // the slot and the kind, plus 1
	from vclock.Epoch // the source
	n    uint32
	when vclock.Epoch // the begin of the transaction that they lead into, or the unary event
}

const (
	maxSources   = 8
	maxPerSource = 4 // edges from one event and of one kind that are kept
)

// sources has the counts of one thread, from the first edge into it to its end.
type sources [maxSources]keptEdges

var sourcesSlab offheap.Slab[sources]

// dropKept gives up t's counts.
func (t *Thread) dropKept() {
	if p := t.kept.P(); p != nil {
		sourcesSlab.Put(p)
		t.kept = offheap.Ref[sources]{}
	}
}

// worthKeeping reports whether an edge tells anything that edges that were kept before do not.
// Without this bound, a loop in one transaction would push all other edges out.
func (t *Thread) worthKeeping(e *Edge) bool {
	if t.kept.Nil() {
		t.kept = offheap.To(sourcesSlab.Get())
		*t.kept.P() = sources{}
	}
	l := &t.kept.P()[(e.From.Slot()*3+uint32(e.Kind))%maxSources]
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

// transactionOf is the transaction that an event is part of: its first and last epoch, and what
// is known of it. A unary event has its own epoch for both. A running transaction has the last
// possible time of its slot for an end.
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
