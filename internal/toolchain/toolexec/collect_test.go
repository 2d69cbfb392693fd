// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package toolexec

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
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
