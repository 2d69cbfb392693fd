// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package instrument

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path"
	"strings"

	"github.com/commutego/commute/ecl"
)

// A wrapper is one method while its wrapper is written.
type wrapper struct {
	g       *generator
	table   *ecl.Table
	m       *ecl.TableMethod
	decl    decl
	recv    string
	params  []value
	results []value // the real ones, then the shadow results
	real    int
}

// A value is a parameter or result under its name in the wrapper.
type value struct {
	name string
	typ  ast.Expr // nil for shadow results
}

func (g *generator) method(b *bytes.Buffer, t *ecl.Table, m *ecl.TableMethod, d decl, decls map[string]decl) error {
	w := &wrapper{g: g, table: t, m: m, decl: d}
	if _, ok := ast.Unparen(d.fn.Recv.List[0].Type).(*ast.StarExpr); !ok {
		return fmt.Errorf("a value receiver has no identity, only methods with pointer receivers can be specified")
	}
	if d.fn.Body == nil {
		return fmt.Errorf("it has no body")
	}
	if err := w.names(); err != nil {
		return err
	}
	doc(b, d.fn.Doc)
	sig, err := w.signature()
	if err != nil {
		return err
	}
	fmt.Fprintf(b, "func %s {\n", sig)
	if w.whole() {
		return w.observe(b, decls)
	}
	fmt.Fprintf(b, "var commute_c commuteCall\ncommute_c.spec = &commuteSpec_%s\ncommute_c.obj = unsafe.Pointer(%s)\n", t.Spec.Name, w.recv)
	if m.Index > 0 {
		fmt.Fprintf(b, "commute_c.method = %d\n", m.Index)
	}
	// An observer's keys are read at its end only.
	early := m.Role != ecl.Observer || m.Callback != ""
	if early {
		w.keys(b, false)
	}
	b.WriteString("commute_begin(&commute_c)\n")
	quiet := g.pkg.Quiet[m.Name]
	if !quiet {
		b.WriteString("defer commute_end(&commute_c)\n")
	}
	if err := w.call(b, decls); err != nil {
		return err
	}
	w.keys(b, early)
	if err := w.finish(b, "commute_c.beta"); err != nil {
		return err
	}
	b.WriteString("commute_c.state = 1\n")
	if quiet {
		b.WriteString("commute_end(&commute_c)\n")
	}
	w.end(b)
	return nil
}

// whole reports whether the engine can be told of a call in one word, when it is over.
func (w *wrapper) whole() bool {
	return w.g.pkg.Quiet[w.m.Name] && w.m.Role == ecl.Observer && len(w.m.Keys) <= 1
}

// observe writes the body of such a method.
func (w *wrapper) observe(b *bytes.Buffer, decls map[string]decl) error {
	key := "0"
	if len(w.m.Keys) == 1 {
		key = "commute_key"
		if k := w.m.Keys[0]; k < len(w.params) {
			fmt.Fprintf(b, "commute_key := commute_hash(%s)\n", w.params[k].name)
		}
	}
	if err := w.call(b, decls); err != nil {
		return err
	}
	if len(w.m.Keys) == 1 && w.m.Keys[0] >= len(w.params) {
		fmt.Fprintf(b, "commute_key := commute_hash(%s)\n", w.values()[w.m.Keys[0]].name)
	}
	beta := "0"
	if len(w.m.Atoms) > 0 {
		beta = "commute_beta"
		b.WriteString("var commute_beta uint32\n")
	}
	if err := w.finish(b, beta); err != nil {
		return err
	}
	args := "nil"
	n := min(len(w.values()), len(w.m.Vars()))
	if n > 0 {
		args = "unsafe.Pointer(&commute_args)"
	}
	fmt.Fprintf(b, "commute_observe(&commuteSpec_%s, unsafe.Pointer(%s), %d, %s, %s, %s, %d)\n",
		w.table.Spec.Name, w.recv, w.m.Index, beta, key, args, n)
	w.end(b)
	return nil
}

func (w *wrapper) end(b *bytes.Buffer) {
	if w.real > 0 {
		b.WriteString("return\n")
	}
	b.WriteString("}\n")
}

// doc copies a doc comment; directives stay with the original.
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

// names gives every value a name: its own, or one made up where it is unnamed
// or blank.
func (w *wrapper) names() error {
	fn := w.decl.fn
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
				if name == "_" {
					name = fmt.Sprintf("commute_%s%d", kind, len(vs))
				}
				vs = append(vs, value{name, x.Type})
			}
		}
		return vs
	}
	w.recv = field(fn.Recv, "recv")[0].name
	w.params = field(fn.Type.Params, "p")
	w.results = field(fn.Type.Results, "r")
	w.real = len(w.results)
	if len(w.params) != len(w.m.Params) {
		return fmt.Errorf("it has %d parameters, its specification names %d", len(w.params), len(w.m.Params))
	}
	if w.m.Real != w.real && len(w.m.Results) > 0 {
		return fmt.Errorf("it has %d results, its specification names %d", w.real, w.m.Real)
	}
	for i := w.real; i < len(w.m.Results); i++ {
		w.results = append(w.results, value{name: fmt.Sprintf("commute_s%d", i-w.real)})
	}
	return nil
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
	recv, err := w.typeText(w.decl.fn.Recv.List[0].Type)
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
	return fmt.Sprintf("(%s %s) %s(%s)%s", w.recv, recv, w.m.Name, params, results), nil
}

// typeText copies a type from the source, with the imports that it needs.
func (w *wrapper) typeText(e ast.Expr) (string, error) {
	off := func(p token.Pos) int { return w.g.pkg.Fset.PositionFor(p, false).Offset }
	start := off(e.Pos())
	text := string(w.decl.file.Src[start:off(e.End())])
	var err error
	type change struct {
		off, n int
		name   string
	}
	var changes []change
	ast.Inspect(e, func(n ast.Node) bool {
		s, ok := n.(*ast.SelectorExpr)
		if !ok {
			return true
		}
		if id, ok := s.X.(*ast.Ident); ok {
			name, err1 := w.g.importName(w.decl.file.AST, id.Name)
			if err1 != nil {
				err = err1
			}
			changes = append(changes, change{off(id.Pos()) - start, len(id.Name), name})
		}
		return false
	})
	for i := len(changes) - 1; i >= 0; i-- {
		c := changes[i]
		text = text[:c.off] + c.name + text[c.off+c.n:]
	}
	return text, err
}

// importName returns the name that the added file has for what f imports under name.
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
	for try, n := name, 2; ; n++ {
		if have, ok := g.imports[try]; !ok || have == target {
			g.imports[try] = target
			return try, nil
		}
		try = fmt.Sprint(name, n)
	}
}

// keys fills in the hashes of the parameters that are keys (and, later, of
// the results that are).
func (w *wrapper) keys(b *bytes.Buffer, paramsDone bool) {
	early := w.m.Role != ecl.Observer || w.m.Callback != ""
	for i, k := range w.m.Keys {
		isParam := k < len(w.params)
		if isParam && paramsDone || !isParam && early && !paramsDone {
			continue
		}
		fmt.Fprintf(b, "commute_c.keys[%d] = commute_hash(%s)\n", i, w.values()[k].name)
	}
}

func (w *wrapper) values() []value {
	return append(append([]value(nil), w.params...), w.results...)
}

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
			a = c
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
	return b.String(), nil
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

// finish writes args and beta.
func (w *wrapper) finish(b *bytes.Buffer, beta string) error {
	vs := w.values()
	vs = vs[:min(len(vs), len(w.m.Vars()))] // results that the spec does not name stay out
	if len(vs) > 0 {
		var names []string
		for _, v := range vs {
			names = append(names, v.name)
		}
		fmt.Fprintf(b, "commute_args := [...]any{%s}\n", strings.Join(names, ", "))
		if !w.whole() {
			fmt.Fprintf(b, "commute_c.args = unsafe.Pointer(&commute_args)\ncommute_c.nargs = %d\n", len(vs))
		}
	}
	for i, a := range w.m.Atoms {
		e, err := parser.ParseExpr(a)
		if err != nil {
			return err
		}
		op := "|="
		if i == 0 {
			op = "="
		}
		fmt.Fprintf(b, "if %s {\n%s %s %d\n}\n", w.cond(e), beta, op, 1<<i)
	}
	return nil
}

// cond prints an atom over the wrapper's names. Two values are compared by
// commute_same, which does not panic for uncomparable ones.
func (w *wrapper) cond(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.Ident:
		return w.rename(e.Name, w.values())
	case *ast.ParenExpr:
		return "(" + w.cond(e.X) + ")"
	case *ast.UnaryExpr:
		return e.Op.String() + w.cond(e.X)
	case *ast.BasicLit:
		return e.Value
	case *ast.CallExpr:
		return "len(" + w.cond(e.Args[0]) + ")"
	case *ast.BinaryExpr:
		x, y := w.cond(e.X), w.cond(e.Y)
		if (e.Op == token.EQL || e.Op == token.NEQ) && w.isVar(e.X) && w.isVar(e.Y) {
			neg := ""
			if e.Op == token.NEQ {
				neg = "!"
			}
			return fmt.Sprintf("%scommute_same(%s, %s)", neg, x, y)
		}
		return x + " " + e.Op.String() + " " + y
	}
	return "false"
}

// isVar reports whether e is one of the call's values.
func (w *wrapper) isVar(e ast.Expr) bool {
	id, ok := ast.Unparen(e).(*ast.Ident)
	if !ok {
		return false
	}
	for _, v := range w.m.Vars() {
		if v == id.Name {
			return true
		}
	}
	return false
}
