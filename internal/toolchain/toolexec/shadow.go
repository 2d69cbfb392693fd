// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package toolexec

import (
	"fmt"
	"go/ast"
	"regexp"
	"slices"

	"github.com/commutego/commute/internal/toolchain/edit"
)

// predeclared are Go's own names that the files have in them which are added to packages. Where a
// package declares one of them, an added file can't say what it means.
var predeclared = []string{"bool", "comparable", "false", "int", "len", "nil", "string", "true",
	"uint32", "uint64", "uint8", "uintptr"}

// findShadowed returns those names that the package declares as something else.
func (u *unit) findShadowed() (shadowed []*ast.Ident) {
	files, err := u.source.Syntax()
	if err != nil {
		return nil // the compiler will say so
	}
	for _, file := range files {
		for _, decl := range file.Decls {
			for _, id := range namesOf(decl) {
				if slices.Contains(predeclared, id.Name) {
					shadowed = append(shadowed, id)
				}
			}
		}
	}
	return shadowed
}

// quoted are strings, in which words are no names.
var quoted = regexp.MustCompile(`"(?:[^"\\\n]|\\.)*"`)

// misread reports whether an added file would have one of those names mean what the package
// declares. It tells the user that what the pass wants is left out.
func (u *unit) misread(pass string, added []edit.Added) bool {
	if u.Std || len(added) == 0 {
		return false
	}
	for _, id := range u.shadowed() {
		word := regexp.MustCompile(`\b` + id.Name + `\b`)
		if slices.ContainsFunc(added, func(a edit.Added) bool {
			return word.Match(quoted.ReplaceAll(a.Data, nil))
		}) {
			at := u.source.Fset.Position(id.Pos())
			fmt.Fprintf(u.driver.Stderr, "%s:%d: commute: package %s has a %s of its own, so that "+
				"commute leaves out its %s (give that another name)\n",
				at.Filename, at.Line, u.Package, id.Name, pass)
			return true
		}
	}
	return false
}

// namesOf lists the names that a declaration at the top of a file declares in the package.
func namesOf(decl ast.Decl) (names []*ast.Ident) {
	switch decl := decl.(type) {
	case *ast.FuncDecl:
		if decl.Recv == nil {
			names = append(names, decl.Name)
		}
	case *ast.GenDecl:
		for _, spec := range decl.Specs {
			switch spec := spec.(type) {
			case *ast.TypeSpec:
				names = append(names, spec.Name)
			case *ast.ValueSpec:
				names = append(names, spec.Names...)
			}
		}
	}
	return names
}
