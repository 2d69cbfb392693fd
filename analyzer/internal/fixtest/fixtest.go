// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

// Package fixtest tests the fixes of an analyzer: that they are the expected ones, that they
// compile, and that a single goroutine can't tell the difference.
//
// Input: testdata/src/fixes, with fixes.go and fixes.go.golden. Output: failed tests.
package fixtest

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/analysistest"
)

// Golden applies the fixes of an analyzer to the package, and compares the result with the golden
// file.
func Golden(t *testing.T, a *analysis.Analyzer) {
	t.Helper()
	analysistest.RunWithSuggestedFixes(only{t}, analysistest.TestData(), a, "fixes")
}

// only looks at what is fixed, not at what is reported: a comment that says what is wanted would
// stand in the way of some fixes.
type only struct{ *testing.T }

func (t only) Errorf(format string, args ...any) {
	if text := fmt.Sprintf(format, args...); !strings.Contains(text, ": unexpected diagnostic: ") {
		t.T.Helper()
		t.Error(text)
	}
}

// Behaves runs a test, transcript, in the package before and after the fixes. Each line that the
// test prints begins with a digit, and must be the same both times. The number of these lines must
// be as given.
func Behaves(t *testing.T, transcript string, lines int) {
	t.Helper()
	before, after := run(t, "fixes.go", transcript), run(t, "fixes.go.golden", transcript)
	if len(before) < lines || len(after) != len(before) {
		t.Fatalf("%d and %d lines", len(before), len(after))
	}
	for i := range before {
		if before[i] != after[i] {
			t.Fatalf("the fixes change what a goroutine sees alone:\n%s%s", before[i], after[i])
		}
	}
}

// run runs the transcript in a module that has only one file of testdata, and that.
func run(t *testing.T, name, transcript string) (lines []string) {
	t.Helper()
	source, err := os.ReadFile(filepath.Join("testdata", "src", "fixes", name))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for file, text := range map[string]string{"go.mod": "module fixes\n\ngo 1.26\n",
		"fixes.go": string(source), "transcript_test.go": transcript} {
		if err := os.WriteFile(filepath.Join(dir, file), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command("go", "test", "-vet=off", "-v", ".")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v\n%s", name, err, out)
	}
	for line := range strings.Lines(string(out)) {
		if line[0] >= '0' && line[0] <= '9' {
			lines = append(lines, line)
		}
	}
	return lines
}
