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

// A fix makes one call of a check and an act on a sync.Map. There is one only where a single
// goroutine sees no difference, and what is written compiles: see the files fixstore.go and
// fixdelete.go for the shapes.

// A fixer makes the fix of one pair.
type fixer struct {
	*linter
	ssaPair
	*edit.File
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
	x.File = edit.At(l.pass, x.acted.Pos())
	if x.File == nil || edit.At(l.pass, x.checked.Pos()) == nil {
		return nil
	}
	x.actPath, x.checkPath = x.Up(x.acted), x.Up(x.checked)
	if len(x.checkPath) < 2 || !x.isStatement(x.actPath) {
		return nil
	}
	x.body = edit.Function(x.actPath)
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
	if len(path) < 3 {
		return false
	}
	_, ok := path[1].(*ast.ExprStmt)
	return ok && edit.List(path[2]) != nil
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
		shared = shared || edit.Function(path) != x.body
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
			visit(x.Up(id))
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
