// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package bundle

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"maps"
	"slices"
	"strings"

	"github.com/commutego/commute/internal/toolchain/edit"
)

// A rewriter makes one engine file a file of package runtime.
type rewriter struct {
	*bundler
	file  source
	info  *types.Info
	pkg   *types.Package
	edits map[token.Pos]edit.Edit // by start, so that a name is renamed once
}

// rewrite renames the package, removes its imports and renames package-level names. Each is an edit
// of the text, so that lines stay.
func (r *rewriter) rewrite() ([]byte, error) {
	r.replace(r.file.syntax.Name.Pos(), r.file.syntax.Name.End(), "runtime")
	if err := r.imports(); err != nil {
		return nil, err
	}
	ast.Inspect(r.file.syntax, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.ImportSpec:
			return false
		case *ast.SelectorExpr:
			if r.qualified(n) {
				return false
			}
		case *ast.Ident:
			r.ident(n)
		}
		return true
	})
	r.directives()
	return edit.Apply(r.file.data, slices.Collect(maps.Values(r.edits)))
}

func (r *rewriter) offset(pos token.Pos) int { return r.fset.PositionFor(pos, false).Offset }

func (r *rewriter) replace(start, end token.Pos, text string) {
	r.edits[start] = edit.Edit{Start: r.offset(start), End: r.offset(end), Text: text}
}

// imports blanks the imports of engine packages and of sync/atomic, and keeps the line breaks among
// them. Only unsafe is left.
func (r *rewriter) imports() error {
	for _, spec := range r.file.syntax.Imports {
		if spec.Path.Value == `"unsafe"` {
			continue
		}
		if spec.Name != nil && spec.Name.Name == "." {
			return fmt.Errorf("%s: an engine package cannot be imported with a dot",
				r.fset.Position(spec.Pos()))
		}
		r.replace(spec.Pos(), spec.End(), "")
	}
	for _, decl := range r.file.syntax.Decls {
		// "import ()" is fine, a bare "import" is not.
		if decl, ok := decl.(*ast.GenDecl); ok && decl.Tok == token.IMPORT &&
			!decl.Lparen.IsValid() {
			if decl.Specs[0].(*ast.ImportSpec).Path.Value != `"unsafe"` {
				r.replace(decl.Pos(), decl.End(), "")
				delete(r.edits, decl.Specs[0].Pos())
			}
		}
	}
	return nil
}

// qualified rewrites a selector like vclock.Clock and reports whether it was one.
func (r *rewriter) qualified(sel *ast.SelectorExpr) bool {
	id, ok := sel.X.(*ast.Ident)
	if !ok {
		return false
	}
	pkgName, ok := r.info.Uses[id].(*types.PkgName)
	if !ok || pkgName.Imported() == types.Unsafe {
		return false
	}
	r.replace(sel.Pos(), sel.End(), r.prefix[pkgName.Imported()]+sel.Sel.Name)
	return true
}

// ident renames an identifier that stands for a package-level object. An embedded field has the
// name of its type, and is renamed with it.
func (r *rewriter) ident(id *ast.Ident) {
	obj := r.info.Uses[id]
	if obj == nil {
		obj = r.info.Defs[id]
	}
	if field, ok := obj.(*types.Var); ok && field.Embedded() {
		obj = embeddedName(field)
	}
	if obj == nil || obj.Name() == "_" || obj.Name() != id.Name {
		return
	}
	prefix, ok := r.prefix[obj.Pkg()]
	if !ok || obj.Parent() != obj.Pkg().Scope() {
		return
	}
	r.replace(id.Pos(), id.End(), prefix+id.Name)
}

// embeddedName returns the name of the type that field embeds.
func embeddedName(field *types.Var) types.Object {
	t := field.Type()
	if p, ok := t.(*types.Pointer); ok {
		t = p.Elem()
	}
	switch t := t.(type) {
	case *types.Alias:
		return t.Obj()
	case *types.Named:
		return t.Origin().Obj()
	}
	return nil
}

// directives renames the local name of each //go:linkname. It empties build constraints: the
// compiler ignores them, but they would mislead a reader.
func (r *rewriter) directives() {
	for _, group := range r.file.syntax.Comments {
		for _, c := range group.List {
			switch {
			case strings.HasPrefix(c.Text, "//go:build "):
				r.replace(c.Pos(), c.End(), "")
			case strings.HasPrefix(c.Text, "//go:linkname "):
				fields := strings.Fields(c.Text)
				if len(fields) > 1 && r.pkg.Scope().Lookup(fields[1]) != nil {
					fields[1] = r.prefix[r.pkg] + fields[1]
					r.replace(c.Pos(), c.End(), strings.Join(fields, " "))
				}
			}
		}
	}
}
