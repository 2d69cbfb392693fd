// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package checkact

import (
	"go/ast"
	"go/parser"
	"go/token"
	"strings"
	"testing"

	"github.com/commutego/commute/internal/toolchain/load"
	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/analysistest"
)

// reporter says of each pair, at the act, which check it depends on, and how many lines away that
// is.
var reporter = &analysis.Analyzer{
	Name:     "reporter",
	Doc:      "report pairs",
	Requires: []*analysis.Analyzer{Analyzer},
	Run: func(pass *analysis.Pass) (any, error) {
		r := pass.ResultOf[Analyzer].(*Result)
		report := func(p Pair, check, act token.Position) {
			if p.Check.Column == 0 || p.Act.Column == 0 || check.Filename != act.Filename {
				return // what is wanted is not found
			}
			pass.Fset.Iterate(func(f *token.File) bool {
				if f.Name() == act.Filename {
					through := ""
					if p.Through {
						through = " through"
					}
					pass.Reportf(f.LineStart(act.Line), "%s %+d, %s%s", p.Check.Method,
						check.Line-act.Line, p.Act.Method, through)
				}
				return true
			})
		}
		for _, p := range r.Calls {
			report(p, p.Check.Position, p.Act.Position)
		}
		return nil, nil
	},
}

func TestAnalyzer(t *testing.T) {
	if err := analysis.Validate([]*analysis.Analyzer{Analyzer}); err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(Analyzer.Doc, "checkact: find a check and an act") {
		t.Errorf("Doc = %q", Analyzer.Doc)
	}
	analysistest.Run(t, analysistest.TestData(), reporter, "calls", "words")
}

// TestBroken has a package whose SSA form cannot be built, for nothing is known of its types: there
// are no pairs, and no panic.
func TestBroken(t *testing.T) {
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "p.go",
		"package p\nfunc f(n int) int { return n + g(n) }\nfunc g(n int) int { return n }\n", 0)
	if err != nil {
		t.Fatal(err)
	}
	info := load.NewInfo()
	pkg := check(t, "p", fset, []*ast.File{file}, info)
	clear(info.Types)
	clear(info.Uses)
	loaded := load.Checked(fset, []*ast.File{file}, pkg, info)
	broken := false
	func() {
		defer func() { broken = recover() != nil }()
		build(loaded)
	}()
	if !broken {
		t.Error("it can be built")
	}
	if r := Find(loaded, Calls{token.NoPos: {}}); r == nil || len(r.Calls) > 0 {
		t.Errorf("found %v", r)
	}
}
