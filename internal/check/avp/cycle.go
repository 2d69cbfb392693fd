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

// A cycler finds a cycle through one transaction.
type cycler struct {
	*reorder.Segment
	into    map[int32][]edge // by transaction, known by its first step: edges into it
	out     map[int32][]int32
	reached map[int32]bool // transactions that the target reaches
}

// first is the first step of the transaction of a step.
func (c *cycler) first(i int32) int32 { return c.Of[c.Thread[i]][c.Start[i]] }

// cycleOf is a shortest cycle of an order through the transaction that begins with a step, nil if
// there is none. Of all that close one, the first step that does is the last that it needs.
func cycleOf(s *reorder.Segment, order []int32, target int32) *cycle {
	c := &cycler{
		Segment: s, into: make(map[int32][]edge), out: make(map[int32][]int32),
		reached: map[int32]bool{target: true},
	}
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
	c.into[to] = append(c.into[to], e)
	c.out[from] = append(c.out[from], to)
	if !c.reached[from] {
		return false
	}
	for todo := []int32{to}; len(todo) > 0; todo = todo[1:] {
		at := todo[0]
		closes = closes || at == target
		if !c.reached[at] {
			c.reached[at] = true
			todo = append(todo, c.out[at]...)
		}
	}
	return closes
}

// path is the edges of a shortest way from the target back to it.
func (c *cycler) path(target int32) []edge {
	next := map[int32]edge{} // by transaction: the edge from it on the way to the target
	for todo := []int32{target}; len(todo) > 0; todo = todo[1:] {
		for _, e := range c.into[todo[0]] {
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
