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

// A written is how a site stands in the source, as in Touch. It is not ok if code that notes the
// access cannot be written there.
type written struct {
	ok            bool
	variable, key ast.Expr
	stmt          ast.Stmt
	expr          ast.Expr
	commaOk       bool
	whole         bool // as in Touch
	pos           token.Pos
}

// express finds how a site stands in the source.
func (s *site) express() *written {
	if s.written == nil {
		s.written = &written{}
		if s.class() == backings {
			s.written = s.expressBacking()
		} else if t := s.in.in.syntax.tree(s.in.Pos()); t != nil && !t.pragmas && !s.whole {
			x := &expresser{t, s.in.in.info, s}
			if w := x.express(); w != nil && (s.atomic != compiled.NotAtomic || x.writable(w)) {
				w.ok = true
				s.written = w
			}
		}
	}
	return s.written
}

// An expresser finds how one site stands in the source.
type expresser struct {
	*tree
	info *types.Info
	*site
}

// express finds the expressions and the statement of the site, nil if they aren't known.
func (x *expresser) express() *written {
	switch instr := x.instr.(type) {
	case *ssa.UnOp:
		return x.load(instr)
	case *ssa.Store:
		e := stored(instr)
		if sel, ok := x.parent[e].(*ast.SelectorExpr); ok && ast.Expr(sel.Sel) == e {
			e = sel // of a field it is the name alone
		}
		if e == nil || !x.denotes(e, instr.Addr) {
			return nil
		}
		return x.assigned(x.holder(e), nil, e)
	case *ssa.Lookup:
		if e := x.index[instr.Pos()]; e != nil {
			return &written{variable: unparen(e.X), key: e.Index, expr: e, commaOk: instr.CommaOk,
				pos: e.Pos()}
		}
	case *ssa.MapUpdate:
		if e := x.index[instr.Pos()]; e != nil {
			return x.assigned(unparen(e.X), e.Index, e)
		}
	case *ssa.Range:
		if r := x.ranges[instr.Pos()]; r != nil {
			v := unparen(r.X)
			return &written{variable: v, expr: v, pos: v.Pos()}
		}
	case *ssa.Call:
		if x.atomic != compiled.NotAtomic {
			return x.operation(instr)
		}
		if c := x.call[instr.Pos()]; c != nil {
			return x.called(c, instr)
		}
	}
	return nil
}

// load finds the expression that a load reads.
func (x *expresser) load(load *ssa.UnOp) *written {
	e := debugged(load, func(e ast.Expr) bool { return x.denotes(e, load.X) })
	if e == nil {
		return x.ranged(load)
	}
	v := x.holder(e)
	if v == nil {
		return nil
	}
	w := &written{variable: v, expr: v, pos: e.Pos()}
	if index, ok := e.(*ast.IndexExpr); ok && x.op == compiled.ReadInner {
		w.expr = index
	}
	return w
}

// ranged finds the slice of a range statement, whose elements are loaded without an expression.
func (x *expresser) ranged(load *ssa.UnOp) *written {
	addr, ok := load.X.(*ssa.IndexAddr)
	if !ok || addr.Pos().IsValid() && x.index[addr.Pos()] != nil {
		return nil
	}
	over, ok := addr.X.(*ssa.UnOp)
	if !ok {
		return nil
	}
	e := debugged(over, func(e ast.Expr) bool {
		r, ok := x.parent[e].(*ast.RangeStmt)
		return ok && r.X == e && x.denotes(e, over.X)
	})
	if e == nil || !x.in.oneSection(over, load) {
		return nil
	}
	return &written{variable: e, expr: e, pos: e.Pos()}
}

// denotes reports whether an expression is that of the variable at an address.
func (x *expresser) denotes(e ast.Expr, addr ssa.Value) bool {
	switch v := addr.(type) {
	case *ssa.FieldAddr:
		sel, ok := e.(*ast.SelectorExpr)
		if !ok || sel.Sel.Pos() != v.Pos() {
			return false
		}
		field, ok := x.info.Uses[sel.Sel].(*types.Var)
		return ok && fieldOf(v) == field.Origin()
	case *ssa.IndexAddr:
		index, ok := e.(*ast.IndexExpr)
		return ok && index.Lbrack == v.Pos()
	case *ssa.Global:
		if sel, ok := e.(*ast.SelectorExpr); ok {
			return x.info.Uses[sel.Sel] == v.Object()
		}
		id, ok := e.(*ast.Ident)
		return ok && x.info.Uses[id] == v.Object()
	case *ssa.FreeVar, *ssa.Alloc:
		id, ok := e.(*ast.Ident)
		if !ok {
			return false
		}
		obj := x.info.Uses[id]
		return obj != nil && obj.Pos() == v.Pos()
	}
	_, ok := e.(*ast.StarExpr)
	return ok
}

// holder is the variable that an access to an expression belongs to, nil if it isn't known.
func (x *expresser) holder(e ast.Expr) ast.Expr {
	if x.op != compiled.ReadInner && x.op != compiled.WriteInner {
		return e
	}
	var found ast.Expr
	for v := unparen(e); ; {
		switch n := v.(type) {
		case *ast.SelectorExpr:
			if found != nil {
				return found
			}
			if s := x.info.Selections[n]; s == nil || len(s.Index()) != 1 || s.Indirect() {
				return nil
			}
			v = unparen(n.X)
		case *ast.IndexExpr:
			v = unparen(n.X)
			found = v
		default:
			if found == nil {
				return e // an array, whole
			}
			return found
		}
	}
}

// assigned is the write of an assignment to an expression.
func (x *expresser) assigned(v, key, target ast.Expr) *written {
	if v == nil {
		return nil
	}
	var n ast.Node = target
	for {
		p, ok := x.parent[n].(*ast.ParenExpr)
		if !ok {
			break
		}
		n = p
	}
	switch stmt := x.parent[n].(type) {
	case *ast.AssignStmt:
		for _, lhs := range stmt.Lhs {
			if lhs == n {
				return &written{variable: v, key: key, stmt: stmt, pos: target.Pos()}
			}
		}
	case *ast.IncDecStmt:
		return &written{variable: v, key: key, stmt: stmt, pos: target.Pos()}
	}
	return nil
}

// called is the access of a call of a builtin function, or of a container's method.
func (x *expresser) called(c *ast.CallExpr, instr *ssa.Call) *written {
	if _, ok := instr.Call.Value.(*ssa.Builtin); !ok {
		sel, ok := unparen(c.Fun).(*ast.SelectorExpr)
		if !ok {
			return nil
		}
		if s := x.info.Selections[sel]; s == nil || len(s.Index()) != 1 {
			return nil // of an embedded field
		}
		v := unparen(sel.X)
		if !x.denotes(v, x.addr) {
			return nil
		}
		return x.argument(c, v)
	}
	switch x.op {
	case compiled.Len:
		return &written{variable: unparen(c.Args[0]), expr: c, pos: c.Pos()}
	case compiled.Delete:
		w := x.argument(c, unparen(c.Args[0]))
		if w != nil {
			w.key = c.Args[1]
		}
		return w
	case compiled.ReadInner:
		return x.argument(c, sliced(c.Args[len(c.Args)-1]))
	}
	return x.argument(c, sliced(c.Args[0]))
}

// sliced is what a slice expression is of.
func sliced(e ast.Expr) ast.Expr {
	e = unparen(e)
	if s, ok := e.(*ast.SliceExpr); ok {
		return unparen(s.X)
	}
	return e
}

// argument is the access of a call to one of its arguments, or to its receiver.
func (x *expresser) argument(c *ast.CallExpr, v ast.Expr) *written {
	w := &written{variable: v, pos: c.Pos()}
	if !x.isWrite() {
		w.expr = v
		return w
	}
	switch stmt := x.parent[c].(type) {
	case *ast.ExprStmt:
		w.stmt = stmt
	case *ast.AssignStmt:
		w.stmt = stmt
	default:
		return nil
	}
	return w
}

// writable reports whether code that notes the access can be written.
func (x *expresser) writable(w *written) bool {
	if w.variable == nil || !w.pos.IsValid() {
		return false
	}
	tv, ok := x.info.Types[w.variable]
	if !ok || !tv.IsValue() {
		return false
	}
	_, isMap := tv.Type.Underlying().(*types.Map)
	if x.class() == maps && !isMap || x.class() != maps && !tv.Addressable() {
		return false
	}
	if x.class() == elements && (x.addr == nil || !x.denotes(w.variable, x.addr)) {
		return false // the elements have no name of their own: this is another variable's
	}
	if w.stmt != nil {
		return x.repeatable(w)
	}
	if w.commaOk && !x.plainOk(w.expr) {
		return false
	}
	return x.inOrder(w.expr)
}

// plainOk reports whether the second value of a lookup goes to a variable of type bool.
func (x *expresser) plainOk(e ast.Expr) bool {
	var to ast.Expr
	switch p := x.parent[e].(type) {
	case *ast.AssignStmt:
		if len(p.Lhs) != 2 {
			return false
		}
		to = p.Lhs[1]
	case *ast.ValueSpec:
		if len(p.Names) != 2 {
			return false
		}
		to = p.Names[1]
	default:
		return false
	}
	if id, ok := to.(*ast.Ident); ok && id.Name == "_" {
		return true
	}
	t := x.info.TypeOf(to)
	return t != nil && types.Identical(t, types.Typ[types.Bool])
}
