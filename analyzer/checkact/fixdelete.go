// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package checkact

import (
	"go/ast"
	"go/token"
	"go/types"

	"github.com/commutego/commute/analyzer/internal/edit"
	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"
)

// deletion makes one call of a check and a Delete.
func (x *fixer) deletion() *analysis.SuggestedFix {
	if len(x.acted.Args) != 1 || x.acted.Ellipsis.IsValid() || edit.Calls(x.acted.Args[0]) ||
		edit.Calls(x.acted.Fun) {
		return nil
	}
	if x.check.Method == "Load" {
		if fix := x.inBranch(); fix != nil {
			return fix
		}
		if fix := x.afterReturn(); fix != nil {
			return fix
		}
	}
	return x.compareAndDelete()
}

// inBranch makes LoadAndDelete of a Delete that comes first where Load has found something.
//
//	if v, ok := m.Load(k); ok {
//		m.Delete(k)
//		use(v)
//	}
func (x *fixer) inBranch() *analysis.SuggestedFix {
	if len(x.actPath) < 5 {
		return nil
	}
	block, ok1 := x.actPath[2].(*ast.BlockStmt)
	stmt, ok2 := x.actPath[3].(*ast.IfStmt)
	if !ok1 || !ok2 || stmt.Body != block || block.List[0] != x.actPath[1].(ast.Stmt) {
		return nil
	}
	init, ok := stmt.Init.(*ast.AssignStmt)
	if stmt.Init == nil {
		init, ok = before(edit.List(x.actPath[4]), stmt).(*ast.AssignStmt)
	}
	if !ok || !x.assigns(init) || x.Object(stmt.Cond) == nil ||
		x.Object(stmt.Cond) != x.Object(init.Lhs[1]) {
		return nil
	}
	if len(block.List) > 1 {
		return x.loadAndDelete(block.Lbrace+1, block.List[0].End())
	}
	if stmt.Else != nil || edit.List(x.actPath[4]) == nil || x.Comments(stmt.Pos(), stmt.End()) {
		return nil
	}
	if stmt.Init == nil {
		return x.withoutBranch(init, stmt)
	}
	if !blank(init.Lhs[0]) {
		return nil
	}
	return &analysis.SuggestedFix{Message: "Use Delete alone", TextEdits: []analysis.TextEdit{
		{Pos: stmt.Pos(), End: stmt.End(), NewText: []byte(x.Text(x.acted))},
	}}
}

// before is the statement before another one in a list, nil if there is none.
func before(list []ast.Stmt, stmt ast.Stmt) ast.Stmt {
	for i := 1; i < len(list); i++ {
		if list[i] == stmt {
			return list[i-1]
		}
	}
	return nil
}

// withoutBranch is the fix that has the check delete, and leaves out a branch that does nothing
// else. A variable that nothing else uses doesn't compile: a blank takes its place.
//
//	v, ok := m.Load(k)
//	if ok {
//		m.Delete(k)
//	}
//	return v, ok
func (x *fixer) withoutBranch(load *ast.AssignStmt, stmt *ast.IfStmt) *analysis.SuggestedFix {
	v := x.local(stmt.Cond)
	rename := x.renamed(x.checked, "LoadAndDelete")
	if v == nil || rename == nil {
		return nil
	}
	used, set := false, 0
	x.uses(v, func(path []ast.Node) {
		if isSet(path) || x.pass.TypesInfo.Defs[path[0].(*ast.Ident)] != nil {
			set++
		} else if path[0] != ast.Node(ast.Unparen(stmt.Cond)) {
			used = true
		}
	})
	fix := &analysis.SuggestedFix{Message: "Use LoadAndDelete", TextEdits: []analysis.TextEdit{
		*rename, x.Without(stmt),
	}}
	if used {
		return fix
	}
	name := load.Lhs[1]
	if set > 1 || load.Tok != token.DEFINE || v.Pos() != name.Pos() || !x.declares(load.Lhs[0]) {
		return nil
	}
	fix.TextEdits = append(fix.TextEdits, analysis.TextEdit{Pos: name.Pos(), End: name.End(),
		NewText: []byte("_")})
	return fix
}

// declares reports whether an expression is a name that is declared there.
func (x *fixer) declares(e ast.Expr) bool {
	id, ok := e.(*ast.Ident)
	return ok && !blank(e) && x.pass.TypesInfo.Defs[id] != nil
}

// afterReturn makes LoadAndDelete of a Delete that comes next after a branch that ends if Load has
// found nothing.
//
//	v, ok := m.Load(k)
//	if !ok {
//		return
//	}
//	m.Delete(k)
func (x *fixer) afterReturn() *analysis.SuggestedFix {
	list := edit.List(x.actPath[2])
	for i, stmt := range list {
		if stmt != x.actPath[1].(ast.Stmt) || i < 2 {
			continue
		}
		branch, ok1 := list[i-1].(*ast.IfStmt)
		load, ok2 := list[i-2].(*ast.AssignStmt)
		if !ok1 || !ok2 || branch.Init != nil || branch.Else != nil || !x.assigns(load) ||
			!x.only(true) {
			return nil
		}
		not, ok := ast.Unparen(branch.Cond).(*ast.UnaryExpr)
		if !ok || not.Op != token.NOT || x.Object(not.X) == nil ||
			x.Object(not.X) != x.Object(load.Lhs[1]) {
			return nil
		}
		return x.loadAndDelete(branch.End(), stmt.End())
	}
	return nil
}

// assigns reports whether a statement assigns the results of the check to two variables, the second
// of which has a name.
func (x *fixer) assigns(s *ast.AssignStmt) bool {
	return len(s.Lhs) == 2 && len(s.Rhs) == 1 && s.Rhs[0] == ast.Expr(x.checked) &&
		!blank(s.Lhs[1]) && x.local(s.Lhs[1]) != nil
}

// loadAndDelete is the fix that has the check delete, and leaves out the act, which is the last in
// a part of the file.
func (x *fixer) loadAndDelete(from, to token.Pos) *analysis.SuggestedFix {
	rename := x.renamed(x.checked, "LoadAndDelete")
	if rename == nil || x.Comments(from, x.LineEnd(to)) {
		return nil
	}
	return &analysis.SuggestedFix{Message: "Use LoadAndDelete", TextEdits: []analysis.TextEdit{
		*rename, {Pos: from, End: to},
	}}
}

// compareAndDelete makes CompareAndDelete of a Delete that depends on the value that was seen. The
// function must have asserted a type for it whose values are equal to themselves.
func (x *fixer) compareAndDelete() *analysis.SuggestedFix {
	v := x.seen()
	if v == nil || !x.reflexive(v) || !x.undisturbed() {
		return nil
	}
	rename := x.renamed(x.acted, "CompareAndDelete")
	if rename == nil || !x.Means(v.Name(), v, x.acted.Pos()) {
		return nil
	}
	end := x.acted.Args[0].End()
	return &analysis.SuggestedFix{Message: "Use CompareAndDelete with the value that was seen",
		TextEdits: []analysis.TextEdit{*rename,
			{Pos: end, End: end, NewText: []byte(", " + v.Name())}}}
}

// seen is the variable with the value that the check has seen, nil if there is none. Nothing else
// is ever assigned to it.
func (x *fixer) seen() *types.Var {
	if x.check.Method == "Load" {
		for v := range x.loaded() {
			return v.(*types.Var)
		}
		return nil
	}
	lit, ok := x.body.(*ast.FuncLit)
	if !ok {
		return nil
	}
	var names []*ast.Ident
	for _, field := range lit.Type.Params.List {
		names = append(names, field.Names...)
	}
	if len(names) != 2 || names[1].Name == "_" {
		return nil
	}
	if v := x.local(names[1]); v != nil && x.assigned(v) == 0 {
		return v
	}
	return nil
}

// reflexive reports whether a value has certainly, at the act, a type whose values are equal to
// themselves, so that the comparison neither fails nor panics.
func (x *fixer) reflexive(v *types.Var) bool {
	found := false
	x.in.Each(func(instr ssa.Instruction) {
		a, ok := instr.(*ssa.TypeAssert)
		if !ok || a.CommaOk || !a.Block().Dominates(x.act.instr.Block()) || !x.isValue(a.X) ||
			a.Block() == x.act.instr.Block() && a.Pos() > x.act.instr.Pos() {
			return
		}
		found = found || selfEqual(a.AssertedType)
	})
	return found
}

// isValue reports whether a value is what the check has seen.
func (x *fixer) isValue(v ssa.Value) bool {
	switch v := v.(type) {
	case *ssa.Extract:
		return v.Tuple == ssa.Value(x.check.instr) && v.Index == 0
	case *ssa.Parameter:
		return x.check.Method == "Range" && len(x.in.Params) == 2 && v == x.in.Params[1]
	}
	return false
}

// selfEqual reports whether each value of a type is equal to itself.
func selfEqual(t types.Type) bool {
	switch t := t.Underlying().(type) {
	case *types.Basic:
		return t.Info()&(types.IsFloat|types.IsComplex) == 0
	case *types.Pointer, *types.Chan:
		return true
	case *types.Array:
		return selfEqual(t.Elem())
	case *types.Struct:
		for field := range t.Fields() {
			if !selfEqual(field.Type()) {
				return false
			}
		}
		return true
	}
	return false
}
