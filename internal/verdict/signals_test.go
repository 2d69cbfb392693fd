// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

//go:build unix

package verdict

import (
	"bytes"
	"errors"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// TestSignals has a program that a signal ends, asks, or that handles signals itself. What was
// found is listed before the end, and where it is asked for.
func TestSignals(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "signals")
	cmd := exec.Command(commute(t), "build", "-o", path, "./internal/verdict/testdata/signals")
	cmd.Dir = "../.."
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, test := range []struct {
		how    string
		signal syscall.Signal // that ends it, 0 for none
		stdout string
		lists  int
		asked  bool
	}{
		{"ends", syscall.SIGTERM, "", 1, false},
		{"asks", syscall.SIGINT, "", 2, true},
		{"handles", 0, "got user defined signal 1\ngot terminated\n", 1, false},
	} {
		var stdout, stderr bytes.Buffer
		cmd := exec.CommandContext(t.Context(), path, test.how)
		cmd.Stdout, cmd.Stderr = &stdout, &stderr
		var exit *exec.ExitError
		if err := cmd.Run(); !errors.As(err, &exit) {
			t.Fatal(err)
		}
		status, text := exit.Sys().(syscall.WaitStatus), stderr.String()
		switch {
		case test.signal == 0 && status.ExitStatus() != 66:
			t.Errorf("%s: it ended with %v, want exit status 66", test.how, exit)
		case test.signal != 0 && (!status.Signaled() || status.Signal() != test.signal):
			t.Errorf("%s: it ended with %v, want %v", test.how, exit, test.signal)
		}
		watched := "commute: watched 2 calls of 1 type, 0 transactions, 0 locks\n"
		if strings.Count(text, "\nWARNING: COMMUTATIVITY RACE\n") != 1 ||
			strings.Count(text, "\ncommute: found 1 commutativity race\n") != test.lists ||
			strings.Contains(text, "\ncommute: so far:\n") != test.asked ||
			strings.Contains(text, watched) != test.asked || stdout.String() != test.stdout {
			t.Errorf("%s: it printed %q and\n%s", test.how, stdout.String(), text)
		}
	}
}
