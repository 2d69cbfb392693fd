// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package splitlock

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/analysistest"
)

// TestLevels reports the pairs of each level, and none of the twins. What is wanted of level all
// alone says so.
func TestLevels(t *testing.T) {
	if err := analysis.Validate([]*analysis.Analyzer{Analyzer}); err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(Analyzer.Doc, "splitlock: find a check") {
		t.Errorf("Doc = %q", Analyzer.Doc)
	}
	for to, all := range map[string]string{Likely: "// all: ", All: "// want "} {
		t.Run(to, func(t *testing.T) {
			setLevel(t, to)
			dir := t.TempDir()
			copySource(t, dir, func(text string) string {
				return strings.ReplaceAll(text, "// want:all ", all)
			})
			analysistest.Run(t, dir, Analyzer, "split")
		})
	}
}

// copySource copies package split to a folder.
func copySource(t *testing.T, dir string, change func(string) string) {
	t.Helper()
	to := filepath.Join(dir, "src", "split")
	if err := os.MkdirAll(to, 0o777); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"split.go", "split_test.go"} {
		text, err := os.ReadFile(filepath.Join("testdata", "src", "split", name))
		if err == nil {
			err = os.WriteFile(filepath.Join(to, name), []byte(change(string(text))), 0o666)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

// TestWrongLevel has a level that there is not.
func TestWrongLevel(t *testing.T) {
	setLevel(t, "some")
	if _, err := run(nil); err == nil ||
		err.Error() != "-splitlock.level=some: give likely or all" {
		t.Errorf("error %v", err)
	}
}
