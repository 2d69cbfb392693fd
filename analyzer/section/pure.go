// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package section

import (
	"go/ast"
	"go/token"
	"go/types"
)

// repeatable reports whether the variable and the key of a write can be evaluated again after its
// statement, and mean the same there.
func (x *expresser) repeatable(w *written) bool {
	if !x.list(w.stmt) || !x.pure(w.variable) || w.key != nil && !x.pure(w.key) {
		return false
	}
	if x.callsIn(w.stmt, w) && !(x.stable(w.variable, true) && (w.key == nil ||
		x.stable(w.key, false))) {
		return false
	}
	assign, ok := w.stmt.(*ast.AssignStmt)
	if !ok {
		return !x.changedBy(w, nil)
	}
	for _, lhs := range assign.Lhs {
		if x.changedBy(w, unparen(lhs)) {
			return false
		}
	}
	return true
}

// pure reports whether an expression can be evaluated twice: it has no calls and receives.
func (x *expresser) pure(e ast.Expr) bool {
	pure := true
	ast.Inspect(e, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			pure = pure && x.isConversion(n)
		case *ast.UnaryExpr:
			pure = pure && n.Op != token.ARROW
		case *ast.FuncLit:
			pure = false
		}
		return pure
	})
	return pure
}

// isConversion reports whether a call is a conversion, or of len or cap.
func (x *expresser) isConversion(c *ast.CallExpr) bool {
	tv := x.info.Types[c.Fun]
	if tv.IsType() {
		return true
	}
	id, ok := unparen(c.Fun).(*ast.Ident)
	return ok && tv.IsBuiltin() && (id.Name == "len" || id.Name == "cap")
}

// changedBy reports whether a write to an expression may change what the variable or the key of
// another write, or of the same, mean.
func (x *expresser) changedBy(w *written, to ast.Expr) bool {
	if to == nil { // x++, or a call
		if inc, ok := w.stmt.(*ast.IncDecStmt); ok {
			to = unparen(inc.X)
		} else {
			return false
		}
	}
	var object types.Object
	var mapped types.Type
	switch n := to.(type) {
	case *ast.Ident:
		if object = x.info.Uses[n]; object == nil {
			object = x.info.Defs[n]
		}
	case *ast.SelectorExpr:
		object = x.info.Uses[n.Sel]
	case *ast.IndexExpr:
		mapped = x.info.TypeOf(n.X)
	case *ast.StarExpr:
		mapped = x.info.TypeOf(n)
	}
	changed := false
	look := func(e ast.Expr, whole bool) {
		if e == nil {
			return
		}
		ast.Inspect(e, func(n ast.Node) bool {
			if whole && n == ast.Node(e) { // the variable itself is written, or the map changes
				if sel, ok := n.(*ast.SelectorExpr); ok {
					ast.Inspect(sel.X, func(n ast.Node) bool {
						changed = changed || x.means(n, object, mapped)
						return true
					})
					return false
				}
				if _, ok := n.(*ast.Ident); ok {
					return false
				}
			}
			changed = changed || n != nil && x.means(n, object, mapped)
			return true
		})
	}
	look(w.variable, to == w.variable)
	look(w.key, false)
	return changed
}

// means reports whether a node reads an object, an element of a map or slice of a type, or what a
// pointer of it points to.
func (x *expresser) means(n ast.Node, object types.Object, mapped types.Type) bool {
	switch n := n.(type) {
	case *ast.Ident:
		return object != nil && x.info.Uses[n] == object
	case *ast.IndexExpr:
		t := x.info.TypeOf(n.X)
		return mapped != nil && t != nil && types.Identical(t, mapped)
	case *ast.StarExpr:
		t := x.info.TypeOf(n)
		return mapped != nil && t != nil && types.Identical(t, mapped)
	}
	return false
}

// callsIn reports whether a statement calls functions that may change variables.
func (x *expresser) callsIn(stmt ast.Stmt, w *written) (calls bool) {
	ast.Inspect(stmt, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.CallExpr:
			own := n.Lparen == x.instr.Pos()
			calls = calls || !x.harmless(n) && !own
		case *ast.UnaryExpr:
			calls = calls || n.Op == token.ARROW
		}
		return !calls
	})
	return calls
}

// stable reports whether an expression means the same whatever a call does that is not in this
// function: it is made of variables of the function that no other code has. A variable may be a
// field that the pointer in such a variable leads to.
func (x *expresser) stable(e ast.Expr, variable bool) bool {
	switch n := unparen(e).(type) {
	case *ast.BasicLit:
		return true
	case *ast.Ident:
		switch obj := x.info.Uses[n].(type) {
		case *types.Const, *types.Nil:
			return true
		case *types.Var:
			if variable && obj.Parent() == obj.Pkg().Scope() {
				return true // it is at its place
			}
			_, isStruct := obj.Type().Underlying().(*types.Struct)
			return (!x.shared[obj] || variable) && obj.Parent() != obj.Pkg().Scope() && !isStruct
		}
	case *ast.SelectorExpr:
		if id, ok := n.X.(*ast.Ident); ok {
			if _, ok := x.info.Uses[id].(*types.PkgName); ok {
				_, constant := x.info.Uses[n.Sel].(*types.Const)
				return constant || variable
			}
		}
		s := x.info.Selections[n]
		if s == nil || s.Kind() != types.FieldVal || len(s.Index()) != 1 || !variable {
			return false
		}
		if s.Indirect() {
			id, ok := unparen(n.X).(*ast.Ident)
			return ok && x.stable(id, false)
		}
		return x.stable(n.X, true)
	case *ast.CallExpr:
		return !variable && x.info.Types[n.Fun].IsType() && len(n.Args) == 1 &&
			x.stable(n.Args[0], false)
	}
	return false
}

// inOrder reports whether a call in place of a read is made at the time of the read: the order of
// reads and calls is not specified, and must not change. So there are no other calls beside it.
func (x *expresser) inOrder(e ast.Expr) bool {
	for n := ast.Node(e); ; {
		p := x.parent[n]
		switch p := p.(type) {
		case nil:
			return true
		case *ast.BinaryExpr:
			if p.Op == token.LAND || p.Op == token.LOR {
				n = p
				continue
			}
		case *ast.CommClause:
			return n != p.Comm // nothing can be written there
		case *ast.FuncLit, *ast.BlockStmt, *ast.CaseClause, *ast.LabeledStmt,
			*ast.IfStmt, *ast.ForStmt, *ast.SwitchStmt, *ast.TypeSwitchStmt, *ast.RangeStmt,
			*ast.GenDecl, *ast.FuncDecl:
			return true
		}
		if x.callBeside(p, n) {
			return false
		}
		n = p
	}
}

// callBeside reports whether a child of a node other than one has a call.
func (x *expresser) callBeside(p, except ast.Node) (found bool) {
	ast.Inspect(p, func(n ast.Node) bool {
		if n == except || found {
			return false
		}
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.CallExpr:
			if n != p && !x.harmless(n) {
				found = true
			}
		case *ast.UnaryExpr:
			if n != p && n.Op == token.ARROW {
				found = true
			}
		}
		return !found
	})
	return found
}

// harmless reports whether a call changes no variable that an expression beside it reads.
func (x *expresser) harmless(c *ast.CallExpr) bool {
	tv := x.info.Types[c.Fun]
	if tv.IsType() {
		return true
	}
	fun := unparen(c.Fun)
	if index, ok := fun.(*ast.IndexExpr); ok {
		fun = unparen(index.X)
	}
	var id *ast.Ident
	switch f := fun.(type) {
	case *ast.Ident:
		id = f
	case *ast.SelectorExpr:
		id = f.Sel
	default:
		return false
	}
	if tv.IsBuiltin() {
		switch id.Name {
		case "copy", "delete", "clear", "panic", "recover":
			return false
		}
		return true
	}
	fn, ok := x.info.Uses[id].(*types.Func)
	if !ok || fn.Pkg() == nil || fn.Pkg() == x.in.in.pkg {
		return false
	}
	if recv := fn.Signature().Recv(); recv != nil && types.IsInterface(recv.Type()) {
		return false
	}
	for _, arg := range c.Args {
		if t := x.info.TypeOf(arg); t == nil || !inert(t, 0) {
			return false
		}
	}
	return true
}
