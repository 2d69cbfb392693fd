// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package checkact

import (
	"testing"

	"golang.org/x/tools/go/analysis/analysistest"
)

// TestLint reports what another goroutine can come between, and none of the twins.
func TestLint(t *testing.T) {
	analysistest.Run(t, analysistest.TestData(), Analyzer, "lint")
}
