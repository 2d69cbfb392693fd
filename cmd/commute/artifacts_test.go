// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/commutego/commute/report"
)

// TestArtifactsFail wants the errors of artifacts that can't be written to speak of -artifacts and
// of the file, each once, and the other files to be written.
func TestArtifactsFail(t *testing.T) {
	found := []*report.Finding{{Kind: report.DataRace}}
	missing := filepath.Join(t.TempDir(), "gone")
	folder, full := t.TempDir(), t.TempDir()
	if err := os.Mkdir(filepath.Join(folder, "commute.html"), 0o700); err != nil {
		t.Fatal(err)
	}
	c := counts{artifacts: []artifact{{missing, found}, {folder, found}, {full, found}}}
	want := []string{
		"-artifacts: " + filepath.Join(missing, "commute.html") + ": there is no folder",
		"-artifacts: " + filepath.Join(missing, "commute.json") + ": there is no folder",
		"-artifacts: " + filepath.Join(folder, "commute.html") + ": ",
	}
	if _, err := os.Stat("/dev/full"); err == nil { // a disk without room
		page := filepath.Join(full, "commute.html")
		if err := os.Symlink("/dev/full", page); err != nil {
			t.Fatal(err)
		}
		want = append(want, "-artifacts: "+page+": write ")
	}
	err := c.writeArtifacts()
	if err == nil {
		t.Fatal("no error")
	}
	lines := strings.Split(err.Error(), "\n")
	if len(lines) != len(want) {
		t.Errorf("%d errors, want %d:\n%v", len(lines), len(want), err)
	}
	for i, line := range lines {
		if strings.Contains(line, "-report") || i < len(want) && !strings.HasPrefix(line, want[i]) {
			t.Errorf("the error is %q, want %q", line, want[min(i, len(want)-1)])
		}
	}
	for _, dir := range []string{folder, full} {
		if _, err := os.Stat(filepath.Join(dir, "commute.json")); err != nil {
			t.Errorf("the other artifact: %v", err)
		}
	}
}
