// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package annotation

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"

	"github.com/commutego/commute/ecl"
)

// Selects reports whether conditions of a specification select fields. Whether that is safe can
// only be checked with types.
func Selects(s *ecl.Spec) bool {
	table, err := ecl.Compile(s)
	if err != nil {
		return false
	}
	for _, m := range table.Methods {
		for _, atom := range m.Atoms {
			if e, err := parser.ParseExpr(atom); err == nil && selects(e) {
				return true
			}
		}
	}
	return false
}

// selects reports whether an expression selects a field.
func selects(e ast.Expr) (found bool) {
	ast.Inspect(e, func(n ast.Node) bool {
		_, ok := n.(*ast.SelectorExpr)
		found = found || ok
		return !found
	})
	return found
}

// Typed reports conditions of a specification that are no boolean expressions of Go over the types
// of the method's parameters and results. It checks the atoms of the compiled table, since the
// instrumented method computes these.
func Typed(pkg *types.Package, s *ecl.Spec) (errs ecl.Errors) {
	table, err := ecl.Compile(s)
	if err != nil {
		return nil // Find has reported it
	}
	for _, m := range table.Methods {
		sig := method(pkg, s, m.Name)
		switch {
		case sig == nil && s.Abstract:
			errs = append(errs, &ecl.Error{Pos: m.Pos,
				Text: fmt.Sprintf("%s has no method %s", s.Name, m.Name)})
			continue
		case sig == nil:
			continue
		case sig.Params().Len() != len(m.Params) && !m.Bare():
			errs = append(errs, &ecl.Error{Pos: m.Pos,
				Text: fmt.Sprintf("method %s of %s has %s, not %d", m.Name, s.Name,
					count(sig.Params().Len(), "parameter"), len(m.Params))})
			continue
		}
		for _, k := range m.Keys {
			if t := value(sig, m, k); t != nil && !types.Comparable(t) && !isTypeParam(t) {
				errs = append(errs, &ecl.Error{Pos: m.Pos,
					Text: fmt.Sprintf("%s of %s is compared with another call's, but values of "+
						"type %s have no ==", m.Vars()[k], m.Name, t)})
			}
		}
		scope := variables(pkg, m, sig)
		for _, atom := range m.Atoms {
			if text := conditionError(atom, scope); text != "" {
				errs = append(errs, &ecl.Error{Pos: m.Pos,
					Text: fmt.Sprintf("the condition %s on a call of %s is not Go: %s", atom,
						m.Name, text)})
			}
		}
	}
	return errs
}

// method is the signature of a method, or of a function of pkg, nil if there is none.
func method(pkg *types.Package, s *ecl.Spec, method string) *types.Signature {
	obj := pkg.Scope().Lookup(s.Name)
	if obj == nil {
		return nil
	}
	var found types.Object
	switch {
	case s.Object:
		found = pkg.Scope().Lookup(method)
	case s.Abstract:
		found, _, _ = types.LookupFieldOrMethod(obj.Type(), false, pkg, method)
	default:
		found, _, _ = types.LookupFieldOrMethod(types.NewPointer(obj.Type()), true, pkg, method)
	}
	if fn, ok := found.(*types.Func); ok {
		return fn.Signature()
	}
	return nil
}

// value is the type of the i-th parameter or result of a call, nil for what the method does not
// return.
func value(sig *types.Signature, m *ecl.TableMethod, i int) types.Type {
	if i < len(m.Params) {
		return sig.Params().At(i).Type()
	}
	if i -= len(m.Params); i < sig.Results().Len() {
		return sig.Results().At(i).Type()
	}
	return nil
}

// variables is a package whose variables are a call's parameters and results, and whose constants
// are those of the method's package.
func variables(of *types.Package, m *ecl.TableMethod, sig *types.Signature) *types.Package {
	pkg := types.NewPackage(of.Path(), of.Name()) // the path allows fields that are not exported
	declare := func(names []string, tuple *types.Tuple) {
		for i, name := range names {
			if i < tuple.Len() && name != "_" {
				pkg.Scope().Insert(types.NewVar(token.NoPos, pkg, name, tuple.At(i).Type()))
			}
		}
	}
	declare(m.Params, sig.Params())
	declare(m.Results, sig.Results())
	for _, name := range of.Scope().Names() {
		if c, ok := of.Scope().Lookup(name).(*types.Const); ok && pkg.Scope().Lookup(name) == nil {
			pkg.Scope().Insert(types.NewConst(token.NoPos, pkg, name, c.Type(), c.Val()))
		}
	}
	return pkg
}

// conditionError returns the error in a condition, "" if there is none. A field behind a pointer is
// an error: to read it would be a data race if another goroutine writes it.
func conditionError(atom string, scope *types.Package) string {
	e, err := parser.ParseExpr(atom)
	if err != nil {
		return err.Error()
	}
	e = lenient(e, scope.Scope())
	info := &types.Info{Types: make(map[ast.Expr]types.TypeAndValue),
		Selections: make(map[*ast.SelectorExpr]*types.Selection)}
	if err := types.CheckExpr(token.NewFileSet(), scope, token.NoPos, e, info); err != nil {
		if err, ok := err.(types.Error); ok {
			return err.Msg
		}
		return err.Error()
	}
	for _, sel := range info.Selections {
		switch {
		case sel.Kind() != types.FieldVal:
			return fmt.Sprintf("%s is a method, and conditions call nothing", sel.Obj().Name())
		case sel.Indirect():
			return fmt.Sprintf("%s is behind a pointer, where others may write it",
				sel.Obj().Name())
		}
	}
	if t := info.Types[e].Type; t == nil || !types.AssignableTo(t, types.Typ[types.Bool]) &&
		!isBoolean(t) {
		return fmt.Sprintf("it is of type %s", t)
	}
	return ""
}

// lenient replaces the comparisons that need not be Go by true. The engine compares two values by
// representation, so their type need not have ==; and a value of a type parameter may be compared
// with nil.
func lenient(e ast.Expr, scope *types.Scope) ast.Expr {
	switch e := e.(type) {
	case *ast.ParenExpr:
		return &ast.ParenExpr{X: lenient(e.X, scope)}
	case *ast.UnaryExpr:
		return &ast.UnaryExpr{Op: e.Op, X: lenient(e.X, scope)}
	case *ast.BinaryExpr:
		if e.Op == token.EQL || e.Op == token.NEQ {
			x, y := variable(e.X, scope), variable(e.Y, scope)
			if x != nil && y != nil && related(x.Type(), y.Type()) ||
				x != nil && isNil(e.Y) && isTypeParam(x.Type()) {
				return ast.NewIdent("true")
			}
		}
		return &ast.BinaryExpr{X: lenient(e.X, scope), Op: e.Op, Y: lenient(e.Y, scope)}
	}
	return e
}

// related reports whether values of two types can be equal.
func related(x, y types.Type) bool {
	return types.AssignableTo(x, y) || types.AssignableTo(y, x) || isTypeParam(x) || isTypeParam(y)
}

// variable is the parameter or result that e is, nil if it is none.
func variable(e ast.Expr, scope *types.Scope) types.Object {
	if id, ok := ast.Unparen(e).(*ast.Ident); ok {
		return scope.Lookup(id.Name)
	}
	return nil
}

func isNil(e ast.Expr) bool {
	id, ok := ast.Unparen(e).(*ast.Ident)
	return ok && id.Name == "nil"
}

func isTypeParam(t types.Type) bool {
	_, ok := t.(*types.TypeParam)
	return ok
}

func isBoolean(t types.Type) bool {
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Info()&types.IsBoolean != 0
}
