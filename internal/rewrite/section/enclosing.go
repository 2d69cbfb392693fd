// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package section

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"github.com/commutego/commute/analyzer/section"
	"github.com/commutego/commute/internal/toolchain/load"
)

// enclosing finds what encloses each expression and statement of a result that is in the files,
// outermost first.
func enclosing(files []*load.File, r *section.Result) map[ast.Node][]ast.Node {
	wanted := make(map[ast.Node]bool)
	for i := range r.Touches {
		t := &r.Touches[i]
		for _, e := range []ast.Expr{t.Var, t.Key, t.Expr} {
			if e != nil {
				wanted[e] = true
			}
		}
		if t.Stmt != nil {
			wanted[t.Stmt] = true
		}
	}
	for i := range r.Locks {
		wanted[r.Locks[i].Call] = true
	}
	for i := range r.Funcs {
		wanted[r.Funcs[i].Node] = true
	}
	found := make(map[ast.Node][]ast.Node)
	for _, f := range files {
		ast.PreorderStack(f.AST, nil, func(n ast.Node, stack []ast.Node) bool {
			if wanted[n] {
				found[n] = slices.Clone(stack)
			}
			return true
		})
	}
	return found
}

// bare reports whether a node is in a function to which no calls can be added: one that the
// compiler is told to leave without a check of its stack, or that is called where Go code must not
// run.
func (g *generator) bare(n ast.Node) bool {
	for _, outer := range append(g.around[n], n) {
		fn, ok := outer.(*ast.FuncDecl)
		if !ok || fn.Doc == nil {
			continue
		}
		for _, c := range fn.Doc.List {
			name, _, _ := strings.Cut(c.Text, " ")
			switch name {
			case "//go:nosplit", "//go:systemstack", "//go:nowritebarrier",
				"//go:nowritebarrierrec", "//go:yeswritebarrierrec",
				"//go:cgo_unsafe_args", "//go:uintptrescapes":
				return true
			}
		}
	}
	return false
}

// listed reports whether a statement stands in a list of statements, behind which another one can
// be added.
func (g *generator) listed(s ast.Stmt) bool {
	stack := g.around[s]
	for i := len(stack) - 1; i >= 0; i-- {
		switch outer := stack[i].(type) {
		case *ast.LabeledStmt:
			s = outer
			continue
		case *ast.BlockStmt:
			return slices.Contains(outer.List, s)
		case *ast.CaseClause:
			return slices.Contains(outer.Body, s)
		case *ast.CommClause:
			return slices.Contains(outer.Body, s)
		}
		break
	}
	return false
}

// communicates reports whether an expression is in the operation of a case of a select.
func (g *generator) communicates(e ast.Expr) bool {
	for _, outer := range g.around[e] {
		if c, ok := outer.(*ast.CommClause); ok && c.Comm != nil && within(c.Comm, e) {
			return true
		}
	}
	return false
}

// unevaluated reports whether an expression is an operand that Go doesn't evaluate, or a part of
// one: the length of an array is constant, and so is what package unsafe measures.
func (g *generator) unevaluated(e ast.Expr) bool {
	for _, outer := range g.around[e] {
		if x, ok := outer.(ast.Expr); ok && g.info.Types[x].Value != nil {
			return true
		}
		if r, ok := outer.(*ast.RangeStmt); ok && within(r.X, e) && r.Value == nil &&
			isArray(g.info.TypeOf(r.X)) {
			return true
		}
	}
	return false
}

// isArray reports whether a type is an array or a pointer to one.
func isArray(t types.Type) bool {
	if t == nil {
		return false
	}
	t = t.Underlying()
	if p, ok := t.(*types.Pointer); ok {
		t = p.Elem().Underlying()
	}
	_, ok := t.(*types.Array)
	return ok
}

func within(outer, n ast.Node) bool { return outer.Pos() <= n.Pos() && n.End() <= outer.End() }

// settled reports whether it makes no difference that an expression is evaluated at the time of a
// call: Go evaluates calls in order, but leaves open when it evaluates operands beside them. It
// does make one if a call that follows in the same statement may change what is evaluated.
func (g *generator) settled(e ast.Expr) bool {
	if g.fixed(e) {
		return true
	}
	stack := g.around[e]
	for i := len(stack) - 1; i >= 0; i-- {
		outer, ok := stack[i].(ast.Expr)
		if _, lit := outer.(*ast.FuncLit); lit {
			return true
		}
		if s, stmt := stack[i].(ast.Stmt); stmt {
			if cond, ok := s.(*ast.IfStmt); ok && cond.Else != nil && e.End() <= cond.Else.Pos() {
				s = &ast.IfStmt{If: cond.If, Init: cond.Init, Cond: cond.Cond, Body: cond.Body}
			}
			return !g.calls(s, e)
		}
		if ok && g.calls(outer, e) {
			return false
		}
	}
	return true
}

// calls reports whether a part of n behind e calls a function or receives. What contains e is
// called when e has been evaluated. The body of a statement comes after its head.
func (g *generator) calls(n ast.Node, e ast.Expr) (found bool) {
	ast.Inspect(n, func(m ast.Node) bool {
		switch m := m.(type) {
		case nil:
			return false
		case *ast.FuncLit, *ast.BlockStmt:
			return false
		case *ast.CallExpr:
			tv := g.info.Types[m.Fun]
			if m.Pos() >= e.End() && !tv.IsType() && !tv.IsBuiltin() {
				found = true
			}
		case *ast.UnaryExpr:
			found = found || m.Op == token.ARROW && m.Pos() >= e.End()
		}
		return !found
	})
	return found
}

// fixed reports whether no call can change what an expression is: it is a constant, or a variable
// that is declared in this function, or a field that is reached from one with one pointer at most,
// of which only the address is taken.
func (g *generator) fixed(e ast.Expr) bool {
	switch e := ast.Unparen(e).(type) {
	case *ast.BasicLit:
		return true
	case *ast.Ident:
		v, ok := g.info.Uses[e].(*types.Var)
		return !ok || g.own(v, e)
	case *ast.SelectorExpr:
		id, ok := ast.Unparen(e.X).(*ast.Ident)
		if !ok {
			return false
		}
		v, ok := g.info.Uses[id].(*types.Var)
		return !ok || g.own(v, id)
	}
	return false
}

// own reports whether a variable belongs to the innermost function around its use. A literal in
// that function may change it, which is left out of account: then e is used in a way that Go leaves
// open.
func (g *generator) own(v *types.Var, use ast.Node) bool {
	if v.Parent() == nil || v.Pkg() != nil && v.Parent() == v.Pkg().Scope() {
		return false
	}
	for _, f := range g.files {
		if f.AST.FileStart > use.Pos() || use.Pos() > f.AST.FileEnd {
			continue
		}
		inner := ast.Node(f.AST)
		ast.Inspect(f.AST, func(n ast.Node) bool {
			if n == nil || n.Pos() > use.Pos() || n.End() <= use.Pos() {
				return false
			}
			switch n.(type) {
			case *ast.FuncDecl, *ast.FuncLit:
				inner = n
			}
			return true
		})
		return inner.Pos() <= v.Pos() && v.Pos() < inner.End()
	}
	return false
}
