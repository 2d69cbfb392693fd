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

// atom converts a predicate over the values of one call. Its text is put in a normal form, so that
// atoms that mean the same are mostly one. It has the method's canonical names instead of the
// directive's, != as a negated ==, > as <, and == with the variable that is declared first on the
// left.
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

// atomIndex is the number of the atom with a text, which it gets at its first use.
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

// ref records a name that is no variable: it has to be a constant of the package. Package
// annotation, which knows the type, checks that. A name that another directive gives to a value of
// the method is more likely a mistake.
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

// term checks an operand: variables, constants, nil, arithmetic and len. Nothing that could panic
// is allowed: the instrumented method computes atoms in the program under test, which must not
// break. So a divisor or shift count is a literal other than zero, and there is no index.
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
