// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package section

import (
	"go/ast"
	"go/token"
	"go/types"

	"github.com/commutego/commute/internal/engine/compiled"
	"golang.org/x/tools/go/ssa"
)

// expressBacking finds how the slice stands in the source whose block a site is of.
func (s *site) expressBacking() *written {
	t := s.in.in.syntax.tree(s.in.Pos())
	if t == nil || t.pragmas {
		return &written{}
	}
	x := &expresser{t, s.in.in.info, s}
	call, ok := s.instr.(*ssa.Call)
	if ok && isAppend(call) && s.op == compiled.WriteBacking {
		if w := x.grown(call); w != nil {
			return w
		}
	} else if s.in.in.memory.isLent(s.base.Type()) {
		return &written{}
	}
	if e := x.slice(); e != nil && x.sliceType(e) && (x.unshared(e) || x.inOrder(e) && x.last(e)) {
		return &written{ok: true, variable: e, expr: e, pos: e.Pos()}
	}
	return &written{}
}

func isAppend(call *ssa.Call) bool {
	b, ok := call.Call.Value.(*ssa.Builtin)
	return ok && b.Name() == "append"
}

// sliceType reports whether an expression has a slice as its value.
func (x *expresser) sliceType(e ast.Expr) bool {
	tv := x.info.Types[e]
	if !tv.IsValue() {
		return false
	}
	_, ok := tv.Type.Underlying().(*types.Slice)
	return ok
}

// slice is the expression of the slice, nil if it isn't known.
func (x *expresser) slice() ast.Expr {
	switch instr := x.instr.(type) {
	case *ssa.UnOp:
		return x.element(instr.X, instr)
	case *ssa.Store:
		return x.element(instr.Addr, instr)
	case *ssa.Convert:
		if c := x.call[instr.Pos()]; c != nil && len(c.Args) == 1 {
			return c.Args[0]
		}
	case *ssa.Call:
		c := x.call[instr.Pos()]
		if c == nil {
			return nil
		}
		list := instr.Call.Args
		for i, arg := range c.Args {
			k := i + len(list) - len(c.Args) // a method has its receiver first
			if k >= 0 && k < len(list) && list[k] == x.base &&
				(i+1 < len(c.Args) || !isAppend(instr) || i == 0 || c.Ellipsis.IsValid()) {
				return arg
			}
		}
	}
	return nil
}

// element is the slice of an index expression, or the one that a statement ranges over.
func (x *expresser) element(addr ssa.Value, at ssa.Instruction) ast.Expr {
	v, ok := addr.(*ssa.IndexAddr)
	if !ok {
		return nil
	}
	if index := x.index[v.Pos()]; v.Pos().IsValid() && index != nil && v.Pos() != v.X.Pos() {
		t := x.info.TypeOf(index.X)
		if t != nil && types.Identical(t, v.X.Type()) {
			return index.X
		}
	}
	uses := v.X.Referrers()
	if uses == nil {
		return nil
	}
	for _, use := range *uses {
		d, ok := use.(*ssa.DebugRef)
		if !ok || d.IsAddr {
			continue
		}
		if r, ok := x.parent[d.Expr].(*ast.RangeStmt); ok && r.X == d.Expr &&
			d.Block().Dominates(at.Block()) && x.in.oneSection(d, at) {
			return d.Expr
		}
	}
	return nil
}

// oneSection reports whether no lock that is held is let go between two instructions, the first of
// which comes before the second.
func (f *function) oneSection(first, second ssa.Instruction) bool {
	l := f.lockFlow()
	if l.held[first] != l.held[second] {
		return false
	}
	again := func(instr ssa.Instruction) bool { return instr == first }
	for instr, ops := range l.ops {
		for _, op := range ops {
			b := l.bit(op.term)
			if !op.takes && (op.all || b == 0 || b&l.held[first] != 0) &&
				f.Reaches(first, instr, nil) && f.Reaches(instr, second, again) {
				return false
			}
		}
	}
	return true
}

// grown is the assignment of what append returns: after it, the block can be told by the variable.
func (x *expresser) grown(call *ssa.Call) *written {
	c := x.call[call.Pos()]
	if c == nil {
		return nil
	}
	stmt, ok := x.parent[c].(*ast.AssignStmt)
	if !ok || len(stmt.Lhs) != 1 || len(stmt.Rhs) != 1 {
		return nil
	}
	v := unparen(stmt.Lhs[0])
	if id, ok := v.(*ast.Ident); ok && (id.Name == "_" || stmt.Tok == token.DEFINE) {
		return nil
	}
	w := &written{ok: true, variable: v, stmt: stmt, pos: v.Pos()}
	if !x.sliceType(v) || !x.repeatable(w) {
		return nil
	}
	return w
}

// unshared reports whether an expression is a variable that only its function can change.
func (x *expresser) unshared(e ast.Expr) bool {
	id, ok := unparen(e).(*ast.Ident)
	if !ok {
		return false
	}
	v, ok := x.info.Uses[id].(*types.Var)
	return ok && !x.shared[v] && v.Parent() != nil && v.Parent() != v.Pkg().Scope()
}

// last reports whether the statement of an expression calls nothing after it.
func (x *expresser) last(e ast.Expr) bool {
	var stmt ast.Node
	for n := ast.Node(e); n != nil && stmt == nil; n = x.parent[n] {
		switch n := n.(type) {
		case *ast.FuncLit:
			return true
		case ast.Stmt:
			stmt = n
		}
	}
	if stmt == nil {
		return false
	}
	last := true
	ast.Inspect(stmt, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit, *ast.BlockStmt:
			return false
		case *ast.CallExpr:
			tv := x.info.Types[n.Fun]
			last = last && (n.Pos() < e.End() || tv.IsType() || tv.IsBuiltin())
		case *ast.UnaryExpr:
			last = last && (n.Op != token.ARROW || n.Pos() < e.End())
		}
		return last
	})
	return last
}
