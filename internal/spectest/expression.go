// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package spectest

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"slices"
	"strings"
)

// cond prints a condition. Two values are compared by commuteSame, which does not panic.
func (g *generator) cond(m *method, e ast.Expr) string {
	switch e := e.(type) {
	case *ast.Ident:
		return g.name(m, e.Name)
	case *ast.BasicLit:
		return e.Value
	case *ast.ParenExpr:
		return "(" + g.cond(m, e.X) + ")"
	case *ast.SelectorExpr:
		if id, ok := e.X.(*ast.Ident); ok && !g.isVar(m, id) {
			if p := g.lookup(id.Name); p != nil {
				return g.importName(p.Path(), p.Name()) + "." + e.Sel.Name
			}
		}
		return g.cond(m, e.X) + "." + e.Sel.Name
	case *ast.UnaryExpr:
		return e.Op.String() + g.cond(m, e.X)
	case *ast.CallExpr:
		var args []string
		for _, a := range e.Args {
			args = append(args, g.cond(m, a))
		}
		return types.ExprString(e.Fun) + "(" + strings.Join(args, ", ") + ")"
	case *ast.BinaryExpr:
		x, y := g.cond(m, e.X), g.cond(m, e.Y)
		if e.Op == token.EQL || e.Op == token.NEQ {
			if g.isVar(m, e.X) && g.isVar(m, e.Y) {
				return map[token.Token]string{token.NEQ: "!"}[e.Op] + "commuteSame(" + x + ", " +
					y + ")"
			}
			if t := g.varType(m, e.X); y == "nil" && t != nil &&
				!types.AssignableTo(types.Typ[types.UntypedNil], t) {
				x = "any(" + x + ")" // of a type parameter in the source
			}
		}
		return x + " " + e.Op.String() + " " + y
	}
	return types.ExprString(e)
}

// name is a value of the call, a type parameter, or a constant of the package.
func (g *generator) name(m *method, name string) string {
	for i, v := range m.Vars() {
		switch {
		case v != name || v == "_":
		case i < len(m.Params):
			return fmt.Sprint(prefix, "p", i)
		default:
			return fmt.Sprint(prefix, "r", i-len(m.Params))
		}
	}
	if t := m.params[name]; t != nil {
		return g.typeString(t)
	}
	if g.external && g.pkg.Types.Scope().Lookup(name) != nil {
		return g.importName(g.pkg.PkgPath, g.pkg.Name) + "." + name
	}
	return name
}

func (g *generator) isVar(m *method, e ast.Expr) bool {
	id, ok := ast.Unparen(e).(*ast.Ident)
	return ok && id.Name != "_" && slices.Contains(m.Vars(), id.Name)
}

// varType is the type of a value of the call, nil if it is unknown.
func (g *generator) varType(m *method, e ast.Expr) types.Type {
	if !g.isVar(m, e) {
		return nil
	}
	i := slices.Index(m.Vars(), ast.Unparen(e).(*ast.Ident).Name)
	if i < len(m.Params) {
		return m.sig.Params().At(i).Type()
	}
	if i -= len(m.Params); i < m.sig.Results().Len() {
		return m.sig.Results().At(i).Type()
	}
	return nil
}

// shadowExpr prints the expression that yields all results: its variables are the parameters, and
// methods by their bare name are called on the object.
func (g *generator) shadowExpr(m *method) (string, error) {
	e, err := parser.ParseExpr(m.Shadow)
	if err != nil {
		return "", err
	}
	skip, called := make(map[*ast.Ident]bool), make(map[*ast.Ident]bool)
	ast.Inspect(e, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SelectorExpr:
			skip[n.Sel] = true
		case *ast.CallExpr:
			if id, ok := n.Fun.(*ast.Ident); ok {
				called[id] = true
			}
		}
		return true
	})
	return rewrite(m.Shadow, e, func(id *ast.Ident) string {
		obj, _, _ := types.LookupFieldOrMethod(g.object.typ, true, g.pkg.Types, id.Name)
		_, isMethod := obj.(*types.Func)
		i := slices.Index(m.Params, id.Name)
		switch {
		case skip[id] || id.Name == "_":
			return id.Name
		case called[id] && isMethod:
			return prefix + "o." + id.Name
		case i >= 0:
			return fmt.Sprint(prefix, "p", i)
		case g.lookup(id.Name) != nil && g.pkg.Types.Scope().Lookup(id.Name) == nil:
			p := g.lookup(id.Name)
			return g.importName(p.Path(), p.Name())
		}
		return g.name(m, id.Name)
	}), nil
}
