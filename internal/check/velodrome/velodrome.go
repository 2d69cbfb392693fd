// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package velodrome

import (
	"github.com/commutego/commute/internal/check/table"
	"github.com/commutego/commute/internal/event"
)

// A Checker has the graph and what it takes to find predecessors.
type Checker struct {
	relation *event.Relation
	threads  []thread
	nodes    []*node // that are not dead
	vars     []cell
	locks    []cell
	objects  [][]pointCell

	index  uint64
	search uint64 // number of the last search
	queue  []*node
	preds  []record
	cyclic bool // a cycle was found
	enough int  // number of nodes for the next sweep
	found  Cycle
}

type thread struct {
	node  *node // the last, which may be dead
	last  Step  // the last event
	depth uint32
	begun uint32 // marked transactions
	nodes uint32

	started bool
	fork    record

	// applied is, by thread, the greatest number of a node from which an edge was drawn to one of
	// this thread. Edges from it, and from those before it, follow by program order.
	applied []uint32
}

// New is a checker for streams whose access points conflict as in relation; it may be nil.
func New(relation *event.Relation) *Checker { return &Checker{relation: relation, enough: minSweep} }

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
	if c.cyclic && len(c.nodes) > c.enough {
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
		c.pred(e.Thread, t.fork)
		t.fork = record{}
	}
	found := false
	switch {
	case e.Op == event.Begin && t.depth == 0:
		t.depth, t.begun = 1, t.begun+1
		c.newNode(t, s, true)
		c.draw(t, s)
	case e.Op == event.Begin:
		t.depth++
	case e.Op == event.End:
		if t.depth--; t.depth == 0 {
			t.node.end = s.Index
			c.finish(t.node)
		}
	default:
		c.predecessors(e)
		found = c.draw(t, s)
		c.remember(e, record{t.node, s})
	}
	t.last = s
	return found
}

// draw draws the edges from the predecessors to t's present transaction, which s is an event of.
func (c *Checker) draw(t *thread, s Step) bool {
	if t.depth == 0 && !c.unary(t, s) {
		return false
	}
	found := false
	for _, p := range c.preds {
		known := t.knows(p.node)
		if !known || c.cyclic {
			found = c.close(t.node, p, s) || found
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

// unary makes a node for the unary transaction s, if it needs one.
func (c *Checker) unary(t *thread, s Step) bool {
	for _, p := range c.preds {
		if !t.knows(p.node) {
			c.newNode(t, s, false)
			return true
		}
	}
	return false
}

func (t *thread) knows(n *node) bool {
	return uint64(n.thread) < uint64(len(t.applied)) && t.applied[n.thread] >= n.number
}

// close reports whether the edge from p to s in node a is the first that shows a to be in a cycle.
// If a is unary, it is new, and there is no path from it.
func (c *Checker) close(a *node, p record, s Step) bool {
	if a.reported || !c.path(a, p.node) {
		return false
	}
	c.cyclic = true
	a.reported = true
	c.found = c.tell(a, p.node, p.step, s)
	return true
}
