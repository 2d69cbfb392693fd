// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package directive

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"github.com/commutego/commute/ecl"
	"github.com/commutego/commute/internal/rewrite/instrument"
)

// A Type is a type whose calls are watched.
type Type struct {
	Package string   // import path
	Name    string   // of the type
	Methods []string // those with a specification
	Asked   []string // those of which it matters whether their result is used
	// what is watched are not these methods, but their twins (instrument.WrapperPrefix)
	Twin bool
}

// TypeOf is the type of a specification.
func TypeOf(spec *ecl.Spec) Type {
	t := Type{Package: spec.Path, Name: spec.Name}
	for _, m := range spec.Methods {
		t.Methods = append(t.Methods, m.Name)
	}
	for _, a := range spec.Also {
		for _, c := range a.Conds {
			if c.Kind == ecl.FirstUnused || c.Kind == ecl.SecondUnused {
				t.Asked = append(t.Asked, a.M[c.Kind-ecl.FirstUnused].Name)
			}
		}
	}
	return t
}

// mentions reports, without parsing, whether source text can call a method of t.
func (t Type) mentions(text string) bool {
	for _, m := range t.Methods {
		if strings.Contains(text, m+"(") {
			return true
		}
	}
	return false
}

// A Site is a call of a watched method.
type Site struct {
	Call   *ast.CallExpr
	Method string
	Type   *types.TypeName // that has the method
	// Object is the variable or field that the receiver is, or nil.
	Object types.Object
	Kind   string
	Name   string // of the declaration, as declarations have it
	Unused bool   // the call's result is not used, which may matter
	Twin   bool   // a call of the method's twin is to take its place
}

// A Finder finds sites in a package.
type Finder struct {
	Types []Type
	Info  *types.Info
	Pkg   *types.Package
	decls map[token.Pos]declaration // by the position of the name
}

// Needed reports whether a package of these files has to be type-checked.
func Needed(watched []Type, files []string) bool {
	for _, t := range watched {
		imports, mentions := t.Twin, false // a field of another package's type will do
		for _, text := range files {
			imports = imports || strings.Contains(text, "\""+t.Package+"\"")
			mentions = mentions || t.mentions(text)
		}
		if imports && mentions {
			return true
		}
	}
	return false
}

// Sites returns the calls in files of the watched types' methods. It leaves out calls that the type
// checker could not resolve.
func (f *Finder) Sites(files []*ast.File) []Site {
	f.decls = make(map[token.Pos]declaration)
	for _, file := range files {
		for _, d := range declarations(file) {
			if _, ok := f.decls[d.Ident.Pos()]; !ok {
				f.decls[d.Ident.Pos()] = d
			}
		}
	}
	var sites []Site
	for _, file := range files {
		unused := make(map[ast.Expr]bool)
		ast.Inspect(file, func(n ast.Node) bool {
			if e := ignored(n); e != nil {
				unused[ast.Unparen(e)] = true
			}
			if call, ok := n.(*ast.CallExpr); ok {
				if site, ok := f.site(call); ok {
					site.Unused = site.Unused && unused[call]
					sites = append(sites, site)
				}
			}
			return true
		})
	}
	return sites
}

// ignored returns the expression whose values a statement does not use, if it is one that doesn't.
func ignored(n ast.Node) ast.Expr {
	switch n := n.(type) {
	case *ast.ExprStmt:
		return n.X
	case *ast.GoStmt:
		return n.Call
	case *ast.DeferStmt:
		return n.Call
	case *ast.AssignStmt:
		for _, x := range n.Lhs {
			if id, ok := x.(*ast.Ident); !ok || id.Name != "_" {
				return nil
			}
		}
		if len(n.Rhs) == 1 {
			return n.Rhs[0]
		}
	}
	return nil
}

// site returns what is known of call if it calls a watched method: Unused says that it may matter.
func (f *Finder) site(call *ast.CallExpr) (Site, bool) {
	sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr)
	if !ok {
		return Site{}, false
	}
	selection := f.Info.Selections[sel]
	if selection == nil || selection.Kind() != types.MethodVal {
		return Site{}, false
	}
	typ, how, ok := f.watched(selection.Obj())
	if !ok {
		return Site{}, false
	}
	obj := receiver(f.Info, sel.X)
	if field := promoted(selection); field != nil && (field.Pkg() == f.Pkg || !isOwn(obj, f.Pkg)) {
		obj = field // of what another package has embedded in a field, the field says more
	}
	site := Site{Call: call, Method: sel.Sel.Name, Type: typ, Object: obj, Kind: other,
		Unused: how.asked, Twin: how.twin}
	if obj != nil {
		site.Kind, site.Name = f.describe(obj)
	}
	return site, true
}

// how says in which way a method is watched.
type how struct {
	asked bool // it may matter whether its result is used
	twin  bool // through its twin
}

// watched reports whether obj is a method of a watched type, and of which.
func (f *Finder) watched(obj types.Object) (typ *types.TypeName, h how, ok bool) {
	fn, ok := obj.(*types.Func)
	if !ok {
		return nil, h, false
	}
	recv := fn.Signature().Recv()
	if recv == nil {
		return nil, h, false
	}
	named := namedOf(recv.Type())
	if named == nil || named.Obj().Pkg() == nil {
		return nil, h, false
	}
	typ = named.Obj()
	for _, t := range f.Types {
		if t.Name == typ.Name() && t.Package == typ.Pkg().Path() &&
			slices.Contains(t.Methods, fn.Name()) {
			h = how{slices.Contains(t.Asked, fn.Name()), t.Twin}
			return typ, h, !t.Twin || instrumented(named, instrument.WrapperPrefix, fn.Name())
		}
	}
	// its specification is not known here
	return typ, how{asked: true}, instrumented(named, instrument.Prefix, fn.Name())
}

// instrumented reports whether a method of a type has been instrumented, where the type's package
// was compiled, so that there is another with a prefix; "": any method.
func instrumented(named *types.Named, prefix, method string) bool {
	for m := range named.Origin().Methods() {
		if name, ok := strings.CutPrefix(m.Name(), prefix); ok && (method == "" || name == method) {
			return true
		}
	}
	return false
}

func namedOf(t types.Type) *types.Named {
	t = types.Unalias(t)
	if p, ok := t.(*types.Pointer); ok {
		t = types.Unalias(p.Elem())
	}
	named, _ := t.(*types.Named)
	return named
}

// promoted returns the last field on the way to a method that embedding promotes.
func promoted(s *types.Selection) types.Object {
	var field *types.Var
	t := s.Recv()
	for _, i := range s.Index()[:len(s.Index())-1] {
		t = types.Unalias(t)
		if p, ok := t.Underlying().(*types.Pointer); ok {
			t = p.Elem()
		}
		st, ok := t.Underlying().(*types.Struct)
		if !ok {
			return nil
		}
		field = st.Field(i)
		t = field.Type()
	}
	if field == nil {
		return nil // not: a nil *types.Var in an interface
	}
	return field
}

// isOwn reports whether an object is a field that a package declares, or one of its variables.
func isOwn(obj types.Object, pkg *types.Package) bool {
	v, ok := obj.(*types.Var)
	return ok && v.Pkg() == pkg && (v.IsField() || v.Parent() == pkg.Scope())
}

// receiver returns the variable or the field that an expression denotes, or
// that it takes an element, the address or the target of.
func receiver(info *types.Info, e ast.Expr) types.Object {
	for {
		switch x := ast.Unparen(e).(type) {
		case *ast.Ident:
			if v, ok := info.Uses[x].(*types.Var); ok {
				return v
			}
			return nil
		case *ast.SelectorExpr:
			if v, ok := info.Uses[x.Sel].(*types.Var); ok {
				return v
			}
			return nil
		case *ast.StarExpr:
			e = x.X
		case *ast.UnaryExpr:
			if x.Op != token.AND {
				return nil
			}
			e = x.X
		case *ast.IndexExpr:
			e = x.X
		default:
			return nil
		}
	}
}

// describe names the declaration of a variable or field.
func (f *Finder) describe(obj types.Object) (kind, name string) {
	v := obj.(*types.Var).Origin()
	if d, ok := f.decls[v.Pos()]; ok && v.Pkg() == f.Pkg {
		return d.Kind, d.Name
	}
	if !v.IsField() {
		if v.Pkg() != nil && v.Parent() == v.Pkg().Scope() {
			return globalVar, v.Name()
		}
		return localVar, v.Name() // in a clause that declares it by itself, as in a type switch
	}
	if v.Pkg() != nil {
		scope := v.Pkg().Scope()
		for _, name := range scope.Names() {
			switch obj := scope.Lookup(name).(type) {
			case *types.TypeName, *types.Var:
				if _, ok := obj.(*types.Var); ok && namedOf(obj.Type()) != nil {
					continue // the field is its type's
				}
				if path := fieldPath(obj.Type(), v, 0); path != "" {
					return structField, name + path
				}
			}
		}
	}
	return structField, v.Name()
}

// fieldPath returns how field is reached from a value of type t without
// passing another named type: ".inner.cache", or "".
func fieldPath(t types.Type, field *types.Var, depth int) string {
	if depth > 4 {
		return ""
	}
	if named, ok := t.(*types.Named); ok {
		if depth > 0 {
			return ""
		}
		t = named.Underlying()
	}
	switch t := t.(type) {
	case *types.Pointer:
		return fieldPath(t.Elem(), field, depth+1)
	case *types.Struct:
		for i := range t.NumFields() {
			f := t.Field(i)
			if f == field {
				return "." + f.Name()
			}
			if path := fieldPath(f.Type(), field, depth+1); path != "" {
				return "." + f.Name() + path
			}
		}
	}
	return ""
}
