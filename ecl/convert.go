// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package ecl

import (
	"go/ast"
	"go/token"
	"go/types"
	"strings"
)

// A converter turns the Go expression of one directive into a formula, and finds the call to which
// each variable belongs.
type converter struct {
	spec *Spec
	base token.Position // of src
	src  string         // of the expression
	m    [2]*Method
	sig  [2]*signature // the names of the variables in this directive
}

// errorf is an error at n.
func (c *converter) errorf(n ast.Node, hint, format string, args ...any) *Error {
	return errorf(c.position(int(n.Pos())-1), hint, format, args...)
}

// position is that of a byte of src.
func (c *converter) position(off int) token.Position {
	p := c.base
	p.Column += off
	p.Offset = 0
	return p
}

// text quotes a part of the formula as it was written.
func (c *converter) text(off, end int) string {
	if 0 <= off && off < end && end <= len(c.src) {
		return strings.TrimSpace(c.src[off:end])
	}
	return c.src
}

// lookup finds a variable: its call (1 or 2) and its index in that call.
func (c *converter) lookup(name string) (call, index int) {
	if name != "_" {
		for i, g := range c.sig {
			for j, v := range g.params {
				if v.name == name {
					return i + 1, j
				}
			}
			for j, v := range g.results {
				if v.name == name {
					return i + 1, len(g.params) + j
				}
			}
		}
	}
	return 0, 0
}

// uses returns the set of calls (bits 1 and 2) whose variables e mentions.
func (c *converter) uses(e ast.Expr) int {
	set := 0
	idents(e, func(id *ast.Ident) {
		call, _ := c.lookup(id.Name)
		set |= call
	})
	return set
}

// idents calls f on the identifiers of e that are no fields.
func idents(e ast.Expr, f func(*ast.Ident)) {
	ast.Inspect(e, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SelectorExpr:
			idents(n.X, f)
			return false
		case *ast.Ident:
			f(n)
		}
		return true
	})
}

// formula converts e, which must be boolean. The node has the place of e, for errors.
func (c *converter) formula(e ast.Expr) (*node, *Error) {
	if p, ok := e.(*ast.ParenExpr); ok {
		return c.formula(p.X) // the place is that inside of the parentheses
	}
	n, err := c.formula1(e)
	if n != nil {
		n.off, n.end = int(e.Pos())-1, int(e.End())-1
	}
	return n, err
}

// formula1 is formula without the place.
func (c *converter) formula1(e ast.Expr) (*node, *Error) {
	switch e := e.(type) {
	case *ast.UnaryExpr:
		if e.Op == token.NOT {
			k, err := c.formula(e.X)
			if err != nil {
				return nil, err
			}
			return not(k), nil
		}
	case *ast.BinaryExpr:
		switch e.Op {
		case token.LAND:
			return c.nary(opAnd, e)
		case token.LOR:
			return c.nary(opOr, e)
		case token.EQL, token.NEQ:
			return c.equality(e)
		case token.LSS, token.LEQ, token.GTR, token.GEQ:
			return c.atom(e)
		}
	case *ast.Ident:
		switch e.Name {
		case "true":
			return &node{op: opTrue}, nil
		case "false":
			return &node{op: opFalse}, nil
		}
		return c.atom(e)
	case *ast.SelectorExpr:
		return c.atom(e)
	}
	return nil, c.errorf(e, "compare it with something", "%s is not a condition",
		types.ExprString(e))
}

// nary converts e, whose operator is o. Nested operators of one kind become one node.
func (c *converter) nary(o op, e *ast.BinaryExpr) (*node, *Error) {
	n := &node{op: o}
	for _, x := range []ast.Expr{e.X, e.Y} {
		k, err := c.formula(x)
		if err != nil {
			return nil, err
		}
		if k.op == o {
			n.operands = append(n.operands, k.operands...)
		} else {
			n.operands = append(n.operands, k)
		}
	}
	return n, nil
}

// equality converts x == y and x != y. Between conditions it is an equivalence; within one call, an
// atom; between the two calls, a disequality or its negation. Of those, fragment allows only the
// disequality.
func (c *converter) equality(e *ast.BinaryExpr) (*node, *Error) {
	var n *node
	switch {
	case c.isCondition(e.X) || c.isCondition(e.Y):
		n = &node{op: opIff}
		for _, x := range []ast.Expr{e.X, e.Y} {
			k, err := c.formula(x)
			if err != nil {
				return nil, err
			}
			n.operands = append(n.operands, k)
		}
	case c.uses(e) != 3:
		var err *Error
		if n, err = c.atom(e); err != nil {
			return nil, err
		}
		return n, nil
	default:
		x, y := ast.Unparen(e.X), ast.Unparen(e.Y)
		xi, okx := x.(*ast.Ident)
		yi, oky := y.(*ast.Ident)
		if !okx || !oky {
			return nil, c.errorf(e, "between calls only x1 != y2 of two variables is allowed; "+
				"give the value as a result of its own",
				"%s is outside ECL: an atom's variables must come "+
					"from one call", types.ExprString(e))
		}
		xc, xv := c.lookup(xi.Name)
		_, yv := c.lookup(yi.Name)
		if xc == 2 {
			xv, yv = yv, xv
		}
		n = not(&node{op: opNeq, x: xv, y: yv, off: int(e.Pos()) - 1, end: int(e.End()) - 1})
	}
	if e.Op == token.NEQ {
		n = not(n)
	}
	return n, nil
}

// isCondition reports whether e is boolean by its form alone. The types of variables are not known
// here: x == y of two boolean variables is an atom.
func (c *converter) isCondition(e ast.Expr) bool {
	switch e := ast.Unparen(e).(type) {
	case *ast.UnaryExpr:
		return e.Op == token.NOT
	case *ast.BinaryExpr:
		switch e.Op {
		case token.LAND, token.LOR, token.EQL, token.NEQ, token.LSS, token.LEQ, token.GTR,
			token.GEQ:
			return true
		}
	case *ast.Ident:
		return e.Name == "true" || e.Name == "false"
	}
	return false
}
