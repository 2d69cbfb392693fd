// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package toolexec

import (
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/commutego/commute/internal/toolchain/command"
	"github.com/commutego/commute/internal/toolchain/comments"
	"github.com/commutego/commute/internal/toolchain/load"
)

// declared lists what a file declares, functions by their signatures.
func declared(t *testing.T, name string, src any) map[string]bool {
	t.Helper()
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, name, src, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	list := make(map[string]bool)
	for _, decl := range file.Decls {
		switch d := decl.(type) {
		case *ast.FuncDecl:
			at := func(pos token.Pos) int { return fset.Position(pos).Offset }
			text, ok := src.([]byte)
			if !ok {
				t.Fatal("the source is not given")
			}
			list[string(text[at(d.Pos()):at(d.Type.End())])] = true
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				switch s := spec.(type) {
				case *ast.ValueSpec:
					list["const "+s.Names[0].Name] = true
				case *ast.TypeSpec:
					list["type "+s.Name.Name] = true
				}
			}
		}
	}
	return list
}

// TestHooksAgree wants the two files of hooks to declare the same.
func TestHooksAgree(t *testing.T) {
	plain, err := os.ReadFile("../../../commutetest/hooks.go")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(plain), hooksVersion) {
		t.Errorf("no %q in hooks.go", hooksVersion)
	}
	was, is := declared(t, "hooks.go", plain), declared(t, "commute_hooks.go", []byte(hooks))
	for name := range was {
		if !is[name] {
			t.Errorf("commute has no %s", name)
		}
	}
	if len(was) != len(is) || len(was) < 7 {
		t.Errorf("%d declarations and %d", len(was), len(is))
	}
}

// TestBindHooks replaces the file, and refuses a package that has other hooks, or none.
func TestBindHooks(t *testing.T) {
	for text, fits := range map[string]bool{
		"package commutetest\n" + hooksVersion:         true,
		"package commutetest\n\n// hooks: version 2\n": false,
		"package commutetest\n":                        false,
		"":                                             false,
		"package commutetest\n// see hooks: version 1 of this\n": false,
	} {
		files := map[string]string{"/m/a.go": "package commutetest\n"}
		if text != "" {
			files["/m/hooks.go"] = text
		}
		u := unitOf(comments.TestPackage, files)
		change, err := u.bindHooks()
		if (err == nil) != fits || change.Removed["/m/hooks.go"] != fits ||
			len(change.Added) > 0 != fits {
			t.Errorf("%q: %v, %d files added", text, err, len(change.Added))
		}
		if err != nil && !strings.Contains(err.Error(), "versions that do not fit") {
			t.Error(err)
		}
	}
	u := unitOf("example.com/commutetest", nil)
	if change, err := u.bindHooks(); err != nil || !change.Empty() {
		t.Errorf("another package: %v", err)
	}
}

// unitOf is the unit of a package that is in memory.
func unitOf(path string, files map[string]string) *unit {
	u := &unit{Compile: &command.Compile{Package: path, Files: slices.Sorted(maps.Keys(files))}}
	u.source = load.New(load.Config{
		Path: path, Names: u.Files,
		Read: func(name string) ([]byte, error) { return []byte(files[name]), nil },
	})
	return u
}
