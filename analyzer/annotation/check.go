// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package annotation

import (
	"fmt"
	"go/ast"
	"go/token"
	"slices"

	"github.com/commutego/commute/analyzer/instrument"
	"github.com/commutego/commute/ecl"
)

// check holds a specification against the type that it is for.
func (f *finder) check(s *ecl.Spec, t *ast.TypeSpec) (errs ecl.Errors) {
	fail := func(pos token.Position, hint, format string, args ...any) {
		errs = append(errs, &ecl.Error{Pos: pos, Text: fmt.Sprintf(format, args...), Hint: hint})
	}
	if t.Assign.IsValid() {
		fail(s.Pos, "specify the type that it stands for", "%s is an alias", s.Name)
		return errs
	}
	if _, ok := t.Type.(*ast.InterfaceType); ok {
		fail(s.Pos, "specify the types that implement it", "%s is an interface, which has no methods to watch", s.Name)
		return errs
	}
	errs = f.unknown(s)
	for _, m := range s.Methods {
		if fn := f.methods[s.Name][m.Name]; fn != nil {
			if text, hint := watchable(fn, m); text != "" {
				fail(m.Pos, hint, "method %s of %s %s", m.Name, s.Name, text)
			}
		}
	}
	return errs
}

// unknown reports methods that the type does not declare.
func (f *finder) unknown(s *ecl.Spec) (errs ecl.Errors) {
	declared := f.methods[s.Name]
	for _, m := range s.Methods {
		if declared[m.Name] != nil {
			continue
		}
		hint := "a method of an embedded type is specified at that type"
		if near := nearest(m.Name, declared); near != "" {
			hint = "did you mean " + near + "?"
		}
		errs = append(errs, &ecl.Error{Pos: m.Pos, Text: s.Name + " declares no method " + m.Name, Hint: hint})
	}
	return errs
}

// watchable says why calls of fn cannot be reported as m says, and what to do; "" if they can.
func watchable(fn *ast.FuncDecl, m *ecl.Method) (text, hint string) {
	if _, pointer := instrument.Receiver(fn); !pointer {
		return "has a value receiver, so that each call has an object of its own", "give it a pointer receiver"
	}
	if fn.Body == nil {
		return "has no body in Go", "specify a method that calls it"
	}
	if n := fn.Type.Params.NumFields(); n != len(m.Params) {
		return fmt.Sprintf("has %s, not %d", count(n, "parameter"), len(m.Params)), "name each of them, or write _ for it"
	}
	if n := fn.Type.Results.NumFields(); len(m.Results) > 0 && n != m.Real {
		return fmt.Sprintf("has %s, not %d", count(n, "result"), m.Real), "name each of them, or write _ for it, or leave all out"
	}
	if recovers(fn.Body) {
		return "calls recover, which works only in the function that is deferred itself", "specify a method that doesn't"
	}
	return callbacks(fn, m)
}

// callbacks checks that the method's callback is a function, and that no other parameter is.
func callbacks(fn *ast.FuncDecl, m *ecl.Method) (text, hint string) {
	i := 0
	for _, field := range fn.Type.Params.List {
		for range max(1, len(field.Names)) {
			_, isFunc := ast.Unparen(field.Type).(*ast.FuncType)
			called := m.Callback != "" && m.Params[i] == m.Callback
			switch {
			case isFunc && !called:
				return "has a function for a parameter, which runs inside the call",
					fmt.Sprintf("say which with //ecl:callback %s(%s)", m.Name, parameters(fn, i))
			case called && !isFunc:
				return fmt.Sprintf("has a callback, %s, whose type does not begin with func", m.Callback), "write the function's type out, where the method is declared"
			}
			i++
		}
	}
	return "", ""
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

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// parameters lists fn's parameters for a directive that needs the i-th only.
func parameters(fn *ast.FuncDecl, i int) string {
	s := ""
	for k := range fn.Type.Params.NumFields() {
		if k > 0 {
			s += ", "
		}
		if k == i {
			s += "f"
		} else {
			s += "_"
		}
	}
	return s
}

// nearest is the declared method whose name is the least different from name, if that is little.
func nearest(name string, declared map[string]*ast.FuncDecl) string {
	best, least := "", len(name)/2+1
	var names []string
	for n := range declared {
		names = append(names, n)
	}
	slices.Sort(names)
	for _, n := range names {
		if d := distance(name, n); d < least {
			best, least = n, d
		}
	}
	return best
}

// distance is the number of letters to insert, delete or replace to make b of a.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost++
			}
			diagonal = row[j+1]
			row[j+1] = min(cost, row[j]+1, diagonal+1)
		}
	}
	return row[len(b)]
}
