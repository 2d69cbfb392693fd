// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package section

import (
	"go/token"
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// A name says what a variable is, by its type: each field f of all values of type T is T.f.
type name struct {
	path string // the package, with what qualifies a variable of a function
	text string // for a report
	decl token.Pos
	obj  *types.Var // of a field
}

// full is the name with its package.
func (n name) full() string { return n.path + "." + n.text }

// nameOf names the variable at an address.
func (p *program) nameOf(addr ssa.Value) name {
	switch v := addr.(type) {
	case *ssa.FieldAddr:
		return p.fieldName(v)
	case *ssa.Global:
		return name{v.Pkg.Pkg.Path(), v.Name(), v.Pos(), nil}
	case *ssa.FreeVar:
		return name{p.pkg.Path() + "." + declared(v.Parent()), v.Name(), v.Pos(), nil}
	case *ssa.Alloc:
		return name{p.pkg.Path() + "." + declared(v.Parent()), v.Comment, v.Pos(), nil}
	case *ssa.IndexAddr:
		n := p.valueName(v.X)
		n.text += "[]"
		return n
	}
	if t, ok := addr.Type().Underlying().(*types.Pointer); ok {
		return p.typeName(t.Elem())
	}
	return p.typeName(addr.Type())
}

// declared is the name of the declared function that a literal is in.
func declared(fn *ssa.Function) string {
	for fn.Parent() != nil {
		fn = fn.Parent()
	}
	return fn.Name()
}

// fieldName names a field: by the type that it belongs to, if that has a name.
func (p *program) fieldName(v *ssa.FieldAddr) name {
	elem := v.X.Type().Underlying().(*types.Pointer).Elem()
	st, ok := elem.Underlying().(*types.Struct)
	if !ok {
		return p.typeName(elem)
	}
	field := st.Field(v.Field).Origin()
	var n name
	if named, ok := types.Unalias(elem).(*types.Named); ok {
		n = p.typeName(named)
	} else {
		n = p.nameOf(v.X)
	}
	n.text += "." + field.Name()
	n.decl = field.Pos()
	n.obj = field
	return n
}

// typeName is the name of a type; that of an unnamed type is how it is written.
func (p *program) typeName(t types.Type) name {
	if ptr, ok := types.Unalias(t).(*types.Pointer); ok {
		t = ptr.Elem()
	}
	if named, ok := types.Unalias(t).(*types.Named); ok {
		obj := named.Origin().Obj()
		path := ""
		if obj.Pkg() != nil {
			path = obj.Pkg().Path()
		}
		return name{path, obj.Name(), obj.Pos(), nil}
	}
	text := types.TypeString(t, func(pkg *types.Package) string { return pkg.Name() })
	if i := strings.IndexAny(text, "{\n"); i >= 0 {
		text = text[:i]
	}
	return name{p.pkg.Path(), text, token.NoPos, nil}
}

// valueName names a map, slice or pointer: by the variable that it was read from, if there is one.
func (p *program) valueName(v ssa.Value) name {
	switch v := v.(type) {
	case *ssa.UnOp:
		if v.Op == token.MUL {
			return p.nameOf(v.X)
		}
	case *ssa.FieldAddr, *ssa.Global, *ssa.FreeVar, *ssa.Alloc:
		return p.nameOf(v)
	case *ssa.Lookup:
		n := p.valueName(v.X)
		n.text += "[]"
		return n
	case *ssa.Extract:
		if lookup, ok := v.Tuple.(*ssa.Lookup); ok && v.Index == 0 {
			return p.valueName(lookup)
		}
	case *ssa.ChangeType:
		return p.valueName(v.X)
	}
	return p.typeName(v.Type())
}
