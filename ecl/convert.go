// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package ecl

import (
	"go/ast"
	"go/token"
	"go/types"
	"math/bits"
	"strings"
)

// A converter turns the Go expression of one directive into a formula, and
// says for every variable which call it belongs to.
type converter struct {
	spec *Spec
	base token.Position
	src  string
	m    [2]*Method
	sig  [2]*signature
}

func (c *converter) errorf(n ast.Node, hint, format string, args ...any) *Error {
	return errorf(c.position(int(n.Pos())-1), hint, format, args...)
}

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

// formula converts e, which must be boolean.
func (c *converter) formula(e ast.Expr) (*node, *Error) {
	if p, ok := e.(*ast.ParenExpr); ok {
		return c.formula(p.X) // the formula's place is inside
	}
	n, err := c.formula1(e)
	if n != nil {
		n.off, n.end = int(e.Pos())-1, int(e.End())-1
	}
	return n, err
}

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

func (c *converter) nary(o op, e *ast.BinaryExpr) (*node, *Error) {
	n := &node{op: o}
	for _, x := range []ast.Expr{e.X, e.Y} {
		k, err := c.formula(x)
		if err != nil {
			return nil, err
		}
		if k.op == o {
			n.kids = append(n.kids, k.kids...)
		} else {
			n.kids = append(n.kids, k)
		}
	}
	return n, nil
}

// equality converts x == y and x != y: between conditions, within one call, or
// between the two calls, where only != of two variables is in the logic.
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
			n.kids = append(n.kids, k)
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

// isCondition reports whether e is boolean by its form alone.
func (c *converter) isCondition(e ast.Expr) bool {
	switch e := ast.Unparen(e).(type) {
	case *ast.UnaryExpr:
		return e.Op == token.NOT
	case *ast.BinaryExpr:
		switch e.Op {
		case token.LAND, token.LOR, token.EQL, token.NEQ, token.LSS, token.LEQ, token.GTR, token.GEQ:
			return true
		}
	case *ast.Ident:
		return e.Name == "true" || e.Name == "false"
	}
	return false
}

// atom converts a predicate over the values of one call, in normal form: the
// call's number dropped, != as a negated ==, > as <, and == with the variable
// that is declared first on the left.
func (c *converter) atom(e ast.Expr) (*node, *Error) {
	call := c.uses(e)
	if b, ok := e.(*ast.BinaryExpr); ok {
		for _, x := range []ast.Expr{b.X, b.Y} {
			if err := c.term(x); err != nil {
				return nil, err
			}
		}
	} else if err := c.term(e); err != nil {
		return nil, err
	}
	switch bits.OnesCount(uint(call)) {
	case 0:
		if id := c.unknown(e); id != nil {
			return nil, c.errorf(id, "name it in one of the two calls", "unknown variable %s",
				id.Name)
		}
		return nil, c.errorf(e, "write true or false", "%s mentions no value of a call",
			types.ExprString(e))
	case 2:
		return nil, c.errorf(e, "between calls only x1 != y2 of two variables is allowed",
			"%s is outside ECL: an atom's variables must come from one call", types.ExprString(e))
	}
	negated := false
	text := ""
	if b, ok := e.(*ast.BinaryExpr); ok {
		x, y, o := c.render(b.X), c.render(b.Y), b.Op
		switch o {
		case token.NEQ:
			o, negated = token.EQL, true
		case token.GTR:
			x, y, o = y, x, token.LSS
		case token.GEQ:
			x, y, o = y, x, token.LEQ
		}
		if o == token.EQL && (c.first(b.Y) < c.first(b.X) ||
			c.first(b.X) == c.first(b.Y) && y < x) {
			x, y = y, x
		}
		text = x + " " + o.String() + " " + y
	} else {
		text = c.render(e)
	}
	n := &node{op: opAtom, call: call, atom: c.m[call-1].atomIndex(text), off: int(e.Pos()) - 1,
		end: int(e.End()) - 1}
	if negated {
		n = not(n)
	}
	return n, nil
}

func (m *Method) atomIndex(text string) int {
	for i, a := range m.atoms {
		if a == text {
			return i
		}
	}
	m.atoms = append(m.atoms, text)
	return len(m.atoms) - 1
}

// unknown is the first identifier of e that is no variable, nil if there is none.
func (c *converter) unknown(e ast.Expr) (first *ast.Ident) {
	idents(e, func(id *ast.Ident) {
		if call, _ := c.lookup(id.Name); call == 0 && !constant(id) && id.Name != "len" &&
			first == nil {
			first = id
		}
	})
	return first
}

// ref records a name that is no variable: it has to be a constant of the package.
func (c *converter) ref(id *ast.Ident) *Error {
	if id.Name == "_" || constant(id) {
		return nil
	}
	for _, m := range c.m {
		for _, v := range m.Vars() {
			if v == id.Name {
				return c.errorf(id,
					"name it in the call, or give the values of "+m.Name+" other names everywhere",
					"unknown variable %s: elsewhere it is a value of %s", id.Name, m.Name)
			}
		}
	}
	c.spec.Refs = append(c.spec.Refs, Ref{c.position(int(id.Pos()) - 1), id.Name})
	return nil
}

// first returns the smallest index of a variable in e.
func (c *converter) first(e ast.Expr) int {
	least := 1 << 30
	idents(e, func(id *ast.Ident) {
		if call, i := c.lookup(id.Name); call != 0 {
			least = min(least, i)
		}
	})
	return least
}

// render prints a term over the method's canonical names.
func (c *converter) render(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.Ident:
		if call, i := c.lookup(e.Name); call != 0 {
			return c.m[call-1].Vars()[i]
		}
		return e.Name
	case *ast.BasicLit:
		return e.Value
	case *ast.ParenExpr:
		if x, ok := ast.Unparen(e.X).(*ast.BinaryExpr); ok {
			return "(" + c.render(x) + ")"
		}
		return c.render(ast.Unparen(e.X))
	case *ast.UnaryExpr:
		// A second sign must not run into the first.
		if _, ok := ast.Unparen(e.X).(*ast.UnaryExpr); ok {
			return e.Op.String() + "(" + c.render(ast.Unparen(e.X)) + ")"
		}
		return e.Op.String() + c.render(e.X)
	case *ast.BinaryExpr:
		return c.render(e.X) + " " + e.Op.String() + " " + c.render(e.Y)
	case *ast.CallExpr:
		return "len(" + c.render(e.Args[0]) + ")"
	case *ast.SelectorExpr:
		return c.render(e.X) + "." + e.Sel.Name
	}
	return types.ExprString(e)
}

// term checks an operand: variables, constants, nil, arithmetic and len.
// Nothing that could panic is let in, since atoms are computed unasked.
func (c *converter) term(e ast.Expr) *Error {
	switch e := e.(type) {
	case *ast.Ident:
		if call, _ := c.lookup(e.Name); call == 0 {
			return c.ref(e)
		}
		return nil
	case *ast.SelectorExpr:
		return c.field(e)
	case *ast.BasicLit:
		return nil
	case *ast.ParenExpr:
		return c.term(e.X)
	case *ast.UnaryExpr:
		switch e.Op {
		case token.ADD, token.SUB, token.XOR:
			return c.term(e.X)
		}
	case *ast.BinaryExpr:
		switch e.Op {
		case token.QUO, token.REM, token.SHL, token.SHR:
			lit, ok := ast.Unparen(e.Y).(*ast.BasicLit)
			if !ok || strings.Trim(lit.Value, "0xXbBoO_.") == "" {
				return c.errorf(e, "use a constant that is not zero", "%s could panic",
					types.ExprString(e))
			}
			return c.term(e.X)
		case token.ADD, token.SUB, token.MUL, token.AND, token.OR, token.XOR, token.AND_NOT:
			if err := c.term(e.X); err != nil {
				return err
			}
			return c.term(e.Y)
		}
	case *ast.CallExpr:
		if id, ok := e.Fun.(*ast.Ident); ok && id.Name == "len" && len(e.Args) == 1 &&
			!e.Ellipsis.IsValid() {
			return c.term(e.Args[0])
		}
	}
	return c.errorf(e,
		"atoms are made of variables, constants, nil, arithmetic, comparisons and len",
		"%s is not allowed in an atom", types.ExprString(e))
}

// field checks x.y.z: x is a value of a call.
func (c *converter) field(e *ast.SelectorExpr) *Error {
	switch x := e.X.(type) {
	case *ast.SelectorExpr:
		return c.field(x)
	case *ast.Ident:
		if call, _ := c.lookup(x.Name); call != 0 {
			return nil
		}
		return c.errorf(e, "give the constant a name in this package",
			"%s is neither a field of a call's value nor a constant of "+
				"the package", types.ExprString(e))
	}
	return c.errorf(e, "select fields of a call's values", "%s is not allowed in an atom",
		types.ExprString(e))
}
