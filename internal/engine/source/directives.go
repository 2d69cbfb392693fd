// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package source

import (
	"github.com/commutego/commute/internal/engine/compiled"
	"github.com/commutego/commute/internal/engine/host"
	"github.com/commutego/commute/internal/engine/text"
)

// Directed reports whether there is a directive of a kind for a line of the source, or for a
// declaration, and marks it as used.
func Directed(kind compiled.DirectiveKind, fr host.Frame, decl *Declaration) bool {
	return Direct(kind, fr, decl, true)
}

// Direct is Directed; it marks nothing if mark is false.
func Direct(kind compiled.DirectiveKind, fr host.Frame, decl *Declaration, mark bool) bool {
	hit := false
	k := key{pkg: PackageOf(fr.Func), file: text.Base(fr.File), line: uint32(fr.Line)}
	if kind == compiled.Concurrent {
		k = key{pkg: decl.Key.Package, name: decl.Key.Name}
	}
	for e := upToDate().directives.find(&k); e != nil; e = e.next.Load() {
		d, pkg := e.of.P(), e.by.P().Path
		if d.Kind == kind && applies(d, pkg, &k, decl) {
			if hit = true; mark {
				d.Used.Store(1)
			}
		}
	}
	return hit
}

// directiveKey is what a directive of a package is found by.
func directiveKey(pkg string, d *compiled.Directive) *key {
	if d.Kind == compiled.Concurrent {
		return &key{pkg: pkg, name: d.Decl}
	}
	return &key{pkg: pkg, file: d.File, line: d.Line}
}

// applies reports whether a directive of a package is for what is asked for: k, of a declaration if
// the directive is about those.
func applies(d *compiled.Directive, pkg string, k *key, decl *Declaration) bool {
	if d.Kind != compiled.Concurrent {
		return d.Line == k.line && d.File == k.file && samePackage(pkg, k.pkg)
	}
	if pkg != k.pkg || d.Decl != k.name {
		return false
	}
	// Two locals of one function may have one name.
	return decl.Kind != string(compiled.LocalVar) || isAt(decl.Pos, d.File, d.Line)
}

// isAt reports whether a position is on a line of a file with a base name.
func isAt(pos, file string, line uint32) bool {
	at := text.Base(pos)
	if !text.HasPrefix(at, file) || len(at) == len(file) {
		return false
	}
	n, ok := text.Number(at[len(file)+1:])
	return ok && uint32(n) == line
}

// Unused calls f for each directive of a package under test that did not apply to anything.
func Unused(f func(d *compiled.Directive)) {
	for r := Registered.first.Load(); r != nil; r = r.next {
		of := r.of.P()
		for i := range of.Directives {
			if d := &of.Directives[i]; of.Tested && d.Used.Load() == 0 {
				f(d)
			}
		}
	}
}
