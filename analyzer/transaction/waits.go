// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package transaction

import (
	"go/ast"
	"go/token"
	"slices"
)

// waits finds functions that wait, by their syntax. Such a function is a loop, a server or a
// rendezvous, and not meant to be atomic: what it waits for has to happen in its middle. So are a
// function that loops for ever, and one that runs its caller's function, whatever that does.
type waits struct {
	channels map[string]bool // fields and variables of the package whose types are channels
}

// waiting are the names of functions and methods that wait, whichever package they are of.
var waiting = []string{
	"Accept", "ListenAndServe", "ListenAndServeTLS", "NewTicker", "Serve", "ServeTLS", "Sleep",
	"Tick", "Wait",
}

// newWaits notes the channels that a package declares.
func newWaits(files []*ast.File) waits {
	w := waits{channels: make(map[string]bool)}
	for _, file := range files {
		for _, decl := range file.Decls {
			if gen, ok := decl.(*ast.GenDecl); ok &&
				(gen.Tok == token.TYPE || gen.Tok == token.VAR) {
				w.fields(gen)
			}
		}
	}
	return w
}

// fields notes the channels that are declared in a part of the syntax.
func (w waits) fields(n ast.Node) {
	ast.Inspect(n, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Field:
			w.addChannels(n.Type, n.Names)
		case *ast.ValueSpec:
			w.addChannels(n.Type, n.Names)
		case *ast.FuncLit:
			return false
		}
		return true
	})
}

// addChannels adds names whose type is written as a channel.
func (w waits) addChannels(t ast.Expr, names []*ast.Ident) {
	if _, ok := t.(*ast.ChanType); ok {
		for _, id := range names {
			w.channels[id.Name] = true
		}
	}
}

// function reports whether a function waits itself, or has a context for its first parameter, as
// functions do that may wait.
func (w waits) function(fn *ast.FuncDecl) bool {
	params := fn.Type.Params.List
	if len(params) > 0 && selects(params[0].Type, "context", "Context") {
		return true
	}
	local := waits{channels: make(map[string]bool)}
	local.fields(fn.Type)
	given := functionParams(fn)
	found := false
	ast.Inspect(fn.Body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit, *ast.GoStmt:
			return false // another goroutine may run it
		case *ast.ForStmt:
			found = found || n.Cond == nil && !ends(n.Body)
		case *ast.SelectStmt:
			found = found || !hasDefault(n)
		case *ast.UnaryExpr:
			found = found || n.Op == token.ARROW && !inDefault(fn.Body, n)
		case *ast.RangeStmt:
			name := lastName(n.X)
			found = found || w.channels[name] || local.channels[name]
		case *ast.CallExpr:
			id, _ := ast.Unparen(n.Fun).(*ast.Ident)
			found = found || id != nil && given[id.Name] ||
				slices.Contains(waiting, calledName(n)) && selector(n)
		}
		return !found
	})
	return found
}

// functionParams are the names of parameters whose types are written as functions.
func functionParams(fn *ast.FuncDecl) map[string]bool {
	names := make(map[string]bool)
	for _, field := range fn.Type.Params.List {
		if _, ok := field.Type.(*ast.FuncType); ok {
			for _, id := range field.Names {
				names[id.Name] = true
			}
		}
	}
	return names
}

// ends reports whether a loop without a condition may end: it has a return, a goto, a break, or a
// call of panic. The break of an inner statement counts too.
func ends(body *ast.BlockStmt) (found bool) {
	ast.Inspect(body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.ReturnStmt:
			found = true
		case *ast.BranchStmt:
			found = found || n.Tok == token.BREAK || n.Tok == token.GOTO
		case *ast.CallExpr:
			id, _ := ast.Unparen(n.Fun).(*ast.Ident)
			found = found || id != nil && id.Name == "panic"
		}
		return !found
	})
	return found
}

// hasDefault reports whether a select statement goes on at once if no case can.
func hasDefault(s *ast.SelectStmt) bool {
	return slices.ContainsFunc(s.Body.List,
		func(c ast.Stmt) bool { return c.(*ast.CommClause).Comm == nil })
}

// inDefault reports whether an expression is what a case of a select statement with a default
// receives.
func inDefault(body ast.Node, e ast.Expr) (found bool) {
	ast.Inspect(body, func(n ast.Node) bool {
		if s, ok := n.(*ast.SelectStmt); ok && hasDefault(s) {
			for _, c := range s.Body.List {
				if comm := c.(*ast.CommClause).Comm; comm != nil && comm.Pos() <= e.Pos() &&
					e.End() <= comm.End() {
					found = true
				}
			}
		}
		return !found
	})
	return found
}

// selects reports whether an expression is pkg.name.
func selects(e ast.Expr, pkg, name string) bool {
	s, ok := e.(*ast.SelectorExpr)
	if !ok || s.Sel.Name != name {
		return false
	}
	id, ok := s.X.(*ast.Ident)
	return ok && id.Name == pkg
}

// selector reports whether a method, or a function of another package, is called.
func selector(call *ast.CallExpr) bool {
	_, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr)
	return ok
}

func calledName(call *ast.CallExpr) string { return lastName(call.Fun) }

// lastName is the name of a variable or of a field, "" if an expression is neither.
func lastName(e ast.Expr) string {
	switch e := ast.Unparen(e).(type) {
	case *ast.Ident:
		return e.Name
	case *ast.SelectorExpr:
		return e.Sel.Name
	}
	return ""
}
