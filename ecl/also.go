// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package ecl

import (
	"go/ast"
	"go/token"
	"reflect"
	"slices"
)

// An Also is a semantic exception: M's two calls commute as well when all of Conds hold. Equality
// between the calls, and more than one disequality under ||, are outside ECL. So an exception is
// not compiled to access points: it is tested on two calls whose points conflict.
type Also struct {
	Pos   token.Position
	M     [2]*Method
	Conds []Cond
	Text  string

	sig  [2]*signature
	expr ast.Expr
	conv *converter
}

// A Cond is one condition of an exception, on variables of M[0]'s call and M[1]'s.
type Cond struct {
	Kind CondKind
	X, Y int // variable of the first call, of the second; -1: none
	Want bool
}

// A CondKind is what a Cond compares.
type CondKind byte

const (
	Equal        CondKind = iota // X == Y, or X != Y if not Want
	First                        // boolean X of the first call, or !X
	Second                       // boolean Y of the second call, or !Y
	FirstUnused                  // the caller of the first call does not use its result X
	SecondUnused                 // the same of the second call and Y
)

// The engine has room for as many.
const (
	maxConds        = 6 // of an alternative
	maxAlternatives = 4 // of a pair
)

// check reads the conditions of a.
func (a *Also) check() *Error { return a.conj(a.expr) }

// conj reads a conjunction of conditions.
func (a *Also) conj(e ast.Expr) *Error {
	if b, ok := ast.Unparen(e).(*ast.BinaryExpr); ok && b.Op == token.LAND {
		if err := a.conj(b.X); err != nil {
			return err
		}
		return a.conj(b.Y)
	}
	c, err := a.cond(e)
	if err != nil {
		return err
	}
	if len(a.Conds) == maxConds {
		return a.conv.errorf(e, "use fewer, or another also directive",
			"an also directive has more than %d conditions", maxConds)
	}
	a.Conds = append(a.Conds, c)
	return nil
}

// cond reads x1 == y2, x1 != y2, x1, !x1 or unused(r1).
func (a *Also) cond(e ast.Expr) (Cond, *Error) {
	switch b := ast.Unparen(e).(type) {
	case *ast.BinaryExpr:
		x, okx := ast.Unparen(b.X).(*ast.Ident)
		y, oky := ast.Unparen(b.Y).(*ast.Ident)
		if !okx || !oky || b.Op != token.EQL && b.Op != token.NEQ || constant(x) || constant(y) {
			break
		}
		xc, xv, err := a.variable(x)
		if err != nil {
			return Cond{}, err
		}
		yc, yv, err := a.variable(y)
		if err != nil {
			return Cond{}, err
		}
		if xc == yc {
			break
		}
		if xc == 2 {
			xv, yv = yv, xv
		}
		return Cond{Equal, xv, yv, b.Op == token.EQL}, nil
	case *ast.UnaryExpr:
		if x, ok := ast.Unparen(b.X).(*ast.Ident); ok && b.Op == token.NOT && !constant(x) {
			return a.boolean(x, false)
		}
	case *ast.CallExpr:
		if f, ok := b.Fun.(*ast.Ident); ok && f.Name == unusedFunc && len(b.Args) == 1 {
			return a.unused(b)
		}
	case *ast.Ident:
		if !constant(b) {
			return a.boolean(b, true)
		}
	}
	return Cond{}, a.conv.errorf(e, "other conditions belong into //ecl:commute",
		"an also directive is a conjunction of x1 == y2 and x1 != y2 between the two calls, of "+
			"boolean variables and their negations, and of unused(r1)")
}

// unusedFunc is the word before a result that the caller may ignore.
const unusedFunc = "unused"

// unused reads unused(r1): a call's value is used or not as a whole, so r1 must be all of it.
func (a *Also) unused(e *ast.CallExpr) (Cond, *Error) {
	const hint = "name the result of a method that returns one, as in Add(d1)/new1"
	x, ok := ast.Unparen(e.Args[0]).(*ast.Ident)
	if !ok || constant(x) {
		return Cond{}, a.conv.errorf(e.Args[0], hint, "unused is about one result of a call")
	}
	call, v, err := a.variable(x)
	if err != nil {
		return Cond{}, err
	}
	m := a.M[call-1]
	switch n := v - len(m.Params); {
	case n < 0:
		return Cond{}, a.conv.errorf(x, hint, "%s is a parameter of %s, and no result", x.Name,
			m.Name)
	case n >= m.Real:
		return Cond{}, a.conv.errorf(x, hint, "%s is a shadow result, which %s does not return",
			x.Name, m.Name)
	case m.Real != 1:
		return Cond{}, a.conv.errorf(x, hint, "%s returns %s, which its caller may use in part",
			m.Name, count(m.Real, "result"))
	case call == 2:
		return Cond{SecondUnused, -1, v, true}, nil
	}
	return Cond{FirstUnused, v, -1, true}, nil
}

// boolean is the condition that variable x is true, or false.
func (a *Also) boolean(x *ast.Ident, want bool) (Cond, *Error) {
	call, v, err := a.variable(x)
	if call == 2 {
		return Cond{Second, -1, v, want}, err
	}
	return Cond{First, v, -1, want}, err
}

// variable finds a variable: its call, 1 or 2, and its index there.
func (a *Also) variable(x *ast.Ident) (call, v int, err *Error) {
	if call, v = a.conv.lookup(x.Name); call == 0 {
		err = a.conv.errorf(x, "name it in one of the two calls", "unknown variable %s", x.Name)
	}
	return call, v, err
}

// constant reports whether x is a name that no variable may have.
func constant(x *ast.Ident) bool {
	return slices.Contains([]string{"nil", "true", "false"}, x.Name)
}

// alternatives checks that no pair has more also directives than the engine
// has room for.
func (s *Spec) alternatives() *Error {
	n := map[[2]int]int{}
	for _, a := range s.Also {
		i, j := a.M[0].Index, a.M[1].Index
		pair := [2]int{min(i, j), max(i, j)}
		if n[pair]++; n[pair] > maxAlternatives {
			return errorf(a.sig[0].pos, "join them, or leave the rarest out",
				"the pair %s, %s has more than %d also directives", a.M[0].Name, a.M[1].Name,
				maxAlternatives)
		}
	}
	return nil
}

// Swapped is c for the two calls in the other order.
func (c Cond) Swapped() Cond {
	c.X, c.Y = c.Y, c.X
	switch c.Kind {
	case First:
		c.Kind = Second
	case Second:
		c.Kind = First
	case FirstUnused:
		c.Kind = SecondUnused
	case SecondUnused:
		c.Kind = FirstUnused
	}
	return c
}

// holds is the truth of c, given the parameters and results of the two calls. Values that Go cannot
// compare are neither equal nor different. The results are here, so they count as used.
func (c Cond) holds(v1, v2 []any) bool {
	switch c.Kind {
	case First:
		return v1[c.X] == c.Want
	case Second:
		return v2[c.Y] == c.Want
	case FirstUnused, SecondUnused:
		return false
	}
	x, y := v1[c.X], v2[c.Y]
	if x != nil && !reflect.ValueOf(x).Comparable() ||
		y != nil && !reflect.ValueOf(y).Comparable() {
		return false
	}
	return (x == y) == c.Want
}
