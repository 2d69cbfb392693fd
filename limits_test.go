// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package commute_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// What a newcomer can keep in mind: of the engine, no file has more lines and no type has more
// methods of its own. The methods of what a type embeds are those of another floor.
const (
	maxLines   = 400
	maxMethods = 30
)

// beyond lists the files of a folder that are too long, and the types with too many methods.
func beyond(dir string) (list []string, err error) {
	names, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		return nil, err
	}
	methods := make(map[string]int)
	for _, name := range names {
		data, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		if n := strings.Count(string(data), "\n"); n > maxLines {
			list = append(list, fmt.Sprintf("%s has %d lines", name, n))
		}
		f, err := parser.ParseFile(token.NewFileSet(), name, data, parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		for _, d := range f.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && fn.Recv != nil {
				methods[receiver(fn.Recv.List[0].Type)]++
			}
		}
	}
	for name, n := range methods {
		if n > maxMethods {
			list = append(list, fmt.Sprintf("%s: %s has %d methods", dir, name, n))
		}
	}
	slices.Sort(list)
	return list, nil
}

// receiver is the name of a receiver's type.
func receiver(t ast.Expr) string {
	switch t := t.(type) {
	case *ast.StarExpr:
		return receiver(t.X)
	case *ast.IndexExpr:
		return receiver(t.X)
	case *ast.IndexListExpr:
		return receiver(t.X)
	case *ast.Ident:
		return t.Name
	}
	return ""
}

// TestLimits holds the limits for all packages of the engine, their tests included.
func TestLimits(t *testing.T) {
	dirs, err := filepath.Glob("internal/engine/*")
	if err != nil || len(dirs) == 0 {
		t.Fatalf("%d packages of the engine, error %v", len(dirs), err)
	}
	for _, dir := range append(dirs, "runtime") {
		list, err := beyond(dir)
		if err != nil {
			t.Error(err)
		}
		for _, s := range list {
			t.Errorf("%s; a file may have %d lines, and a type %d methods", s, maxLines, maxMethods)
		}
	}
}

// TestLimitsAreSeen has a package at the limits, and one beyond each.
func TestLimitsAreSeen(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	method := func(recv string, i int) string {
		return fmt.Sprintf("func (%s) f%d() {}\n", recv, i)
	}
	for over := range 2 {
		long := "package p\n" + strings.Repeat("\n", maxLines-1+over)
		half, rest := "package p\n\ntype t[T any] struct{}\n", "package p\n"
		for i := range maxMethods + over {
			if i%2 == 0 {
				half += method("*t[T]", i)
			} else {
				rest += method("t[T]", i)
			}
		}
		write("long_test.go", long)
		write("half.go", half)
		write("rest.go", rest)
		list, err := beyond(dir)
		if err != nil || len(list) != 2*over {
			t.Errorf("%d beyond the limits: %q, error %v", over, list, err)
		}
	}
}
