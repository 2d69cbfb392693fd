// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package velodrome

import "github.com/commutego/commute/internal/event"

// A Step is an event and its place in the stream.
type Step = event.Step

// A node is a transaction of the graph, with the unary ones after it that were merged into it.
type node struct {
	thread   uint32
	number   uint32 // among its thread's nodes
	first    event.Transaction
	marked   bool
	running  bool
	reported bool
	dead     bool   // it was removed; records may still refer to it
	end      uint64 // index of the end of a finished marked transaction
	in       int    // the number of edges from nodes that are not dead: the reference count
	out      []edge
	position int // its index in Checker.nodes

	// For searches.
	seen   uint64 // the last search that has visited the node
	parent *node  // the node from which that search came
	via    edge   // the edge from parent
}

// An edge leads from the node that has it to another.
type edge struct {
	to         *node
	tail, head Step
}

// newNode makes t's next node, with an edge of program order from the one before.
func (c *Checker) newNode(t *thread, s Step, marked bool) {
	t.nodes++
	n := &node{
		thread: s.Event.Thread,
		number: t.nodes,
		first: event.Transaction{
			Thread: s.Event.Thread, Number: t.begun, Marked: marked, First: s.Index,
			Pos: s.Event.Pos,
		},
		marked:   marked,
		running:  true,
		position: len(c.nodes),
	}
	c.nodes = append(c.nodes, n)
	if t.node != nil && !t.node.dead {
		link(t.node, edge{to: n, tail: t.last, head: s})
	}
	t.node = n
}

// link adds an edge to the graph.
func link(from *node, e edge) {
	from.out = append(from.out, e)
	e.to.in++
}

// finish notes that n is over and gets no more incoming edges. If it has none, it is removed.
func (c *Checker) finish(n *node) {
	n.running = false
	if n.in == 0 {
		c.remove(n)
	}
}

// remove takes n from the graph, and then each finished node that has lost its last incoming edge.
// A worklist takes the place of recursion: chains can be as long as the trace.
func (c *Checker) remove(n *node) {
	work := []*node{n}
	for len(work) > 0 {
		n = work[len(work)-1]
		work = work[:len(work)-1]
		for _, e := range n.out {
			e.to.in--
			if e.to.in == 0 && !e.to.running && !e.to.dead {
				work = append(work, e.to)
			}
		}
		c.delete(n)
	}
}

// delete marks n as no longer in the graph. Records of its events may still refer to it, so the
// node stays, but lets go of everything that it refers to. The last node takes its place in the
// list.
func (c *Checker) delete(n *node) {
	n.dead = true
	n.out, n.parent, n.via = nil, nil, edge{}
	last := len(c.nodes) - 1
	c.nodes[n.position] = c.nodes[last]
	c.nodes[n.position].position = n.position
	c.nodes[last] = nil
	c.nodes = c.nodes[:last]
}

// sweep removes the nodes that no running node reaches: mark and sweep. Cycles among finished nodes
// keep each other's reference counts above zero; only this removes them.
func (c *Checker) sweep() {
	c.search++
	var work []*node
	visit := func(n *node) {
		if n.seen != c.search {
			n.seen = c.search
			work = append(work, n)
		}
	}
	for _, n := range c.nodes {
		if n.running {
			visit(n)
		}
	}
	for len(work) > 0 {
		n := work[len(work)-1]
		work = work[:len(work)-1]
		for _, e := range n.out {
			visit(e.to)
		}
	}
	for i := len(c.nodes) - 1; i >= 0; i-- {
		n := c.nodes[i]
		if n.seen == c.search {
			continue
		}
		for _, e := range n.out {
			e.to.in--
		}
		c.delete(n)
	}
	c.sweepAt = max(2*len(c.nodes), minSweep)
}

// minSweep is the size of the graph below which it isn't swept.
const minSweep = 64

// path reports whether there is a path from one node to another. The search is breadth-first, so
// that the parents of the nodes give a shortest path.
func (c *Checker) path(from, to *node) bool {
	if len(from.out) == 0 {
		return false
	}
	c.search++
	from.seen = c.search
	c.queue = append(c.queue[:0], from)
	for i := 0; i < len(c.queue); i++ {
		for _, e := range c.queue[i].out {
			if e.to.seen == c.search {
				continue
			}
			e.to.seen, e.to.parent, e.to.via = c.search, c.queue[i], e
			if e.to == to {
				return true
			}
			c.queue = append(c.queue, e.to)
		}
	}
	return false
}
