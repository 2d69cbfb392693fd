// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package toolexec

import (
	"go/parser"
	"go/token"
	"go/types"
	"slices"
	"strings"
	"testing"
)

// TestShadowed has packages that declare a name of Go's as something of their own: files with that
// name are not added, the user is told, and what is made of the package compiles.
func TestShadowed(t *testing.T) {
	for _, test := range []struct {
		decl, name string // of the package
		added      int    // of three files
	}{
		{"", "", 3},
		{"type string struct{ s []byte }", "string", 0},
		{"type (\n\ty = int\n\tbool y\n)", "bool", 0},
		{"const true = 0 == 1", "true", 0},
		{"type uint64 struct{}", "uint64", 2},
		{"type uintptr struct{}", "uintptr", 0},
		{"var x, nil int", "nil", 3},
		{"func len(int) int { return 0 }", "len", 3},
		{"func any(string int) { var bool, nil int; _, _ = bool, nil }", "", 3},
		{"type y struct{ bool int }\n\nfunc (y) string() {}", "", 3},
	} {
		const rest = `

//ecl:mutator Put(k)/v
//ecl:commute Put(k1), Put(k2): k1 != k2
type Box struct{ sync.Mutex }

func (b *Box) Put(k float64) float64 { return k }

var box Box

//atomic
func f() { box.Put(1) }
`
		text := "package a\n\nimport \"sync\"\n\n" + test.decl + rest
		var told strings.Builder
		file, added := plannedTo(t, text, &told)
		if len(added) != test.added || test.added == 0 && file != text {
			t.Errorf("%s: %d files are added to\n%s", test.decl, len(added), file)
		}
		want := "commute: package example.com/a has a " + test.name +
			" of its own, so that commute leaves out its "
		if n := strings.Count(told.String(), want); n != 3-test.added ||
			n == 0 && told.Len() > 0 {
			t.Errorf("%s: the user is told %q", test.decl, told.String())
		}
		added["a.go"] = file
		assembly(t, added)
	}
}

// TestPredeclared has each name of Go's that is in an added file be in the list.
func TestPredeclared(t *testing.T) {
	_, added := planned(t, written)
	seen := make(map[string]bool)
	for name, text := range added {
		file, err := parser.ParseFile(token.NewFileSet(), name, text, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, id := range file.Unresolved {
			if types.Universe.Lookup(id.Name) == nil {
				continue
			}
			if seen[id.Name] = true; !slices.Contains(predeclared, id.Name) {
				t.Errorf("%s has %s", name, id.Name)
			}
		}
	}
	if len(seen) < 8 {
		t.Errorf("only %v are seen", seen)
	}
}
