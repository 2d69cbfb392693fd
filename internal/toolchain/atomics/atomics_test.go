// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package atomics

import (
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"slices"
	"strings"
	"testing"

	"github.com/commutego/commute/internal/toolchain/edit"
)

func rewrite(t *testing.T, src string) string {
	t.Helper()
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "a.go", src, 0)
	if err != nil {
		t.Fatal(err)
	}
	out, err := edit.Apply([]byte(src), Edits(fset, file))
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

func TestEdits(t *testing.T) {
	tests := []struct{ name, src, want string }{
		{"call", `import "sync/atomic"; var n int32; func f() { atomic.AddInt32(&n, 1) }`,
			"CommuteAddInt32(&n"},
		{"value", `import "sync/atomic"; var f = atomic.LoadUint64`,
			"f = atomic.CommuteLoadUint64"},
		{"renamed", `import a "sync/atomic"; var f = a.StorePointer`, "a.CommuteStorePointer"},
		{"twice", `import ("sync/atomic"; a "sync/atomic"); var f, g = a.SwapInt32, atomic.OrInt32`,
			"a.CommuteSwapInt32, atomic.CommuteOrInt32"},
		{"dot", `import . "sync/atomic"; var n int64; func f() { CompareAndSwapInt64(&n, 0, 1) }`,
			"{ CommuteCompareAndSwapInt64("},
		{"in parentheses", `import "sync/atomic"; var f = (atomic.AndUintptr)`,
			"(atomic.CommuteAndUintptr)"},
		{"directive", "import \"sync/atomic\"\n//line x.y:7\nvar f = atomic.AddInt32",
			"atomic.CommuteAddInt32"},
	}
	for _, test := range tests {
		src := "package p; " + test.src
		if !Mentioned([]byte(src)) {
			t.Errorf("%s: it is not looked at", test.name)
		}
		got := rewrite(t, src)
		if !strings.Contains(got, test.want) {
			t.Errorf("%s: %s", test.name, got)
		}
		if strings.ReplaceAll(got, Prefix, "") != src {
			t.Errorf("%s: more than the names has changed: %s", test.name, got)
		}
	}
}

func TestNoEdits(t *testing.T) {
	for _, src := range []string{
		`import "sync/atomic"; var x atomic.Int32; func f() { x.Add(1) }`,
		`import "sync/atomic"; type S struct{ AddInt32 int }; ` +
			`func f(atomic S) int { return atomic.AddInt32 }; var _ atomic.Int32`,
		`import "sync/atomic"; type S struct{ AddInt32 int }; ` +
			`func f() { { var atomic S; _ = atomic.AddInt32 } }; var _ atomic.Int32`,
		`import "sync/atomic"; type S struct{ AddInt32 int }; ` +
			`func (atomic S) f() int { return atomic.AddInt32 }; var _ atomic.Int32`,
		`import . "sync/atomic"; func f(AddInt32 func()) { AddInt32() }; var _ Int32`,
		`import . "sync/atomic"; type S struct{ AddInt32 int }; ` +
			`func f(s S) int { return s.AddInt32 }; var _ Int32`,
		`import _ "sync/atomic"; var atomic struct{ AddInt32 int }; var _ = atomic.AddInt32`,
		`import "internal/runtime/atomic"; var _ = atomic.LoadInt32`,
		`import a "sync/atomic"; import atomic "other"; var _ = atomic.LoadInt32; var _ a.Int32`,
	} {
		src = "package p; " + src
		if got := rewrite(t, src); got != src {
			t.Errorf("changed: %s", got)
		}
	}
}

// TestMentioned has files that need not be parsed.
func TestMentioned(t *testing.T) {
	for _, src := range []string{
		`package p; import "sync/atomic"; var x atomic.Int32; func f() { x.Add(1) }`,
		`package p; import "internal/runtime/atomic"; var _ = atomic.LoadInt32`,
	} {
		if Mentioned([]byte(src)) {
			t.Errorf("parsed for nothing: %s", src)
		}
	}
}

// TestFunctions holds the list against the package itself.
func TestFunctions(t *testing.T) {
	fset := token.NewFileSet()
	pkg, err := importer.ForCompiler(fset, "source", nil).Import(Path)
	if err != nil {
		t.Fatal(err)
	}
	var want []string
	for _, name := range pkg.Scope().Names() {
		if _, ok := pkg.Scope().Lookup(name).(*types.Func); ok && ast.IsExported(name) {
			want = append(want, name)
		}
	}
	got := Functions()
	slices.Sort(got)
	if !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	if len(want) < 30 {
		t.Errorf("only %d functions", len(want))
	}
}
