// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package explore

import (
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"
)

// commute runs the command in testdata/explore, as a user does, in the environment of a binary.
func (b *Binary) commute(t *testing.T, args ...string) (stdout, stderr string, code int) {
	t.Helper()
	path, err := tool()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(path, args...)
	cmd.Dir, cmd.Env = "../../testdata/explore", b.environ()
	var out, errs strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &errs
	err = cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return out.String(), errs.String(), cmd.ProcessState.ExitCode()
}

// TestCommand explores as a user does, and replays what the report says.
func TestCommand(t *testing.T) {
	t.Parallel()
	b := build(t, "explore", "")
	os.Unsetenv(PlanVariable)
	t.Run("fails", func(t *testing.T) {
		const name = "TestWrongDoubleClose"
		out, errs, code := b.commute(t, "test", "-explore", "-run", "^"+name+"$|^TestRightABA$", ".")
		if code != 1 || !strings.Contains(out, "\n    panic: close of closed channel") ||
			!strings.Contains(out, "FAIL\tgithub.com/commutego/commute/testdata/explore") ||
			!strings.Contains(errs, "commute: explored 2 tests: ") ||
			!strings.Contains(errs, "; 1 test failed\n") {
			t.Fatalf("code %d\n%s%s", code, out, errs)
		}
		head := regexp.MustCompile(`(?m)^--- FAIL: ` + name + ` \(explored: run \d+ of 64\)$`)
		if !head.MatchString(out) {
			t.Errorf("%s", out)
		}
		replay := regexp.MustCompile(`(?m)^    replay: commute (test -replay=(\S+) -run '(\S+)' (\S+))$`).
			FindStringSubmatch(out)
		if replay == nil {
			t.Fatalf("no replay:\n%s", out)
		}
		out, errs, code = b.commute(t, "test", "-replay="+replay[2], "-run", replay[3], replay[4])
		if code != 1 || !strings.Contains(out, "\n    panic: close of closed channel") ||
			!strings.Contains(out, "--- FAIL: "+name+" (replayed)\n") {
			t.Errorf("replay: code %d\n%s%s", code, out, errs)
		}
		out, errs, code = b.commute(t, "test", "-replay=x1-first", "-run", replay[3], replay[4])
		if code != 0 || !strings.HasPrefix(out, "ok") {
			t.Errorf("by default: code %d\n%s%s", code, out, errs)
		}
	})
	t.Run("passes", func(t *testing.T) {
		out, errs, code := b.commute(t, "test", "-explore=20", "-v", "-run", "TestRightTornPair", ".")
		if code != 0 || !strings.Contains(out, "=== RUN   TestRightTornPair\n--- PASS: ") ||
			!strings.Contains(out, "\n    explored TestRightTornPair: 20 runs, ") ||
			!strings.Contains(errs, "commute: explored 1 test: 20 runs, ") ||
			!strings.Contains(errs, "; none fails\n") {
			t.Errorf("code %d\n%s%s", code, out, errs)
		}
	})
	t.Run("JSON", func(t *testing.T) {
		out, errs, code := b.commute(t, "test", "-explore", "-json", "-run", "TestWrongNumber", ".")
		actions := make(map[string]int)
		for line := range strings.Lines(out) {
			var e struct{ Action, Test string }
			if err := json.Unmarshal([]byte(line), &e); err != nil {
				t.Fatalf("%v: %s", err, line)
			}
			actions[e.Action+" "+e.Test]++
		}
		if code != 1 || actions["run TestWrongNumber"] != 1 || actions["fail TestWrongNumber"] != 1 ||
			actions["fail "] != 1 || actions["output TestWrongNumber"] < 3 {
			t.Errorf("code %d, %v\n%s", code, actions, errs)
		}
	})
	t.Run("finding", func(t *testing.T) { // commute's own report fails a run, too
		out, errs, code := b.with("COMMUTE=").commute(t, "test", "-explore", "-run",
			"TestWrongSyncMap", ".")
		if code != 1 || !strings.Contains(out, "WARNING: ") ||
			!strings.Contains(out, "--- FAIL: TestWrongSyncMap (explored: run ") {
			t.Errorf("code %d\n%s%s", code, out, errs)
		}
	})
}
