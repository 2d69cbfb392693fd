// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package directive

import (
	_ "embed"

	"github.com/commutego/commute/analyzer/internal/docs"
	"golang.org/x/tools/go/analysis"
)

//go:embed doc.go
var doc string

// Analyzer reports comments that commute cannot accept.
var Analyzer = &analysis.Analyzer{
	Name: "directive",
	Doc:  docs.Section(doc, "directive"),
	URL:  "https://pkg.go.dev/github.com/commutego/commute/analyzer/directive",
	Run:  run,
}

func run(pass *analysis.Pass) (any, error) {
	for _, file := range pass.Files {
		_, problems := Scan(pass.Fset, file)
		for _, p := range problems {
			d := analysis.Diagnostic{Pos: p.Pos, End: p.End, Message: p.Message}
			if p.Fix != "" {
				d.SuggestedFixes = []analysis.SuggestedFix{{
					Message: "Write it as a directive",
					TextEdits: []analysis.TextEdit{
						{Pos: p.Pos, End: p.End, NewText: []byte(p.Fix)},
					},
				}}
			}
			pass.Report(d)
		}
	}
	return nil, nil
}
