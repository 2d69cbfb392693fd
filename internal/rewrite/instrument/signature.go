// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package instrument

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"path"
	"slices"
	"strings"

	"github.com/commutego/commute/ecl"
	"github.com/commutego/commute/internal/toolchain/load"
)

// doc copies a doc comment. Directives stay with the original.
func doc(b *bytes.Buffer, cg *ast.CommentGroup) {
	b.WriteByte('\n')
	if cg == nil {
		return
	}
	for _, c := range cg.List {
		if !strings.HasPrefix(c.Text, "//go:") && !strings.HasPrefix(c.Text, "//line ") {
			b.WriteString(c.Text + "\n")
		}
	}
}

// names gives every value a name. A value without a name, or a blank one, gets one of the
// wrapper's, and so does a value that hides what the wrapper's body mentions.
func (w *wrapper) names() error {
	fn := w.decl.fn
	avoid := w.free()
	field := func(f *ast.FieldList, kind string) (vs []value) {
		if f == nil {
			return nil
		}
		for _, x := range f.List {
			ids := x.Names
			if len(ids) == 0 {
				ids = []*ast.Ident{{Name: "_"}}
			}
			for _, id := range ids {
				name := id.Name
				if name == "_" || strings.HasPrefix(name, Prefix) || avoid[name] {
					name = fmt.Sprintf("commute_%s%d", kind, len(vs))
				}
				vs = append(vs, value{name, x.Type})
			}
		}
		return vs
	}
	if fn.Recv != nil {
		w.recv = field(fn.Recv, "recv")[0].name
	}
	w.params = field(fn.Type.Params, "p")
	w.results = field(fn.Type.Results, "r")
	w.real = len(w.results)
	if len(w.params) != len(w.m.Params) {
		return fmt.Errorf("it has %d parameters, its specification names %d",
			len(w.params), len(w.m.Params))
	}
	if w.m.Real != w.real && len(w.m.Results) > 0 {
		return fmt.Errorf("it has %d results, its specification names %d", w.real, w.m.Real)
	}
	for i := w.real; i < len(w.m.Results); i++ {
		w.results = append(w.results, value{name: fmt.Sprintf("commute_s%d", i-w.real)})
	}
	return nil
}

// free are the package's own names that the wrapper's body mentions.
func (w *wrapper) free() map[string]bool {
	names := make(map[string]bool)
	if w.table.Spec.Object {
		names[w.table.Spec.Name] = true
	}
	for _, a := range w.m.Atoms {
		ecl.RenameVars(a, func(name string) string {
			names[name] = names[name] || !slices.Contains(w.m.Vars(), name)
			return name
		})
	}
	return names
}

// signature prints receiver, name, parameters and results, all of them named.
func (w *wrapper) signature() (string, error) {
	list := func(vs []value) (string, error) {
		var parts []string
		for _, v := range vs {
			t, err := w.typeText(v.typ)
			if err != nil {
				return "", err
			}
			parts = append(parts, v.name+" "+t)
		}
		return strings.Join(parts, ", "), nil
	}
	recv := ""
	if w.decl.fn.Recv != nil {
		t, err := w.typeText(w.decl.fn.Recv.List[0].Type)
		if err != nil {
			return "", err
		}
		recv = fmt.Sprintf("(%s %s) ", w.recv, t)
	}
	typeParams, err := w.typeParams()
	if err != nil {
		return "", err
	}
	params, err := list(w.params)
	if err != nil {
		return "", err
	}
	results, err := list(w.results[:w.real])
	if err != nil {
		return "", err
	}
	if results != "" {
		results = " (" + results + ")"
	}
	name := w.m.Name
	if w.g.pkg.KeepNames {
		name = WrapperPrefix + name
	}
	return fmt.Sprintf("%s%s%s(%s)%s", recv, name, typeParams, params, results), nil
}

// typeParams prints the type parameters of a function.
func (w *wrapper) typeParams() (string, error) {
	fields := w.decl.fn.Type.TypeParams
	if fields == nil {
		return "", nil
	}
	var parts []string
	for _, f := range fields.List {
		t, err := w.typeText(f.Type)
		if err != nil {
			return "", err
		}
		for _, n := range f.Names {
			parts = append(parts, n.Name+" "+t)
		}
	}
	return "[" + strings.Join(parts, ", ") + "]", nil
}

// typeText copies a type from the source, with the imports that it needs.
func (w *wrapper) typeText(e ast.Expr) (string, error) {
	return w.typeTextIn(w.decl.file, e, nil)
}

// typeTextIn copies the text of a type from a file, with other names for some identifiers.
// Qualified names get the imports that they need.
func (w *wrapper) typeTextIn(file *load.File, e ast.Expr, subst map[string]string) (string, error) {
	off := func(p token.Pos) int { return w.g.pkg.Source.Offset(p) }
	start := off(e.Pos())
	text := string(file.Src[start:off(e.End())])
	var err error
	type change struct {
		off, n int
		name   string
	}
	var changes []change
	ast.Inspect(e, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok {
			if name, ok := subst[id.Name]; ok {
				changes = append(changes, change{off(id.Pos()) - start, len(id.Name), name})
			} else {
				w.g.dot(decl{w.decl.fn, file}, id.Name)
			}
		}
		s, ok := n.(*ast.SelectorExpr)
		if !ok {
			return true
		}
		if id, ok := s.X.(*ast.Ident); ok {
			name, err1 := w.g.importName(file.AST, id.Name)
			if err1 != nil {
				err = err1
			}
			changes = append(changes, change{off(id.Pos()) - start, len(id.Name), name})
		}
		return false
	})
	for i := len(changes) - 1; i >= 0; i-- { // from the end on, so that offsets stay right
		c := changes[i]
		text = text[:c.off] + c.name + text[c.off+c.n:]
	}
	return text, err
}

// dot imports what the method's file imports with a dot, if the type called name may come from
// there.
func (g *generator) dot(d decl, name string) {
	if types.Universe.Lookup(name) != nil || g.declared(name) ||
		slices.Contains(typeParameters(d.fn), name) {
		return
	}
	for _, s := range d.file.AST.Imports {
		path := strings.Trim(s.Path.Value, "\"`")
		if s.Name != nil && s.Name.Name == "." && !slices.Contains(g.dots, path) {
			g.dots = append(g.dots, path)
		}
	}
}

// declared reports whether the package declares a type.
func (g *generator) declared(name string) bool {
	return slices.ContainsFunc(g.files,
		func(f *load.File) bool { return typeSpec(f.AST, name) != nil })
}

// importName returns the name that the added file has for what f imports under name. A path without
// an explicit name is matched by its last element first, and then by any part of it.
func (g *generator) importName(f *ast.File, name string) (string, error) {
	target := ""
	for _, exact := range []bool{true, false} {
		for _, s := range f.Imports {
			p := strings.Trim(s.Path.Value, "\"`")
			switch {
			case target != "":
			case s.Name != nil:
				if s.Name.Name == name {
					target = p
				}
			case exact && path.Base(p) == name, !exact && strings.Contains(p, name):
				target = p
			}
		}
	}
	if target == "" {
		return "", fmt.Errorf("cannot tell which import is %s (give it an explicit name)", name)
	}
	// Another file may import something else under this name: then a number is added.
	for try, n := name, 2; ; n++ {
		if have, ok := g.imports[try]; !ok || have == target {
			g.imports[try] = target
			return try, nil
		}
		try = fmt.Sprint(name, n)
	}
}
