// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package verdict

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/commutego/commute/internal/longtest"
)

// TestDeadlockOption runs a test with a potential deadlock with each value of the option, and with
// suppressions: what is printed, and does the test fail?
func TestDeadlockOption(t *testing.T) {
	longtest.Same(t)
	t.Parallel()
	b := build(t, commute(t), "deadlocks")
	silent := filepath.Join(t.TempDir(), "silent")
	named := filepath.Join(t.TempDir(), "named")
	for file, line := range map[string]string{silent: "TestRaceTransfer\n", named: "account.mu\n"} {
		if err := os.WriteFile(file, []byte(line), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	const warned = "commute: found 1 potential deadlock (a warning; -deadlock=fail makes it fail)\n"
	for _, c := range []struct {
		options string
		told    bool
		result  string
		end     string
	}{
		{"", true, "PASS", warned},
		{"deadlock=off", false, "PASS", "PASS\n"},
		{"deadlock=warn", true, "PASS", warned},
		{"deadlock=fail", true, "FAIL", "commute: found 1 potential deadlock\n"},
		{"deadlock=warn halt_on_error=1", true, "PASS", warned},
		{"deadlock=fail suppressions=" + silent, false, "PASS", "PASS\n"},
		{"suppressions=" + silent, false, "PASS", "PASS\n"},
		{"suppressions=" + named, false, "PASS", "PASS\n"},
	} {
		b.Env = []string{"COMMUTE=" + c.options}
		out := b.run([]string{"TestRaceTransfer"})
		warning := bytes.Contains(out, []byte("\nOnly a warning: it fails no test and no program "))
		if bytes.Contains(out, []byte("WARNING: POTENTIAL DEADLOCK\n")) != c.told ||
			warning != (c.told && c.result == "PASS") ||
			!bytes.Contains(out, []byte("--- "+c.result+": TestRaceTransfer ")) ||
			!bytes.Contains(out, []byte(c.end)) || bytes.Contains(out, []byte("unused")) {
			t.Errorf("COMMUTE=%q:\n%s", c.options, out)
		}
	}
}

// TestDeadlockWarning runs the command as a user does. The test passes, and the last lines of
// standard error name the places. The report is part of what the test prints.
func TestDeadlockWarning(t *testing.T) {
	longtest.Same(t)
	t.Parallel()
	const report = "WARNING: POTENTIAL DEADLOCK"
	for _, c := range []struct {
		flags  []string
		fails  bool
		stdout bool // it has the report
		stderr bool // it has the lines
	}{
		{nil, false, false, true},
		{[]string{"-v"}, false, true, true},
		{[]string{"-json"}, false, true, true},
		{[]string{"-deadlock=off", "-v"}, false, false, false},
		{[]string{"-deadlock"}, true, true, false},
		{[]string{"-deadlock=fail", "-json"}, true, true, false},
	} {
		args := append([]string{"test", "-count=1", "-run=^TestRaceTransfer$"}, c.flags...)
		cmd := exec.Command(commute(t), append(args, "./.")...)
		cmd.Dir = filepath.Join("..", "..", "testdata", "deadlocks")
		var stdout, stderr strings.Builder
		cmd.Stdout, cmd.Stderr = &stdout, &stderr
		err := cmd.Run()
		told := strings.Contains(stderr.String(), "commute: warning: 1 potential deadlock; ") &&
			strings.Contains(stderr.String(), "\n  types_test.go:21 (account.mu) and "+
				"types_test.go:21 (account.mu), in deadlocks.test\n")
		if (err != nil) != c.fails || strings.Contains(stdout.String(), report) != c.stdout ||
			told != c.stderr {
			t.Errorf("%s: %v\n%s\n%s", cmd, err, stdout.String(), stderr.String())
		}
	}
}
