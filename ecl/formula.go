// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package ecl

import "strings"

// A node is a formula over two calls. And and Or take any number of operands, so that those about
// one call can be grouped. Formulas share nodes, so a node is not changed once it is made.
type node struct {
	op       op
	call     int // atom: 1 or 2
	atom     int // atom: index in the atoms of that call's method
	x, y     int // neq: variable x of call 1, y of call 2
	operands []*node
	off      int // of the subformula in its directive's text, for errors
	end      int
}

// An op is the operator of a node.
type op byte

const (
	opFalse op = iota
	opTrue
	opAtom // a predicate over one call
	opNeq  // x1 != y2
	opNot
	opAnd
	opOr
	opIff
)

// calls says what n is about, in bits: 1 and 2 for atoms of those calls, 4 for disequalities.
func (n *node) calls() int {
	switch n.op {
	case opAtom:
		return n.call
	case opNeq:
		return 4
	}
	set := 0
	for _, k := range n.operands {
		set |= k.calls()
	}
	return set
}

// pureB reports whether n is in L_B: no part of it compares the two calls.
func (n *node) pureB() bool { return n.calls()&4 == 0 }

// eval is the truth of n, given the truths of atoms and of disequalities. For a formula without
// disequalities neq may be nil.
func (n *node) eval(atom func(call, i int) bool, neq func(x, y int) bool) bool {
	switch n.op {
	case opTrue:
		return true
	case opAtom:
		return atom(n.call, n.atom)
	case opNeq:
		return neq(n.x, n.y)
	case opNot:
		return !n.operands[0].eval(atom, neq)
	case opAnd:
		for _, k := range n.operands {
			if !k.eval(atom, neq) {
				return false
			}
		}
		return true
	case opOr:
		for _, k := range n.operands {
			if k.eval(atom, neq) {
				return true
			}
		}
		return false
	case opIff:
		return n.operands[0].eval(atom, neq) == n.operands[1].eval(atom, neq)
	}
	return false
}

// walk calls f on n and all its parts.
func (n *node) walk(f func(*node)) {
	f(n)
	for _, k := range n.operands {
		k.walk(f)
	}
}

// goExpr prints a formula over one call as a Go expression; atoms[i] is the
// text of atom i. prec is the precedence of the surrounding operator.
func (n *node) goExpr(atoms []string, prec int) string {
	paren := func(own int, s string) string {
		if own < prec {
			return "(" + s + ")"
		}
		return s
	}
	join := func(own int, sep string) string {
		var parts []string
		for _, k := range n.operands {
			parts = append(parts, k.goExpr(atoms, own+1))
		}
		return paren(own, strings.Join(parts, sep))
	}
	switch n.op {
	case opTrue:
		return "true"
	case opAtom:
		if isSimple(atoms[n.atom]) {
			return atoms[n.atom]
		}
		return paren(3, atoms[n.atom])
	case opNot:
		k := n.operands[0]
		if k.op == opAtom { // x != y reads better than !(x == y)
			if x, y, ok := strings.Cut(atoms[k.atom], " == "); ok {
				return paren(3, x+" != "+y)
			}
		}
		return "!" + k.goExpr(atoms, 6)
	case opAnd:
		return join(2, " && ")
	case opOr:
		return join(1, " || ")
	case opIff:
		return paren(3, n.operands[0].goExpr(atoms, 6)+" == "+n.operands[1].goExpr(atoms, 6))
	}
	return "false"
}

// isSimple reports whether an atom is one variable.
func isSimple(s string) bool { return !strings.ContainsAny(s, " ()!+-*&|^<>=") }

// not is the negation of n, without double negations and negated constants.
func not(n *node) *node {
	switch n.op {
	case opTrue:
		return &node{op: opFalse, off: n.off, end: n.end}
	case opFalse:
		return &node{op: opTrue, off: n.off, end: n.end}
	case opNot:
		return n.operands[0]
	}
	return &node{op: opNot, operands: []*node{n}, off: n.off, end: n.end}
}
