// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package avp

import (
	"github.com/commutego/commute/internal/check/reorder"
	"github.com/commutego/commute/internal/event"
)

// A cycle is one of transactions in an order.
type cycle struct {
	edges  []edge // the first leads from the transaction that the cycle was looked for of
	closed int    // after how many steps of the order there is such a cycle
}

// An edge is two steps of two transactions that conflict, or are of one thread, of which the first
// was made before the second.
type edge struct{ tail, head int32 }

// A cycler finds a cycle through one transaction. A transaction is known by its first step.
type cycler struct {
	*reorder.Segment
	edges   []edge
	into    chains
	out     chains
	reached []bool // by transaction: the target reaches it
}

// Chains are lists of edges by transaction, which are read in the order in which they were made.
type chains struct{ first, last, next []int32 }

func newChains(transactions int) chains {
	none := make([]int32, 2*transactions)
	for i := range none {
		none[i] = reorder.None
	}
	return chains{first: none[:transactions], last: none[transactions:]}
}

// add adds the next edge to the list of a transaction.
func (c *chains) add(transaction int32) {
	n := int32(len(c.next))
	c.next = append(c.next, reorder.None)
	if last := c.last[transaction]; last == reorder.None {
		c.first[transaction] = n
	} else {
		c.next[last] = n
	}
	c.last[transaction] = n
}

// first is the first step of the transaction of a step.
func (c *cycler) first(i int32) int32 { return c.Of[c.Thread[i]][c.Start[i]] }

// cycleOf is a shortest cycle of an order through the transaction that begins with a step, nil if
// there is none. Of all that close one, the first step that does is the last that it needs.
func cycleOf(s *reorder.Segment, order []int32, target int32) *cycle {
	n := len(s.Steps)
	c := &cycler{Segment: s, into: newChains(n), out: newChains(n), reached: make([]bool, n)}
	c.reached[target] = true
	made := make([]int32, s.Threads)
	for n, i := range order {
		made[s.Thread[i]]++
		if c.add(i, target, made) {
			return &cycle{c.path(target), n + 1}
		}
	}
	return nil
}

// add adds the edges into a step, and reports whether they close a cycle through the target.
func (c *cycler) add(i, target int32, made []int32) (closes bool) {
	t, a := c.Thread[i], c.first(i)
	if made[t] > 1 {
		if p := c.Of[t][made[t]-2]; c.first(p) != a {
			closes = c.edge(edge{p, i}, target)
		}
	}
	for u := range int32(c.Threads) {
		if u == t {
			continue
		}
		if at := c.Last(i, u, made[u]); at != reorder.None {
			closes = c.edge(edge{c.Of[u][at], i}, target) || closes
		}
	}
	return closes
}

// edge adds an edge, and reports whether it closes a cycle through the target.
func (c *cycler) edge(e edge, target int32) (closes bool) {
	from, to := c.first(e.tail), c.first(e.head)
	c.edges = append(c.edges, e)
	c.into.add(to)
	c.out.add(from)
	if !c.reached[from] {
		return false
	}
	for todo := []int32{to}; len(todo) > 0; todo = todo[1:] {
		at := todo[0]
		closes = closes || at == target
		if c.reached[at] {
			continue
		}
		c.reached[at] = true
		for n := c.out.first[at]; n != reorder.None; n = c.out.next[n] {
			todo = append(todo, c.first(c.edges[n].head))
		}
	}
	return closes
}

// path is the edges of a shortest way from the target back to it.
func (c *cycler) path(target int32) []edge {
	next := map[int32]edge{} // by transaction: the edge from it on the way to the target
	for todo := []int32{target}; len(todo) > 0; todo = todo[1:] {
		for n := c.into.first[todo[0]]; n != reorder.None; n = c.into.next[n] {
			e := c.edges[n]
			from := c.first(e.tail)
			if _, ok := next[from]; ok {
				continue
			}
			next[from] = e
			if from != target {
				todo = append(todo, from)
				continue
			}
			var way []edge
			for at := target; len(way) == 0 || at != target; at = c.first(way[len(way)-1].head) {
				way = append(way, next[at])
			}
			return way
		}
	}
	return nil
}

// transaction is the one of a step in the trace's words.
func transaction(s *reorder.Segment, i int32) event.Transaction {
	first := s.Of[s.Thread[i]][s.Start[i]]
	e := &s.Events[first]
	t := event.Transaction{Thread: e.Thread, First: s.Index(first), Pos: e.Pos}
	if t.Marked = s.Marked[i]; t.Marked {
		t.Number = s.Steps[first].Point
	}
	return t
}
