// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package section

import (
	"go/ast"
	"go/token"
	"go/types"

	"github.com/commutego/commute/analyzer/section"
	"github.com/commutego/commute/internal/engine/compiled"
)

// everything makes touches of all accesses to fields, package-level variables, elements and maps,
// lock sites of all calls of Lock and the like, and pairs of all functions. That is more than an
// analysis ever finds.
func everything(files []*ast.File, info *types.Info) *section.Result {
	a := &all{info: info, r: new(section.Result), written: make(map[ast.Expr]bool)}
	for _, f := range files {
		ast.PreorderStack(f, nil, func(n ast.Node, stack []ast.Node) bool {
			a.visit(n, stack)
			return true
		})
	}
	n := len(a.r.Touches)
	for i := range a.r.Funcs {
		if n == 0 {
			break
		}
		a.r.Funcs[i].Pairs = []section.Pair{{Check: i % n, Act: (i + 1) % n, Value: true}}
	}
	return a.r
}

type all struct {
	info    *types.Info
	r       *section.Result
	written map[ast.Expr]bool // and what isn't read for other reasons
}

func (a *all) add(t section.Touch) {
	t.Name = types.ExprString(t.Var)
	t.Point = "p." + t.Name
	switch {
	case t.Stmt != nil:
		t.Pos = t.Stmt.Pos()
	default:
		t.Pos = t.Expr.Pos()
	}
	a.r.Touches = append(a.r.Touches, t)
}

func (a *all) isMap(e ast.Expr) bool {
	t := a.info.TypeOf(e)
	return t != nil && isMap(t)
}

// shared reports whether an expression is a field or a package-level variable.
func (a *all) shared(e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.Ident:
		v, ok := a.info.Uses[e].(*types.Var)
		return ok && v.Pkg() != nil && v.Parent() == v.Pkg().Scope()
	case *ast.SelectorExpr:
		s := a.info.Selections[e]
		return s != nil && s.Kind() == types.FieldVal && a.info.Types[e].Addressable()
	}
	return false
}

func (a *all) visit(n ast.Node, stack []ast.Node) {
	switch n := n.(type) {
	case *ast.FuncDecl, *ast.FuncLit:
		a.r.Funcs = append(a.r.Funcs, section.Func{Node: n})
	case *ast.AssignStmt:
		for _, lhs := range n.Lhs {
			a.assigned(n, ast.Unparen(lhs), n.Tok != token.ASSIGN && n.Tok != token.DEFINE)
		}
	case *ast.IncDecStmt:
		a.assigned(n, ast.Unparen(n.X), true)
	case *ast.ExprStmt:
		a.deleted(n)
	case *ast.UnaryExpr:
		if n.Op == token.AND {
			a.written[ast.Unparen(n.X)] = true
		}
	case *ast.KeyValueExpr:
		if _, ok := stack[len(stack)-1].(*ast.CompositeLit); ok {
			if id, ok := n.Key.(*ast.Ident); ok {
				a.written[id] = true
			}
		}
	case *ast.RangeStmt:
		a.ranged(n)
	case *ast.CallExpr:
		a.called(n)
	case *ast.IndexExpr:
		a.indexed(n)
	}
	if e, ok := n.(ast.Expr); ok && !a.written[e] && a.shared(e) {
		a.add(section.Touch{Op: compiled.ReadVar, Var: e, Expr: e})
	}
	if s, ok := n.(*ast.SelectorExpr); ok {
		a.written[s.Sel] = true
	}
}

// assigned adds what is written by an assignment.
func (a *all) assigned(s ast.Stmt, lhs ast.Expr, reads bool) {
	a.written[lhs] = true
	pick := func(update, write compiled.TouchOp) compiled.TouchOp {
		if reads {
			return update
		}
		return write
	}
	if a.shared(lhs) {
		a.add(section.Touch{Op: pick(compiled.UpdateVar, compiled.WriteVar), Var: lhs, Stmt: s})
	}
	index, ok := lhs.(*ast.IndexExpr)
	if !ok {
		return
	}
	switch m := index.X; {
	case a.isMap(m):
		a.add(section.Touch{Op: pick(compiled.Update, compiled.Insert), Var: m, Key: index.Index,
			Stmt: s})
	case a.shared(m):
		a.add(section.Touch{Op: compiled.WriteInner, Var: m, Stmt: s})
		a.block(section.Touch{Op: compiled.WriteBacking, Var: m, Stmt: s})
	default:
		a.block(section.Touch{Op: compiled.WriteBacking, Var: m, Expr: m})
	}
}

// block adds a touch of the block that elements of a slice or array are in.
func (a *all) block(t section.Touch) {
	switch typ := a.info.TypeOf(t.Var); {
	case typ == nil:
		return
	case isSlice(typ):
	case isArray(typ) && !isPointer(typ):
		t.Whole = true
		if !a.info.Types[t.Var].Addressable() {
			return
		}
	default:
		return
	}
	a.add(t)
}

func isSlice(t types.Type) bool {
	_, ok := t.Underlying().(*types.Slice)
	return ok
}

// deleted adds a call of delete or clear.
func (a *all) deleted(s *ast.ExprStmt) {
	call, ok := s.X.(*ast.CallExpr)
	if !ok || !a.info.Types[call.Fun].IsBuiltin() || len(call.Args) == 0 || !a.isMap(call.Args[0]) {
		return
	}
	switch types.ExprString(call.Fun) {
	case "delete":
		a.add(section.Touch{Op: compiled.Delete, Var: call.Args[0], Key: call.Args[1], Stmt: s})
	case "clear":
		a.add(section.Touch{Op: compiled.WriteAll, Var: call.Args[0], Stmt: s})
	}
}

func (a *all) ranged(n *ast.RangeStmt) {
	for _, e := range []ast.Expr{n.Key, n.Value} {
		if e != nil {
			a.assigned(n, ast.Unparen(e), false)
		}
	}
	if a.isMap(n.X) {
		a.add(section.Touch{Op: compiled.ReadAll, Var: n.X, Expr: n.X})
	} else if t := a.info.TypeOf(n.X); t != nil && isSlice(t) {
		a.block(section.Touch{Op: compiled.ReadBacking, Var: n.X, Expr: n.X})
	}
}

// called adds lengths of maps, calls that take locks, and what reads or writes elements.
func (a *all) called(call *ast.CallExpr) {
	name := types.ExprString(call.Fun)
	for i, arg := range call.Args {
		tv := a.info.Types[arg]
		if tv.IsValue() && !tv.IsNil() && isSlice(tv.Type) && (name == "append" && i == 0 ||
			name == "append" && call.Ellipsis.IsValid() || name == "string") {
			a.block(section.Touch{Op: compiled.ReadBacking, Var: arg, Expr: arg})
		}
	}
	if a.info.Types[call.Fun].IsBuiltin() {
		if name := types.ExprString(call.Fun); name == "len" && a.isMap(call.Args[0]) {
			a.add(section.Touch{Op: compiled.Len, Var: call.Args[0], Expr: call})
		}
		return
	}
	sel, ok := call.Fun.(*ast.SelectorExpr)
	if !ok || a.operates(call, sel) {
		return
	}
	switch sel.Sel.Name {
	case "Lock", "RLock", "TryLock", "TryRLock":
		if s := a.info.Selections[sel]; s != nil && s.Kind() == types.MethodVal &&
			!types.IsInterface(s.Recv()) &&
			(a.info.Types[sel.X].Addressable() || isPointer(s.Recv())) {
			a.r.Locks = append(a.r.Locks, section.LockSite{Call: call, Recv: sel.X,
				Name: types.ExprString(sel.X), Complete: true})
			a.written[ast.Unparen(sel.X)] = true
		}
	default:
		if t := a.info.TypeOf(sel.X); a.shared(sel.X) && t != nil && isPointer(t) {
			a.add(section.Touch{Op: compiled.ReadInner, Var: sel.X, Expr: call})
		}
	}
}

// operates adds a call of sync/atomic, and reports whether it is one.
func (a *all) operates(call *ast.CallExpr, sel *ast.SelectorExpr) bool {
	fn, ok := a.info.Uses[sel.Sel].(*types.Func)
	if !ok || fn.Pkg() == nil || fn.Pkg().Path() != "sync/atomic" {
		return false
	}
	t := section.Touch{Op: compiled.ReadVar, Var: sel.X, Expr: call, Atomic: compiled.AtomicSigned}
	switch s := a.info.Selections[sel]; {
	case s == nil && len(call.Args) > 0:
		t.Var = call.Args[0]
	case s == nil || s.Kind() != types.MethodVal || types.IsInterface(s.Recv()),
		!a.info.Types[sel.X].Addressable() && !isPointer(s.Recv()):
		return true
	}
	a.written[ast.Unparen(t.Var)] = true
	a.add(t)
	return true
}

// indexed adds reads of maps' keys and of elements.
func (a *all) indexed(n *ast.IndexExpr) {
	switch {
	case a.written[n] || !a.info.Types[n].IsValue():
	case a.isMap(n.X):
		a.add(section.Touch{Op: compiled.Lookup, Var: n.X, Key: n.Index, Expr: n,
			CommaOk: a.info.Types[n].HasOk() && isTuple(a.info.TypeOf(n))})
	case a.shared(n.X) && !a.written[n.X] && !isArray(a.info.TypeOf(n.X)):
		a.add(section.Touch{Op: compiled.ReadInner, Var: n.X, Expr: n})
		a.block(section.Touch{Op: compiled.ReadBacking, Var: n.X, Expr: n})
		// and there is one more wrapper, for the variable itself
	default:
		a.block(section.Touch{Op: compiled.ReadBacking, Var: n.X, Expr: n.X})
	}
}

func isTuple(t types.Type) bool { _, ok := t.(*types.Tuple); return ok }
