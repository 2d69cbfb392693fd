// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package vclock

import (
	"os"
	"os/exec"
	"strings"
	"testing"
)

// TestNoSlotLeft starts more threads than there may be slots, in a process of its own. The process
// must end with a message, and not with the status of a program in which something was found.
func TestNoSlotLeft(t *testing.T) {
	const variable = "COMMUTE_TEST_NO_SLOT"
	if os.Getenv(variable) != "" {
		world.slots.limit = world.slots.used.Load() + 100
		for range 101 {
			world.Start(new(Thread))
		}
		os.Exit(0)
	}
	self, err := os.Executable()
	if err != nil {
		t.Skip(err)
	}
	cmd := exec.Command(self, "-test.run=^TestNoSlotLeft$")
	cmd.Env = append(os.Environ(), variable+"=1")
	var stderr strings.Builder
	cmd.Stderr = &stderr
	cmd.Run()
	if code := cmd.ProcessState.ExitCode(); code != 2 {
		t.Errorf("exit status %d, want 2", code)
	}
	const want = "commute: there are too many goroutines at once"
	if text := stderr.String(); !strings.HasPrefix(text, want) || !strings.HasSuffix(text, ")\n") {
		t.Errorf("stderr is %q, want %s...", text, want)
	}
}
