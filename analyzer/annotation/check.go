// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package annotation

import (
	"fmt"
	"go/ast"
	"go/token"
	"maps"
	"slices"
	"strings"

	"github.com/commutego/commute/ecl"
	"github.com/commutego/commute/internal/rewrite/instrument"
	"github.com/commutego/commute/internal/suggest"
)

// check compares a specification with the declaration of its type or variable. It sets the fields
// of s that the declaration gives.
func (f *finder) check(s *ecl.Spec) ecl.Errors {
	one := func(pos token.Position, hint, format string, args ...any) ecl.Errors {
		return ecl.Errors{{Pos: pos, Text: fmt.Sprintf(format, args...), Hint: hint}}
	}
	t := f.types[s.Name]
	switch {
	case s.Object && !f.vars[s.Name]:
		return one(s.Pos, "it has to be declared in the package",
			"there is no package-level variable %s", s.Name)
	case !s.Object && t == nil:
		return one(s.Pos, "it has to be declared in the package", "there is no type %s", s.Name)
	case t != nil && t.Assign.IsValid():
		return one(s.Pos, "specify the type that it stands for", "%s is an alias", s.Name)
	case s.Identity != "" && (s.Object || f.iface(s.Name) != nil):
		return one(s.IdentityPos, "leave it out", "%s needs no identity", s.Name)
	}
	s.Abstract = f.iface(s.Name) != nil
	if t != nil {
		s.Shared = instrument.Reference(t.Type)
	}
	errs := append(f.unknown(s), f.constants(s)...)
	declared, _ := f.declared(s)
	for _, m := range s.Methods {
		fn := declared[m.Name]
		if fn == nil {
			continue
		}
		if m.Bare() {
			s.SetParams(m, fn.Type.Params.NumFields())
		}
		text, hint := f.watchable(s, fn, m)
		if text != "" {
			errs = append(errs, one(m.Pos, hint, "%s %s", f.title(s, m), text)...)
		}
	}
	if s.Identity != "" && len(errs) == 0 {
		s.Shared = ""
		if e := f.field(t, strings.Split(s.Identity, ".")); e != nil {
			s.Shared = instrument.Reference(e)
		}
		if s.Shared == "" {
			return one(s.IdentityPos, "name a field of "+s.Name+" whose type is written as a "+
				"pointer, map, channel or slice", "%s cannot tell objects apart", s.Identity)
		}
	}
	return errs
}

// title names a method for an error.
func (f *finder) title(s *ecl.Spec, m *ecl.Method) string {
	if s.Object {
		return "function " + m.Name
	}
	return "method " + m.Name + " of " + s.Name
}

// declared are the methods that a specification may name. The result is open if there may be
// others: those of interfaces that an interface embeds.
func (f *finder) declared(s *ecl.Spec) (methods map[string]*ast.FuncDecl, open bool) {
	if s.Object {
		return f.functions, false
	}
	if i := f.iface(s.Name); i != nil {
		return interfaceMethods(i)
	}
	return f.methods[s.Name], false
}

// unknown reports methods that the type does not declare.
func (f *finder) unknown(s *ecl.Spec) (errs ecl.Errors) {
	declared, open := f.declared(s)
	if open {
		return nil
	}
	for _, m := range s.Methods {
		if declared[m.Name] != nil {
			continue
		}
		text := s.Name + " declares no method " + m.Name
		hint := "a method of an embedded type is specified at that type"
		if s.Object {
			text = "the package declares no function " + m.Name
			hint = "what is done to a package-level variable is done by functions"
		}
		if near := suggest.Nearest(m.Name, slices.Sorted(maps.Keys(declared))); near != "" {
			hint = "did you mean " + near + "?"
		}
		errs = append(errs, &ecl.Error{Pos: m.Pos, Text: text, Hint: hint})
	}
	return errs
}

// constants reports names in conditions that the package does not declare as constants.
func (f *finder) constants(s *ecl.Spec) (errs ecl.Errors) {
	reported := make(map[ecl.Ref]bool)
	for _, r := range s.Refs {
		if f.consts[r.Name] || reported[r] {
			continue
		}
		reported[r] = true
		hint := "name it in one of the two calls"
		if near := suggest.Nearest(r.Name, slices.Sorted(maps.Keys(f.consts))); near != "" {
			hint += ", or did you mean " + near + "?"
		}
		errs = append(errs, &ecl.Error{Pos: r.Pos, Text: "unknown variable " + r.Name, Hint: hint})
	}
	return errs
}

// watchable returns the reason why calls of fn cannot be reported as m says, and a hint; "" if they
// can. The wrapper that reports a call needs one object for the receiver and the right number of
// values. And the body must mean the same in another function.
func (f *finder) watchable(s *ecl.Spec, fn *ast.FuncDecl, m *ecl.Method) (text, hint string) {
	abstract := s.Abstract
	if _, pointer := instrument.Receiver(fn); !s.Object && !abstract && !pointer &&
		s.Identity == "" && s.Shared == "" {
		return "has a value receiver, so that each call has an object of its own",
			"give it a pointer receiver, or name the field that all copies share with " +
				"//ecl:identity"
	}
	if fn.Body == nil && !abstract {
		return "has no body in Go", "specify a method that calls it"
	}
	if s.Object && (fn.Name.Name == "init" || fn.Name.Name == "main") {
		return "is called by the runtime", "specify a function that it calls"
	}
	if n := fn.Type.Params.NumFields(); n != len(m.Params) {
		text = fmt.Sprintf("has %s, not %d", count(n, "parameter"), len(m.Params))
		return text, "name each of them, or write _ for it"
	}
	if n := fn.Type.Results.NumFields(); len(m.Results) > 0 && n != m.Real {
		text = fmt.Sprintf("has %s, not %d", count(n, "result"), m.Real)
		return text, "name each of them, or write _ for it, or leave all out"
	}
	if fn.Body != nil && recovers(fn.Body) {
		return "calls recover, which works only in the function that is deferred itself",
			"specify a method that doesn't"
	}
	return f.callbacks(fn, m)
}

// callbacks checks that the method's callback is a function, and that no other parameter is. A
// function runs inside the call, and what it does must not be taken for the method's own.
func (f *finder) callbacks(fn *ast.FuncDecl, m *ecl.Method) (text, hint string) {
	i := 0
	for _, field := range fn.Type.Params.List {
		for range max(1, len(field.Names)) {
			isFunc := f.isFunc(field.Type)
			called := m.Callback != "" && m.Params[i] == m.Callback
			switch {
			case isFunc && !called:
				return "has a function for a parameter, which runs inside the call",
					fmt.Sprintf("say which with //ecl:callback %s(%s)", m.Name, parameters(fn, i))
			case called && !isFunc:
				text = fmt.Sprintf("has a callback, %s, whose type is no func in sight", m.Callback)
				return text, "write the function's type out where the method is declared, or " +
					"declare it in the package"
			}
			i++
		}
	}
	return "", ""
}

// isFunc reports whether a type is written as a function's, or is declared in the package as one.
func (f *finder) isFunc(e ast.Expr) bool {
	if name, _ := instrument.Named(e); f.types[name] != nil {
		e = f.types[name].Type
	}
	_, ok := ast.Unparen(e).(*ast.FuncType)
	return ok
}

// recovers reports whether a function's own body calls recover. In a function that the wrapper
// calls, it would recover nothing.
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

// count is "1 parameter" or "2 parameters".
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
