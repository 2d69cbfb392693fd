// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

//go:build unix

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestPassedOn has the tool of the go command run other tools than the compiler before what takes
// long is initialized, in the whole environment.
func TestPassedOn(t *testing.T) {
	commute, err := exec.LookPath("commute")
	if err != nil {
		t.Fatal(err)
	}
	for name, early := range map[string]bool{"asm": true, "compile": false} {
		tool := filepath.Join(t.TempDir(), name)
		text := "#!/bin/sh\necho $0 $RAPID_CHECKS \"$@\"\nexit 3\n"
		if err := os.WriteFile(tool, []byte(text), 0o777); err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command(commute, "toolexec", tool, "-a", "b c")
		cmd.Env = append(os.Environ(), "GODEBUG=inittrace=1", "RAPID_CHECKS=7")
		var out, trace strings.Builder
		cmd.Stdout, cmd.Stderr = &out, &trace
		if cmd.Run(); early && out.String() != tool+" 7 -a b c\n" ||
			early && cmd.ProcessState.ExitCode() != 3 {
			t.Errorf("%s: code %d, %s%s", name, cmd.ProcessState.ExitCode(), out.String(), trace.String())
		}
		if strings.Contains(trace.String(), "init pgregory.net/rapid ") == early {
			t.Errorf("%s: it is run early: %v, want %v\n%s", name, !early, early, trace.String())
		}
	}
}
