// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package checkact

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"

	"github.com/commutego/commute/analyzer/internal/edit"
	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"
)

// loadOrStore makes LoadOrStore of a Store that is made only if Load has found nothing. The check
// stays, unless the two are all that an if statement does. If the value is returned later, it
// becomes the one that is in the map.
func (x *fixer) loadOrStore() *analysis.SuggestedFix {
	if len(x.acted.Args) != 2 || x.acted.Ellipsis.IsValid() || !x.only(false) || !x.undisturbed() {
		return nil
	}
	rename := x.renamed(x.acted, "LoadOrStore")
	if rename == nil {
		return nil
	}
	fix := &analysis.SuggestedFix{Message: "Use LoadOrStore"}
	if stmt := x.onlyStores(); stmt != nil {
		call := x.Text(x.acted.Fun.(*ast.SelectorExpr).X) + ".LoadOrStore(" +
			x.Text(x.acted.Args[0]) + ", " + x.Text(x.acted.Args[1]) + ")"
		fix.TextEdits = []analysis.TextEdit{{Pos: stmt.Pos(), End: stmt.End(),
			NewText: []byte(call)}}
		return fix
	}
	switch used, ok := x.usedAfter(); {
	case !ok:
		return nil
	case used == nil:
		fix.TextEdits = []analysis.TextEdit{*rename}
	default:
		edits := x.takeOver(used, rename)
		if edits == nil {
			return nil
		}
		fix.TextEdits = edits
	}
	return fix
}

// only reports whether the act is made only where the check has found something, or nothing: a
// branch by its second result leads there alone.
func (x *fixer) only(found bool) bool {
	for _, b := range x.in.Blocks {
		branch, ok := b.Instrs[len(b.Instrs)-1].(*ssa.If)
		if !ok {
			continue
		}
		cond, to := branch.Cond, 1
		if not, ok := cond.(*ssa.UnOp); ok && not.Op == token.NOT {
			cond, to = not.X, 0
		}
		second, ok := cond.(*ssa.Extract)
		if !ok || second.Tuple != ssa.Value(x.check.instr) || second.Index != 1 {
			continue
		}
		if found {
			to = 1 - to
		}
		if s := b.Succs[to]; len(s.Preds) == 1 && s.Dominates(x.act.instr.Block()) {
			return true
		}
	}
	return false
}

// onlyStores is the if statement that does nothing but the check and the act, with a value that
// anything may compute at any time. It is nil if there is none.
//
//	if _, ok := m.Load(k); !ok {
//		m.Store(k, v)
//	}
func (x *fixer) onlyStores() *ast.IfStmt {
	if len(x.actPath) < 5 {
		return nil
	}
	block, ok1 := x.actPath[2].(*ast.BlockStmt)
	stmt, ok2 := x.actPath[3].(*ast.IfStmt)
	if !ok1 || !ok2 || len(block.List) != 1 || stmt.Else != nil || stmt.Body != block ||
		edit.List(x.actPath[4]) == nil || x.Comments(stmt.Pos(), stmt.End()) {
		return nil
	}
	init, ok := stmt.Init.(*ast.AssignStmt)
	if !ok || init.Tok != token.DEFINE || len(init.Lhs) != 2 || len(init.Rhs) != 1 ||
		ast.Unparen(init.Rhs[0]) != ast.Expr(x.checked) || !blank(init.Lhs[0]) {
		return nil
	}
	not, ok := ast.Unparen(stmt.Cond).(*ast.UnaryExpr)
	if !ok || not.Op != token.NOT || x.pass.TypesInfo.ObjectOf(init.Lhs[1].(*ast.Ident)) !=
		x.Object(not.X) {
		return nil
	}
	_, selects := x.acted.Fun.(*ast.SelectorExpr)
	if !selects || !x.constant(x.acted.Args[1]) || edit.Calls(x.acted.Fun) ||
		edit.Calls(x.acted.Args[0]) {
		return nil
	}
	return stmt
}

func blank(e ast.Expr) bool {
	id, ok := e.(*ast.Ident)
	return ok && id.Name == "_"
}

// constant reports whether an expression may be computed where it was not: it is a constant, a
// local variable, or made of such. It can't panic, and reads nothing that others write.
func (x *fixer) constant(e ast.Expr) bool {
	e = ast.Unparen(e)
	tv := x.pass.TypesInfo.Types[e]
	if tv.Value != nil || tv.IsNil() || x.local(e) != nil {
		return true
	}
	switch e := e.(type) {
	case *ast.CompositeLit:
		if _, isMap := tv.Type.Underlying().(*types.Map); isMap && len(e.Elts) > 0 {
			return false
		}
		for _, elt := range e.Elts {
			if kv, ok := elt.(*ast.KeyValueExpr); ok {
				elt = kv.Value
			}
			if !x.constant(elt) {
				return false
			}
		}
		return true
	case *ast.UnaryExpr:
		lit, ok := ast.Unparen(e.X).(*ast.CompositeLit)
		return ok && e.Op == token.AND && x.constant(lit)
	case *ast.CallExpr:
		fn := x.pass.TypesInfo.Types[e.Fun]
		return fn.IsBuiltin() && x.Text(e.Fun) == "new" && x.pass.TypesInfo.Types[e.Args[0]].IsType()
	}
	return false
}

// usedAfter is the variable whose value is stored and used later, nil if there is no such use. It
// reports false if a use is not a return, or the value is not one of the function's own.
func (x *fixer) usedAfter() (used *types.Var, ok bool) {
	switch e := ast.Unparen(x.acted.Args[1]).(type) {
	case *ast.Ident:
		v := x.local(e)
		if v == nil {
			return nil, x.pass.TypesInfo.Types[e].Value != nil
		}
		ok = true
		x.uses(v, func(path []ast.Node) {
			if path[0] == ast.Node(e) || path[0].Pos() < x.acted.Pos() && (!x.loops() || isSet(path)) {
				return
			}
			used = v
			_, returned := path[1].(*ast.ReturnStmt)
			ok = ok && returned
		})
		return used, ok && !isResult(x.body, v, x.pass.TypesInfo)
	case *ast.CallExpr, *ast.CompositeLit, *ast.BasicLit:
		return nil, true
	case *ast.UnaryExpr:
		_, lit := e.X.(*ast.CompositeLit)
		return nil, lit && e.Op == token.AND
	}
	return nil, false
}

// isSet reports whether a use of a variable, with the way up to it, is an assignment to it.
func isSet(path []ast.Node) bool {
	s, ok := path[1].(*ast.AssignStmt)
	return ok && slices.ContainsFunc(s.Lhs, func(e ast.Expr) bool { return path[0] == ast.Node(e) })
}

// loops reports whether what stands before the act can come after it.
func (x *fixer) loops() bool { return x.in.Reaches(x.act.instr, x.act.instr, nil) }

// isResult reports whether a variable is a named result, which every return uses.
func isResult(fn ast.Node, v *types.Var, info *types.Info) bool {
	var typ *ast.FuncType
	switch fn := fn.(type) {
	case *ast.FuncDecl:
		typ = fn.Type
	case *ast.FuncLit:
		typ = fn.Type
	}
	if typ == nil || typ.Results == nil {
		return false
	}
	for _, field := range typ.Results.List {
		for _, name := range field.Names {
			if info.ObjectOf(name) == v {
				return true
			}
		}
	}
	return false
}

// takeOver has the variable hold what is in the map, if another goroutine was faster. Its type must
// be that of the map's values: any, or one that the function asserts of what it has loaded.
func (x *fixer) takeOver(v *types.Var, rename *analysis.TextEdit) []analysis.TextEdit {
	assert := ""
	if i, ok := v.Type().Underlying().(*types.Interface); !ok || !i.Empty() {
		typ := x.asserted(v.Type())
		if typ == nil {
			return nil
		}
		assert = ".(" + x.Text(typ) + ")"
	}
	whole := x.Text(x.acted)
	for _, name := range []string{"actual", "loaded"} {
		if v.Name() == name || mentions(x.acted, name) {
			return nil
		}
	}
	if whole == "" || x.Comments(x.acted.Pos(), x.acted.End()) {
		return nil
	}
	indent := x.Indent(x.acted.Pos())
	return []analysis.TextEdit{
		{Pos: x.acted.Pos(), End: x.acted.Pos(), NewText: []byte("if actual, loaded := ")},
		*rename,
		{Pos: x.acted.End(), End: x.acted.End(), NewText: fmt.Appendf(nil,
			"; loaded {\n%s\t%s = actual%s\n%[1]s}", indent, v.Name(), assert)},
	}
}

// mentions reports whether a name occurs in an expression.
func mentions(n ast.Node, name string) (found bool) {
	ast.Inspect(n, func(n ast.Node) bool {
		id, ok := n.(*ast.Ident)
		found = found || ok && id.Name == name
		return true
	})
	return found
}

// asserted is the type expression of an assertion that the function makes of what the check has
// loaded, which panics if the value has another type. It is nil if there is none to a type, or its
// name means something else at the act.
func (x *fixer) asserted(t types.Type) (typ ast.Expr) {
	ast.Inspect(x.body, func(n ast.Node) bool {
		a, ok := n.(*ast.TypeAssertExpr)
		if !ok || a.Type == nil || !types.Identical(x.pass.TypesInfo.TypeOf(a.Type), t) {
			return true
		}
		if _, two := x.pass.TypesInfo.TypeOf(a).(*types.Tuple); two {
			return true
		}
		for v := range x.loaded() {
			if v == x.Object(a.X) && x.sameMeaning(a.Type) {
				typ = a.Type
			}
		}
		return true
	})
	return typ
}

// loaded are the variables that are set to the first result of the check, and to nothing else.
func (x *fixer) loaded() map[types.Object]bool {
	list := make(map[types.Object]bool)
	if s, ok := x.checkPath[1].(*ast.AssignStmt); ok && len(s.Lhs) == 2 && !blank(s.Lhs[0]) {
		if v := x.local(s.Lhs[0]); v != nil && x.assigned(v) == 1 {
			list[v] = true
		}
	}
	return list
}

// sameMeaning reports whether all names in an expression mean at the act what they mean where it
// stands.
func (x *fixer) sameMeaning(e ast.Expr) bool {
	same := true
	ast.Inspect(e, func(n ast.Node) bool {
		if sel, ok := n.(*ast.SelectorExpr); ok {
			same = same && x.sameMeaning(sel.X)
			return false
		}
		if id, ok := n.(*ast.Ident); ok {
			same = same && x.Means(id.Name, x.pass.TypesInfo.ObjectOf(id), x.acted.Pos())
		}
		return true
	})
	return same
}
