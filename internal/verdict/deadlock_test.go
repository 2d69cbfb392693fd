// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package verdict

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

// TestDeadlockOption runs a test with a potential deadlock with each value of the option, and with
// suppressions: what is printed, and does the test fail?
func TestDeadlockOption(t *testing.T) {
	b := build(t, commute(t), "deadlocks")
	silent := filepath.Join(t.TempDir(), "silent")
	if err := os.WriteFile(silent, []byte("TestRaceTransfer\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		options string
		told    bool
		result  string
		end     string
	}{
		{"", false, "PASS", "PASS\n"},
		{"deadlock=off", false, "PASS", "PASS\n"},
		{"deadlock=warn", true, "PASS",
			"commute: found 1 potential deadlock (a warning; -deadlock makes it fail)\n"},
		{"deadlock=fail", true, "FAIL", "commute: found 1 potential deadlock\n"},
		{"deadlock=warn halt_on_error=1", true, "PASS", "(a warning; -deadlock makes it fail)\n"},
		{"deadlock=fail suppressions=" + silent, false, "PASS", "PASS\n"},
	} {
		b.Env = []string{"COMMUTE=" + c.options}
		out := b.run([]string{"TestRaceTransfer"})
		if bytes.Contains(out, []byte("WARNING: POTENTIAL DEADLOCK\n")) != c.told ||
			!bytes.Contains(out, []byte("--- "+c.result+": TestRaceTransfer ")) ||
			!bytes.Contains(out, []byte(c.end)) || bytes.Contains(out, []byte("unused")) {
			t.Errorf("COMMUTE=%q:\n%s", c.options, out)
		}
	}
}
