// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package instrument

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
)

// argsAndBeta writes the values of the call and the conditions that hold of them. beta is where the
// bits are collected.
func (w *wrapper) argsAndBeta(b *bytes.Buffer, beta string) error {
	vs := w.values()
	vs = vs[:min(len(vs), len(w.m.Vars()))] // results that the spec does not name stay out
	if len(vs) > 0 {
		// One by one: the compiler makes a literal elsewhere, and copies it.
		fmt.Fprintf(b, "var commute_args [%d]interface{}\n", len(vs))
		for i, v := range vs {
			fmt.Fprintf(b, "commute_args[%d] = %s\n", i, v.name)
		}
		if !w.oneCall() {
			fmt.Fprintf(b,
				"commute_c.args = commute_unsafe.Pointer(&commute_args)\ncommute_c.nargs = %d\n",
				len(vs))
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
		// What the compiler has to say of the condition it says of the specification.
		fmt.Fprintf(b, "if /*line %s*/ %s /*line commute/specs/%s.go:1:1*/ {\n%s %s %d\n}\n",
			w.m.Pos, w.cond(e), w.g.path, beta, op, 1<<i)
	}
	return nil
}

// cond prints a condition over the wrapper's names. Two values are compared by commute_equal, which
// does not panic for values that have no ==.
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
	case *ast.SelectorExpr:
		return w.cond(e.X) + "." + e.Sel.Name
	case *ast.CallExpr:
		return "len(" + w.cond(e.Args[0]) + ")"
	case *ast.BinaryExpr:
		x, y := w.cond(e.X), w.cond(e.Y)
		if (e.Op == token.EQL || e.Op == token.NEQ) && w.isVar(e.X) && w.isVar(e.Y) {
			neg := ""
			if e.Op == token.NEQ {
				neg = "!"
			}
			return fmt.Sprintf("%scommute_equal(%s, %s)", neg, x, y)
		}
		if y == "nil" && w.isGeneric(e.X) {
			x = "interface{}(" + x + ")"
		}
		return x + " " + e.Op.String() + " " + y
	}
	return "false"
}

// isGeneric reports whether e is a value whose type is a type parameter. Such a value can't be
// compared with nil as it is; as an interface it can.
func (w *wrapper) isGeneric(e ast.Expr) bool {
	id, ok := ast.Unparen(e).(*ast.Ident)
	if !ok {
		return false
	}
	for i, v := range w.m.Vars() {
		if v != id.Name || i >= len(w.values()) {
			continue
		}
		t, ok := w.values()[i].typ.(*ast.Ident)
		return ok && slices.Contains(typeParameters(w.decl.fn), t.Name)
	}
	return false
}

// typeParameters lists the names of fn's type parameters, or those that its receiver gives the
// parameters of its type.
func typeParameters(fn *ast.FuncDecl) (names []string) {
	if fn.Recv == nil {
		if fn.Type.TypeParams != nil {
			for _, f := range fn.Type.TypeParams.List {
				for _, n := range f.Names {
					names = append(names, n.Name)
				}
			}
		}
		return names
	}
	t := ast.Unparen(fn.Recv.List[0].Type)
	if star, ok := t.(*ast.StarExpr); ok {
		t = ast.Unparen(star.X)
	}
	var args []ast.Expr
	switch x := t.(type) {
	case *ast.IndexExpr:
		args = []ast.Expr{x.Index}
	case *ast.IndexListExpr:
		args = x.Indices
	}
	for _, a := range args {
		if id, ok := a.(*ast.Ident); ok {
			names = append(names, id.Name)
		}
	}
	return names
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
