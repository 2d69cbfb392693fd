// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package reduction

import (
	"strings"
	"testing"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/analysistest"
)

// TestAnalyzer says of each marked function what it is, by its own steps and those of another
// package.
func TestAnalyzer(t *testing.T) {
	if err := analysis.Validate([]*analysis.Analyzer{Analyzer}); err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(Analyzer.Doc, "reduction: say what breaks") {
		t.Errorf("Doc = %q", Analyzer.Doc)
	}
	all = true
	t.Cleanup(func() { all = false })
	analysistest.Run(t, analysistest.TestData(), Analyzer, "./bank")
}
