// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package toolexec

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"

	"github.com/commutego/commute/internal/toolchain/command"
)

// TestCollectLess compiles packages with a compiler that only says how often it collects garbage.
func TestCollectLess(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("there is no sh")
	}
	const child = "COMMUTE_TEST_COLLECT"
	if path := os.Getenv(child); path != "" {
		collectLess(filepath.Base(path))
		_, err := Replace([]string{path})
		t.Fatal(err)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ pkg, given, want string }{
		{"runtime", "", "400"}, {"runtime", "50", "50"}, {"os", "", ""}, {"os", "50", "50"},
	} {
		tool := filepath.Join(t.TempDir(), c.pkg)
		err := os.WriteFile(tool, []byte("#!/bin/sh\necho \"GOGC=$GOGC.\"\n"), 0o777)
		if err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command(self, "-test.run=^TestCollectLess$")
		cmd.Env = append(os.Environ(), child+"="+tool, collectorVariable+"="+c.given)
		out, _ := cmd.CombinedOutput()
		if !strings.Contains(string(out), "GOGC="+c.want+".\n") {
			t.Errorf("%s, by GOGC=%q: want %q in\n%s", c.pkg, c.given, c.want, out)
		}
	}
}

// TestCollectMore has packages of two files, and asks how often garbage is collected then.
func TestCollectMore(t *testing.T) {
	const seldom = 400
	for _, c := range []struct {
		size  int64 // of each file
		given string
		want  int
	}{{largeSource / 2, "", 100}, {largeSource/2 - 1, "", seldom}, {largeSource, "50", seldom}} {
		dir := t.TempDir()
		u := &unit{Compile: &command.Compile{Files: []string{filepath.Join(dir, "missing.go")}}}
		for _, name := range []string{"a.go", "b.go"} {
			path := filepath.Join(dir, name)
			if err := os.WriteFile(path, make([]byte, c.size), 0o666); err != nil {
				t.Fatal(err)
			}
			u.Files = append(u.Files, path)
		}
		t.Setenv(collectorVariable, c.given)
		before := debug.SetGCPercent(seldom)
		if u.isLarge() {
			collectMore()
		}
		if got := debug.SetGCPercent(before); got != c.want {
			t.Errorf("files of %d bytes, GOGC=%q: collects at %d%%, want %d", c.size, c.given, got,
				c.want)
		}
	}
}
