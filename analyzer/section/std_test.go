// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package section

import (
	"go/ast"
	gobuild "go/build"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"path/filepath"
	"strings"
	"testing"

	"github.com/commutego/commute/internal/engine/compiled"
	"github.com/commutego/commute/internal/toolchain/load"
)

// standard type-checks a package of the standard library.
func standard(t testing.TB, path string) *load.Package {
	t.Helper()
	pkg, err := gobuild.Import(path, "", 0)
	if err != nil {
		t.Skip(err)
	}
	fset := token.NewFileSet()
	var files []*ast.File
	for _, name := range pkg.GoFiles {
		file, err := parser.ParseFile(fset, filepath.Join(pkg.Dir, name), nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, file)
	}
	info := load.NewInfo()
	conf := types.Config{Importer: importer.ForCompiler(fset, "gc", nil), Error: func(err error) {
		if !strings.Contains(err.Error(), "missing function body") {
			t.Fatal(err)
		}
	}}
	checked, _ := conf.Check(path, fset, files, info)
	return load.Checked(fset, files, checked, info)
}

// TestStandard looks at packages of the standard library: nothing is to fail there, and each touch
// has what it needs to be written.
func TestStandard(t *testing.T) {
	touches := 0
	for _, path := range []string{"database/sql", "expvar", "net/http", "net/rpc", "os/exec",
		"log", "go/types", "testing", "crypto/tls", "mime", "encoding/json"} {
		pkg := standard(t, path)
		p, err := build(pkg)
		if err != nil {
			t.Fatal(err)
		}
		r := p.result()
		checkResult(t, pkg, r)
		touches += len(r.Touches)
		for _, pair := range pairsOf(pkg, r) {
			t.Logf("%s: %s", path, pair)
		}
	}
	if touches < 100 {
		t.Errorf("only %d touches", touches)
	}
}

// checkResult holds a result against what its declaration says.
func checkResult(t *testing.T, pkg *load.Package, r *Result) {
	t.Helper()
	checked, _ := pkg.Types()
	x := &expresser{info: checked.Info}
	for i, touch := range r.Touches {
		at := pkg.Fset.Position(touch.Pos)
		tv := checked.Info.Types[touch.Var]
		_, isMap := tv.Type.Underlying().(*types.Map)
		switch {
		case touch.Point == "" || touch.Name == "" || !touch.Pos.IsValid():
			t.Errorf("%v: touch %d has no name: %+v", at, i, touch)
		case (touch.Stmt == nil) == (touch.Expr == nil):
			t.Errorf("%v: statement %v, expression %v", at, touch.Stmt, touch.Expr)
		case touch.Stmt != nil && (!x.pure(touch.Var) || touch.Key != nil && !x.pure(touch.Key)):
			t.Errorf("%v: %s has a call", at, types.ExprString(touch.Var))
		case touch.Op == compiled.ReadBacking || touch.Op == compiled.WriteBacking:
			_, isSlice := tv.Type.Underlying().(*types.Slice)
			_, isPointer := tv.Type.Underlying().(*types.Pointer)
			if touch.Whole && !tv.Addressable() || !touch.Whole && !isSlice && !isPointer {
				t.Errorf("%v: %s leads to no elements", at, types.ExprString(touch.Var))
			}
		case touch.Atomic == compiled.NotAtomic && !isMap && !tv.Addressable():
			t.Errorf("%v: %s is not addressable", at, types.ExprString(touch.Var))
		}
	}
	for _, f := range r.Funcs {
		switch f.Node.(type) {
		case *ast.FuncDecl, *ast.FuncLit:
		default:
			t.Errorf("a pair in a %T", f.Node)
		}
		for _, p := range f.Pairs {
			if act := r.Touches[p.Act]; !p.Shape.Linked() && (r.Touches[p.Check].Stmt != nil ||
				act.Stmt == nil && act.Atomic == compiled.NotAtomic) {
				t.Errorf("%v: %+v", pkg.Fset.Position(f.Node.Pos()), p)
			}
		}
	}
}
