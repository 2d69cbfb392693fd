// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package checkact

import (
	"testing"

	"golang.org/x/tools/go/analysis/analysistest"
)

// TestLint reports what another goroutine can come between, and none of the twins.
func TestLint(t *testing.T) {
	setLevel(t, All)
	analysistest.Run(t, analysistest.TestData(), Analyzer, "lint")
}

// TestLikely leaves out the acts that two goroutines may make as well as one.
func TestLikely(t *testing.T) {
	analysistest.Run(t, analysistest.TestData(), Analyzer, "likely")
}

// TestLevel has a level that there is not.
func TestLevel(t *testing.T) {
	setLevel(t, "some")
	if _, err := run(nil); err == nil || err.Error() != "-checkact.level=some: give likely or all" {
		t.Errorf("error %v", err)
	}
}

// setLevel sets the level until the end of a test.
func setLevel(t *testing.T, to string) {
	was := level
	level = to
	t.Cleanup(func() { level = was })
}
