// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package section

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"

	"github.com/commutego/commute/analyzer/section"
	"github.com/commutego/commute/internal/engine/compiled"
)

// touch writes the i-th touch.
func (g *generator) touch(i int, t *section.Touch) {
	g.reg.Touches[i].Op = t.Op
	g.reg.Touches[i].Point, g.reg.Touches[i].Name = t.Point, t.Name
	g.reg.Touches[i].Local = g.local(t.Var)
	g.reg.Touches[i].Decl = g.declaration(t.Decl)
	g.reg.Touches[i].At = g.line(t.Pos)
	g.reg.Touches[i].Atomic = t.Atomic
	if t.Atomic != compiled.NotAtomic {
		if why := g.operation(i, t); why != "" {
			g.opaque = append(g.opaque, LeftOut{t.Pos, why})
		}
		return
	}
	at := fmt.Sprintf("&commute_touches[%d]", i)
	why := ""
	if t.Stmt != nil {
		why = g.write(at, t)
	} else {
		why = g.read(at, t)
	}
	if why != "" {
		g.omit(t.Pos, why)
	}
}

// read has a read go through a wrapper. It returns why it can't, or the empty string.
func (g *generator) read(at string, t *section.Touch) (why string) {
	if why := g.unfit(t.Expr); why != "" {
		return why
	}
	if g.unevaluated(t.Expr) {
		return "it is not evaluated"
	}
	if t.Op == compiled.Lookup {
		return g.lookup(at, t)
	}
	if _, known := g.around[t.Var]; !known || !within(t.Expr, t.Var) {
		return "what is read has no expression of its own"
	}
	if !g.settled(t.Var) {
		return "a call in the same statement may change what is read"
	}
	typ := g.info.TypeOf(t.Var)
	switch t.Op {
	case compiled.ReadVar:
		g.wrap(t.Var, "(*commute_touchRead("+at+", &", "))")
	case compiled.Len, compiled.ReadAll:
		if !isMap(typ) {
			return "it is not a map"
		}
		g.wrap(t.Var, "commute_touchMap("+at+", ", ")")
	case compiled.ReadInner:
		switch {
		case typ == nil:
			return "its type is not known"
		case isPointer(typ):
			g.wrap(t.Var, "commute_touchHeld("+at+", ", ")")
		default:
			g.wrap(t.Var, "(*commute_touchInner("+at+", &", "))")
		}
	case compiled.ReadBacking, compiled.WriteBacking:
		if t.Whole {
			g.wrap(t.Var, "(*"+g.block(at, t), "))")
		} else {
			g.wrap(t.Var, g.block(at, t), ")")
		}
	default:
		return "it is not a read"
	}
	return ""
}

// lookup has the key of a map go through a wrapper. So the program itself looks up, and may ask
// whether the key is there. That takes the expression of the map twice. Where it can't be, the
// wrapper looks up.
func (g *generator) lookup(at string, t *section.Touch) (why string) {
	index, ok := ast.Unparen(t.Expr).(*ast.IndexExpr)
	if !ok || index.X != t.Var || index.Index != t.Key {
		return "it is not a map and a key"
	}
	if !g.settled(t.Var) || !g.settled(t.Key) {
		return "a call in the same statement may change what is looked up"
	}
	as, ok := g.keyAs(t)
	if !ok {
		return "the key is of another type than the map's"
	}
	if m, ok := g.again(t.Var); ok {
		g.wrap(t.Key, "commute_touchKey"+as+"("+at+", "+m+", ", ")")
		return ""
	}
	if t.CommaOk || as != "" {
		return "its map is found by a call"
	}
	g.wrap(index, "commute_touchLookup("+at+", ", "")
	g.replace(index.Lbrack, ", ")
	g.replace(index.Rbrack, ")")
	return ""
}

// write adds a call behind a statement that writes.
func (g *generator) write(at string, t *section.Touch) (why string) {
	if why := g.unfit(t.Stmt); why != "" {
		return why
	}
	if !g.listed(t.Stmt) {
		return "it does not stand in a list of statements"
	}
	v, ok := g.again(t.Var)
	if !ok {
		return "the variable can't be evaluated again"
	}
	operands := []ast.Expr{t.Var}
	if t.Key != nil {
		operands = append(operands, t.Key)
	}
	if g.changes(t.Stmt, operands) {
		return "the statement changes which variable it is"
	}
	typ := g.info.TypeOf(t.Var)
	call := ""
	switch t.Op {
	case compiled.WriteVar, compiled.UpdateVar:
		call = "commute_touchWrite(" + at + ", &" + v
	case compiled.Insert, compiled.Update, compiled.Delete:
		k, pure := g.again(t.Key)
		as, ok := g.keyAs(t)
		if !ok || !pure {
			return "the key can't be evaluated again, or is of another type than the map's"
		}
		call = "commute_touchSet" + as + "(" + at + ", " + v + ", " + k
	case compiled.WriteAll:
		call = "commute_touchMap(" + at + ", " + v
	case compiled.WriteInner:
		switch {
		case typ == nil:
			return "its type is not known"
		case isPointer(typ):
			call = "commute_touchHeld(" + at + ", " + v
		default:
			call = "commute_touchInner(" + at + ", &" + v
		}
	case compiled.WriteBacking:
		call = g.block(at, t) + v
	default:
		return "it is not a write"
	}
	g.insert(t.Stmt.End(), "; "+call+")")
	return ""
}

// block is the call of a wrapper for a block of memory, up to what leads to the block.
func (g *generator) block(at string, t *section.Touch) string {
	if t.Whole {
		return "commute_touchBlock(" + at + ", &"
	}
	if typ := g.info.TypeOf(t.Var); typ != nil && isPointer(typ) {
		return "commute_touchBlock(" + at + ", "
	}
	return "commute_touchElements(" + at + ", "
}

// unfit says why nothing can be added at an expression or statement.
func (g *generator) unfit(n ast.Node) string {
	switch e, isExpr := n.(ast.Expr); {
	case n == nil || g.around[n] == nil:
		return "it is not in the source"
	case g.bare(n):
		return "no calls can be added to its function"
	case isExpr && g.communicates(e):
		return "it is a case of a select"
	}
	return ""
}

// again is an expression as text, if it can be evaluated once more: it calls nothing, and is on one
// line.
func (g *generator) again(e ast.Expr) (text string, ok bool) {
	ok = true
	ast.Inspect(e, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			tv := g.info.Types[n.Fun]
			ok = ok && (tv.IsType() || isLen(n))
		case *ast.UnaryExpr:
			ok = ok && n.Op != token.ARROW && n.Op != token.AND
		case *ast.FuncLit, *ast.StructType, *ast.InterfaceType:
			ok = false
		}
		return ok
	})
	if !ok {
		return "", false
	}
	if f := g.fileOf(e.Pos()); e.Pos().IsValid() && f != nil {
		src := f.Src[g.pkg.Source.Offset(e.Pos()):g.pkg.Source.Offset(e.End())]
		return string(src), !bytes.ContainsAny(src, "\n") && !bytes.Contains(src, []byte("/*"))
	}
	return types.ExprString(e), true
}

// isLen reports whether a call is one of len or cap, or named so: then the compiler says what it
// thinks of that.
func isLen(call *ast.CallExpr) bool {
	id, ok := ast.Unparen(call.Fun).(*ast.Ident)
	return ok && (id.Name == "len" || id.Name == "cap")
}

// changes reports whether a statement assigns to a part of operands: after it they stand for
// something else. The whole variable is what is written.
func (g *generator) changes(s ast.Stmt, operands []ast.Expr) bool {
	var assigned []ast.Expr
	switch s := s.(type) {
	case *ast.AssignStmt:
		assigned = s.Lhs
	case *ast.IncDecStmt:
		assigned = []ast.Expr{s.X}
	}
	for _, lhs := range assigned {
		text := types.ExprString(ast.Unparen(lhs))
		for i, op := range operands {
			found := false
			ast.Inspect(op, func(n ast.Node) bool {
				e, ok := n.(ast.Expr)
				whole := i == 0 && n == op
				found = found || ok && !whole && types.ExprString(ast.Unparen(e)) == text
				return !found
			})
			if found {
				return true
			}
		}
	}
	return false
}

// local reports whether a variable has a name of its own, and is no field.
func (g *generator) local(e ast.Expr) bool {
	switch e := ast.Unparen(e).(type) {
	case *ast.Ident:
		return true
	case *ast.SelectorExpr:
		id, ok := ast.Unparen(e.X).(*ast.Ident)
		if !ok {
			return false
		}
		_, imported := g.info.Uses[id].(*types.PkgName)
		return imported
	}
	return false
}

// keyAs says which wrapper a key of a map goes to: As, if the map's keys are of an interface type,
// and this one is of another type. Its type is not inferred from the map's then. For other types
// that differ there is no wrapper.
func (g *generator) keyAs(t *section.Touch) (suffix string, ok bool) {
	m, key := mapOf(g.info.TypeOf(t.Var)), g.info.TypeOf(t.Key)
	if m == nil || key == nil {
		return "", false
	}
	if b, ok := key.(*types.Basic); ok && b.Info()&types.IsUntyped != 0 ||
		types.Identical(m.Key(), key) {
		return "", true
	}
	return "As", types.IsInterface(m.Key())
}

// isMap reports whether a type is a map, or a type parameter that only stands for maps of one kind.
func isMap(t types.Type) bool { return mapOf(t) != nil }

// mapOf is the map that isMap finds, or nil.
func mapOf(t types.Type) *types.Map {
	if t == nil {
		return nil
	}
	if p, ok := types.Unalias(t).(*types.TypeParam); ok {
		t = p.Constraint()
		if u, ok := t.Underlying().(*types.Interface); ok && u.NumEmbeddeds() == 1 {
			t = u.EmbeddedType(0)
			if union, ok := t.(*types.Union); ok && union.Len() == 1 {
				t = union.Term(0).Type()
			}
		}
	}
	m, _ := t.Underlying().(*types.Map)
	return m
}

func isPointer(t types.Type) bool {
	_, ok := t.Underlying().(*types.Pointer)
	return ok
}
