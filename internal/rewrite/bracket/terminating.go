// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package bracket

import (
	"go/ast"
	"go/token"
)

// terminating reports whether a list of statements ends in a terminating statement, as Go's
// specification defines it. Nothing may be added behind such a statement: the compiler would miss a
// return at the end of the function.
func (g *generator) terminating(list []ast.Stmt) bool {
	i := len(list) - 1
	for ; i >= 0; i-- {
		if _, ok := list[i].(*ast.EmptyStmt); !ok {
			break
		}
	}
	return i >= 0 && g.terminates(list[i], "")
}

// terminates reports whether a statement, with a label or "", is a terminating one.
func (g *generator) terminates(s ast.Stmt, label string) bool {
	switch s := s.(type) {
	case *ast.ReturnStmt:
		return true
	case *ast.BranchStmt:
		return s.Tok == token.GOTO || s.Tok == token.FALLTHROUGH
	case *ast.ExprStmt:
		call, ok := ast.Unparen(s.X).(*ast.CallExpr)
		if !ok || g.panics {
			return false
		}
		id, ok := ast.Unparen(call.Fun).(*ast.Ident)
		return ok && id.Name == "panic"
	case *ast.LabeledStmt:
		return g.terminates(s.Stmt, s.Label.Name)
	case *ast.BlockStmt:
		return g.terminating(s.List)
	case *ast.IfStmt:
		return s.Else != nil && g.terminating(s.Body.List) && g.terminates(s.Else, "")
	case *ast.SwitchStmt:
		return g.clauses(s.Body, label, true)
	case *ast.TypeSwitchStmt:
		return g.clauses(s.Body, label, true)
	case *ast.SelectStmt:
		return g.clauses(s.Body, label, false)
	case *ast.ForStmt:
		return s.Cond == nil && !breaks(s.Body, label, true)
	}
	return false
}

// clauses reports whether the clauses of a switch or select all terminate, and have no break. A
// switch needs a default clause.
func (g *generator) clauses(body *ast.BlockStmt, label string, needDefault bool) bool {
	hasDefault := false
	for _, s := range body.List {
		var list []ast.Stmt
		switch s := s.(type) {
		case *ast.CaseClause:
			hasDefault = hasDefault || s.List == nil
			list = s.Body
		case *ast.CommClause:
			list = s.Body
		}
		if !g.terminating(list) || breaks(&ast.BlockStmt{List: list}, label, true) {
			return false
		}
	}
	return hasDefault || !needDefault
}

// breaks reports whether a break in n leaves the statement whose body n is and whose label is
// label, if it isn't "". A break without a label counts if implicit is set: inside of an inner
// loop, switch or select it doesn't.
func breaks(n ast.Node, label string, implicit bool) (found bool) {
	ast.Inspect(n, func(m ast.Node) bool {
		switch m := m.(type) {
		case *ast.FuncLit:
			return false
		case *ast.BranchStmt:
			if m.Tok == token.BREAK && (m.Label == nil && implicit || m.Label != nil &&
				m.Label.Name == label) {
				found = true
			}
		case *ast.ForStmt, *ast.RangeStmt, *ast.SwitchStmt, *ast.TypeSwitchStmt, *ast.SelectStmt:
			if implicit {
				found = found || label != "" && breaks(m, label, false)
				return false
			}
		}
		return !found
	})
	return found
}
