// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package velodrome

import (
	"github.com/commutego/commute/internal/check/table"
	"github.com/commutego/commute/internal/event"
)

// A Checker has the graph, and the cells in which events find their direct predecessors.
type Checker struct {
	relation *event.Relation
	threads  []thread
	nodes    []*node // those that are not dead
	vars     []cell
	locks    []cell
	objects  [][]pointCell

	index   uint64
	search  uint64   // the number of the last search
	queue   []*node  // of a search
	preds   []record // the direct predecessors of the present event, in other threads
	cyclic  bool     // a cycle was found: counts alone no longer free all garbage
	sweepAt int      // the number of nodes at which the next sweep is due
	found   Cycle
}

// A thread has its present or last node.
type thread struct {
	node  *node  // the last, which may be dead
	last  Step   // the last event
	depth uint32 // nested begins; only the outermost transaction counts
	begun uint32 // the number of marked transactions
	nodes uint32 // the number of nodes

	started bool
	fork    record // the fork of the thread, until its first event

	// applied has, for each other thread, the greatest number of a node of it from which an edge
	// into this thread was added. Edges from that node, and from those before it, follow from that
	// one by program order on both sides, so they need not be added.
	applied []uint32
}

// New is a checker for streams whose access points conflict as in relation; it may be nil.
func New(relation *event.Relation) *Checker {
	return &Checker{relation: relation, sweepAt: minSweep}
}

// Violation is the transaction that was found by the last call of Event that returned true.
func (c *Checker) Violation() event.Transaction { return c.found.Transactions[0] }

// Cycle is the cycle that was found by the last call of Event that returned true.
func (c *Checker) Cycle() Cycle { return c.found }

// Event takes the next event and reports whether its transaction is found to violate
// serializability.
func (c *Checker) Event(e *event.Event) bool {
	s := Step{Index: c.index, Event: *e}
	c.index++
	if e.Op == event.Split {
		c.split(e.Target, e.Point)
		return false
	}
	if c.cyclic && len(c.nodes) > c.sweepAt {
		c.sweep()
	}
	c.threads = table.Grow(c.threads, e.Thread)
	if e.Op == event.Fork || e.Op == event.Join {
		c.threads = table.Grow(c.threads, e.Target)
	}
	t := &c.threads[e.Thread]
	c.preds = c.preds[:0]
	if !t.started {
		t.started = true
		c.addPred(e.Thread, t.fork)
		t.fork = record{}
	}
	found := false
	switch {
	case e.Op == event.Begin && t.depth == 0:
		t.depth, t.begun = 1, t.begun+1
		c.newNode(t, s, true)
		c.addEdges(t, s)
	case e.Op == event.Begin:
		t.depth++
	case e.Op == event.End:
		if t.depth--; t.depth == 0 {
			t.node.end = s.Index
			c.finish(t.node)
		}
	default:
		c.predecessors(e)
		found = c.addEdges(t, s)
		c.store(e, record{t.node, s})
	}
	t.last = s
	return found
}

// addEdges adds the edges from the predecessors to t's present transaction, of which s is an event.
// It reports whether one of them shows a cycle. If the graph has no cycle, an edge
// that follows from those in the graph closes none either. Once there is one, every edge is looked
// at.
func (c *Checker) addEdges(t *thread, s Step) bool {
	if t.depth == 0 && !c.unary(t, s) {
		return false
	}
	found := false
	for _, p := range c.preds {
		known := t.hasEdge(p.node)
		if !known || c.cyclic {
			found = c.closesCycle(t.node, p, s) || found
		}
		if !known {
			t.applied = table.Grow(t.applied, p.node.thread)
			t.applied[p.node.thread] = p.node.number
			link(p.node, edge{t.node, p.step, s})
		}
	}
	if t.depth == 0 {
		c.finish(t.node)
	}
	return found
}

// unary makes a node for the unary transaction s, unless it is to be merged or dropped: see the
// package comment.
func (c *Checker) unary(t *thread, s Step) bool {
	for _, p := range c.preds {
		if !t.hasEdge(p.node) {
			c.newNode(t, s, false)
			return true
		}
	}
	return false
}

// hasEdge reports whether an edge from n follows from one that was added into t.
func (t *thread) hasEdge(n *node) bool {
	return uint64(n.thread) < uint64(len(t.applied)) && t.applied[n.thread] >= n.number
}

// closesCycle reports whether the edge from p to s in node a is the first that shows a to be on a
// cycle. A unary node never is: it is new, and there is no path from it yet.
func (c *Checker) closesCycle(a *node, p record, s Step) bool {
	if a.reported || !c.path(a, p.node) {
		return false
	}
	c.cyclic = true
	a.reported = true
	c.found = c.buildCycle(a, p.node, p.step, s)
	return true
}
