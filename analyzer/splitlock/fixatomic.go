// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package splitlock

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"github.com/commutego/commute/analyzer/internal/edit"
	"github.com/commutego/commute/analyzer/section"
	"golang.org/x/tools/go/analysis"
)

// An atomicFixer makes one operation of a Load and a Store of one variable of a type of package
// sync/atomic.
type atomicFixer struct {
	*edit.File
	load, store *ast.CallExpr
	variable    string // as both calls have it
	of          string // the type: Int64
}

func (l *linter) atomicFixes(s *section.Suspect) []analysis.SuggestedFix {
	if !s.Direct {
		return nil
	}
	x := &atomicFixer{File: edit.At(l.pass, s.Act.Pos)}
	if x.File == nil {
		return nil
	}
	ast.Inspect(x.File.File, func(n ast.Node) bool {
		if c, ok := n.(*ast.CallExpr); ok {
			if c.Lparen == s.Check.Instr.Pos() {
				x.load = c
			}
			if c.Lparen == s.Act.Instr.Pos() {
				x.store = c
			}
		}
		return true
	})
	if !x.methods() {
		return nil
	}
	for _, make := range []func() *analysis.SuggestedFix{x.add, x.inBranch, x.afterReturn} {
		if fix := make(); fix != nil {
			return []analysis.SuggestedFix{*fix}
		}
	}
	return nil
}

// methods reports whether the two calls are methods of one variable, which is an expression without
// calls; and the Store is a statement.
func (x *atomicFixer) methods() bool {
	if x.load == nil || x.store == nil || len(x.store.Args) != 1 {
		return false
	}
	load, ok1 := x.load.Fun.(*ast.SelectorExpr)
	store, ok2 := x.store.Fun.(*ast.SelectorExpr)
	if !ok1 || !ok2 || load.Sel.Name != "Load" || store.Sel.Name != "Store" ||
		edit.Calls(load.X) || x.Text(load.X) != x.Text(store.X) {
		return false
	}
	x.variable = x.Text(load.X)
	t := x.Pass.TypesInfo.TypeOf(load.X)
	if p, ok := t.Underlying().(*types.Pointer); ok {
		t = p.Elem()
	}
	named, ok := types.Unalias(t).(*types.Named)
	if !ok || named.Obj().Pkg() == nil || named.Obj().Pkg().Path() != "sync/atomic" {
		return false
	}
	x.of = named.Obj().Name()
	return x.of != "Value"
}

// add makes Add of a Store of a sum.
//
//	n.Store(n.Load() + 1)
func (x *atomicFixer) add() *analysis.SuggestedFix {
	sum, ok := ast.Unparen(x.store.Args[0]).(*ast.BinaryExpr)
	if !ok || !strings.HasPrefix(x.of, "Int") && !strings.HasPrefix(x.of, "Uint") ||
		x.Comments(x.store.Pos(), x.store.End()) {
		return nil
	}
	delta, from := sum.Y, x.store.Pos()
	into, at := x.variableOf()
	loaded := func(e ast.Expr) bool {
		e = ast.Unparen(e)
		if into != nil && e == into {
			from = at
			return true
		}
		return e == ast.Expr(x.load)
	}
	switch {
	case loaded(sum.X) && (sum.Op == token.ADD || sum.Op == token.SUB):
	case loaded(sum.Y) && sum.Op == token.ADD:
		delta = sum.X
	default:
		return nil
	}
	text := x.Text(delta)
	if sum.Op == token.SUB {
		value := x.Pass.TypesInfo.Types[delta].Value
		if strings.HasPrefix(x.of, "Uint") || value == nil || constant.Sign(value) <= 0 {
			return nil
		}
		text = "-" + text
		if _, ok := delta.(*ast.BasicLit); !ok {
			return nil
		}
	}
	if edit.Calls(delta) {
		return nil
	}
	return &analysis.SuggestedFix{Message: "Use Add", TextEdits: []analysis.TextEdit{{
		Pos: from, End: x.store.End(),
		NewText: []byte(x.variable + ".Add(" + text + ")"),
	}}}
}

// variableOf is the only use of the variable that the statement right before the Store declares
// for what is loaded, and where that statement begins. It is nil if there is no such statement.
//
//	old := n.Load()
//	n.Store(old + 1)
func (x *atomicFixer) variableOf() (use ast.Expr, at token.Pos) {
	up, before := x.Up(x.store), x.Up(x.load)
	if len(up) < 3 || len(before) < 3 {
		return nil, 0
	}
	s, ok := before[1].(*ast.AssignStmt)
	if !ok || s.Tok != token.DEFINE || len(s.Lhs) != 1 {
		return nil, 0
	}
	list := edit.List(up[2])
	i := slices.IndexFunc(list, func(s ast.Stmt) bool { return ast.Node(s) == up[1] })
	if i < 1 || list[i-1] != ast.Stmt(s) || x.Comments(s.Pos(), x.store.End()) {
		return nil, 0
	}
	v, uses := x.Object(s.Lhs[0]), 0
	if v == nil {
		return nil, 0
	}
	ast.Inspect(x.File.File, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok && x.Pass.TypesInfo.Uses[id] == v {
			use = id
			uses++
		}
		return true
	})
	if uses != 1 {
		return nil, 0
	}
	return use, s.Pos()
}

// wants is what the condition of a branch wants the variable to be, so that it is true: old in
// v.Load() == old. It must be a constant, and what is stored as well.
func (x *atomicFixer) wants(cond ast.Expr) (old string, not, ok bool) {
	cond = ast.Unparen(cond)
	if cond == ast.Expr(x.load) && x.of == "Bool" {
		return "true", false, true
	}
	if u, isNot := cond.(*ast.UnaryExpr); isNot && u.Op == token.NOT {
		old, not, ok = x.wants(u.X)
		if ok && x.of == "Bool" && old == "true" && !not {
			return "false", false, true
		}
		return old, !not, ok
	}
	b, isBinary := cond.(*ast.BinaryExpr)
	if !isBinary || b.Op != token.EQL && b.Op != token.NEQ {
		return "", false, false
	}
	other := b.Y
	if ast.Unparen(b.Y) == ast.Expr(x.load) {
		other = b.X
	} else if ast.Unparen(b.X) != ast.Expr(x.load) {
		return "", false, false
	}
	info := x.Pass.TypesInfo
	return x.Text(other), b.Op == token.NEQ, x.fixed(other) &&
		types.AssignableTo(info.TypeOf(other), info.TypeOf(x.load))
}

// fixed reports whether an expression is a constant, nil, or a local variable.
func (x *atomicFixer) fixed(e ast.Expr) bool {
	tv := x.Pass.TypesInfo.Types[e]
	if tv.Value != nil || tv.IsNil() {
		return true
	}
	v, ok := x.Object(e).(*types.Var)
	return ok && !v.IsField() && v.Parent() != x.Pass.Pkg.Scope() && v.Pkg() == x.Pass.Pkg &&
		!x.captured(v)
}

// captured reports whether the address of a variable is taken, or a literal has it.
func (x *atomicFixer) captured(v *types.Var) (found bool) {
	ast.Inspect(x.File.File, func(n ast.Node) bool {
		id, ok := n.(*ast.Ident)
		if !ok || x.Pass.TypesInfo.ObjectOf(id) != v {
			return true
		}
		up := x.Up(id)
		u, isUnary := up[1].(*ast.UnaryExpr)
		fn := edit.Function(up)
		found = found || isUnary && u.Op == token.AND || fn == nil ||
			v.Pos() < fn.Pos() || fn.End() < v.Pos()
		return true
	})
	return found
}

// inBranch makes CompareAndSwap of a Store that comes first in the branch.
//
//	if v.Load() == old {
//		v.Store(new)
//		...
//	}
func (x *atomicFixer) inBranch() *analysis.SuggestedFix {
	up := x.Up(x.store)
	if len(up) < 5 || !x.fixed(x.store.Args[0]) {
		return nil
	}
	block, ok1 := up[2].(*ast.BlockStmt)
	stmt, ok2 := up[3].(*ast.IfStmt)
	if !ok1 || !ok2 || stmt.Body != block || ast.Node(block.List[0]) != up[1] {
		return nil
	}
	old, not, ok := x.wants(stmt.Cond)
	if !ok || not {
		return nil
	}
	swap := x.variable + ".CompareAndSwap(" + old + ", " + x.Text(x.store.Args[0]) + ")"
	fix := &analysis.SuggestedFix{Message: "Use CompareAndSwap"}
	if len(block.List) == 1 {
		if stmt.Else != nil || stmt.Init != nil || edit.List(up[4]) == nil ||
			x.Comments(stmt.Pos(), stmt.End()) {
			return nil
		}
		fix.TextEdits = []analysis.TextEdit{{Pos: stmt.Pos(), End: stmt.End(),
			NewText: []byte(swap)}}
		return fix
	}
	return x.swap(fix, stmt, block.List[0], swap)
}

// afterReturn makes CompareAndSwap of a Store that comes next after a branch that ends.
//
//	if v.Load() != old {
//		return
//	}
//	v.Store(new)
func (x *atomicFixer) afterReturn() *analysis.SuggestedFix {
	up := x.Up(x.store)
	if len(up) < 4 || !x.fixed(x.store.Args[0]) {
		return nil
	}
	list := edit.List(up[2])
	i := slices.IndexFunc(list, func(s ast.Stmt) bool { return ast.Node(s) == up[1] })
	if i < 1 {
		return nil
	}
	stmt, ok := list[i-1].(*ast.IfStmt)
	if !ok || stmt.Else != nil || stmt.Init != nil || !ends(stmt.Body) {
		return nil
	}
	old, not, ok := x.wants(stmt.Cond)
	if ok && !not && x.of == "Bool" { // if v.Load() { return }: it goes on if the value is the other
		not, old = true, map[string]string{"true": "false", "false": "true"}[old]
	}
	if !ok || !not || old == "" {
		return nil
	}
	swap := "!" + x.variable + ".CompareAndSwap(" + old + ", " + x.Text(x.store.Args[0]) + ")"
	return x.swap(&analysis.SuggestedFix{Message: "Use CompareAndSwap"}, stmt, list[i], swap)
}

// ends reports whether a block ends with a return or a jump out.
func ends(b *ast.BlockStmt) bool {
	if len(b.List) == 0 {
		return false
	}
	switch s := b.List[len(b.List)-1].(type) {
	case *ast.ReturnStmt:
		return true
	case *ast.BranchStmt:
		return s.Tok != token.FALLTHROUGH && s.Label == nil
	}
	return false
}

// swap has a condition swap, and leaves the Store out.
func (x *atomicFixer) swap(fix *analysis.SuggestedFix, stmt *ast.IfStmt, store ast.Stmt,
	cond string) *analysis.SuggestedFix {
	if x.Comments(stmt.Cond.Pos(), stmt.Cond.End()) ||
		x.Comments(store.Pos(), x.LineEnd(store.End())) {
		return nil
	}
	fix.TextEdits = []analysis.TextEdit{
		{Pos: stmt.Cond.Pos(), End: stmt.Cond.End(), NewText: []byte(cond)}, x.Without(store),
	}
	return fix
}
