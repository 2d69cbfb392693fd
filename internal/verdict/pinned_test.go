// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package verdict

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"testing"
)

// TestPinned has a watched program that disables preemption as the engine does where it holds a
// lock that hooks wait for. No collection of garbage may stop the program meanwhile: one that was
// past its last stop can end.
func TestPinned(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "pinned"+exe())
	cmd := exec.Command(commute(t), "build", "-ldflags=-checklinkname=0", "-o", path,
		"./internal/verdict/testdata/pinned")
	cmd.Dir = "../.."
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	out, err := exec.CommandContext(t.Context(), path).CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	var pinned, free int
	if _, err := fmt.Sscan(string(out), &pinned, &free); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if pinned > 1 {
		t.Errorf("%d collections ended while preemption was disabled, and %d in the same time "+
			"after that; want 1 at most", pinned, free)
	}
}
