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

	"github.com/commutego/commute/ecl"
)

// wellKnown are packages that expressions may name although the package does not import them.
var wellKnown = map[string]string{
	"atomic": "sync/atomic", "big": "math/big", "bytes": "bytes", "context": "context",
	"errors": "errors",
	"fmt":    "fmt", "http": "net/http", "io": "io", "math": "math", "netip": "net/netip",
	"os":      "os",
	"rand":    "math/rand/v2",
	"reflect": "reflect", "slices": "slices", "sort": "sort", "strings": "strings", "sync": "sync",
	"time": "time", "url": "net/url",
}

// A scope says what names mean in generated code.
type scope struct {
	*target
	imports map[string]string // path -> name
	names   map[string]string // name -> path
}

func newScope(t *target) *scope {
	return &scope{t, make(map[string]string), make(map[string]string)}
}

// importName is the name under which generated code imports a package: its own, if that is free.
func (s *scope) importName(path, name string) string {
	if have := s.imports[path]; have != "" {
		return have
	}
	free := func(n string) bool {
		return s.names[n] == "" && (s.external || s.pkg.Types.Scope().Lookup(n) == nil)
	}
	for n := 2; !free(name); n++ {
		name = fmt.Sprint(strings.TrimRight(name, "0123456789"), n)
	}
	s.imports[path], s.names[name] = name, path
	return name
}

// imported is the path of what the package's files import under a name, "" if there is nothing.
func (t *target) imported(name string) string {
	for _, f := range t.pkg.Syntax {
		for _, i := range f.Imports {
			path := strings.Trim(i.Path.Value, "\"`")
			p := t.pkg.Imports[path]
			if i.Name != nil && i.Name.Name == name || i.Name == nil && p != nil && p.Name == name {
				return path
			}
		}
	}
	return ""
}

// lookup finds a package by its name in an expression.
func (t *target) lookup(name string) *types.Package {
	if path := t.imported(name); path != "" {
		if p := t.pkg.Imports[path]; p != nil {
			return p.Types
		}
	}
	if p := t.extra[wellKnown[name]]; p != nil {
		return p.Types
	}
	if name == t.pkg.Types.Name() && t.external {
		return t.pkg.Types
	}
	return nil
}

// qualifiers lists the names before a dot in an expression.
func qualifiers(text string) (names []string) {
	e, err := parser.ParseExpr(text)
	if err != nil {
		return nil
	}
	ast.Inspect(e, func(n ast.Node) bool {
		if sel, ok := n.(*ast.SelectorExpr); ok {
			if id, ok := sel.X.(*ast.Ident); ok && !slices.Contains(names, id.Name) {
				names = append(names, id.Name)
			}
		}
		return true
	})
	return names
}

// expr types an expression of a specification, and prints it for generated code.
func (s *scope) expr(pos token.Position, text string) (string, types.Type, error) {
	fail := func(format string, args ...any) error {
		return &ecl.Error{Pos: pos, Text: fmt.Sprintf(format, args...),
			Hint: "write an expression of Go that could stand in the package"}
	}
	e, err := parser.ParseExpr(text)
	if err != nil {
		return "", nil, fail("%s: %v", text, err)
	}
	// A package of the same path has the same objects, and those that are imported.
	own := s.pkg.Types
	tmp := types.NewPackage(own.Path(), own.Name())
	for _, name := range own.Scope().Names() {
		tmp.Scope().Insert(own.Scope().Lookup(name))
	}
	for _, name := range qualifiers(text) {
		if p := s.lookup(name); p != nil && own.Scope().Lookup(name) == nil {
			tmp.Scope().Insert(types.NewPkgName(token.NoPos, tmp, name, p))
		}
	}
	info := &types.Info{Types: make(map[ast.Expr]types.TypeAndValue),
		Uses: make(map[*ast.Ident]types.Object)}
	if err := types.CheckExpr(token.NewFileSet(), tmp, token.NoPos, e, info); err != nil {
		if err, ok := err.(types.Error); ok {
			return "", nil, fail("%s: %s", text, err.Msg)
		}
		return "", nil, fail("%s: %v", text, err)
	}
	hidden := ""
	out := rewrite(text, e, func(id *ast.Ident) string {
		obj := info.Uses[id]
		if p, ok := obj.(*types.PkgName); ok {
			return s.importName(p.Imported().Path(), p.Imported().Name())
		}
		if obj == nil || own.Scope().Lookup(id.Name) != obj || !s.external {
			return id.Name
		}
		if !obj.Exported() {
			hidden = id.Name
		}
		return s.importName(own.Path(), own.Name()) + "." + id.Name
	})
	if hidden != "" {
		return "", nil, fail("%s is not exported by %s, which is tested from another package",
			hidden, own.Path())
	}
	return out, info.Types[e].Type, nil
}

// rewrite prints an expression with its identifiers replaced.
func rewrite(text string, e ast.Expr, f func(*ast.Ident) string) string {
	var b strings.Builder
	last := 0
	ast.Inspect(e, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok {
			off := int(id.Pos()) - 1
			b.WriteString(text[last:off] + f(id))
			last = off + len(id.Name)
		}
		return true
	})
	return b.String() + text[last:]
}

// typeString prints a type for generated code.
func (s *scope) typeString(t types.Type) string {
	return types.TypeString(t, func(p *types.Package) string {
		if p.Path() == s.pkg.PkgPath && !s.external {
			return ""
		}
		return s.importName(p.Path(), p.Name())
	})
}

// shortType prints a type as its package's source does.
func (s *scope) shortType(t types.Type) string {
	return types.TypeString(t, func(p *types.Package) string {
		if p.Path() == s.pkg.PkgPath {
			return ""
		}
		return p.Name()
	})
}

// hidden is the name of a type in t that generated code cannot write, "" if there is none.
func (s *scope) hidden(t types.Type) string {
	switch t := types.Unalias(t).(type) {
	case *types.Named:
		obj := t.Obj()
		if obj.Pkg() != nil && !obj.Exported() &&
			(s.external || obj.Pkg().Path() != s.pkg.PkgPath) {
			return obj.Name()
		}
		for a := range t.TypeArgs().Types() {
			if h := s.hidden(a); h != "" {
				return h
			}
		}
	case *types.Map:
		if h := s.hidden(t.Key()); h != "" {
			return h
		}
		return s.hidden(t.Elem())
	case interface{ Elem() types.Type }:
		return s.hidden(t.Elem())
	case *types.Signature:
		for _, tuple := range []*types.Tuple{t.Params(), t.Results()} {
			for v := range tuple.Variables() {
				if h := s.hidden(v.Type()); h != "" {
					return h
				}
			}
		}
	}
	return ""
}
