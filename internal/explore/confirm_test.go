// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package explore

import (
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/commutego/commute/internal/longtest"
	"github.com/commutego/commute/report"
)

// confirming runs the command in testdata/confirm, and returns its output and exit code.
func confirming(t *testing.T, args ...string) (out string, code int) {
	t.Helper()
	path, err := tool()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(path, args...)
	cmd.Dir = "../../testdata/confirm"
	text, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return string(text), cmd.ProcessState.ExitCode()
}

// needConfirm skips a test where schedules are not explored.
func needConfirm(t *testing.T) {
	t.Helper()
	needExploring(t)
	t.Setenv("COMMUTE", "")
}

// checkSchedules has a file of findings have the schedules that are printed, with what is observed.
func checkSchedules(t *testing.T, file, out string) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	var run report.Run
	if err := json.Unmarshal(text, &run); err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, f := range run.Findings {
		for _, s := range f.Schedules {
			if len(f.Schedules) != 1 || !strings.Contains(out, "\n    replay: "+s.Replay+"\n") ||
				!slices.ContainsFunc(f.Tests, func(test string) bool {
					return test == s.Test || strings.HasPrefix(test, s.Test+"/")
				}) {
				t.Errorf("%s of %v: %+v", f.Headline, f.Tests, f.Schedules)
			}
			if f.Evidence == report.Observed {
				n++
			}
		}
	}
	if n != 2 {
		t.Errorf("%d observed findings have schedules, want 2:\n%s", n, out)
	}
}

var replayLine = regexp.MustCompile(`(?m)^replay: commute (test -replay=(\S+) -run '(\S+)' (\S+))$`)

// TestConfirm has findings of an ordinary run observed by exploring, but for one that never
// happens. Each fails again by the seed that is said.
func TestConfirm(t *testing.T) {
	longtest.Need(t, "the standard library is built to be watched, and to be explored")
	needConfirm(t)
	cache, err := exec.Command("go", "env", "GOCACHE").Output()
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("GOCACHE", strings.TrimSpace(string(cache)))
	t.Setenv("XDG_CACHE_HOME", t.TempDir()) // nothing is kept of other runs
	plain, plainCode := confirming(t, "test", "-count=1", "./...")
	out, code := confirming(t, "test", "-confirm=24", "-count=1", "./...")
	if code != plainCode || code != 1 {
		t.Errorf("code %d, and %d without -confirm", code, plainCode)
	}
	evidence := func(text string) (list []string) {
		for _, r := range Reports([]byte(text)) {
			list = append(list, r.Kind+" "+r.Evidence)
		}
		slices.Sort(list)
		return list
	}
	if got := evidence(plain); slices.ContainsFunc(got, func(s string) bool {
		return strings.HasSuffix(s, " "+observed)
	}) || len(got) != 4 {
		t.Errorf("an ordinary run reports %v", got)
	}
	want := []string{kindViolation + " observed", kindViolation + " predicted",
		kindCheckAct + " observed", "DEADLOCK observed"}
	if got := evidence(out); !slices.Equal(got, want) {
		t.Errorf("got %v, want %v:\n%s", got, want, out)
	}
	if n := strings.Count(out, "not confirmed"); n != 1 ||
		!strings.Contains(out, "\n"+ruler+"\nnot confirmed in 24 runs\n--- FAIL: TestNever (") {
		t.Errorf("%d are not confirmed:\n%s", n, out)
	}
	if !strings.Contains(out, "\nok  \tgithub.com/commutego/commute/testdata/confirm/quiet\t") {
		t.Error(out)
	}
	replays := replayLine.FindAllStringSubmatch(out, -1)
	if len(replays) != 3 {
		t.Fatalf("%d replays:\n%s", len(replays), out)
	}
	for _, m := range replays {
		again, code := confirming(t, "test", "-replay="+m[2], "-run", m[3], m[4])
		if code != 1 || !strings.Contains(again, "    Evidence: observed: ") &&
			!strings.Contains(again, "    panic: test timed out after ") {
			t.Errorf("%s: code %d\n%s", m[0], code, again)
		}
		if strings.Contains(again, "nothing is known here") || strings.Contains(again, "the run is not") {
			t.Errorf("%s is not as it was confirmed:\n%s", m[0], again)
		}
	}
}

// TestConfirmJSON is the same with -json, for one test. What is not printed otherwise is not here.
func TestConfirmJSON(t *testing.T) {
	longtest.Need(t, "the standard library is built to be watched, and to be explored")
	needConfirm(t)
	out, code := confirming(t, "test", "-confirm", "-json", "-run", "TestCache/sub", "./bank")
	text, actions := "", make(map[string]int)
	for line := range strings.Lines(out) {
		var e struct{ Action, Test, Output string }
		if json.Unmarshal([]byte(line), &e) == nil {
			text += e.Output
			actions[e.Action+" "+e.Test]++
		}
	}
	if code != 1 || actions["fail TestCache"] != 1 || actions["fail TestCache/sub"] != 1 ||
		actions["run TestCache/sub"] != 1 || !strings.Contains(text, "\nEvidence: observed: ") ||
		strings.Contains(text, "\nEvidence: predicted: ") || !replayLine.MatchString(text) {
		t.Errorf("code %d, %v:\n%s", code, actions, text)
	}
}

// TestExploreObserves has a run that only reports what could happen make way for one in which it
// does. If there is none, that is said. The findings have the schedules of these runs.
func TestExploreObserves(t *testing.T) {
	needConfirm(t)
	file := filepath.Join(t.TempDir(), "run.json")
	out, code := confirming(t, "test", "-explore", "-run", "TestDeposit|TestCache",
		"-report=json="+file, "./bank")
	checkSchedules(t, file, out)
	if code != 1 || strings.Count(out, "    Evidence: observed: ") != 2 ||
		strings.Contains(out, "    Evidence: predicted: ") ||
		strings.Contains(out, "it could happen") {
		t.Errorf("code %d\n%s", code, out)
	}
	out, code = confirming(t, "test", "-explore", "-run", "TestNever", "./bank")
	if code != 1 || strings.Count(out, "    Evidence: predicted: ") != 1 ||
		!strings.Contains(out, "\n    it could happen, and has not in 21 more runs\n") {
		t.Errorf("code %d\n%s", code, out)
	}
	out, code = confirming(t, "test", "-explore", "-deadlock=fail", "-run", "TestTransfer", "./bank")
	if code != 1 || !strings.Contains(out, "    panic: test timed out after ") {
		t.Errorf("code %d\n%s", code, out)
	}
}

// TestSuspects says which tests may have had a finding.
func TestSuspects(t *testing.T) {
	tests := []string{"TestA", "TestB", "TestC"}
	const failed = "--- FAIL: TestB (0.00s)\n    --- FAIL: TestB/x (0.00s)\n\x16--- FAIL: TestC (0.00s)\n"
	for _, c := range []struct{ text, out, want string }{
		{"  m.TestA.func1()\n      a.go:1\n  m.TestA()\n  m.TestMain()\n", failed, "TestA"},
		{"  m.f()\n", failed, "TestB TestC"},
		{"  m.f()\n", "PASS\n", "TestA TestB TestC"},
	} {
		got := strings.Join(suspects(Report{Text: []byte(c.text)}, []byte(c.out), tests), " ")
		if got != c.want {
			t.Errorf("%q, %q: %s, want %s", c.text, c.out, got, c.want)
		}
	}
}
