// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package section

import (
	"go/ast"
	"go/token"
	"go/types"
	"sort"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// A syntax finds the syntax that instructions stand for.
type syntax struct {
	info  *types.Info
	decls []ast.Decl // sorted by position
	trees map[ast.Decl]*tree
}

// A tree is a declaration: who is above whom, and what stands where.
type tree struct {
	parent  map[ast.Node]ast.Node
	index   map[token.Pos]*ast.IndexExpr // by the opening bracket
	call    map[token.Pos]*ast.CallExpr  // by the opening parenthesis
	ranges  map[token.Pos]*ast.RangeStmt // by the keyword for
	shared  map[types.Object]bool        // variables that are captured, or whose address is taken
	pragmas bool                         // there is a directive for the compiler
}

func newSyntax(files []*ast.File, info *types.Info) *syntax {
	s := &syntax{info: info, trees: make(map[ast.Decl]*tree)}
	for _, file := range files {
		s.decls = append(s.decls, file.Decls...)
	}
	sort.Slice(s.decls, func(i, k int) bool { return s.decls[i].Pos() < s.decls[k].Pos() })
	return s
}

// tree is the tree of the declaration at a position, nil if there is none.
func (s *syntax) tree(pos token.Pos) *tree {
	i := sort.Search(len(s.decls), func(i int) bool { return s.decls[i].End() > pos })
	if i == len(s.decls) || s.decls[i].Pos() > pos {
		return nil
	}
	decl := s.decls[i]
	if t := s.trees[decl]; t != nil {
		return t
	}
	t := &tree{
		parent: make(map[ast.Node]ast.Node),
		index:  make(map[token.Pos]*ast.IndexExpr),
		call:   make(map[token.Pos]*ast.CallExpr),
		ranges: make(map[token.Pos]*ast.RangeStmt),
		shared: make(map[types.Object]bool),
	}
	s.trees[decl] = t
	t.build(decl, s.info)
	return t
}

func (t *tree) build(decl ast.Decl, info *types.Info) {
	var stack []ast.Node
	var literals []*ast.FuncLit
	ast.Inspect(decl, func(n ast.Node) bool {
		if n == nil {
			if _, ok := stack[len(stack)-1].(*ast.FuncLit); ok {
				literals = literals[:len(literals)-1]
			}
			stack = stack[:len(stack)-1]
			return true
		}
		if len(stack) > 0 {
			t.parent[n] = stack[len(stack)-1]
		}
		stack = append(stack, n)
		switch n := n.(type) {
		case *ast.IndexExpr:
			t.index[n.Lbrack] = n
		case *ast.CallExpr:
			t.call[n.Lparen] = n
		case *ast.RangeStmt:
			t.ranges[n.For] = n
		case *ast.FuncLit:
			literals = append(literals, n)
		case *ast.UnaryExpr:
			if n.Op == token.AND {
				t.markRoot(n.X, info)
			}
		case *ast.Ident:
			if v, ok := info.Uses[n].(*types.Var); ok && !v.IsField() && len(literals) > 0 &&
				v.Pos() < literals[len(literals)-1].Pos() {
				t.shared[v] = true
			}
		}
		return true
	})
	if fn, ok := decl.(*ast.FuncDecl); ok && fn.Doc != nil {
		for _, c := range fn.Doc.List {
			t.pragmas = t.pragmas ||
				strings.HasPrefix(c.Text, "//go:") && c.Text != "//go:noinline"
		}
	}
}

// markRoot marks the variable whose address, or the address of a part of it, is taken.
func (t *tree) markRoot(e ast.Expr, info *types.Info) {
	for {
		switch x := e.(type) {
		case *ast.ParenExpr:
			e = x.X
		case *ast.SelectorExpr:
			e = x.X
		case *ast.IndexExpr:
			e = x.X
		case *ast.Ident:
			if v := info.Uses[x]; v != nil {
				t.shared[v] = true
			}
			return
		default:
			return
		}
	}
}

// unparen is an expression without parentheses around it.
func unparen(e ast.Expr) ast.Expr { return ast.Unparen(e) }

// debugged is the expression whose value an instruction computes, nil if it isn't known. That of a
// load is the first one that reads a variable at this position.
func debugged(v ssa.Value, is func(ast.Expr) bool) ast.Expr {
	for _, use := range *v.Referrers() {
		if d, ok := use.(*ssa.DebugRef); ok && !d.IsAddr && is(d.Expr) {
			return d.Expr
		}
	}
	return nil
}

// stored is the expression that a store writes to, nil if it isn't known.
func stored(s *ssa.Store) ast.Expr {
	if d, ok := next(s).(*ssa.DebugRef); ok && !d.IsAddr && d.X == s.Val {
		return unparen(d.Expr)
	}
	return nil
}

// list reports whether a statement stands in a list of statements.
func (t *tree) list(stmt ast.Stmt) bool {
	var in []ast.Stmt
	switch p := t.parent[stmt].(type) {
	case *ast.BlockStmt:
		in = p.List
	case *ast.CaseClause:
		in = p.Body
	case *ast.CommClause:
		in = p.Body
	}
	for _, s := range in {
		if s == stmt {
			return true
		}
	}
	return false
}
