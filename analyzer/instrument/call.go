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
)

// call writes the call of the original, or the expression that has the shadow results.
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
			fmt.Fprintf(b, "commute_f := %s\nif %s != nil {\ncommute_f = %s\n}\n", p.name, p.name, c)
			a = "commute_f"
		}
		if _, ok := p.typ.(*ast.Ellipsis); ok {
			a += "..."
		}
		args = append(args, a)
	}
	fmt.Fprintf(b, "%s%s.%s%s(%s)\n", assign, w.recv, Prefix, w.m.Name, strings.Join(args, ", "))
	return nil
}

// mixed takes all results into fresh variables first.
func (w *wrapper) mixed(b *bytes.Buffer, decls map[string]decl, names []string) error {
	x, err := w.shadow(decls)
	if err != nil {
		return err
	}
	fresh := append([]string(nil), names...)
	for i := range w.real {
		fresh[i] = fmt.Sprintf("commute_t%d", i)
	}
	fmt.Fprintf(b, "%s := %s\n%s = %s\n", strings.Join(fresh, ", "), x, strings.Join(names[:w.real], ", "), strings.Join(fresh[:w.real], ", "))
	return nil
}

// shadow rewrites the spec's expression: its variables become the wrapper's,
// and calls of methods by their bare name become calls on the receiver.
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
			b.WriteString(w.recv + "." + w.original(id.Name))
		default:
			b.WriteString(w.rename(id.Name, w.params))
		}
		return true
	})
	b.WriteString(w.m.Shadow[last:])
	return fmt.Sprintf("/*line %s*/ %s /*line commute/specs/%s.go:1:1*/", w.m.Pos, b.String(), w.g.pkg.Path), nil
}

// original is the name under which a method is called without being reported.
func (w *wrapper) original(name string) string {
	for _, m := range w.table.Methods {
		if m.Name == name {
			return Prefix + name
		}
	}
	return name
}

// rename maps a canonical name of the spec to the wrapper's.
func (w *wrapper) rename(name string, vs []value) string {
	for i, v := range w.m.Vars() {
		if v == name && v != "_" && i < len(vs) {
			return vs[i].name
		}
	}
	return name
}

// callback wraps the function that the method calls: user code runs outside
// the call.
func (w *wrapper) callback(p value) (string, error) {
	ft, ok := ast.Unparen(p.typ).(*ast.FuncType)
	if !ok {
		return "", fmt.Errorf("its callback %s is not declared as a func(...) type", p.name)
	}
	var params, args []string
	n := 0
	for _, f := range ft.Params.List {
		t, err := w.typeText(f.Type)
		if err != nil {
			return "", err
		}
		for range max(1, len(f.Names)) {
			name := fmt.Sprintf("commute_a%d", n)
			n++
			params = append(params, name+" "+t)
			if _, ok := f.Type.(*ast.Ellipsis); ok {
				name += "..."
			}
			args = append(args, name)
		}
	}
	results, ret := "", ""
	if ft.Results != nil && len(ft.Results.List) > 0 {
		var ts []string
		for _, f := range ft.Results.List {
			t, err := w.typeText(f.Type)
			if err != nil {
				return "", err
			}
			for range max(1, len(f.Names)) {
				ts = append(ts, t)
			}
		}
		results, ret = " ("+strings.Join(ts, ", ")+")", "return "
	}
	return fmt.Sprintf("func(%s)%s {\ncommute_leave(&commute_c)\ndefer commute_resume(&commute_c)\n%s%s(%s)\n}",
		strings.Join(params, ", "), results, ret, p.name, strings.Join(args, ", ")), nil
}
