// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package atomicity

import (
	"math/rand/v2"
	"testing"

	"github.com/commutego/commute/internal/engine/vclock"
	"github.com/commutego/commute/internal/event"
)

// The graph and the clocks of all tests that need only one of each.
var (
	graph  Graph
	clocks vclock.World
)

const (
	maxThreads = 6
	variables  = 3
	locks      = 2
)

// A node is a transaction of the oracle's graph.
type node struct {
	marked bool
	next   []*node
}

func (n *node) to(m *node) {
	if n != m {
		n.next = append(n.next, m)
	}
}

// leads reports whether there is a path from n to m.
func (n *node) leads(m *node, seen map[*node]bool) bool {
	for _, x := range n.next {
		if x == m || !seen[x] && func() bool { seen[x] = true; return x.leads(m, seen) }() {
			return true
		}
	}
	return false
}

// A happened event is what is kept of one that later ones may conflict with.
type happened struct {
	epoch vclock.Epoch
	node  *node
	goid  int
}

// A run is random events of one execution, given to the code under test and to the oracle.
type run struct {
	graph  *Graph
	clocks *vclock.World

	t       *testing.T
	r       *rand.Rand
	threads []*goroutine
	writes  [variables]*happened
	reads   [variables][]happened
	release [locks]*happened
	readers [locks][]happened // merged releases
	log     []string
	left    int // events that are still to be attempted
	cycles  []*Cycle
	hidden  [locks]vclock.SingletonClock // order that is no conflict, as a library makes it inside
	slots   map[uint32]bool
	changed int  // clock changes in transactions
	reused  bool // a goroutine has the slot of an earlier one, whose part of a frontier is lost
}

type goroutine struct {
	clock  *vclock.Thread
	clocks []*vclock.Thread // all that it has had
	thread Thread
	id     int
	node   *node // of the last event
	in     int   // depth
	over   bool
}

//go:noinline
func newGoroutine(id int) *goroutine {
	g := &goroutine{id: id, clock: new(vclock.Thread)}
	g.clocks = append(g.clocks, g.clock)
	return g
}

func (r *run) Wants(*AtomicCode) bool { return true }

func (r *run) Cycle(c *Cycle) {
	copied := *c
	r.cycles = append(r.cycles, &copied)
}

// event begins an event of g: its transaction's node.
func (r *run) event(g *goroutine) *node {
	if g.in > 0 {
		return g.node
	}
	n := &node{}
	if g.node != nil {
		g.node.to(n)
	}
	g.node = n
	return n
}

// conflict draws an edge from an earlier event to one of g.
func (r *run) conflict(g *goroutine, e happened, kind event.Class) {
	if e.goid == g.id {
		return
	}
	e.node.to(g.node)
	if r.graph.Running() && r.graph.MayCloseCycle(e.epoch) {
		r.graph.AddEdge(&g.thread, g.clock, Edge{
			From: e.epoch, Kind: kind, FromGoid: uint64(e.goid), ToGoid: uint64(g.id),
		})
	}
}

// violated reports whether the transaction of g that runs is known to be on a cycle.
func (g *goroutine) violated() bool {
	x := g.thread.txn.P()
	return x != nil && x.closing.From != 0
}

func (r *run) check(g *goroutine) {
	if g.in == 0 {
		return
	}
	want := g.node.leads(g.node, map[*node]bool{})
	// Others may have closed a cycle that g is on; what g itself closes must be found at once.
	if got := g.violated(); got && !want {
		r.t.Fatalf("false alarm: goroutine %d\n%v", g.id, r.log)
	}
}

// attempt makes an event, and compares what is found with the oracle.
func (r *run) attempt(name string, g *goroutine, do func()) {
	r.log = append(r.log, name)
	before := g.in > 0 && g.node.leads(g.node, map[*node]bool{})
	do()
	r.check(g)
	after := g.in > 0 && g.node.leads(g.node, map[*node]bool{})
	if after && !before && !g.violated() && !r.reused {
		r.t.Fatalf("missed: goroutine %d\n%v", g.id, r.log)
	}
}
