// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package transaction

import (
	_ "embed"

	"github.com/commutego/commute/analyzer/internal/docs"
	"golang.org/x/tools/go/analysis"
)

//go:embed doc.go
var doc string

// Analyzer reports annotations that commute cannot accept.
var Analyzer = &analysis.Analyzer{
	Name: "atomic",
	Doc:  docs.Section(doc, "atomic"),
	URL:  "https://pkg.go.dev/github.com/commutego/commute/analyzer/transaction",
	Run:  run,
}

// run reports the problems that Find finds.
func run(pass *analysis.Pass) (any, error) {
	_, problems := Find(pass.Pkg.Path(), pass.Fset, pass.Files)
	for _, p := range problems {
		pass.Report(p)
	}
	return nil, nil
}
