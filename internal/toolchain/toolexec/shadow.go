// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package toolexec

import (
	"fmt"
	"go/ast"
	"slices"
)

// predeclared are Go's own names that the files have in them which are added to packages.
var predeclared = []string{"bool", "false", "int", "len", "nil", "string", "true", "uint32",
	"uint64", "uint8", "uintptr"}

// findShadowed returns one of those names that the package declares as something else, "" for none.
// An added file can't say then what it means. It tells the user that the package is left out.
func (u *unit) findShadowed() string {
	files, err := u.source.Syntax()
	if err != nil {
		return "" // the compiler will say so
	}
	for _, file := range files {
		for _, decl := range file.Decls {
			for _, id := range namesOf(decl) {
				if slices.Contains(predeclared, id.Name) {
					at := u.source.Fset.Position(id.Pos())
					fmt.Fprintf(u.driver.Stderr, "%s:%d: commute: package %s is not watched, for it has "+
						"a %s of its own (give that another name)\n", at.Filename, at.Line, u.Package, id.Name)
					return id.Name
				}
			}
		}
	}
	return ""
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
