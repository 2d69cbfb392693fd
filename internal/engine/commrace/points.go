// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package commrace

import "unsafe"

// What a trace tells of a specification and of calls.

// Points is the number of access points.
func (t *Table) Points() int { return t.keyed + t.global }

// Point is the name of one of them.
func (t *Table) Point(i int) string { return t.points[i].name }

// Conflict reports whether two of them conflict.
func (t *Table) Conflict(i, j int) bool { return t.points[i].conflicts>>j&1 != 0 }

// Touches is how many points a call that is over has touched. They are Touch's.
func (t *Table) Touches(c *Call) int { return t.touched(c.Method, c.Beta).n }

// Touch is the i-th of them: which point, and of which key, if it has one.
func (t *Table) Touch(c *Call, i int) (point int, key uint64, keyed bool) {
	tc := t.touched(c.Method, c.Beta).all[i]
	return int(tc.point), c.Keys[tc.key], tc.keyed
}

// KeyArg is which of a call's parameters is the key of its i-th touch.
func (t *Table) KeyArg(c *Call, i int) int {
	return int(t.Methods[c.Method].keys[t.touched(c.Method, c.Beta).all[i].key])
}

// Arg is what is kept of a parameter or result of a call that is being made, if there is such.
func (c *Call) Arg(i int) (a Arg, ok bool) {
	if c.Args == nil || i >= int(min(c.Nargs, maxArgs)) {
		return a, false
	}
	a.keep((*eface)(unsafe.Add(c.Args, uintptr(i)*unsafe.Sizeof(eface{}))))
	return a, true
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
