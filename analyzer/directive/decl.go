// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package directive

import (
	"go/ast"
	"go/token"

	"github.com/commutego/commute/internal/engine/compiled"
)

// The kinds of declarations, as reports tell them apart.
const (
	globalVar   = string(compiled.GlobalVar)
	structField = string(compiled.StructField)
	localVar    = string(compiled.LocalVar)
	param       = string(compiled.Param)
	other       = string(compiled.OtherDecl)
)

// A declaration is the declaration of a variable or of a struct field.
type declaration struct {
	Ident *ast.Ident
	Kind  string
	// Name is unique in the package but for locals of one function that share a
	// name: "cache", "Server.cache", "Server.inner.cache", "serve.cache",
	// "Server.serve.cache".
	Name  string
	Start token.Pos // without comments
	Group token.Pos // of "var (", if the declaration is in such a group
}

// declarations lists the declarations of file.
func declarations(file *ast.File) []declaration {
	w := new(declWalker)
	for _, decl := range file.Decls {
		switch decl := decl.(type) {
		case *ast.GenDecl:
			w.gen(decl, "", globalVar)
		case *ast.FuncDecl:
			name := decl.Name.Name
			if decl.Recv != nil {
				w.fields(decl.Recv, receiverName(decl)+"."+name, param)
				name = receiverName(decl) + "." + name
			}
			w.function(decl.Type, decl.Body, name)
		}
	}
	return w.decls
}

// receiverName returns the name of the type that fn is a method of.
func receiverName(fn *ast.FuncDecl) string {
	if len(fn.Recv.List) == 0 {
		return "_"
	}
	t := fn.Recv.List[0].Type
	for {
		switch x := t.(type) {
		case *ast.StarExpr:
			t = x.X
		case *ast.ParenExpr:
			t = x.X
		case *ast.IndexExpr:
			t = x.X
		case *ast.IndexListExpr:
			t = x.X
		case *ast.Ident:
			return x.Name
		default:
			return "_"
		}
	}
}

type declWalker struct{ decls []declaration }

func (w *declWalker) add(id *ast.Ident, kind, owner string, node ast.Node, group token.Pos) {
	if id.Name == "_" {
		return
	}
	w.decls = append(w.decls, declaration{
		Ident: id,
		Kind:  kind,
		Name:  join(owner, id.Name),
		Start: node.Pos(),
		Group: group,
	})
}

func join(owner, name string) string {
	if owner == "" {
		return name
	}
	return owner + "." + name
}

// gen walks a declaration of variables or types within owner.
func (w *declWalker) gen(decl *ast.GenDecl, owner, kind string) {
	group := token.NoPos
	if decl.Lparen.IsValid() {
		group = decl.Pos()
	}
	for _, spec := range decl.Specs {
		switch spec := spec.(type) {
		case *ast.ValueSpec:
			if decl.Tok != token.VAR {
				continue
			}
			for _, id := range spec.Names {
				w.add(id, kind, owner, spec, group)
				w.typ(spec.Type, join(owner, id.Name))
			}
			for i, value := range spec.Values {
				w.typ(literalType(value), join(owner, spec.Names[min(i, len(spec.Names)-1)].Name))
				w.within(value, join(owner, spec.Names[min(i, len(spec.Names)-1)].Name))
			}
		case *ast.TypeSpec:
			w.fields(spec.TypeParams, join(owner, spec.Name.Name), "")
			w.typ(spec.Type, join(owner, spec.Name.Name))
		}
	}
}

// literalType returns the type of a composite literal or of its address.
func literalType(value ast.Expr) ast.Expr {
	if addr, ok := value.(*ast.UnaryExpr); ok && addr.Op == token.AND {
		value = addr.X
	}
	if lit, ok := value.(*ast.CompositeLit); ok {
		return lit.Type
	}
	return nil
}

// typ walks the struct types in t: the fields of owner.
func (w *declWalker) typ(t ast.Expr, owner string) {
	if t == nil {
		return
	}
	ast.Inspect(t, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.StructType:
			w.fields(n.Fields, owner, structField)
			return false
		case *ast.FuncType, *ast.InterfaceType, *ast.FuncLit:
			return false
		}
		return true
	})
}

// fields walks the fields of a struct, or parameters if kind is Param.
func (w *declWalker) fields(list *ast.FieldList, owner, kind string) {
	if list == nil || kind == "" {
		return
	}
	for _, f := range list.List {
		if len(f.Names) == 0 && kind == structField {
			if id := embedded(f.Type); id != nil {
				w.add(id, kind, owner, f, token.NoPos)
			}
			continue
		}
		for _, id := range f.Names {
			w.add(id, kind, owner, f, token.NoPos)
			w.typ(f.Type, join(owner, id.Name))
		}
	}
}

// embedded returns the identifier that names an embedded field.
func embedded(t ast.Expr) *ast.Ident {
	switch t := t.(type) {
	case *ast.Ident:
		return t
	case *ast.StarExpr:
		return embedded(t.X)
	case *ast.SelectorExpr:
		return t.Sel
	case *ast.IndexExpr:
		return embedded(t.X)
	case *ast.IndexListExpr:
		return embedded(t.X)
	}
	return nil
}

// function walks a function called name, and the literals in it.
func (w *declWalker) function(t *ast.FuncType, body *ast.BlockStmt, name string) {
	w.fields(t.Params, name, param)
	w.fields(t.Results, name, param)
	if body != nil {
		w.within(body, name)
	}
}

// within walks the declarations in n, which is a part of the function (or
// of the initial value of the variable) called name.
func (w *declWalker) within(n ast.Node, name string) {
	ast.Inspect(n, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			w.function(n.Type, n.Body, name)
			return false
		case *ast.GenDecl:
			w.gen(n, name, localVar)
			return false
		case *ast.AssignStmt:
			if n.Tok == token.DEFINE {
				w.define(n, name)
			}
		case *ast.RangeStmt:
			if n.Tok == token.DEFINE {
				for _, e := range []ast.Expr{n.Key, n.Value} {
					if id, ok := e.(*ast.Ident); ok {
						w.add(id, localVar, name, id, token.NoPos)
					}
				}
			}
		}
		return true
	})
}

// define walks a := of the function called name. The names on its left that
// are declared already are listed again, which does no harm: the place is the
// same and positions are compared where it matters.
func (w *declWalker) define(n *ast.AssignStmt, name string) {
	for i, e := range n.Lhs {
		id, ok := e.(*ast.Ident)
		if !ok {
			continue
		}
		w.add(id, localVar, name, n, token.NoPos)
		if i < len(n.Rhs) {
			w.typ(literalType(n.Rhs[i]), join(name, id.Name))
		}
	}
}
