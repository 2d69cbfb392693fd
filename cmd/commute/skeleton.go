// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package main

import (
	"fmt"
	"go/ast"
	"go/token"
	"strings"
)

// String prints the directives, for a doc comment or a file. Prose comes first: gofmt moves it there.
func (s *skeleton) String() string {
	var b strings.Builder
	prose := "//"
	if s.header != "" {
		prose = "#"
	}
	say := func(format string, args ...any) { fmt.Fprintf(&b, prose+" "+format+"\n", args...) }
	say("TODO: this draft says that no two calls of %s commute. Write when they do, as in k1 != k2,", s.name)
	say("in place of false; and //ecl:arbiter in place of mutator for what checks and acts in one.")
	if len(s.observers) > 0 {
		say("TODO: by their names, these may be observers, which change nothing and commute with each other:")
		say("%s. Then leave out the pairs of them.", strings.Join(s.observers, ", "))
	}
	for _, o := range s.left {
		say("Left out (%s): %s.", o.why, strings.Join(o.methods, ", "))
	}
	if s.header != "" {
		b.WriteString("\n" + s.header + "\n")
	} else {
		b.WriteString("//\n")
	}
	for _, m := range s.methods {
		fmt.Fprintf(&b, "//ecl:mutator %s\n", m.call(""))
	}
	for _, m := range s.methods {
		if m.callback != "" {
			fmt.Fprintf(&b, "//ecl:callback %s\n", m.calling())
		}
	}
	for i, m := range s.methods {
		for _, n := range s.methods[i:] {
			fmt.Fprintf(&b, "//ecl:commute %s, %s: false\n", m.call("1"), n.call("2"))
		}
	}
	return b.String()
}

// call prints m with its values, which have the call's number.
func (m sketch) call(number string) string {
	list := func(names []string) string {
		var vs []string
		for _, name := range names {
			if name != "_" {
				name += number
			}
			vs = append(vs, name)
		}
		return "(" + strings.Join(vs, ", ") + ")"
	}
	s := m.name + list(m.params)
	if len(m.results) > 0 {
		s += "/" + list(m.results)
	}
	return s
}

// calling prints m with the parameter that it calls, and no other.
func (m sketch) calling() string {
	var vs []string
	for _, name := range m.params {
		if name != m.callback {
			name = "_"
		}
		vs = append(vs, name)
	}
	return m.name + "(" + strings.Join(vs, ", ") + ")"
}

// recovers reports whether a function's own body calls recover.
func recovers(body *ast.BlockStmt) (found bool) {
	ast.Inspect(body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.CallExpr:
			if id, ok := ast.Unparen(n.Fun).(*ast.Ident); ok && id.Name == "recover" {
				found = true
			}
		}
		return !found
	})
	return found
}

// writes reports whether a method plainly changes what its receiver points to: by an assignment,
// or by delete or clear. That it doesn't is no proof of anything.
func writes(fn *ast.FuncDecl) (found bool) {
	if len(fn.Recv.List[0].Names) == 0 {
		return false
	}
	recv := fn.Recv.List[0].Names[0].Name
	of := func(e ast.Expr) bool {
		_, bare := e.(*ast.Ident)
		return !bare && root(e) == recv
	}
	ast.Inspect(fn.Body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			for _, x := range n.Lhs {
				found = found || n.Tok != token.DEFINE && of(x)
			}
		case *ast.IncDecStmt:
			found = found || of(n.X)
		case *ast.CallExpr:
			if id, ok := n.Fun.(*ast.Ident); ok && (id.Name == "delete" || id.Name == "clear") && len(n.Args) > 0 {
				found = found || of(n.Args[0])
			}
		}
		return !found
	})
	return found
}

// root is the variable that an operand begins with, as x in x.f[i].
func root(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.Ident:
		return e.Name
	case *ast.SelectorExpr:
		return root(e.X)
	case *ast.IndexExpr:
		return root(e.X)
	case *ast.StarExpr:
		return root(e.X)
	case *ast.ParenExpr:
		return root(e.X)
	}
	return ""
}
