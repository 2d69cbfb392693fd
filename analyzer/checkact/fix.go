// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package checkact

import (
	"bytes"
	"go/ast"
	"go/format"
	"go/token"
	"go/types"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ast/astutil"
	"golang.org/x/tools/go/ssa"
)

// A fix makes one call of a check and an act on a sync.Map. There is one only where a single
// goroutine sees no difference, and what is written compiles: see the files fixstore.go and
// fixdelete.go for the shapes.

// A fixer makes the fix of one pair.
type fixer struct {
	*linter
	ssaPair
	file           *ast.File
	checked, acted *ast.CallExpr
	actPath        []ast.Node // from the call that acts up to the file
	checkPath      []ast.Node
	body           ast.Node // of the function that acts
}

// fixes is the fix for a pair, none if there is none that is certainly right.
func (l *linter) fixes(p ssaPair) []analysis.SuggestedFix {
	if p.check.typ != "sync.Map" {
		return nil
	}
	x := &fixer{linter: l, ssaPair: p, checked: l.calls[p.check.instr.Pos()],
		acted: l.calls[p.act.instr.Pos()]}
	if x.checked == nil || x.acted == nil {
		return nil
	}
	for _, file := range l.pass.Files {
		if file.FileStart <= x.acted.Pos() && x.acted.Pos() < file.FileEnd {
			x.file = file
		}
	}
	if x.file == nil || ast.IsGenerated(x.file) {
		return nil
	}
	x.actPath, _ = astutil.PathEnclosingInterval(x.file, x.acted.Pos(), x.acted.End())
	x.checkPath, _ = astutil.PathEnclosingInterval(x.file, x.checked.Pos(), x.checked.End())
	if len(x.actPath) < 2 || x.actPath[0] != ast.Node(x.acted) || len(x.checkPath) < 2 ||
		!x.isStatement(x.actPath) {
		return nil
	}
	x.body = enclosing(x.actPath)
	var fix *analysis.SuggestedFix
	switch {
	case p.act.Method == "Store" && p.check.Method == "Load":
		fix = x.loadOrStore()
	case p.act.Method == "Delete":
		fix = x.deletion()
	}
	if fix == nil {
		return nil
	}
	return []analysis.SuggestedFix{*fix}
}

// isStatement reports whether a call is a statement of its own in a list.
func (x *fixer) isStatement(path []ast.Node) bool {
	if _, ok := path[1].(*ast.ExprStmt); !ok || len(path) < 3 {
		return false
	}
	return listOf(path[2]) != nil
}

// listOf is the list of statements of a node, nil if it has none.
func listOf(n ast.Node) []ast.Stmt {
	switch n := n.(type) {
	case *ast.BlockStmt:
		return n.List
	case *ast.CaseClause:
		return n.Body
	case *ast.CommClause:
		return n.Body
	}
	return nil
}

// enclosing is the innermost function around a node, as a declaration or literal.
func enclosing(path []ast.Node) ast.Node {
	for _, n := range path {
		switch n.(type) {
		case *ast.FuncDecl, *ast.FuncLit:
			return n
		}
	}
	return nil
}

// undisturbed reports whether a single goroutine finds at the act what it has checked: between the
// two, nothing can write to the map. Other goroutines can always come.
func (x *fixer) undisturbed() bool {
	check, act := x.check.instr, x.act.instr
	from := ssa.Instruction(check)
	if check.Parent() != act.Parent() { // the act is in the callback
		from = x.in.Blocks[0].Instrs[0]
		if !x.harmless(from) || x.in.Reaches(act, act, nil) {
			return false
		}
	} else if x.in.Reaches(act, act, func(i ssa.Instruction) bool { return i == check }) {
		return false // it may act twice
	}
	for _, instr := range x.in.Between(from, act) {
		if !x.harmless(instr) {
			return false
		}
	}
	return true
}

// harmless reports whether an instruction can't lead to a write to the map.
func (x *fixer) harmless(instr ssa.Instruction) bool {
	if call, ok := instr.(*ssa.Call); ok {
		if lock, _ := x.operation(instr); lock != nil {
			return true
		}
		if fn := call.Call.StaticCallee(); fn != nil && fn.String() == "(*sync.Map).Load" {
			return true
		}
	}
	return x.Quiet(instr)
}

// renamed is the edit that calls another method of the map, nil if the name means another one.
func (x *fixer) renamed(call *ast.CallExpr, method string) *analysis.TextEdit {
	sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr)
	if !ok {
		return nil
	}
	obj, _, _ := types.LookupFieldOrMethod(x.pass.TypesInfo.TypeOf(sel.X), true, x.pass.Pkg, method)
	if fn, ok := obj.(*types.Func); !ok || fn.FullName() != "(*sync.Map)."+method {
		return nil
	}
	return &analysis.TextEdit{Pos: sel.Sel.Pos(), End: sel.Sel.End(), NewText: []byte(method)}
}

// text is an expression as source.
func (x *fixer) text(n ast.Node) string {
	var b bytes.Buffer
	if format.Node(&b, x.pass.Fset, n) != nil {
		return ""
	}
	return b.String()
}

// comments reports whether there is a comment in a part of the file. What would be lost with it, or
// come to stand elsewhere, is not for a fix.
func (x *fixer) comments(from, to token.Pos) bool {
	for _, group := range x.file.Comments {
		if group.Pos() < to && from < group.End() {
			return true
		}
	}
	return false
}

// local is the variable that an expression names, if it is one of the function's own, of which
// nothing else has the address or a capture.
func (x *fixer) local(e ast.Expr) *types.Var {
	id, ok := ast.Unparen(e).(*ast.Ident)
	if !ok {
		return nil
	}
	v, ok := x.pass.TypesInfo.ObjectOf(id).(*types.Var)
	if !ok || v.IsField() || x.body == nil || v.Pos() < x.body.Pos() || x.body.End() < v.Pos() {
		return nil
	}
	shared := false
	x.uses(v, func(path []ast.Node) {
		shared = shared || enclosing(path) != x.body
		for i, n := range path[1:] {
			u, ok := n.(*ast.UnaryExpr)
			shared = shared || ok && u.Op == token.AND && path[i] == ast.Node(u.X)
			sel, ok := n.(*ast.SelectorExpr)
			if !ok {
				break
			}
			s := x.pass.TypesInfo.Selections[sel]
			shared = shared || s != nil && s.Kind() != types.FieldVal && !isPointer(v.Type())
		}
	})
	if shared {
		return nil
	}
	return v
}

// uses calls visit for each use of a variable in the function, with the way up to it.
func (x *fixer) uses(v *types.Var, visit func(path []ast.Node)) {
	ast.Inspect(x.body, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok && x.pass.TypesInfo.ObjectOf(id) == v {
			path, _ := astutil.PathEnclosingInterval(x.file, id.Pos(), id.End())
			visit(path)
		}
		return true
	})
}

// assigned counts the assignments to a variable, with that of its declaration.
func (x *fixer) assigned(v *types.Var) (n int) {
	x.uses(v, func(path []ast.Node) {
		if len(path) < 2 {
			return
		}
		switch s := path[1].(type) {
		case *ast.AssignStmt:
			for _, e := range s.Lhs {
				if ast.Node(e) == path[0] {
					n++
				}
			}
		case *ast.RangeStmt:
			if ast.Node(s.Key) == path[0] || ast.Node(s.Value) == path[0] {
				n++
			}
		case *ast.IncDecStmt, *ast.UnaryExpr, *ast.ValueSpec:
			n++
		}
	})
	return n
}

func isPointer(t types.Type) bool {
	switch t.Underlying().(type) {
	case *types.Pointer, *types.Interface:
		return true
	}
	return false
}
