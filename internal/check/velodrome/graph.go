// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package velodrome

import "github.com/commutego/commute/internal/event"

// A Step is an event and its place in the stream.
type Step = event.Step

// A node is a transaction of the graph, with the unary ones after it that were added to it.
type node struct {
	thread   uint32
	number   uint32 // among its thread's nodes
	first    event.Transaction
	marked   bool
	running  bool
	reported bool
	dead     bool
	end      uint64 // index of the end of a finished marked transaction
	in       int    // edges from nodes that are not dead
	out      []edge
	place    int // in Checker.nodes

	// For searches.
	seen   uint64
	parent *node
	via    edge // from parent
}

type edge struct {
	to         *node
	tail, head Step
}

// newNode makes t's next node, with an edge from the one before.
func (c *Checker) newNode(t *thread, s Step, marked bool) {
	t.nodes++
	n := &node{
		thread: s.Event.Thread,
		number: t.nodes,
		first: event.Transaction{
			Thread: s.Event.Thread, Number: t.begun, Marked: marked, First: s.Index,
			Pos: s.Event.Pos,
		},
		marked:  marked,
		running: true,
		place:   len(c.nodes),
	}
	c.nodes = append(c.nodes, n)
	if t.node != nil && !t.node.dead {
		link(t.node, edge{to: n, tail: t.last, head: s})
	}
	t.node = n
}

func link(from *node, e edge) {
	from.out = append(from.out, e)
	e.to.in++
}

// finish says that n gets no more edges.
func (c *Checker) finish(n *node) {
	n.running = false
	if n.in == 0 {
		c.remove(n)
	}
}

// remove takes n from the graph, and what is left without incoming edges by that.
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
		c.bury(n)
	}
}

// bury marks n, which those may hold who remember one of its events, as no longer in the graph.
func (c *Checker) bury(n *node) {
	n.dead = true
	n.out, n.parent, n.via = nil, nil, edge{}
	last := len(c.nodes) - 1
	c.nodes[n.place] = c.nodes[last]
	c.nodes[n.place].place = n.place
	c.nodes[last] = nil
	c.nodes = c.nodes[:last]
}

// sweep removes what no running node reaches.
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
		c.bury(n)
	}
	c.enough = max(2*len(c.nodes), minSweep)
}

// minSweep is a size of the graph below which it isn't swept.
const minSweep = 64

// path is whether there is a way from one node to another; the parents tell a shortest one.
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
