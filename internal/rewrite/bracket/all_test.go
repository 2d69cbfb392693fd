// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package bracket

import (
	"go/ast"
	"go/build"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"path/filepath"
	"strings"
	"testing"

	"github.com/commutego/commute/analyzer/transaction"
	"github.com/commutego/commute/internal/toolchain/load"
)

// TestStandard marks every function, literal and block of packages of the standard library, and
// type-checks what comes out: it has no missing returns, no jumps over declarations, and no results
// of other types.
func TestStandard(t *testing.T) {
	imports := importer.ForCompiler(token.NewFileSet(), "gc", nil)
	for _, path := range []string{
		"bufio", "compress/flate", "encoding/json", "fmt", "go/parser", "go/printer", "iter",
		"maps", "net/http",
		"net/url", "regexp/syntax", "slices", "strconv", "text/template/parse", "time",
	} {
		t.Run(strings.ReplaceAll(path, "/", "."), func(t *testing.T) {
			pkg, err := build.Import(path, "", 0)
			if err != nil {
				t.Skip(err)
			}
			for i, name := range pkg.GoFiles {
				pkg.GoFiles[i] = filepath.Join(pkg.Dir, name)
			}
			p := &Package{
				Source: load.New(load.Config{Path: path, Names: pkg.GoFiles}),
				Place:  func(token.Pos) string { return "" },
			}
			files, err := p.Source.Syntax()
			if err != nil {
				t.Fatal(err)
			}
			var marks []transaction.Mark
			for _, file := range files {
				marks = append(marks, everything(file)...)
			}
			info := &types.Info{Types: make(map[ast.Expr]types.TypeAndValue)}
			check(t, path, p.Source.Fset, imports, files, info)
			p.Iterator = func(e ast.Expr) bool {
				_, ok := info.TypeOf(e).Underlying().(*types.Signature)
				return ok
			}
			p.ValueIndependent = func(ast.Node) bool { return false }
			out := generate(t, p, marks)
			fset := token.NewFileSet()
			files = nil
			for _, name := range pkg.GoFiles {
				files = append(files, reparse(t, fset, name, applied(t, p, out, name)))
			}
			check(t, path, fset, imports,
				append(files, reparse(t, fset, "added.go", out.Added)), nil)
			if len(marks) < 5 {
				t.Errorf("only %d marks", len(marks))
			}
		})
	}
}

func reparse(t *testing.T, fset *token.FileSet, name string, src []byte) *ast.File {
	t.Helper()
	file, err := parser.ParseFile(fset, name, src, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	return file
}

// everything marks all that can be marked.
func everything(file *ast.File) (marks []transaction.Mark) {
	add := func(n ast.Node) { marks = append(marks, transaction.Mark{Node: n, Name: "p.f"}) }
	ast.PreorderStack(file, nil, func(n ast.Node, stack []ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncDecl:
			if n.Body != nil {
				add(n)
			}
		case *ast.FuncLit:
			add(n)
		case *ast.BlockStmt:
			switch stack[len(stack)-1].(type) {
			case *ast.FuncDecl, *ast.FuncLit, *ast.SwitchStmt, *ast.TypeSwitchStmt, *ast.SelectStmt:
			default:
				add(n)
			}
		}
		return true
	})
	return marks
}

// check type-checks a package. Functions without bodies are not errors here.
func check(t *testing.T, path string, fset *token.FileSet, imports types.Importer,
	files []*ast.File, info *types.Info) {
	t.Helper()
	conf := types.Config{Importer: imports, Error: func(err error) {
		if !strings.Contains(err.Error(), "missing function body") {
			t.Errorf("%v", err)
		}
	}}
	conf.Check(path, fset, files, info)
}
