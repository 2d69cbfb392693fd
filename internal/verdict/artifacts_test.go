// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package verdict

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/commutego/commute/internal/longtest"
	"github.com/commutego/commute/report"
)

// TestArtifacts wants each test with a finding to have its reports in its folder of artifacts, and
// an attribute in the output for programs. A test that passes has neither.
func TestArtifacts(t *testing.T) {
	t.Parallel()
	longtest.Same(t)
	tool, dir := commute(t), t.TempDir()
	cmd := exec.Command(tool, "test", "-count=1", "-datarace", "-json", "-artifacts",
		"-outputdir="+dir, "-run", "^Test(RaceLostUpdate|RaceDataRace|NoRaceDataRace)$", ".")
	cmd.Dir = "../../testdata/explain"
	out, err := cmd.Output()
	if err == nil {
		t.Fatalf("nothing is found:\n%s", out)
	}
	var attributes []string
	for line := range strings.Lines(string(out)) {
		var e struct{ Action, Test, Key, Value string }
		if json.Unmarshal([]byte(line), &e) == nil && e.Action == "attr" {
			attributes = append(attributes, fmt.Sprint(e.Test, " ", e.Key, " ", e.Value))
		}
	}
	slices.Sort(attributes)
	if want := []string{"TestRaceDataRace commute.findings 1",
		"TestRaceLostUpdate commute.findings 1"}; !slices.Equal(attributes, want) {
		t.Errorf("attributes are %q, want %q", attributes, want)
	}
	var tests []string
	err = filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.Name() != "commute.json" {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		var r report.Run
		if err := json.Unmarshal(text, &r); err != nil {
			return err
		}
		for _, f := range r.Findings {
			tests = append(tests, strings.Join(f.Tests, " "))
		}
		page, err := os.ReadFile(filepath.Join(filepath.Dir(path), "commute.html"))
		if err == nil && !strings.Contains(string(page), "<!DOCTYPE html>") {
			t.Errorf("%s: commute.html beside it is no page", path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(tests)
	if want := []string{"TestRaceDataRace", "TestRaceLostUpdate"}; !slices.Equal(tests, want) {
		t.Errorf("artifacts are of %q, want %q\n%s", tests, want, out)
	}
}
