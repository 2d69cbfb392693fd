// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package discount

import (
	"go/ast"
	"go/types"
	"strings"
)

// again returns the statements of a function's body at which it looks again.
func (f *finder) again(list []ast.Stmt) (at []ast.Stmt) {
	for i := 1; i < len(list); i++ {
		if s, ok := list[i-1].(*ast.IfStmt); !ok || !leaves(s) {
			continue
		}
		first, tainted, ok := f.first(list[:i])
		if !ok {
			break // nor is it with more statements
		}
		if len(first) > 0 && f.second(list[i:], first, nil, 0) && !f.used(list[i:], tainted) {
			at = append(at, list[i])
		}
	}
	return at
}

// FirstLooks returns the calls that are looked at again in the functions of a package.
func FirstLooks(files []*ast.File, info *types.Info) map[*ast.CallExpr]bool {
	f, found := newFinder(files, info), make(map[*ast.CallExpr]bool)
	body := func(b *ast.BlockStmt) {
		for _, at := range f.again(b.List) {
			for _, stmt := range b.List {
				if stmt == at {
					break
				}
				ast.Inspect(stmt, func(n ast.Node) bool {
					if call, ok := n.(*ast.CallExpr); ok {
						found[call] = true
					}
					_, inner := n.(*ast.BlockStmt) // is left behind
					return !inner
				})
			}
		}
	}
	for _, file := range files {
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.FuncDecl:
				if n.Body != nil {
					body(n.Body)
				}
			case *ast.FuncLit:
				body(n.Body)
			}
			return true
		})
	}
	return found
}

// first returns what statements look at, and the variables that are tainted by it. It reports false
// if they do anything but look, lock and leave.
func (f *finder) first(list []ast.Stmt) (looks, map[types.Object]bool, bool) {
	found, tainted, held := make(looks), make(map[types.Object]bool), 0
	for _, stmt := range list {
		ok := false
		switch s := stmt.(type) {
		case *ast.ExprStmt:
			ok = f.locks(s.X) != 0
			held += f.locks(s.X)
		case *ast.AssignStmt, *ast.DeclStmt:
			ok = f.taints(stmt, found, tainted)
		case *ast.IfStmt:
			ok = leaves(s) && (s.Init == nil || f.taints(s.Init, found, tainted)) &&
				f.look(s.Cond, nil, found, 0)
		}
		if !ok {
			return nil, nil, false
		}
	}
	return found, tainted, held == 0
}

// taints is assigns, and notes the variables that are tainted.
func (f *finder) taints(stmt ast.Stmt, into looks, tainted map[types.Object]bool) bool {
	own := make(looks)
	if !f.assigns(stmt, nil, own, 0) {
		return false
	}
	from, _ := f.assignment(stmt)
	depends := len(own) > 0
	for _, x := range from {
		depends = depends || f.mentions(x, tainted)
	}
	for k := range own {
		into[k] = true
	}
	if !depends {
		return true
	}
	ast.Inspect(stmt, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			for _, x := range n.Lhs {
				if id, ok := x.(*ast.Ident); ok && id.Name != "_" {
					tainted[f.info.ObjectOf(id)] = true
				}
			}
			return false
		case *ast.ValueSpec:
			for _, id := range n.Names {
				tainted[f.info.ObjectOf(id)] = true
			}
			return false
		}
		return true
	})
	return true
}

// leaves reports whether an if statement's body, which is all that it has, ends with a return or a
// panic.
func leaves(s *ast.IfStmt) bool {
	if s.Else != nil || len(s.Body.List) == 0 {
		return false
	}
	switch last := s.Body.List[len(s.Body.List)-1].(type) {
	case *ast.ReturnStmt:
		return true
	case *ast.ExprStmt:
		call, ok := last.X.(*ast.CallExpr)
		if !ok {
			return false
		}
		id, ok := call.Fun.(*ast.Ident)
		return ok && id.Name == "panic"
	}
	return false
}

// second reports whether statements look at all that is needed, and branch, before they have any
// effect.
func (f *finder) second(list []ast.Stmt, need looks, env environment, depth int) bool {
	have := make(looks)
	for _, stmt := range list {
		if f.actsItself(stmt, need, env) {
			return true
		}
		switch s := stmt.(type) {
		case *ast.DeferStmt:
			if f.locks(s.Call) == 0 {
				return false
			}
		case *ast.ExprStmt:
			if f.locks(s.X) == 0 {
				return f.inside(s.X, need, env, depth)
			}
		case *ast.ReturnStmt:
			return len(s.Results) > 0 && f.inside(s.Results[0], need, env, depth)
		case *ast.AssignStmt, *ast.DeclStmt:
			from, ok := f.assignment(stmt)
			if !ok {
				return false
			}
			for _, x := range from {
				if f.inside(x, need, env, depth) {
					return true
				}
				if !f.look(x, env, have, depth) && !f.computes(x) {
					return false
				}
			}
		case *ast.IfStmt:
			if s.Init != nil && !f.assigns(s.Init, env, have, depth) ||
				!f.look(s.Cond, env, have, depth) {
				return false
			}
			if have.all(need) {
				return true
			}
			if !leaves(s) || !f.onlyLooks(s.Body.List, env, make(looks), maxDepth) {
				return false
			}
		case *ast.SwitchStmt:
			return s.Init == nil && s.Tag != nil && f.look(s.Tag, env, have, depth) &&
				have.all(need)
		default:
			return false
		}
	}
	return false
}

func (have looks) all(need looks) bool {
	for k := range need {
		if !have[k] {
			return false
		}
	}
	return true
}

// computes reports whether an expression is a call by which something is made: its result is used,
// and what it does is done again, if need be, whatever the second look finds. A method that changes
// its object is none.
func (f *finder) computes(e ast.Expr) bool {
	call, ok := ast.Unparen(e).(*ast.CallExpr)
	if !ok {
		return false
	}
	fn, recv := f.callee(call)
	return fn == nil || recv == nil || f.decls[fn] != nil
}

// inside reports whether an expression is a call of a function that looks again first. It is one of
// the package, or a literal that the call is given, as a flight is.
func (f *finder) inside(e ast.Expr, need looks, env environment, depth int) bool {
	call, ok := ast.Unparen(e).(*ast.CallExpr)
	if !ok || depth >= maxDepth {
		return false
	}
	for _, arg := range call.Args {
		if lit, ok := ast.Unparen(arg).(*ast.FuncLit); ok {
			return f.second(lit.Body.List, need, env, depth+1)
		}
	}
	fn, recv := f.callee(call)
	body := f.decls[fn]
	return body != nil && f.second(body.Body.List, need, f.bind(body, call, recv, env), depth+1)
}

// actsItself reports whether a statement calls a method that looks again itself, as LoadOrStore
// does after Load of the same key.
func (f *finder) actsItself(stmt ast.Stmt, need looks, env environment) bool {
	found := false
	ast.Inspect(stmt, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit, *ast.BlockStmt:
			return false
		case *ast.CallExpr:
			fn, recv := f.callee(n)
			if fn == nil || recv == nil || len(n.Args) == 0 ||
				!strings.HasPrefix(fn.Name(), "LoadOr") && !strings.HasPrefix(fn.Name(), "GetOr") {
				break
			}
			have := make(looks)
			for _, look := range [...]string{"Load", "Get", "Peek"} {
				have[f.key(recv, env)+"."+look+"("+f.key(n.Args[0], env)+")"] = true
			}
			f.place(recv, env, have, 0)
			f.look(n.Args[0], env, have, 0)
			found = found || have.all(need)
		}
		return true
	})
	return found
}

// used reports whether statements use a variable that is tainted. They don't if the first of them
// that has it assigns to it.
func (f *finder) used(list []ast.Stmt, tainted map[types.Object]bool) bool {
	for v := range tainted {
		if f.usesFirst(list, v) {
			return true
		}
	}
	return false
}

func (f *finder) usesFirst(list []ast.Stmt, v types.Object) bool {
	only := map[types.Object]bool{v: true}
	for _, stmt := range list {
		if !f.mentions(stmt, only) {
			continue
		}
		if s, ok := stmt.(*ast.IfStmt); ok && s.Init != nil {
			stmt = s.Init
		}
		s, ok := stmt.(*ast.AssignStmt)
		if !ok {
			return true
		}
		assigned := false
		for _, x := range s.Lhs {
			id, ok := x.(*ast.Ident)
			assigned = assigned || ok && f.info.ObjectOf(id) == v
		}
		for _, x := range s.Rhs {
			assigned = assigned && !f.mentions(x, only)
		}
		return !assigned
	}
	// A result with a name is used by a return without results.
	bare := false
	for _, stmt := range list {
		ast.Inspect(stmt, func(n ast.Node) bool {
			r, ok := n.(*ast.ReturnStmt)
			bare = bare || ok && len(r.Results) == 0
			return true
		})
	}
	return bare
}

// mentions reports whether one of the variables stands in a part of the syntax.
func (f *finder) mentions(n ast.Node, vars map[types.Object]bool) (found bool) {
	ast.Inspect(n, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok && vars[f.info.ObjectOf(id)] {
			found = true
		}
		return !found
	})
	return found
}
