// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package annotation

import (
	_ "embed"
	"go/token"

	"github.com/commutego/commute/analyzer/internal/docs"
	"github.com/commutego/commute/ecl"
	"golang.org/x/tools/go/analysis"
)

//go:embed doc.go
var doc string

// Analyzer reports specifications that are wrong.
var Analyzer = &analysis.Analyzer{
	Name: "ecl",
	Doc:  docs.Section(doc, "ecl"),
	URL:  "https://pkg.go.dev/github.com/commutego/commute/analyzer/annotation",
	Run:  run,
}

func run(pass *analysis.Pass) (any, error) {
	at := func(pos token.Pos) token.Position { return pass.Fset.PositionFor(pos, false) }
	_, errs := Find(pass.Files, at)
	for _, e := range errs {
		pass.Report(analysis.Diagnostic{Pos: place(pass, e.Pos), Message: message(e)})
	}
	return nil, nil
}

func message(e *ecl.Error) string {
	if e.Hint == "" {
		return e.Text
	}
	return e.Text + " (" + e.Hint + ")"
}

// place is where a position is in the files of a pass.
func place(pass *analysis.Pass, at token.Position) token.Pos {
	for _, file := range pass.Files {
		f := pass.Fset.File(file.FileStart)
		if f.Name() == at.Filename && at.Line <= f.LineCount() {
			return f.LineStart(at.Line) + token.Pos(at.Column-1)
		}
	}
	return token.NoPos
}
