// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package commrace

// What a trace tells of a specification and of calls.

// Points is the number of access points.
func (t *Table) Points() int { return t.keyed + t.global }

// Point is the name of one of them.
func (t *Table) Point(i int) string { return t.points[i].name }

// Conflict reports whether two of them conflict.
func (t *Table) Conflict(i, j int) bool { return t.points[i].conflicts>>j&1 != 0 }

// Touches is how many points a call that is over has touched; Touch tells of each.
func (t *Table) Touches(c *Call) int { return t.touched(c.Method, c.Beta).n }

// Touch is the i-th point that a call has touched: its number, and its key if it has one.
func (t *Table) Touch(c *Call, i int) (point int, key uint64, keyed bool) {
	tc := t.touched(c.Method, c.Beta).all[i]
	return int(tc.point), c.Keys[tc.key], tc.keyed
}

// KeyOf is which of the call's keys the i-th touch of a call has.
func (t *Table) KeyOf(c *Call, i int) int { return int(t.touched(c.Method, c.Beta).all[i].key) }

// KeyArg is the parameter that is the key of a call's i-th touch.
func (t *Table) KeyArg(c *Call, i int) int {
	return int(t.Methods[c.Method].keys[t.touched(c.Method, c.Beta).all[i].key])
}

// Keys is how many keys the calls of a method have, and Compared which of their arguments and
// results semantic exceptions compare, or ask whether they are true: bit i is that of number i.
func (m *Method) Keys() int { return m.nkeys }

// Compared is as Keys says.
func (m *Method) Compared() uint8 { return m.hashed | m.asks }

// Where tells which of the points that two calls have touched conflict: the i-th of a and the j-th
// of b, in the order of [Table.Touch]. Of several it is the first pair; it is not ok if none do.
func (t *Table) Where(a, b *Action) (i, j int, ok bool) {
	ta, tb := t.touched(a.Method, a.beta), t.touched(b.Method, b.beta)
	for i := range ta.n {
		p := &t.points[ta.all[i].point]
		for j := range tb.n {
			if p.conflicts>>tb.all[j].point&1 != 0 &&
				(!p.keyed || a.keys[ta.all[i].key] == b.keys[tb.all[j].key]) {
				return i, j, true
			}
		}
	}
	return 0, 0, false
}

// Touched is the number of the i-th point that a call has touched.
func (t *Table) Touched(a *Action, i int) int {
	return int(t.touched(a.Method, a.beta).all[i].point)
}

// Word is a role in words.
func (r Role) Word() string {
	switch r {
	case Observer:
		return "observer"
	case Arbiter:
		return "arbiter"
	}
	return "mutator"
}
