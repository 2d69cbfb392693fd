// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package frontier

// addEdge adds the edge from m to the present transaction of t, and reports whether that one is
// found to violate serializability. Fact (3) drops most edges here.
func (c *Checker) addEdge(t *thread, m txnRef) bool {
	u := &c.threads[m.thread()]
	if m.number() < u.low || u == t {
		return false
	}
	return c.addMatrixEdge(t, u, m)
}

// addMatrixEdge is conflict for an edge that may matter by (3): the step of "The matrix".
func (c *Checker) addMatrixEdge(t, u *thread, m txnRef) bool {
	closes := false
	if t.slot >= 0 {
		n := u.column.at(t.slot)
		closes = n != 0 && n <= m.number() // D[A][u] <= j
	}
	if !t.isApplied(m) { // (5)
		t.setApplied(m)
		c.spread(t, u, m.number())
		if closes {
			c.renumber()
		}
	}
	return closes && c.report(&c.running[t.slot])
}

// report makes a the violation that was found, unless it was reported before.
func (c *Checker) report(a *transaction) bool {
	if a.reported {
		return false
	}
	a.reported = true
	c.found = a.first
	return true
}

// spread is the loop of "The matrix": each row that reaches number j of u, except t's own, takes
// over what t's present transaction reaches. The pass over u's column also makes u.low exact again.
func (c *Checker) spread(t, u *thread, j uint32) {
	u.low, c.reaching = u.column.least(j, c.reaching[:0])
	if u.slot >= 0 { // u's own transaction reaches itself, which the column doesn't have
		n := c.running[u.slot].number
		u.low = min(u.low, n)
		if n <= j {
			c.reaching = append(c.reaching, u.slot)
		}
	}
	if t.slot < 0 {
		c.reachUnary(t)
		return
	}
	a := &c.running[t.slot]
	for _, s := range c.reaching {
		if s == t.slot {
			continue
		}
		c.set(s, t, a.number)
		for _, w := range a.reached {
			c.set(s, &c.threads[w], c.threads[w].column.at(t.slot))
		}
	}
}

// reachUnary adds t's unary transaction to the rows of c.reaching. It gets a number of its own if
// one of them doesn't reach t already; otherwise (4) holds.
func (c *Checker) reachUnary(t *thread) {
	before := t.now
	for _, s := range c.reaching {
		if t.column.at(s) != 0 {
			continue
		}
		if t.now == before {
			t.next()
		}
		c.set(s, t, t.now.number())
	}
}

// set makes D[A][u] at most n, for the transaction A in slot s.
func (c *Checker) set(s int32, u *thread, n uint32) {
	a := &c.running[s]
	switch old := u.column.at(s); {
	case old == 0:
		a.reached = append(a.reached, u.now.thread())
		u.reachers++
	case old <= n:
		return
	}
	u.column.set(s, n)
	u.low = min(u.low, n)
}

// renumber gives all running marked transactions a new number, after a cycle was closed. The cells
// have the old ones, so no event is taken for a repetition of one from before. D keeps the old
// numbers, which are the first of their transactions.
func (c *Checker) renumber() {
	for i := range c.running {
		if t := &c.threads[c.running[i].thread]; t.slot == int32(i) {
			t.next()
		}
	}
}

// maxApplied is the greatest size of the table of a thread for (5).
const maxApplied = 1024

// isApplied reports whether an edge from m, or from a later transaction of its thread, was surely
// added into t before: (5).
func (t *thread) isApplied(m txnRef) bool {
	if len(t.applied) == 0 {
		return false
	}
	a := t.applied[int(m.thread())&(len(t.applied)-1)]
	return a.thread() == m.thread() && a >= m
}

// setApplied notes that an edge from m was added into t. If another thread has the entry of the
// table, the table grows; at its greatest size the other thread's entry is dropped.
func (t *thread) setApplied(m txnRef) {
	for {
		if n := len(t.applied); n > 0 {
			a := &t.applied[int(m.thread())&(n-1)]
			if *a == 0 || a.thread() == m.thread() || n >= maxApplied {
				*a = m
				return
			}
		}
		t.growApplied()
	}
}

// growApplied doubles the table. The entry of a thread is given by the low bits of its number, so
// no two entries meet in the larger table.
func (t *thread) growApplied() {
	old := t.applied
	t.applied = make([]txnRef, max(4, 2*len(old)))
	for _, a := range old {
		if a != 0 {
			t.applied[int(a.thread())&(len(t.applied)-1)] = a
		}
	}
}
