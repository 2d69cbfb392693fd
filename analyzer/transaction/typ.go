// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package transaction

import (
	"go/ast"

	"github.com/commutego/commute/internal/rewrite/instrument"
)

// typ marks the exported methods of a type that the package declares.
func (f *finder) typ(a *annotation, spec *ast.TypeSpec) {
	name := spec.Name.Name
	if _, ok := spec.Type.(*ast.InterfaceType); ok {
		f.fail(a, "%s is an interface, whose methods have no bodies (mark the types that "+
			"implement it, or their methods)", name)
		return
	}
	if spec.Assign.IsValid() {
		f.fail(a, "%s is another name of a type (mark that where it is declared)", name)
		return
	}
	found := false
	for _, file := range f.files {
		for _, decl := range file.Decls {
			fn, ok := decl.(*ast.FuncDecl)
			if !ok || !fn.Name.IsExported() {
				continue
			}
			if recv, _ := instrument.Receiver(fn); recv != name || fn.Recv == nil {
				continue
			}
			found = true
			if text := unmarkable(fn); text == "" {
				f.mark(fn, f.names[fn])
			} else if !excluded(fn) {
				f.fail(a, "%s: %s; or except it with %s%s", name, text, prefix, NotAtomic)
			}
		}
	}
	if !found {
		f.fail(a, "%s has no exported methods that this package declares (mark functions, or "+
			"methods that are not exported)", name)
	}
}

// excluded reports whether a function is marked as not atomic.
func excluded(fn *ast.FuncDecl) bool {
	if fn.Doc == nil {
		return false
	}
	for _, c := range fn.Doc.List {
		if a := read(c, fn.Doc); a.form == directive && a.verb == NotAtomic {
			return true
		}
	}
	return false
}
