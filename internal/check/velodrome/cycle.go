// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package velodrome

import (
	"fmt"
	"strings"

	"github.com/commutego/commute/internal/event"
)

// A Cycle shows that a transaction is not conflict serializable.
type Cycle struct {
	// Transactions are at least two, the violating one first.
	Transactions []event.Transaction

	// Edges[i] leads from Transactions[i] to the next one, the last edge to the first transaction.
	Edges []Edge
}

// An Edge is two events that conflict, of which Tail came first. If both are of one thread, the
// edge is program order.
type Edge struct {
	Tail, Head Step
}

// String is a line for each transaction, with the edge that leads from it.
func (c Cycle) String() string {
	var b strings.Builder
	for i, t := range c.Transactions {
		kind := "unary"
		if t.Marked {
			kind = fmt.Sprintf("marked %d", t.Number)
		}
		e := c.Edges[i]
		fmt.Fprintf(&b, "thread %d, %s, from event %d: event %d (%v) before event %d (%v)\n",
			t.Thread, kind, t.First, e.Tail.Index, e.Tail.Event, e.Head.Index, e.Head.Event)
	}
	return b.String()
}

// buildCycle is the cycle of the closing edge and the path that the last search found. The edge
// leads from tail, in node p, to head, in node a; the path leads from a to p.
//
// Nodes with merged unary transactions are separated here. The path may enter such a node at one of
// its transactions and leave it from another. Then an edge of program order between the two is
// added.
func (c *Checker) buildCycle(a, p *node, tail, head Step) Cycle {
	path := []edge{{a, tail, head}} // the parents lead backwards: the last edge is the first
	for n := p; n != a; n = n.parent {
		path = append(path, n.via)
	}
	cycle := Cycle{Transactions: []event.Transaction{a.first}}
	at, here := a, Step{} // the node at which the cycle has arrived, and the event
	for i := len(path) - 1; i >= 0; i-- {
		e := path[i]
		switch {
		case at == a:
		case programOrder(e.tail, e.head):
			e.tail = here // program order holds from the earlier event of the thread, too
		default:
			now, then := c.transaction(at, here), c.transaction(at, e.tail)
			if now.First != then.First {
				cycle.add(Edge{here, e.tail}, then)
			}
		}
		cycle.add(Edge{e.tail, e.head}, c.transaction(e.to, e.head))
		at, here = e.to, e.head
	}
	// The last edge, the closing one, has added a again.
	cycle.Transactions = cycle.Transactions[:len(cycle.Edges)]
	return cycle
}

// add extends the cycle along e to a transaction. Two edges of program order in a row become one.
func (cycle *Cycle) add(e Edge, to event.Transaction) {
	if n := len(cycle.Edges); n > 0 && programOrder(e.Tail, e.Head) {
		if last := &cycle.Edges[n-1]; programOrder(last.Tail, last.Head) {
			last.Head = e.Head
			cycle.Transactions[n] = to
			return
		}
	}
	cycle.Edges = append(cycle.Edges, e)
	cycle.Transactions = append(cycle.Transactions, to)
}

// programOrder reports whether an edge is one of program order.
func programOrder(tail, head Step) bool { return tail.Event.Thread == head.Event.Thread }

// transaction is the transaction of event s of node n. It is the node's first, if that is marked
// and s is in it. Otherwise it is a unary one that was merged into the node.
func (c *Checker) transaction(n *node, s Step) event.Transaction {
	if n.marked && (n.running || s.Index <= n.end) {
		return n.first
	}
	return event.Transaction{Thread: n.thread, Number: n.first.Number, First: s.Index,
		Pos: s.Event.Pos}
}
