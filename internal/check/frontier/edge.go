// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package frontier

// conflict draws the edge from m to the present transaction of t, and reports whether this one is
// found to violate serializability.
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
		n := u.column.at(t.slot)
		closes = n != 0 && n <= m.number()
	}
	if !t.knows(m) {
		t.learn(m)
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

// spread lets each row that reaches number j of u, but t's own, reach what t's present transaction
// reaches.
func (c *Checker) spread(t, u *thread, j uint32) {
	u.low, c.reaching = u.column.least(j, c.reaching[:0])
	if u.slot >= 0 {
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

// reachUnary lets the rows of c.reaching reach t's unary transaction, which gets a number of its
// own if one of them doesn't reach t already: (4) of the package comment.
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

// set lets the transaction in slot s reach number n of u.
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

// renumber is for after a cycle was closed: see the end of the package comment.
func (c *Checker) renumber() {
	for i := range c.running {
		if t := &c.threads[c.running[i].thread]; t.slot == int32(i) {
			t.next()
		}
	}
}

const maxApplied = 1024

// knows reports whether an edge from m, or from a later transaction of its thread, was drawn into t
// before.
func (t *thread) knows(m moment) bool {
	if len(t.applied) == 0 {
		return false
	}
	a := t.applied[int(m.thread())&(len(t.applied)-1)]
	return a.thread() == m.thread() && a >= m
}

// learn makes t know m. The table grows as long as it may, if another thread has the entry.
func (t *thread) learn(m moment) {
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

func (t *thread) growApplied() {
	old := t.applied
	t.applied = make([]moment, max(4, 2*len(old)))
	for _, a := range old {
		if a != 0 {
			t.applied[int(a.thread())&(len(t.applied)-1)] = a
		}
	}
}
