// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package section

import (
	"fmt"
	"go/ast"
	"go/types"

	"github.com/commutego/commute/analyzer/section"
)

// operation has the variable of an atomic operation go through a wrapper, by its address: it is the
// receiver of the call, or its first argument. It returns why it can't, or the empty string. An
// operation that no wrapper announces is opaque to the engine, and others stay as they are.
func (g *generator) operation(i int, t *section.Touch) (why string) {
	if why := g.unfit(t.Expr); why != "" {
		return why
	}
	call, ok := t.Expr.(*ast.CallExpr)
	if !ok {
		return "it is not a call"
	}
	if !g.inPlace(t.Var) {
		return "a call in the same statement may change which variable it is"
	}
	before := fmt.Sprintf("commute_touchAtomic(&commute_touches[%d], ", i)
	sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr)
	if !ok || sel.X != t.Var { // a function, whose argument is the address
		g.wrap(t.Var, before, ")")
		return ""
	}
	if _, ok := g.again(sel.X); !ok {
		return "the variable is found by a call"
	}
	fields, typ, ok := g.promoted(sel)
	if !ok {
		return "the embedded field can't be named here"
	}
	if _, ok := typ.Underlying().(*types.Pointer); !ok {
		before += "&"
	}
	g.wrap(sel.X, before, fields+")")
	return ""
}

// inPlace reports whether it makes no difference that the address of a variable is evaluated before
// the calls that follow in the statement: the variable has a name, or is a part of one that has.
func (g *generator) inPlace(e ast.Expr) bool {
	for v := ast.Unparen(e); ; {
		if u, ok := v.(*ast.UnaryExpr); ok {
			v = ast.Unparen(u.X)
		}
		if p := g.info.TypeOf(v); p == nil || isPointer(p) {
			break
		}
		sel, ok := v.(*ast.SelectorExpr)
		if !ok {
			_, ok = v.(*ast.Ident)
			return ok || g.settled(e)
		}
		s := g.info.Selections[sel]
		if s == nil {
			return true // of a package
		}
		if s.Indirect() {
			break
		}
		v = ast.Unparen(sel.X)
	}
	return g.settled(e)
}
