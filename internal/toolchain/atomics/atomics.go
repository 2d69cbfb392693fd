// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

// Package atomics redirects calls of sync/atomic's functions to the hooked copies that commute adds
// to that package. The compiler turns a call of the original into an instruction, so a hook inside
// of it would not be called.
//
// Input: a Go file. Output: edits that write atomic.CommuteAddInt32 for
// atomic.AddInt32, as calls or as values, and leave shadowed names alone.
package atomics

import (
	"bytes"
	"go/ast"
	"go/token"
	"strconv"
	"strings"

	"github.com/commutego/commute/internal/toolchain/edit"
)

// Prefix makes the name of a function that of its hooked copy.
const Prefix = "Commute"

// Path is the package whose functions are redirected.
const Path = "sync/atomic"

var (
	ops   = []string{"CompareAndSwap", "Load", "Store", "Swap", "Add", "And", "Or"}
	names = []string{"Int32", "Int64", "Uint32", "Uint64", "Uintptr", "Pointer"}

	functions = func() map[string]bool {
		m := make(map[string]bool)
		for _, op := range ops {
			for _, name := range names {
				if name != "Pointer" || op != "Add" && op != "And" && op != "Or" {
					m[op+name] = true
				}
			}
		}
		return m
	}()
)

// Functions lists the functions that have a hooked copy.
func Functions() []string {
	var list []string
	for name := range functions {
		list = append(list, name)
	}
	return list
}

// Split divides a function's name into the operation and the type.
func Split(name string) (op, typ string) {
	for _, op := range ops {
		if typ, ok := strings.CutPrefix(name, op); ok {
			return op, typ
		}
	}
	return "", ""
}

// Mentioned reports, without parsing, whether data can need edits: it has the path of the package,
// and the name of a function. Most files that import it have its types only.
func Mentioned(data []byte) bool {
	if !bytes.Contains(data, []byte(Path)) {
		return false
	}
	for name := range functions {
		if bytes.Contains(data, []byte(name)) {
			return true
		}
	}
	return false
}

// Edits returns the edits to make in file, which was parsed with object resolution. An identifier
// with the name of an import denotes that import if the parser could not resolve it within the
// file.
func Edits(fset *token.FileSet, file *ast.File) []edit.Edit {
	imported := make(map[string]bool) // a file may import the package twice
	for _, spec := range file.Imports {
		if path, err := strconv.Unquote(spec.Path.Value); err != nil || path != Path {
			continue
		}
		name := "atomic"
		if spec.Name != nil {
			name = spec.Name.Name
		}
		imported[name] = true
	}
	var edits []edit.Edit
	add := func(id *ast.Ident) {
		at := fset.PositionFor(id.Pos(), false).Offset
		edits = append(edits, edit.Edit{Start: at, End: at, Text: Prefix})
	}
	if imported["."] {
		for _, id := range file.Unresolved {
			if functions[id.Name] {
				add(id)
			}
		}
	}
	ast.Inspect(file, func(n ast.Node) bool {
		if sel, ok := n.(*ast.SelectorExpr); ok && functions[sel.Sel.Name] {
			if id, ok := sel.X.(*ast.Ident); ok && imported[id.Name] && id.Obj == nil {
				add(sel.Sel)
			}
		}
		return true
	})
	return edits
}
