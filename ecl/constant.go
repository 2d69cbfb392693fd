// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package ecl

import (
	"go/ast"
	"math/bits"
)

// maxConstant bounds the conditions of a formula: needless tries all their truths.
const maxConstant = 20

// needless finds parts of a formula that have no effect. That is all of it, if it is constant and
// not written so, or a condition that makes no difference. Mostly they are mistakes. Conditions are
// taken as independent of each other, so x < 1 && x < 2 passes. Formulas with too many conditions
// pass, too.
func (c *converter) needless(e ast.Expr, n *node) *Error {
	if id, ok := ast.Unparen(e).(*ast.Ident); ok && (id.Name == "true" || id.Name == "false") {
		return nil
	}
	t := newTruths(n)
	if len(t.props) > maxConstant {
		return nil
	}
	table := t.table(n)
	matters := -1 // the first condition that makes a difference
	for i := range t.props {
		if matters < 0 && t.matters(table, i) {
			matters = i
		}
	}
	if matters < 0 {
		value := "false"
		if table[0]&1 != 0 {
			value = "true"
		}
		return c.errorf(e, "write "+value, "%s is always %s",
			c.text(int(e.Pos())-1, int(e.End())-1), value)
	}
	// The formula is not constant. Conditions before the first that matters don't; ask for the
	// rest.
	for i, p := range t.props {
		if i < matters || !t.matters(table, i) {
			return errorf(c.position(p.off), "leave it out",
				"%s makes no difference to the formula", c.text(p.off, p.end))
		}
	}
	return nil
}

// truths numbers the atoms and disequalities of a formula.
type truths struct {
	props []*node // the first of each, in the order of the text
	index map[truthKey]int
}

// A truthKey is the same for all uses of one condition.
type truthKey struct {
	op         op
	call, x, y int // for an atom, x is its number
}

func (n *node) truthKey() truthKey {
	if n.op == opAtom {
		return truthKey{opAtom, n.call, n.atom, 0}
	}
	return truthKey{n.op, 0, n.x, n.y}
}

// newTruths numbers the conditions of n, each once.
func newTruths(n *node) *truths {
	t := &truths{index: map[truthKey]int{}}
	n.walk(func(n *node) {
		if n.op != opAtom && n.op != opNeq {
			return
		}
		if _, ok := t.index[n.truthKey()]; !ok {
			t.index[n.truthKey()] = len(t.props)
			t.props = append(t.props, n)
		}
	})
	return t
}

// columns are the truths of the first six conditions in 64 valuations: bit v of columns[i] is bit i
// of v.
var columns = [6]uint64{0xaaaaaaaaaaaaaaaa, 0xcccccccccccccccc, 0xf0f0f0f0f0f0f0f0,
	0xff00ff00ff00ff00, 0xffff0000ffff0000, 0xffffffff00000000}

// table is the truth table of n, 64 valuations in a word. The bits of a valuation's number are the
// truths of the conditions.
func (t *truths) table(n *node) []uint64 {
	table := make([]uint64, 1<<max(0, len(t.props)-len(columns)))
	for block := range table {
		table[block] = t.word(n, block)
	}
	return table
}

// word is one word of the truth table of n: valuations 64*block to 64*block+63. The operators work
// on all of them at once.
func (t *truths) word(n *node, block int) uint64 {
	switch n.op {
	case opTrue:
		return ^uint64(0)
	case opAtom, opNeq:
		i := t.index[n.truthKey()]
		if i < len(columns) { // it varies within the word
			return columns[i]
		}
		return -uint64(block >> (i - len(columns)) & 1) // it is the same in all of the word
	case opNot:
		return ^t.word(n.operands[0], block)
	case opIff:
		return ^(t.word(n.operands[0], block) ^ t.word(n.operands[1], block))
	case opAnd:
		all := ^uint64(0)
		for _, k := range n.operands {
			all &= t.word(k, block)
		}
		return all
	case opOr:
		any := uint64(0)
		for _, k := range n.operands {
			any |= t.word(k, block)
		}
		return any
	}
	return 0
}

// matters reports whether the truth of condition i changes the formula's in
// some valuation.
func (t *truths) matters(table []uint64, i int) bool {
	for block, w := range table {
		other := w
		if i < len(columns) { // the valuations that differ in bit i change places
			other = bits.RotateLeft64(w&columns[i], -(1<<i)) | bits.RotateLeft64(w&^columns[i],
				1<<i)
		} else {
			other = table[block^1<<(i-len(columns))]
		}
		if w != other {
			return true
		}
	}
	return false
}
