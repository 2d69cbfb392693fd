// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package accessed

import (
	"go/ast"
	"go/token"
	"go/types"

	"github.com/commutego/commute/internal/engine/compiled"
)

// call adds what a call accesses.
func (u *unit) call(e *ast.CallExpr) {
	fun := ast.Unparen(e.Fun)
	if tv := u.Info.Types[fun]; tv.IsType() {
		u.reads(e.Args)
		switch under(tv.Type).(type) {
		case *types.Slice, *types.Array, *types.Struct, *types.Basic:
			u.unknown(compiled.Reads)
		}
		return
	} else if tv.IsBuiltin() {
		u.builtin(fun, e)
		return
	}
	u.atomic(fun, e)
	sel, ok := fun.(*ast.SelectorExpr)
	if s := u.Info.Selections[sel]; ok && s != nil && s.Kind() == types.MethodVal {
		u.receiver(sel, s)
	} else {
		u.expr(fun, compiled.Reads)
	}
	u.reads(e.Args)
	if sig, ok := under(u.Info.TypeOf(fun)).(*types.Signature); ok && sig.Variadic() &&
		!e.Ellipsis.IsValid() {
		u.unknown(compiled.Writes) // the slice of the last arguments
	}
}

// builtin adds what a call of one of the language's functions accesses. The elements of slices and
// maps have no names, nor has the length of a map or channel.
func (u *unit) builtin(fun ast.Expr, e *ast.CallExpr) {
	for _, a := range e.Args {
		if !u.isType(a) {
			u.expr(a, compiled.Reads)
		}
	}
	id, ok := fun.(*ast.Ident)
	switch {
	case !ok: // of package unsafe
		u.unknown(both)
	case id.Name == "len" || id.Name == "cap":
		switch under(u.Info.TypeOf(e.Args[0])).(type) {
		case *types.Slice, *types.Basic, *types.Array:
		default:
			u.unknown(compiled.Reads)
		}
	case id.Name == "append": // the library reads elements
		u.unknown(compiled.Writes)
	case id.Name == "min" || id.Name == "max" || id.Name == "panic" || id.Name == "recover":
	case id.Name == "delete" || id.Name == "clear":
		u.unknown(both)
		u.inMap(e.Args[0])
	default:
		u.unknown(both)
	}
}

// receiver adds what is accessed to get the receiver of a method.
func (u *unit) receiver(e *ast.SelectorExpr, s *types.Selection) {
	path := s.Index()[:len(s.Index())-1]
	m, _ := s.Obj().(*types.Func)
	sig, ok := m.Type().(*types.Signature)
	if !ok || sig.Recv() == nil {
		u.expr(e.X, compiled.Reads)
		u.unknown(compiled.Reads)
		return
	}
	_, byPointer := under(sig.Recv().Type()).(*types.Pointer)
	t := u.Info.TypeOf(e.X)
	for _, i := range path {
		if p, ok := under(t).(*types.Pointer); ok {
			t = p.Elem()
		}
		if st, ok := under(t).(*types.Struct); ok {
			t = st.Field(i).Type()
		}
	}
	_, isPointer := under(t).(*types.Pointer)
	k := compiled.Reads
	if byPointer && !isPointer {
		k = 0
	}
	if isPointer && !byPointer {
		u.unknown(compiled.Reads) // what it points to is copied
	}
	if len(path) == 0 {
		u.expr(e.X, k)
	} else {
		u.fields(e.X, path, k)
	}
}

// atomic adds the variable that a call of package sync/atomic is about.
func (u *unit) atomic(fun ast.Expr, e *ast.CallExpr) {
	sel, ok := fun.(*ast.SelectorExpr)
	if !ok {
		return
	}
	f, ok := u.Info.Uses[sel.Sel].(*types.Func)
	if !ok || f.Pkg() == nil || f.Pkg().Path() != "sync/atomic" {
		return
	}
	of := sel.X
	if s := u.Info.Selections[sel]; s == nil {
		addr := ast.Expr(nil)
		if len(e.Args) > 0 {
			addr = ast.Unparen(e.Args[0])
		}
		a, ok := addr.(*ast.UnaryExpr)
		if !ok || a.Op != token.AND {
			u.unknown(compiled.Atomically)
			return
		}
		of = a.X
	} else if _, ok := under(u.Info.TypeOf(of)).(*types.Pointer); ok || len(s.Index()) != 1 {
		u.unknown(compiled.Atomically)
		return
	}
	u.expr(of, compiled.Atomically)
}
