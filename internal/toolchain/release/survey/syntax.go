// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package survey

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"

	"github.com/commutego/commute/internal/toolchain/release"
)

// generated reports whether a file is marked as generated.
func generated(src []byte) bool {
	return bytes.HasPrefix(src, []byte("// Code generated ")) ||
		bytes.Contains(src, []byte("\n// Code generated "))
}

// edited notes the declarations of a file in which edits begin.
func (v *survey) edited(pkg, path string, offsets []int) error {
	fset := token.NewFileSet()
	syntax, err := parser.ParseFile(fset, path, nil,
		parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	for _, at := range offsets {
		pos := syntax.FileStart + token.Pos(at)
		for _, decl := range syntax.Decls {
			name := ""
			switch decl := decl.(type) {
			case *ast.FuncDecl:
				if within(pos, decl, decl.Doc) {
					name = release.FunctionName(decl)
				}
			case *ast.GenDecl:
				if within(pos, decl, nil) && decl.Tok != token.IMPORT {
					name = specAt(decl, pos)
				}
			}
			if name == "" {
				continue
			}
			if err := v.add(pkg, path, name, release.Patched); err != nil {
				return err
			}
		}
	}
	return nil
}

// within reports whether pos is in a declaration, or in its comment.
func within(pos token.Pos, n ast.Node, doc *ast.CommentGroup) bool {
	from := n.Pos()
	if doc != nil {
		from = doc.Pos()
	}
	return from <= pos && pos <= n.End()
}

// specAt is the first name that is declared at pos.
func specAt(decl *ast.GenDecl, pos token.Pos) string {
	for _, spec := range decl.Specs {
		if !within(pos, spec, nil) {
			continue
		}
		switch spec := spec.(type) {
		case *ast.TypeSpec:
			return spec.Name.Name
		case *ast.ValueSpec:
			return spec.Names[0].Name
		}
	}
	return ""
}

// announcers notes the functions of a package that announce something by package internal/race.
func (v *survey) announcers(pkg string) error {
	files, err := release.Files(v.Goroot, pkg)
	if err != nil {
		return err
	}
	for _, path := range files {
		syntax, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		for _, decl := range syntax.Decls {
			fn, ok := decl.(*ast.FuncDecl)
			if !ok || !announces(fn) {
				continue
			}
			if err := v.add(pkg, path, release.FunctionName(fn), release.Announces); err != nil {
				return err
			}
		}
	}
	return nil
}

// announces reports whether a function calls package internal/race.
func announces(fn *ast.FuncDecl) (found bool) {
	ast.Inspect(fn, func(n ast.Node) bool {
		if sel, ok := n.(*ast.SelectorExpr); ok {
			if id, ok := sel.X.(*ast.Ident); ok && id.Name == "race" {
				found = true
			}
		}
		return !found
	})
	return found
}
