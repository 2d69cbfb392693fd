// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package checkact

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

	"github.com/commutego/commute/internal/toolchain/load"
)

// standard parses a package of the standard library.
func standard(t testing.TB, path string) (*token.FileSet, []*ast.File) {
	t.Helper()
	pkg, err := gobuild.Import(path, "", 0)
	if err != nil {
		t.Skip(err)
	}
	fset := token.NewFileSet()
	var files []*ast.File
	for _, name := range pkg.GoFiles {
		file, err := parser.ParseFile(fset, filepath.Join(pkg.Dir, name), nil,
			parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, file)
	}
	return fset, files
}

// check type-checks a package.
func check(t testing.TB, path string, fset *token.FileSet, files []*ast.File,
	info *types.Info) *types.Package {
	t.Helper()
	conf := types.Config{Importer: importer.ForCompiler(fset, "gc", nil), Error: func(err error) {
		if !strings.Contains(err.Error(), "missing function body") {
			t.Fatal(err)
		}
	}}
	pkg, _ := conf.Check(path, fset, files, info)
	return pkg
}

// TestStandard looks at packages of the standard library: nothing is to fail there, and what is
// found has its places.
func TestStandard(t *testing.T) {
	total := 0
	for _, path := range []string{"bufio", "database/sql", "encoding/json", "fmt", "go/types",
		"log", "maps", "net/http", "net/http/httptest", "net/rpc", "os/exec",
		"text/template/parse", "archive/zip", "go/printer", "reflect", "slices", "text/template"} {
		fset, files := standard(t, path)
		info := load.NewInfo()
		pkg := check(t, path, fset, files, info)
		loaded := load.Checked(fset, files, pkg, info)
		p, err := build(loaded)
		if err != nil {
			t.Fatal(err)
		}
		Find(loaded, Calls{token.NoPos: {}})
		total += len(p.functions)
	}
	if total < 3500 {
		t.Errorf("only %d functions", total)
	}
}

// BenchmarkFind compares what is added to the compilation of a package with calls to look up, and
// without memory to watch: types with all that SSA needs, in place of what the calls need, and then
// the pairs.
func BenchmarkFind(b *testing.B) {
	for _, path := range []string{"expvar", "encoding/json", "net/http"} {
		fset, files := standard(b, path)
		b.Run(path+"/types", func(b *testing.B) {
			for b.Loop() {
				check(b, path, fset, files, &types.Info{Uses: make(map[*ast.Ident]types.Object),
					Selections: make(map[*ast.SelectorExpr]*types.Selection)})
			}
		})
		b.Run(path+"/types-for-ssa", func(b *testing.B) {
			for b.Loop() {
				check(b, path, fset, files, load.NewInfo())
			}
		})
		info := load.NewInfo()
		pkg := check(b, path, fset, files, info)
		b.Run(path+"/pairs", func(b *testing.B) {
			for b.Loop() {
				Find(load.Checked(fset, files, pkg, info), Calls{token.NoPos: {}})
			}
		})
	}
}
