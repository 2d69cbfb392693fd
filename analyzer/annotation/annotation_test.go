// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package annotation

import (
	"testing"

	"golang.org/x/tools/go/analysis/analysistest"
)

func TestAnalyzer(t *testing.T) {
	analysistest.Run(t, analysistest.TestData(), Analyzer, "a")
}

// TestFix adds missing pairs; the result has none missing.
func TestFix(t *testing.T) {
	analysistest.RunWithSuggestedFixes(t, analysistest.TestData(), Analyzer, "b")
}
