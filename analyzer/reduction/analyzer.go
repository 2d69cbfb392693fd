// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package reduction

import (
	_ "embed"
	"fmt"
	"go/ast"
	"go/types"

	"github.com/commutego/commute/analyzer/internal/docs"
	"github.com/commutego/commute/analyzer/section"
	"github.com/commutego/commute/analyzer/transaction"
	"github.com/commutego/commute/internal/toolchain/load"
	"golang.org/x/tools/go/analysis"
)

//go:embed doc.go
var doc string

// Analyzer reports the steps that prevent functions marked as atomic from being reduced to one
// step.
var Analyzer = &analysis.Analyzer{
	Name:      "reduction",
	Doc:       docs.Section(doc, "reduction"),
	URL:       "https://pkg.go.dev/github.com/commutego/commute/analyzer/reduction",
	Run:       analyze,
	FactTypes: []analysis.Fact{new(Fact)},
}

var all bool

func init() {
	Analyzer.Flags.BoolVar(&all, "all", false, "report also what is proven, and what is not known")
}

// Category is that of all diagnostics: a kind of finding that commute explain knows.
const Category = "atomicity"

// A Fact says what a call of a function of another package does to its caller's pattern.
type Fact struct {
	FromBefore, FromAfter uint8 // the states that it leads to
	Breaks, BreaksAfter   bool
}

// AFact says that a Fact is one.
func (*Fact) AFact() {}

// String has all that is known.
func (f *Fact) String() string { return fmt.Sprintf("%+v", *f) }

func analyze(pass *analysis.Pass) (any, error) {
	marks, _ := transaction.Find(pass.Pkg.Path(), pass.Fset, pass.Files)
	// The standard library has no marks, and its functions use more than this package knows.
	if (pass.Module == nil || pass.Module.Path == "") && len(marks.Marks) == 0 {
		return nil, nil
	}
	steps := section.StepsOf(load.Checked(pass.Fset, pass.Files, pass.Pkg, pass.TypesInfo))
	if steps == nil {
		return nil, nil
	}
	r := &reducer{pass: pass, steps: steps, done: make(map[any]*result)}
	for _, m := range marks.Marks {
		switch m.Node.(type) {
		case *ast.FuncDecl, *ast.FuncLit:
			if f := steps.Function(m.Node); f != nil {
				r.report(m, r.reduce(f, 0))
			}
		}
	}
	for _, f := range steps.Functions() {
		fn, ok := f.Object().(*types.Func)
		if !ok || !fn.Exported() || len(f.Blocks) == 0 {
			continue
		}
		if x := r.reduce(f, 0); x.unknown == "" {
			pass.ExportObjectFact(fn, &Fact{uint8(x.fromBefore), uint8(x.fromAfter), x.breaks,
				x.breaksAfter})
		}
	}
	return nil, nil
}
