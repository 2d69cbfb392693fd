// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package discount

import (
	"go/ast"
	"go/token"
	"go/types"
	"strings"
)

// counters returns the variables of a package that are counters.
func (f *finder) counters(files []*ast.File) map[*types.Var]bool {
	found, other := make(map[*types.Var]bool), make(map[*types.Var]bool)
	for _, file := range files {
		ast.PreorderStack(file, nil, func(n ast.Node, stack []ast.Node) bool {
			id, ok := n.(*ast.Ident)
			if !ok {
				return true
			}
			v, ok := f.info.Uses[id].(*types.Var)
			if !ok || v.Pkg() == nil || v.Exported() ||
				!v.IsField() && v.Parent() != v.Pkg().Scope() {
				return true
			}
			v = v.Origin()
			switch f.use(id, stack) {
			case added:
				found[v] = true
			case decides:
				other[v] = true
			}
			return true
		})
	}
	for v := range other {
		delete(found, v)
	}
	return found
}

// How a variable is used.
type use int

const (
	decides use = iota
	added       // a statement adds to it
	shown       // it is read where that decides nothing
)

// use finds out how an identifier is used; stack has the nodes that enclose it.
func (f *finder) use(id *ast.Ident, stack []ast.Node) use {
	i := len(stack) - 1
	var inner ast.Node = id
	up := func() ast.Node { // the next node outwards, and inner is what it was reached from
		for i >= 0 {
			n := stack[i]
			i--
			if _, paren := n.(*ast.ParenExpr); !paren {
				return n
			}
		}
		return nil
	}
	n := up()
	if s, ok := n.(*ast.SelectorExpr); ok && s.Sel == id {
		inner, n = s, up()
	}
	if kv, ok := n.(*ast.KeyValueExpr); ok && kv.Key == inner {
		return shown // what is new is set, before others have it
	}
	if stmt, ok := n.(ast.Stmt); ok {
		if f.adds(stmt) == inner {
			return added
		}
		return decides
	}
	// A method of an atomic, or an argument &x of a function of package atomic.
	switch x := n.(type) {
	case *ast.SelectorExpr:
		call, ok := up().(*ast.CallExpr)
		if !ok || call.Fun != ast.Expr(x) {
			return decides
		}
		stmt, _ := up().(ast.Stmt)
		switch {
		case stmt != nil && f.adds(stmt) == inner:
			return added
		case x.Sel.Name != "Load":
			return decides
		}
		return f.reads(call, stack[:i+2])
	case *ast.UnaryExpr:
		call, ok := up().(*ast.CallExpr)
		if !ok || x.Op != token.AND {
			return decides
		}
		fn, _ := f.callee(call)
		if fn == nil || fn.Pkg() == nil || fn.Pkg().Path() != "sync/atomic" {
			return decides
		}
		stmt, _ := up().(ast.Stmt)
		switch {
		case stmt != nil && f.adds(stmt) == inner:
			return added
		case !strings.HasPrefix(fn.Name(), "Load"):
			return decides
		}
		return f.reads(call, stack[:i+2])
	}
	return f.reads(inner, stack[:i+2])
}

// reads is use for an expression that is read; stack has the nodes that enclose it.
func (f *finder) reads(n ast.Node, stack []ast.Node) use {
	for _, outer := range stack {
		if fn, ok := outer.(*ast.FuncDecl); ok && fn.Recv == nil &&
			(strings.HasPrefix(fn.Name.Name, "Test") ||
				strings.HasPrefix(fn.Name.Name, "Benchmark")) {
			return shown
		}
	}
	for i := len(stack) - 1; i >= 0; i-- {
		switch outer := stack[i].(type) {
		case *ast.ParenExpr, *ast.KeyValueExpr:
		case *ast.CompositeLit:
			_, isStruct := f.info.TypeOf(outer).Underlying().(*types.Struct)
			if isStruct {
				return shown
			}
			return decides
		case *ast.CallExpr:
			if f.info.Types[outer.Fun].IsType() {
				continue // a conversion
			}
			fn, _ := f.callee(outer)
			if fn != nil && fn.Pkg() != nil &&
				(fn.Pkg().Path() == "fmt" || fn.Pkg().Path() == "log") {
				return shown
			}
			return decides
		default:
			return decides
		}
	}
	return decides
}

// adds returns the variable that a statement adds to, if that is all that it does, and nil
// otherwise.
func (f *finder) adds(stmt ast.Stmt) ast.Expr {
	switch s := stmt.(type) {
	case *ast.IncDecStmt:
		return ast.Unparen(s.X)
	case *ast.AssignStmt:
		if (s.Tok == token.ADD_ASSIGN || s.Tok == token.SUB_ASSIGN) && f.number(s.Lhs[0]) &&
			simple(s.Rhs[0]) {
			return ast.Unparen(s.Lhs[0])
		}
	case *ast.ExprStmt:
		call, ok := ast.Unparen(s.X).(*ast.CallExpr)
		if !ok {
			return nil
		}
		fn, recv := f.callee(call)
		if fn == nil || fn.Pkg() == nil || fn.Pkg().Path() != "sync/atomic" ||
			!strings.HasPrefix(fn.Name(), "Add") {
			return nil
		}
		for _, arg := range call.Args[len(call.Args)-1:] {
			if !simple(arg) {
				return nil
			}
		}
		if recv != nil {
			return ast.Unparen(recv)
		}
		if x, ok := ast.Unparen(call.Args[0]).(*ast.UnaryExpr); ok && x.Op == token.AND {
			return ast.Unparen(x.X)
		}
	}
	return nil
}

// number reports whether values of an expression are integers: additions of others depend on their
// order.
func (f *finder) number(e ast.Expr) bool {
	b, ok := f.info.TypeOf(e).Underlying().(*types.Basic)
	return ok && b.Info()&types.IsInteger != 0
}

// simple reports whether an expression has no calls but conversions to basic types, and len.
func simple(e ast.Expr) bool {
	ok := true
	ast.Inspect(e, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			id, isIdent := ast.Unparen(n.Fun).(*ast.Ident)
			ok = ok && isIdent && (types.Universe.Lookup(id.Name) != nil && id.Name != "recover" &&
				id.Name != "panic")
		case *ast.FuncLit:
			ok = false
		case *ast.UnaryExpr:
			ok = ok && n.Op != token.ARROW
		}
		return ok
	})
	return ok
}

// A stretch is statements that only count, and the locks around them.
type stretch struct {
	first, last ast.Stmt
	whole       bool // of a body: a deferred call releases the lock
}

// stretches returns those of a list of statements.
func (f *finder) stretches(
	list []ast.Stmt, body bool, counters map[*types.Var]bool,
) (all []stretch) {
	for i := 0; i < len(list); {
		n, whole := f.stretch(list[i:], counters)
		if n == 0 || whole && !(body && i == 0 && n == len(list)) {
			i++
			continue
		}
		all = append(all, stretch{list[i], list[i+n-1], whole})
		i += n
	}
	return all
}

// stretch returns how many of the statements, from the first on, only count. Whole says that a
// deferred call releases their lock.
func (f *finder) stretch(list []ast.Stmt, counters map[*types.Var]bool) (n int, whole bool) {
	i, held, added := 0, 0, 0
	if s, ok := list[0].(*ast.ExprStmt); ok && f.locks(s.X) == 1 {
		i, held = 1, 1
		if len(list) > 1 {
			if d, ok := list[1].(*ast.DeferStmt); ok && f.locks(d.Call) == -1 {
				i, whole = 2, true
			}
		}
	}
	for i < len(list) && f.counts(list[i], counters) {
		i++
		added++
	}
	if added == 0 {
		return 0, false
	}
	if held == 0 || whole {
		return i, whole
	}
	if i < len(list) {
		if s, ok := list[i].(*ast.ExprStmt); ok && f.locks(s.X) == -1 {
			return i + 1, false
		}
	}
	return 0, false
}

// counts reports whether a statement adds to a counter, and does nothing else.
func (f *finder) counts(stmt ast.Stmt, counters map[*types.Var]bool) bool {
	var id *ast.Ident
	switch x := f.adds(stmt).(type) {
	case *ast.Ident:
		id = x
	case *ast.SelectorExpr:
		id = x.Sel
	default:
		return false
	}
	v, ok := f.info.Uses[id].(*types.Var)
	return ok && counters[v.Origin()]
}
