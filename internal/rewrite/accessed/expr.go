// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package accessed

import (
	"go/ast"
	"go/token"
	"go/types"

	"github.com/commutego/commute/internal/engine/compiled"
)

// expr adds what an expression accesses. The variable that it stands for is accessed as k says; if
// that is 0, only its address is taken.
func (u *unit) expr(e ast.Expr, k compiled.AccessKind) {
	switch e := e.(type) {
	case *ast.ParenExpr:
		u.expr(e.X, k)
	case *ast.Ident:
		if v, ok := u.Info.ObjectOf(e).(*types.Var); ok && e.Name != "_" {
			u.variable(v, k)
		}
	case *ast.SelectorExpr:
		u.selector(e, k)
	case *ast.IndexExpr:
		u.index(e, k)
	case *ast.StarExpr:
		if !u.isType(e) {
			u.expr(e.X, compiled.Reads)
			u.unknown(k)
		}
	case *ast.UnaryExpr:
		if e.Op == token.AND {
			u.expr(e.X, 0)
		} else {
			u.expr(e.X, compiled.Reads)
		}
	case *ast.BinaryExpr:
		u.expr(e.X, compiled.Reads)
		u.expr(e.Y, compiled.Reads)
	case *ast.CallExpr:
		u.call(e)
	case *ast.FuncLit:
		u.inside = append(u.inside, e)
		u.unknown(both) // what it captures
	case *ast.CompositeLit:
		u.unknown(both)
		st, _ := under(u.Info.TypeOf(e)).(*types.Struct)
		if st == nil {
			u.unknown(compiled.InMap)
		}
		for _, x := range e.Elts {
			if kv, ok := x.(*ast.KeyValueExpr); ok {
				if st == nil {
					u.expr(kv.Key, compiled.Reads)
				}
				x = kv.Value
			}
			u.expr(x, compiled.Reads)
		}
	case *ast.SliceExpr:
		if _, ok := under(u.Info.TypeOf(e.X)).(*types.Array); ok {
			u.expr(e.X, 0)
		} else {
			u.expr(e.X, compiled.Reads)
		}
		for _, i := range []ast.Expr{e.Low, e.High, e.Max} {
			u.expr(i, compiled.Reads)
		}
	case *ast.TypeAssertExpr:
		u.expr(e.X, compiled.Reads)
		u.unknown(compiled.Reads)
	}
}

// inMap adds an operation on the map that an expression stands for, or on what may be one.
func (u *unit) inMap(e ast.Expr) {
	switch under(u.Info.TypeOf(e)).(type) {
	case *types.Map:
		u.add(compiled.InMap, u.named(e))
	case *types.Interface: // a type parameter
		u.unknown(compiled.InMap)
	}
}

// under is the underlying type, nil for none.
func under(t types.Type) types.Type {
	if t == nil {
		return nil
	}
	return t.Underlying()
}

func (u *unit) isType(e ast.Expr) bool { return u.Info.Types[e].IsType() }

// variable adds an access to a variable that is no field.
func (u *unit) variable(v *types.Var, k compiled.AccessKind) {
	if isGlobal(v) || u.shared[v] {
		u.add(k, u.nameOf(v))
	}
}

// selector adds an access to a field, or to a variable of another package; or it is a method value.
func (u *unit) selector(e *ast.SelectorExpr, k compiled.AccessKind) {
	s := u.Info.Selections[e]
	switch {
	case s == nil:
		if v, ok := u.Info.Uses[e.Sel].(*types.Var); ok {
			u.variable(v, k)
		}
	case s.Kind() == types.FieldVal:
		u.fields(e.X, s.Index(), k)
	case s.Kind() == types.MethodVal: // the value keeps the receiver
		u.receiver(e, s)
		u.unknown(both)
	}
}

// fields adds an access to the field that a path of embedded fields leads to.
func (u *unit) fields(x ast.Expr, path []int, k compiled.AccessKind) {
	owner := u.Info.TypeOf(x)
	local := u.local(x)
	prefix := name{}
	if p, ok := under(owner).(*types.Pointer); ok {
		u.expr(x, compiled.Reads)
		owner, local = p.Elem(), false
	} else {
		u.expr(x, 0)
		prefix = u.named(x)
	}
	for i, n := range path {
		st, ok := under(owner).(*types.Struct)
		if !ok {
			u.unknown(k)
			return
		}
		field := st.Field(n).Origin()
		prefix = fieldName(owner, field, prefix)
		p, pointer := under(st.Field(n).Type()).(*types.Pointer)
		access := k
		if i < len(path)-1 {
			access = 0
			if pointer {
				access = compiled.Reads
			}
		}
		if !local {
			u.add(access, prefix)
		}
		if owner = st.Field(n).Type(); i < len(path)-1 && pointer {
			owner, local, prefix = p.Elem(), false, name{}
		}
	}
}

// fieldName names a field by the type that it belongs to, if that has a name, or else by what it is
// a part of.
func fieldName(owner types.Type, field *types.Var, of name) name {
	if named, ok := types.Unalias(owner).(*types.Named); ok {
		return name{named.Origin().Obj().Name() + "." + field.Name(), field.Pos()}
	}
	if of.text == "" {
		return name{}
	}
	return name{of.text + "." + field.Name(), field.Pos()}
}

// named is the name of a variable or field that an expression stands for, if it has one.
func (u *unit) named(e ast.Expr) name {
	switch e := ast.Unparen(e).(type) {
	case *ast.Ident:
		if v, ok := u.Info.ObjectOf(e).(*types.Var); ok {
			return u.nameOf(v)
		}
	case *ast.SelectorExpr:
		s := u.Info.Selections[e]
		if s == nil {
			if v, ok := u.Info.Uses[e.Sel].(*types.Var); ok {
				return u.nameOf(v)
			}
			return name{}
		}
		field, ok := s.Obj().(*types.Var)
		if !ok || len(s.Index()) != 1 {
			return name{}
		}
		owner, prefix := u.Info.TypeOf(e.X), name{}
		if p, ok := under(owner).(*types.Pointer); ok {
			owner = p.Elem()
		} else {
			prefix = u.named(e.X)
		}
		return fieldName(owner, field.Origin(), prefix)
	}
	return name{}
}

// index adds an access to an element.
func (u *unit) index(e *ast.IndexExpr, k compiled.AccessKind) {
	t := under(u.Info.TypeOf(e.X))
	switch t.(type) {
	case nil, *types.Signature:
		return // an instance of a generic function or type
	case *types.Array:
		u.expr(e.X, k)
	case *types.Map:
		u.expr(e.X, compiled.Reads)
		u.unknown(k | compiled.Reads)
		u.inMap(e.X)
	case *types.Slice, *types.Pointer:
		u.expr(e.X, compiled.Reads)
		u.unknown(k)
	default: // a string, or a type parameter
		u.expr(e.X, compiled.Reads|k)
		u.unknown(compiled.Reads | k)
		u.inMap(e.X)
	}
	u.expr(e.Index, compiled.Reads)
}
