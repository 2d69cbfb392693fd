// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package accessed

import (
	"go/ast"
	"go/token"
	"go/types"
)

// share notes the variables of functions that literals capture by reference, or whose address is
// taken.
func (f *finder) share(file *ast.File) {
	captured, kept := make(map[*types.Var]bool), make(map[*types.Var]bool)
	f.copied(file, kept)
	defer func() {
		for v := range captured {
			if !kept[v] {
				f.shared[v] = true
			}
		}
	}()
	var within []*ast.FuncLit
	var stack []ast.Node
	ast.Inspect(file, func(n ast.Node) bool {
		if n == nil {
			if _, ok := stack[len(stack)-1].(*ast.FuncLit); ok {
				within = within[:len(within)-1]
			}
			stack = stack[:len(stack)-1]
			return true
		}
		stack = append(stack, n)
		switch n := n.(type) {
		case *ast.FuncLit:
			within = append(within, n)
		case *ast.Ident:
			v, ok := f.Info.Uses[n].(*types.Var)
			for _, lit := range within {
				if ok && (v.Pos() < lit.Pos() || v.Pos() > lit.End()) {
					captured[v] = true
				}
			}
		case *ast.UnaryExpr:
			if n.Op == token.AND {
				f.shareRoot(n.X)
			}
		case *ast.SliceExpr:
			f.shareRoot(n.X)
		case *ast.SelectorExpr:
			s := f.Info.Selections[n]
			if s != nil && s.Kind() == types.MethodVal && !s.Indirect() {
				f.shareRoot(n.X) // its address may be the receiver
			}
		}
		return true
	})
}

// copied notes the small variables of functions that are assigned to where they are declared only.
// Literals capture their values.
func (f *finder) copied(file *ast.File, kept map[*types.Var]bool) {
	assigned := make(map[*types.Var]bool)
	assign := func(e ast.Expr) {
		if e != nil {
			if v := f.root(e); v != nil {
				assigned[v] = true
			}
		}
	}
	declared := func(id *ast.Ident) {
		if v, ok := f.Info.Defs[id].(*types.Var); ok && isSmall(v.Type()) {
			kept[v] = true
		}
	}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			for _, e := range n.Lhs {
				id, ok := e.(*ast.Ident)
				if n.Tok == token.DEFINE && ok && f.Info.Defs[id] != nil {
					declared(id)
				} else {
					assign(e)
				}
			}
		case *ast.ForStmt:
			if a, ok := n.Init.(*ast.AssignStmt); ok {
				for _, e := range a.Lhs {
					assign(e) // each round copies it
				}
			}
		case *ast.RangeStmt:
			assign(n.Key)
			assign(n.Value)
		case *ast.IncDecStmt:
			assign(n.X)
		case *ast.ValueSpec:
			for _, id := range n.Names {
				declared(id)
			}
		case *ast.FuncType:
			if n.Params != nil {
				for _, p := range n.Params.List {
					for _, id := range p.Names {
						declared(id)
					}
				}
			}
		case *ast.FuncDecl:
			if n.Recv != nil {
				for _, r := range n.Recv.List {
					for _, id := range r.Names {
						declared(id)
					}
				}
			}
		}
		return true
	})
	for v := range assigned {
		delete(kept, v)
	}
}

// isSmall reports whether the compiler captures the value of a variable of a type that does not
// change.
func isSmall(t types.Type) bool {
	if _, ok := types.Unalias(t).(*types.TypeParam); ok {
		return false
	}
	switch t.Underlying().(type) {
	case *types.Struct, *types.Array:
		return false // whose size depends on the platform, and maybe on type parameters
	}
	return true
}

// shareRoot shares the variable that an expression is a part of.
func (f *finder) shareRoot(e ast.Expr) {
	if v := f.root(e); v != nil {
		f.shared[v] = true
	}
}

// root is the variable that an expression is a part of, nil if it is a part of none.
func (f *finder) root(e ast.Expr) *types.Var {
	switch e := ast.Unparen(e).(type) {
	case *ast.Ident:
		v, _ := f.Info.ObjectOf(e).(*types.Var)
		return v
	case *ast.SelectorExpr:
		s := f.Info.Selections[e]
		if s == nil {
			v, _ := f.Info.Uses[e.Sel].(*types.Var)
			return v
		}
		if s.Kind() == types.FieldVal && !s.Indirect() {
			return f.root(e.X)
		}
	case *ast.IndexExpr:
		if t := f.Info.TypeOf(e.X); t != nil {
			if _, ok := t.Underlying().(*types.Array); ok {
				return f.root(e.X)
			}
		}
	}
	return nil
}

// local reports whether an expression is a part of a variable that only its function knows, or of
// a value that no variable has.
func (f *finder) local(e ast.Expr) bool {
	e = ast.Unparen(e)
	if v := f.root(e); v != nil {
		return !isGlobal(v) && !f.shared[v]
	}
	switch e := e.(type) {
	case *ast.CallExpr, *ast.TypeAssertExpr, *ast.BinaryExpr, *ast.BasicLit:
		return true
	case *ast.SelectorExpr:
		s := f.Info.Selections[e]
		return s != nil && s.Kind() == types.FieldVal && !s.Indirect() && f.local(e.X)
	}
	return false
}

// isGlobal reports whether a variable is one of a package.
func isGlobal(v *types.Var) bool { return v.Pkg() != nil && v.Parent() == v.Pkg().Scope() }
