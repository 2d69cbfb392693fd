// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package frontier

import "github.com/commutego/commute/check/internal/table"

// conflict draws the edge from m to the present transaction of t, and reports whether this one is found
// to violate serializability.
func (c *Checker) conflict(t *thread, m moment) bool {
	u := &c.threads[m.thread()]
	if m.number() < u.low || u == t {
		return false
	}
	return c.edge(t, u, m)
}

// edge is conflict where the edge may matter.
func (c *Checker) edge(t, u *thread, m moment) bool {
	closes := false
	if t.slot >= 0 {
		n := u.at(t.slot)
		closes = n != 0 && n <= m.number()
	}
	if !t.knows(m) {
		c.learn(t, m)
		c.spread(t, u, m.number())
		if closes {
			c.renumber()
		}
	}
	return closes && c.report(&c.running[t.slot])
}

func (c *Checker) report(a *transaction) bool {
	if a.reported {
		return false
	}
	a.reported = true
	c.found = a.first
	return true
}

// spread lets each row that reaches number j of u, but t's own, reach what t's present transaction reaches.
func (c *Checker) spread(t, u *thread, j uint32) {
	c.reaching = c.reaching[:0]
	u.low = none
	if u.slot >= 0 {
		u.low = c.running[u.slot].number // its entry in the column, if any, is for going round a cycle
		if u.low <= j {
			c.reaching = append(c.reaching, u.slot)
		}
	}
	for s, n := range u.column {
		if n == 0 {
			continue
		}
		u.low = min(u.low, n)
		if n <= j && int32(s) != t.slot {
			c.reaching = append(c.reaching, int32(s))
		}
	}
	// Only now, since this changes columns and low.
	if t.slot < 0 {
		c.reachUnary(t)
		return
	}
	a := &c.running[t.slot]
	for _, s := range c.reaching {
		c.set(s, t, a.number)
		for _, w := range a.reached {
			c.set(s, &c.threads[w], c.threads[w].column[t.slot])
		}
	}
}

// reachUnary lets the rows of c.reaching reach t's unary transaction, which gets a number of its own if
// one of them doesn't reach t already: (4) of the package comment.
func (c *Checker) reachUnary(t *thread) {
	before := t.now
	for _, s := range c.reaching {
		if t.at(s) != 0 {
			continue
		}
		if t.now == before {
			t.next()
		}
		c.set(s, t, t.now.number())
	}
}

// at is the entry of slot s in u's column.
func (u *thread) at(s int32) uint32 {
	if int(s) < len(u.column) {
		return u.column[s]
	}
	return 0
}

// set lets the transaction in slot s reach number n of u.
func (c *Checker) set(s int32, u *thread, n uint32) {
	a := &c.running[s]
	u.column = table.Grow(u.column, uint32(s))
	switch old := u.column[s]; {
	case old == 0:
		a.reached = append(a.reached, u.now.thread())
		u.reachers++
	case old <= n:
		return
	}
	u.column[s] = n
	u.low = min(u.low, n)
}

// renumber is for after a cycle was closed: see the end of the package comment.
func (c *Checker) renumber() {
	for i := range c.running {
		if t := &c.threads[c.running[i].thread]; t.slot == int32(i) {
			t.next()
		}
	}
}

const maxApplied = 1024

// knows reports whether an edge from m, or from a later transaction of its thread, was drawn into t before.
func (t *thread) knows(m moment) bool {
	if len(t.applied) == 0 {
		return false
	}
	a := t.applied[int(m.thread())&(len(t.applied)-1)]
	return a.thread() == m.thread() && a >= m
}

// learn makes t know m. Threads that share an entry of the table drive each other out.
func (c *Checker) learn(t *thread, m moment) {
	n := len(t.applied)
	if n < maxApplied && n < len(c.threads) {
		size := 4
		for size < maxApplied && size < len(c.threads) {
			size *= 2
		}
		t.applied = make([]moment, size)
	}
	t.applied[int(m.thread())&(len(t.applied)-1)] = m
}
