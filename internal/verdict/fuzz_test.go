// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package verdict

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/commutego/commute/report"
)

// TestFuzz has a fuzzer find a broken check and act. Its workers' standard error is read by nobody,
// so the report is where the fuzzer says why the target fails.
func TestFuzz(t *testing.T) {
	t.Parallel()
	needLong(t, "packages are compiled for a fuzzer")
	tool := commute(t)
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS("../../testdata/fuzz")); err != nil {
		t.Fatal(err)
	}
	found := filepath.Join(dir, "found.json")
	cmd := exec.Command(tool, "test", "-fuzz=FuzzGet", "-fuzztime=20000x", "-fuzzminimizetime=20x",
		"-report=json="+found, ".")
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if err == nil {
		t.Errorf("nothing is found:\n%s", out)
	}
	_, said, _ := strings.Cut(string(out), "--- FAIL: FuzzGet ")
	var own []string // the lines of the target, which is a test in the other
	for line := range strings.Lines(said) {
		if text, ok := strings.CutPrefix(line, "        "); ok {
			own = append(own, text)
		}
	}
	text := strings.Join(own, "")
	if !strings.HasPrefix(text, "commute: ") || strings.Contains(string(out), "race detected") {
		t.Errorf("the number of findings is not said:\n%s", out)
	}
	reports := report.Parse([]byte(text))
	var written report.Run
	data, err := os.ReadFile(found)
	if err == nil {
		err = json.Unmarshal(data, &written)
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, list := range [][]*report.Finding{reports, written.Findings} {
		if !slices.ContainsFunc(list, func(f *report.Finding) bool {
			return f.Kind == report.CheckThenActRace && f.Effect == report.DuplicateWork
		}) {
			t.Errorf("%d reports, and none of the check and act:\n%s", len(list), out)
		}
	}
}
