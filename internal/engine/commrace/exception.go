// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package commrace

import "github.com/commutego/commute/internal/engine/compiled"

// Semantic exceptions. The points of two calls conflict, but the specification says that the calls
// commute all the same. The reason is outside of ECL: equal values, a boolean argument or result,
// or a result that is not used. A specification lists them as a disjunction of conjunctions.

// A conjunction is one alternative of a semantic exception.
type conjunction struct {
	n    int
	atom [6]compiled.Condition
}

// excepted reports whether a semantic exception makes two calls commute whose points conflict. The
// formula is that of the method with the lower number first. Between calls of one method it holds
// either way round.
func (t *Table) excepted(a, b *Action, s Sink) bool {
	if a.Method > b.Method {
		a, b = b, a
	}
	fm := t.Formula(a.Method, b.Method)
	if fm.nExceptions == 0 {
		return false
	}
	for i := range fm.exceptions[:fm.nExceptions] {
		c := &fm.exceptions[i]
		if c.holds(t, a, b, s) || a.Method == b.Method && c.holds(t, b, a, s) {
			return true
		}
	}
	return false
}

// holds reports whether each atom is true of the calls a and b. Values are compared by their
// hashes, if both calls have some.
func (c *conjunction) holds(t *Table, a, b *Action, s Sink) bool {
	known := a.nargs != 0 && b.nargs != 0
	for _, at := range c.atom[:c.n] {
		ok := false
		x := a
		if at.Of == 1 {
			x = b
		}
		switch {
		case at.Op == '~':
			ok = s.Unused(t, x)
		case !known:
		case at.Op == '=':
			ok = a.argHash[at.I] == b.argHash[at.J]
		case at.Op == '!':
			ok = a.argHash[at.I] != b.argHash[at.J]
		default:
			arg := &x.args[at.I]
			ok = arg.Len == 1 && (arg.buf[0] != 0) == (at.Op == '+')
		}
		if !ok {
			return false
		}
	}
	return true
}

// unused reports whether the exceptions of a's method ask if a result is used, and a's isn't.
func (t *Table) unused(a *Action, s Sink) bool {
	return t.Methods[a.Method].asksUnused && s.Unused(t, a)
}
