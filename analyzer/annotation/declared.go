// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package annotation

import (
	"go/ast"
	"go/token"

	"github.com/commutego/commute/internal/rewrite/instrument"
)

// declarations are what a package declares, by name.
type declarations struct {
	types     map[string]*ast.TypeSpec
	methods   map[string]map[string]*ast.FuncDecl // by the names of their types
	functions map[string]*ast.FuncDecl
	vars      map[string]bool
	consts    map[string]bool
}

// declarationsOf collects the declarations of files.
func declarationsOf(files []*ast.File) declarations {
	d := declarations{
		types:     make(map[string]*ast.TypeSpec),
		methods:   make(map[string]map[string]*ast.FuncDecl),
		functions: make(map[string]*ast.FuncDecl),
		vars:      make(map[string]bool),
		consts:    make(map[string]bool),
	}
	for _, file := range files {
		for _, decl := range file.Decls {
			switch decl := decl.(type) {
			case *ast.FuncDecl:
				d.function(decl)
			case *ast.GenDecl:
				d.general(decl)
			}
		}
	}
	return d
}

// function adds a function or method.
func (d *declarations) function(fn *ast.FuncDecl) {
	if fn.Recv == nil {
		d.functions[fn.Name.Name] = fn
		return
	}
	name, _ := instrument.Receiver(fn)
	if d.methods[name] == nil {
		d.methods[name] = make(map[string]*ast.FuncDecl)
	}
	d.methods[name][fn.Name.Name] = fn
}

// general adds types, variables or constants.
func (d *declarations) general(gen *ast.GenDecl) {
	for _, spec := range gen.Specs {
		switch s := spec.(type) {
		case *ast.TypeSpec:
			d.types[s.Name.Name] = s
		case *ast.ValueSpec:
			for _, name := range s.Names {
				if gen.Tok == token.CONST {
					d.consts[name.Name] = true
				} else {
					d.vars[name.Name] = true
				}
			}
		}
	}
}

// iface returns the interface that a type is declared as, nil if it is no interface.
func (d *declarations) iface(name string) *ast.InterfaceType {
	t := d.types[name]
	if t == nil {
		return nil
	}
	i, _ := ast.Unparen(t.Type).(*ast.InterfaceType)
	return i
}

// interfaceMethods are the methods that an interface lists itself, and whether it embeds others.
func interfaceMethods(i *ast.InterfaceType) (methods map[string]*ast.FuncDecl, embeds bool) {
	methods = make(map[string]*ast.FuncDecl)
	for _, field := range i.Methods.List {
		t, ok := field.Type.(*ast.FuncType)
		if !ok {
			embeds = true
			continue
		}
		for _, name := range field.Names {
			methods[name.Name] = &ast.FuncDecl{Name: name, Type: t}
		}
	}
	return methods, embeds
}

// field follows a path of fields through types that are declared in the package, to the last one's
// type.
func (d *declarations) field(t *ast.TypeSpec, path []string) ast.Expr {
	e := t.Type
	for _, name := range path {
		s := d.structure(e)
		if s == nil {
			return nil
		}
		if e = fieldOf(s, name); e == nil {
			return nil
		}
	}
	return e
}

// structure is the struct type that an expression stands for, nil if it is none that can be seen.
func (d *declarations) structure(e ast.Expr) *ast.StructType {
	for range len(d.types) + 1 {
		switch x := ast.Unparen(e).(type) {
		case *ast.StructType:
			return x
		case *ast.IndexExpr:
			e = x.X
		case *ast.IndexListExpr:
			e = x.X
		case *ast.Ident:
			t := d.types[x.Name]
			if t == nil {
				return nil
			}
			e = t.Type
		default:
			return nil
		}
	}
	return nil
}

// fieldOf is the type of a struct's field, nil if there is none of that name.
func fieldOf(s *ast.StructType, name string) ast.Expr {
	for _, f := range s.Fields.List {
		for _, n := range f.Names {
			if n.Name == name {
				return f.Type
			}
		}
		if len(f.Names) == 0 && embedded(f.Type) == name {
			return f.Type
		}
	}
	return nil
}

// embedded is the name of an embedded field.
func embedded(e ast.Expr) string {
	switch x := ast.Unparen(e).(type) {
	case *ast.StarExpr:
		return embedded(x.X)
	case *ast.IndexExpr:
		return embedded(x.X)
	case *ast.IndexListExpr:
		return embedded(x.X)
	case *ast.SelectorExpr:
		return x.Sel.Name
	case *ast.Ident:
		return x.Name
	}
	return ""
}
