// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package main

import (
	"os"
	"path/filepath"
	"testing"
)

// TestAnyKept looks for schedules in folders, some of which are not there.
func TestAnyKept(t *testing.T) {
	dir := t.TempDir()
	write := func(name string) {
		t.Helper()
		name = filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, nil, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	dirs := []string{filepath.Join(dir, "none"), dir}
	write("a/a.go")
	write(".git/a.schedule")
	write("node_modules/a.schedule")
	if anyKept(nil) || anyKept(dirs) {
		t.Error("there is one in a folder that does not count")
	}
	write("a/testdata/explore/TestA/1.schedule")
	if !anyKept(dirs) {
		t.Error("one is missed")
	}
}
