// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package directive

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
)

// Fresh returns those calls of the sites whose object is a part of an object that only the calling
// function can reach. The function has made the outer object before, has only read and set its
// fields since, and no loop begins in between. An object that a part points to doesn't count.
func Fresh(info *types.Info, files []*ast.File, sites []Site) map[*ast.CallExpr]bool {
	fresh := make(map[*ast.CallExpr]bool)
	for _, s := range sites {
		fresh[s.Call] = false
	}
	for _, file := range files {
		ast.PreorderStack(file, nil, func(n ast.Node, stack []ast.Node) bool {
			if call, ok := n.(*ast.CallExpr); ok {
				if _, asked := fresh[call]; asked {
					fresh[call] = isFresh(info, call, stack)
				}
			}
			return true
		})
	}
	return fresh
}

// isFresh is Fresh for one call, which is within the nodes of a stack.
func isFresh(info *types.Info, call *ast.CallExpr, stack []ast.Node) bool {
	v := whole(info, call)
	if v == nil {
		return false
	}
	for _, n := range slices.Backward(stack) {
		var list []ast.Stmt
		switch n := n.(type) {
		case *ast.BlockStmt:
			list = n.List
		case *ast.CaseClause:
			list = n.Body
		case *ast.CommClause:
			list = n.Body
		case *ast.ForStmt, *ast.RangeStmt, *ast.LabeledStmt, *ast.GoStmt, *ast.DeferStmt,
			*ast.FuncLit, *ast.FuncDecl:
			return false
		}
		for i, stmt := range list {
			if stmt.Pos() >= call.Pos() {
				break
			}
			if makes(info, stmt, v) {
				return onlyFields(info, list[i+1:], v, call.Pos())
			}
		}
	}
	return false
}

// whole is the variable of the object that a method is called on a part of, nil if it isn't known.
// The part is the object itself, a field of it, or an embedded one, and not what that points to.
func whole(info *types.Info, call *ast.CallExpr) *types.Var {
	sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr)
	if !ok || info.Selections[sel] == nil {
		return nil
	}
	at, way := ast.Unparen(sel.X), len(info.Selections[sel].Index())
	if x, ok := at.(*ast.SelectorExpr); ok {
		s := info.Selections[x]
		if s == nil || s.Kind() != types.FieldVal || len(s.Index()) > 1 || way > 1 ||
			isPointer(s.Type()) {
			return nil
		}
		at = ast.Unparen(x.X)
	} else if way > 2 || way == 2 && isPointer(promoted(info.Selections[sel]).Type()) {
		return nil
	}
	id, ok := at.(*ast.Ident)
	if !ok {
		return nil
	}
	v, _ := info.Uses[id].(*types.Var)
	return v
}

func isPointer(t types.Type) bool {
	_, ok := t.Underlying().(*types.Pointer)
	return ok
}

// makes reports whether a statement declares a variable, and sets it to a new object.
func makes(info *types.Info, stmt ast.Stmt, v *types.Var) bool {
	switch stmt := stmt.(type) {
	case *ast.AssignStmt:
		if len(stmt.Lhs) == 1 && len(stmt.Rhs) == 1 {
			id, ok := stmt.Lhs[0].(*ast.Ident)
			return ok && info.Defs[id] == v && isNew(info, stmt.Rhs[0])
		}
	case *ast.DeclStmt:
		for _, spec := range stmt.Decl.(*ast.GenDecl).Specs {
			spec, ok := spec.(*ast.ValueSpec)
			if !ok || len(spec.Names) != 1 || info.Defs[spec.Names[0]] != v {
				continue
			}
			if len(spec.Values) == 0 {
				return isStruct(v.Type())
			}
			return isNew(info, spec.Values[0])
		}
	}
	return false
}

// isNew reports whether an expression makes a struct, or a pointer to one.
func isNew(info *types.Info, e ast.Expr) bool {
	switch e := ast.Unparen(e).(type) {
	case *ast.CompositeLit:
		return isStruct(info.TypeOf(e))
	case *ast.UnaryExpr:
		lit, ok := ast.Unparen(e.X).(*ast.CompositeLit)
		return ok && e.Op == token.AND && isStruct(info.TypeOf(lit))
	case *ast.CallExpr:
		id, ok := ast.Unparen(e.Fun).(*ast.Ident)
		return ok && info.Uses[id] == types.Universe.Lookup("new") && len(e.Args) == 1 &&
			info.Types[e.Args[0]].IsType() && isStruct(info.TypeOf(e.Args[0]))
	}
	return false
}

func isStruct(t types.Type) bool {
	if t == nil {
		return false
	}
	_, ok := t.Underlying().(*types.Struct)
	return ok
}

// onlyFields reports whether statements, up to a position, use nothing but the fields of a
// variable's object, in the function itself.
func onlyFields(info *types.Info, list []ast.Stmt, v *types.Var, end token.Pos) bool {
	ok := true
	for _, stmt := range list {
		ast.PreorderStack(stmt, nil, func(n ast.Node, stack []ast.Node) bool {
			if n.Pos() >= end {
				return false
			}
			switch n := n.(type) {
			case *ast.LabeledStmt:
				ok = false // it may be come to again
			case *ast.Ident:
				ok = ok && (info.Uses[n] != v || isField(info, n, stack))
			}
			return ok
		})
	}
	return ok
}

// isField reports whether a variable is used for a field, of which no address is taken.
func isField(info *types.Info, id *ast.Ident, stack []ast.Node) bool {
	for i, n := range stack {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.UnaryExpr:
			if n.Op == token.AND {
				return false
			}
		case *ast.SelectorExpr:
			if i == len(stack)-1 && n.X == id {
				s := info.Selections[n]
				return s != nil && s.Kind() == types.FieldVal
			}
		}
	}
	return false
}
