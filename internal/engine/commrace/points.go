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

// KeyArg is the parameter that is the key of a call's i-th touch.
func (t *Table) KeyArg(c *Call, i int) int {
	return int(t.Methods[c.Method].keys[t.touched(c.Method, c.Beta).all[i].key])
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
