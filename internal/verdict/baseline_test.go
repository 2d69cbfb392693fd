// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package verdict

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"github.com/commutego/commute/internal/longtest"
	"github.com/commutego/commute/report"
)

// TestBaseline has commute test find one of each kind of finding, write them to a file and a
// baseline, and then keep them all silent.
func TestBaseline(t *testing.T) {
	t.Parallel()
	longtest.Same(t)
	tool := commute(t)
	dir := t.TempDir()
	known, found := filepath.Join(dir, "known.txt"), filepath.Join(dir, "found.json")
	run := func(flags ...string) (out []byte, err error) {
		cmd := exec.Command(tool, slices.Concat([]string{"test", "-count=1", "-datarace",
			"-deadlock=fail", "-baseline=" + known, "-report=json=" + found, "-run",
			"^TestRace(LostUpdate|DataRace|Deadlock|CheckThenAct)$"}, flags, []string{"."})...)
		cmd.Dir = "../../testdata/explain"
		return cmd.CombinedOutput()
	}
	read := func() (kinds []report.Kind) {
		text, err := os.ReadFile(found)
		if err != nil {
			t.Fatal(err)
		}
		var r report.Run
		if err := json.Unmarshal(text, &r); err != nil {
			t.Fatal(err)
		}
		for _, f := range r.Findings {
			if len(f.Tests) != 1 || len(f.Source) == 0 && f.Kind != report.DataRace &&
				f.Kind != report.Deadlock {
				t.Errorf("%s: tests are %q, %d lines of source", f.Headline, f.Tests, len(f.Source))
			}
			kinds = append(kinds, f.Kind)
		}
		slices.Sort(kinds)
		return kinds
	}
	if out, err := run("-update_baseline"); err == nil {
		t.Fatalf("nothing is found:\n%s", out)
	}
	want := []report.Kind{report.CheckThenActRace, report.CommutativityRace, report.DataRace,
		report.Deadlock}
	if got := slices.Compact(read()); !slices.Equal(got, want) {
		t.Errorf("found are %q, want %q", got, want)
	}
	if out, err := run(); err != nil || len(read()) > 0 {
		text, _ := os.ReadFile(known)
		t.Errorf("with the baseline: %v\n%s\n%s", err, text, out)
	}
}
