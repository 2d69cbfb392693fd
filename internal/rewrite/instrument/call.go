// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package instrument

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"strings"

	"github.com/commutego/commute/internal/toolchain/load"
)

// call writes the call of the original, or the expression that has the shadow results. Its results
// go to the wrapper's named results, so that a deferred commute_end and the caller see the same.
func (w *wrapper) call(b *bytes.Buffer, decls map[string]decl) error {
	var names []string
	for _, r := range w.results {
		names = append(names, r.name)
	}
	assign := strings.Join(names, ", ")
	switch {
	case len(names) == 0:
	case len(names) > w.real && w.real == 0:
		assign += " := "
	case len(names) > w.real:
		// Shadow and real results together: the real ones are declared already.
		return w.mixed(b, decls, names)
	default:
		assign += " = "
	}
	if w.m.Shadow != "" {
		x, err := w.shadow(decls)
		if err != nil {
			return err
		}
		fmt.Fprintf(b, "%s%s\n", assign, x)
		return nil
	}
	var args []string
	for i, p := range w.params {
		a := p.name
		if w.m.Callback != "" && w.m.Params[i] == w.m.Callback {
			c, err := w.callback(p)
			if err != nil {
				return err
			}
			fmt.Fprintf(b, "commute_f := %s\nif %s != nil {\ncommute_f = %s\n}\n",
				p.name, p.name, c)
			a = "commute_f"
		}
		if _, ok := p.typ.(*ast.Ellipsis); ok {
			a += "..."
		}
		args = append(args, a)
	}
	fmt.Fprintf(b, "%s%s(%s)\n", assign, w.target(w.g.original(w.m.Name)), strings.Join(args, ", "))
	return nil
}

// mixed takes shadow and real results into fresh variables first: the real ones are declared, and
// := would declare them anew.
func (w *wrapper) mixed(b *bytes.Buffer, decls map[string]decl, names []string) error {
	x, err := w.shadow(decls)
	if err != nil {
		return err
	}
	fresh := append([]string(nil), names...)
	for i := range w.real {
		fresh[i] = fmt.Sprintf("commute_t%d", i)
	}
	fmt.Fprintf(b, "%s := %s\n%s = %s\n", strings.Join(fresh, ", "), x, strings.Join(names[:w.real],
		", "), strings.Join(fresh[:w.real], ", "))
	return nil
}

// shadow rewrites the expression of the specification. Its variables become the wrapper's, and
// calls of methods by their bare names become calls on the receiver. Line directives make the
// compiler's errors point to the specification.
func (w *wrapper) shadow(decls map[string]decl) (string, error) {
	e, err := parser.ParseExpr(w.m.Shadow)
	if err != nil {
		return "", fmt.Errorf("its shadow expression: %w", err)
	}
	called := map[token.Pos]string{}
	ast.Inspect(e, func(n ast.Node) bool {
		if c, ok := n.(*ast.CallExpr); ok {
			if id, ok := c.Fun.(*ast.Ident); ok {
				if _, ok := decls[id.Name]; ok {
					called[id.Pos()] = id.Name
				}
			}
		}
		return true
	})
	var b strings.Builder
	last := 0
	ast.Inspect(e, func(n ast.Node) bool {
		id, ok := n.(*ast.Ident)
		if !ok {
			return true
		}
		off := int(id.Pos()) - 1
		b.WriteString(w.m.Shadow[last:off])
		last = off + len(id.Name)
		switch {
		case called[id.Pos()] != "":
			if w.recv != "" {
				b.WriteString(w.recv + ".")
			}
			b.WriteString(w.original(id.Name))
		default:
			b.WriteString(w.rename(id.Name, w.params))
		}
		return true
	})
	b.WriteString(w.m.Shadow[last:])
	return fmt.Sprintf("/*line %s*/ %s /*line commute/specs/%s.go:1:1*/", w.m.Pos, b.String(),
		w.g.path), nil
}

// target is the expression that is called: a method of the receiver, or a function.
func (w *wrapper) target(name string) string {
	if w.decl.fn.Recv != nil {
		return w.recv + "." + name
	}
	if list := typeParameters(w.decl.fn); len(list) > 0 {
		name += "[" + strings.Join(list, ", ") + "]"
	}
	return name
}

// original is the name under which a method is called without being announced.
func (w *wrapper) original(name string) string {
	for _, m := range w.table.Methods {
		if m.Name == name {
			return w.g.original(name)
		}
	}
	return name
}

// rename maps a name of the specification to the wrapper's, by its position.
func (w *wrapper) rename(name string, vs []value) string {
	for i, v := range w.m.Vars() {
		if v == name && v != "_" && i < len(vs) {
			return vs[i].name
		}
	}
	return name
}

// callback wraps the function that the method calls back. The call is interrupted for it: the
// program's code is not part of the method.
func (w *wrapper) callback(p value) (string, error) {
	f, err := w.function(p)
	if err != nil {
		return "", err
	}
	params, args, _, err := f.list(f.typ.Params, "commute_a")
	if err != nil {
		return "", err
	}
	named, names, results, err := f.list(f.typ.Results, "commute_r")
	if err != nil {
		return "", err
	}
	if w.g.pkg.Bare[w.table.Spec.Name+"."+w.m.Name] {
		list, set := "", ""
		if len(results) > 0 {
			list, set = " ("+strings.Join(named, ", ")+")", strings.Join(names, ", ")+" = "
		}
		return fmt.Sprintf("func(%s)%s {\ncommute_leave(&commute_c)\n%s%s(%s)\n"+
			"commute_resume(&commute_c)\nreturn\n}",
			strings.Join(params, ", "), list, set, p.name, strings.Join(args, ", ")), nil
	}
	list, ret := "", ""
	if len(results) > 0 {
		list, ret = " ("+strings.Join(results, ", ")+")", "return "
	}
	return fmt.Sprintf("func(%s)%s {\ncommute_leave(&commute_c)\ndefer "+
		"commute_resume(&commute_c)\n%s%s(%s)\n}",
		strings.Join(params, ", "), list, ret, p.name, strings.Join(args, ", ")), nil
}

// A function is the type of a callback, as it is written.
type function struct {
	w    *wrapper
	typ  *ast.FuncType
	file *load.File
	// the type arguments of the named type's own parameters
	subst map[string]string
}

// function finds the type of a callback: a func type, or the name of one in the package.
func (w *wrapper) function(p value) (f function, err error) {
	name, args := Named(p.typ)
	f = function{w, nil, w.decl.file, map[string]string{}}
	f.typ, _ = ast.Unparen(p.typ).(*ast.FuncType)
	for i := range w.g.files {
		t := typeSpec(w.g.files[i].AST, name)
		if t == nil {
			continue
		}
		f.typ, _ = ast.Unparen(t.Type).(*ast.FuncType)
		f.file = w.g.files[i]
		if t.TypeParams == nil {
			break
		}
		for _, field := range t.TypeParams.List {
			for _, n := range field.Names {
				if len(args) == 0 {
					return f, fmt.Errorf("its callback %s has too few type arguments", p.name)
				}
				if f.subst[n.Name], err = w.typeText(args[0]); err != nil {
					return f, err
				}
				args = args[1:]
			}
		}
	}
	if f.typ == nil {
		return f, fmt.Errorf("its callback %s is not declared as a func(...) type", p.name)
	}
	return f, nil
}

// list gives the parameters of a function names. It returns them as declared, the arguments to pass
// them on, and their types.
func (f function) list(fields *ast.FieldList,
	prefix string) (params, args, types []string, err error) {
	if fields == nil {
		return nil, nil, nil, nil
	}
	for _, field := range fields.List {
		t, err := f.w.typeTextIn(f.file, field.Type, f.subst)
		if err != nil {
			return nil, nil, nil, err
		}
		for range max(1, len(field.Names)) {
			name := fmt.Sprint(prefix, len(params))
			params, types = append(params, name+" "+t), append(types, t)
			if _, ok := field.Type.(*ast.Ellipsis); ok {
				name += "..."
			}
			args = append(args, name)
		}
	}
	return params, args, types, nil
}

// Named is the name of a type of the package, and its type arguments. The name is "" if e is
// another type.
func Named(e ast.Expr) (name string, args []ast.Expr) {
	e = ast.Unparen(e)
	switch x := e.(type) {
	case *ast.IndexExpr:
		e, args = x.X, []ast.Expr{x.Index}
	case *ast.IndexListExpr:
		e, args = x.X, x.Indices
	}
	if id, ok := e.(*ast.Ident); ok {
		return id.Name, args
	}
	return "", nil
}

// typeSpec is the declaration of a type in a file, nil if there is none.
func typeSpec(file *ast.File, name string) *ast.TypeSpec {
	for _, d := range file.Decls {
		gen, ok := d.(*ast.GenDecl)
		if !ok || gen.Tok != token.TYPE {
			continue
		}
		for _, s := range gen.Specs {
			if t := s.(*ast.TypeSpec); t.Name.Name == name {
				return t
			}
		}
	}
	return nil
}
