// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package main

import (
	"errors"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"github.com/commutego/commute/analyzer/section"
	"github.com/commutego/commute/internal/rewrite/instrument"
	"golang.org/x/tools/go/packages"
)

// load reads one package with its types. The types of others come from export data.
func load(pattern string) (*packages.Package, error) {
	list, err := packages.Load(&packages.Config{
		Mode: packages.NeedName | packages.NeedFiles | packages.NeedCompiledGoFiles |
			packages.NeedSyntax | packages.NeedTypes | packages.NeedTypesInfo |
			packages.NeedModule | packages.NeedImports,
	}, pattern)
	switch {
	case err != nil:
		return nil, err
	case len(list) != 1:
		return nil, fmt.Errorf("%s is not one package, but %d", pattern, len(list))
	case len(list[0].Errors) > 0:
		return nil, errors.New(strings.TrimPrefix(list[0].Errors[0].Error(), "-: "))
	}
	return list[0], nil
}

// A skeleton has the parts of a type that can be specified.
type skeleton struct {
	header  string // of a file, if the directives cannot stand in the type's doc comment
	name    string
	path    string // of the package
	methods []sketch
	left    []omission
	derived *derivation        // nil if the code was not looked at
	always  map[[2]string]bool // pairs whose calls have always commuted
	weaker  map[[2]string]int  // how often a formula was refuted
	refuted []refutation
	outcome string   // of the test, a sentence
	making  []string // directives that say how objects and values are made for tests
}

// An omission is exported methods that are left out, and why.
type omission struct {
	why     string
	methods []string
}

// A sketch is a method with names for all of its values.
type sketch struct {
	name            string
	params, results []string
	callback        string
	observer        bool            // by its name, and it doesn't plainly change anything
	arbiter         bool            // by its name
	key             types.Type      // of the first parameter, if that's likely to be a key
	types           []types.Type    // of the parameters
	code            *section.Method // what its code says, nil if that is not known
}

// newSkeleton finds the exported methods of a type, with those that have to be left out, and their
// keys.
func newSkeleton(p *packages.Package, name string) (*skeleton, error) {
	obj, ok := p.Types.Scope().Lookup(name).(*types.TypeName)
	if !ok {
		return nil, fmt.Errorf("package %s has no type %s", p.PkgPath, name)
	}
	if obj.IsAlias() {
		return nil, fmt.Errorf("%s is an alias (draft the type that it stands for)", name)
	}
	s := &skeleton{name: name, path: p.PkgPath}
	if p.Module == nil || !p.Module.Main {
		s.header = "//ecl:type " + p.PkgPath + "." + name
	}
	if it, ok := obj.Type().Underlying().(*types.Interface); ok {
		s.abstract(it)
	} else {
		s.declared(p.Syntax, name)
		s.promoted(obj.Type())
	}
	s.keys(obj)
	if len(s.methods) == 0 {
		var why []string
		for _, o := range s.left {
			why = append(why, strings.Join(o.methods, ", ")+": "+o.why)
		}
		return nil, fmt.Errorf("type %s has no exported method that can be specified%s", name,
			strings.TrimSuffix(" ("+strings.Join(why, "; ")+")", " ()"))
	}
	return s, nil
}

// keys finds the types of the methods' keys.
func (s *skeleton) keys(obj *types.TypeName) {
	t := obj.Type()
	if named, ok := t.(*types.Named); ok && named.TypeParams().Len() > 0 {
		// Each method has names of its own for the type's parameters.
		var own []types.Type
		for p := range named.TypeParams().TypeParams() {
			own = append(own, p)
		}
		if inst, err := types.Instantiate(nil, named, own, false); err == nil {
			t = inst
		}
	}
	for i, m := range s.methods {
		found, _, _ := types.LookupFieldOrMethod(t, true, obj.Pkg(), m.name)
		fn, ok := found.(*types.Func)
		if !ok {
			continue
		}
		params := fn.Signature().Params()
		for v := range params.Variables() {
			s.methods[i].types = append(s.methods[i].types, v.Type())
		}
		if n := params.Len(); n == 0 || n == 1 && fn.Signature().Variadic() || m.params[0] == "_" {
			continue
		}
		if key := params.At(0).Type(); isKey(key) {
			s.methods[i].key = key
		}
	}
}

// abstract adds the methods of an interface.
func (s *skeleton) abstract(it *types.Interface) {
	for m := range it.Methods() {
		if !m.Exported() {
			continue
		}
		list := func(tuple *types.Tuple) (vs []sketched) {
			for v := range tuple.Variables() {
				_, isFunc := v.Type().(*types.Signature)
				vs = append(vs, sketched{v.Name(), types.TypeString(v.Type(), nil), isFunc})
			}
			return vs
		}
		s.add(m.Name(), list(m.Signature().Params()), list(m.Signature().Results()), false)
	}
}

// declared adds the methods that files declare for a type.
func (s *skeleton) declared(files []*ast.File, name string) {
	shared := reference(files, name)
	for _, file := range files {
		for _, decl := range file.Decls {
			fn, ok := decl.(*ast.FuncDecl)
			if !ok || !fn.Name.IsExported() {
				continue
			}
			base, pointer := instrument.Receiver(fn)
			switch {
			case base != name:
			case !pointer && !shared:
				s.leave(fn.Name.Name,
					"a value receiver; //ecl:identity can say which field all copies share")
			case fn.Body == nil:
				s.leave(fn.Name.Name, "no body in Go")
			case recovers(fn.Body):
				s.leave(fn.Name.Name, "a call of recover")
			default:
				s.add(fn.Name.Name, sketchedOf(fn.Type.Params),
					sketchedOf(fn.Type.Results), writes(fn))
			}
		}
	}
}

// reference reports whether copies of a type's values share what they refer to.
func reference(files []*ast.File, name string) (found bool) {
	for _, file := range files {
		for _, decl := range file.Decls {
			gen, ok := decl.(*ast.GenDecl)
			if !ok || gen.Tok != token.TYPE {
				continue
			}
			for _, spec := range gen.Specs {
				t := spec.(*ast.TypeSpec)
				found = found || t.Name.Name == name && instrument.Reference(t.Type) != ""
			}
		}
	}
	return found
}

// promoted names the methods that a type has from its embedded fields.
func (s *skeleton) promoted(t types.Type) {
	set := types.NewMethodSet(types.NewPointer(t))
	for sel := range set.Methods() {
		if len(sel.Index()) > 1 && sel.Obj().Exported() {
			s.leave(sel.Obj().Name(),
				"promoted from an embedded field, at whose type it is specified")
		}
	}
}

func (s *skeleton) leave(method, why string) {
	for i, o := range s.left {
		if o.why == why {
			s.left[i].methods = append(o.methods, method)
			return
		}
	}
	s.left = append(s.left, omission{why, []string{method}})
}

// A sketched is a parameter or result as it is declared.
type sketched struct {
	name, typ string
	isFunc    bool
}

// sketchedOf lists parameters or results, one for each name.
func sketchedOf(fields *ast.FieldList) (vs []sketched) {
	if fields == nil {
		return nil
	}
	for _, f := range fields.List {
		_, isFunc := ast.Unparen(f.Type).(*ast.FuncType)
		v := sketched{typ: types.ExprString(f.Type), isFunc: isFunc}
		for _, id := range f.Names {
			v.name = id.Name
			vs = append(vs, v)
		}
		if len(f.Names) == 0 {
			vs = append(vs, v)
		}
	}
	return vs
}

// add names the values of a method: parameters and results by their own names, unnamed results by
// their types.
func (s *skeleton) add(method string, params, results []sketched, writes bool) {
	m := sketch{name: method, observer: !writes && observes(method)}
	m.arbiter = arbitrates(method) || observes(method) && writes // it counts its calls, say
	taken := map[string]bool{"nil": true, "true": true, "false": true, "len": true}
	for _, v := range slices.Concat(params, results) {
		taken[v.name] = taken[v.name] || v.name != "_" && v.name != ""
	}
	for _, p := range params {
		m.params = append(m.params, sketchedName(p.name, taken))
		if !p.isFunc {
			continue
		}
		if m.callback != "" {
			s.leave(method, "more than one parameter that is a function")
			return
		}
		if p.name == "_" {
			m.params[len(m.params)-1] = unique("f", taken)
		}
		m.callback = m.params[len(m.params)-1]
	}
	for _, r := range results {
		if r.name == "" {
			short := map[string]string{"bool": "ok", "error": "err", "int": "n"}
			r.name = unique(short[r.typ], taken)
		}
		m.results = append(m.results, sketchedName(r.name, taken))
	}
	s.methods = append(s.methods, m)
}

func sketchedName(name string, taken map[string]bool) string {
	switch name {
	case "":
		return unique("x", taken)
	case "_":
		return "_"
	case "nil", "true", "false", "len": // no variable of a formula
		return unique(name+"x", taken)
	}
	return name
}

// unique is name, or r if that is empty, with letters added until it isn't taken.
func unique(name string, taken map[string]bool) string {
	if name == "" {
		name = "r"
	}
	for taken[name] {
		name += "x"
	}
	taken[name] = true
	return name
}

// observes reports whether a method's name is usual for methods that change nothing.
func observes(method string) bool {
	for _, prefix := range []string{"Get", "Has", "Len", "Size", "Count", "Cap", "Load", "Contains",
		"Range", "Keys", "Values",
		"All", "Each", "Items", "Is", "Peek", "Front", "Back", "First", "Last", "Min", "Max",
		"Find", "Lookup", "Empty", "Exists", "String", "Snapshot"} {
		rest, ok := strings.CutPrefix(method, prefix)
		if ok && (rest == "" || !('a' <= rest[0] && rest[0] <= 'z')) &&
			!strings.Contains(rest, "Or") && !strings.Contains(rest, "And") {
			return true
		}
	}
	return false
}
