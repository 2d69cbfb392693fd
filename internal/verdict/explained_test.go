// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package verdict

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// named is the name of a test of a program of "commute explain".
var named = regexp.MustCompile(`(?m)^func (Test(No)?Race\w+)\(t `)

// TestExplained runs the programs of the pages of "commute explain". The tests of the wrong ones
// fail, with a report that names the page, and those of the right ones pass.
func TestExplained(t *testing.T) {
	t.Parallel()
	b := build(t, commute(t), "explain", "-datarace")
	files, err := filepath.Glob(filepath.Join(b.Dir, "*-*_test.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, kind := range []string{"arbitration", "atomicity", "deadlock", "leak"} {
		files = append(files, filepath.Join(b.Dir, kind+"_test.go"))
	}
	if len(files) != 11 {
		t.Fatalf("%d programs", len(files))
	}
	for _, file := range files {
		kind := strings.TrimSuffix(filepath.Base(file), "_test.go")
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range named.FindAllStringSubmatch(string(text), -1) {
			explained(t, b, kind, m[1], m[2] == "")
		}
	}
}

// explained runs a test of the page of a kind. It has to fail if it is wrong.
func explained(t *testing.T, b *Binary, kind, test string, wrong bool) {
	t.Helper()
	cmd := exec.Command(b.Path, "-test.run=^"+test+"$")
	cmd.Dir = b.Dir
	cmd.Env = append(os.Environ(), "COMMUTE=deadlock=fail leaks=fail atexit_sleep_ms=0")
	if wrong { // some kinds are reported only where everything is
		cmd.Env = append(cmd.Env, "COMMUTE=deadlock=fail leaks=fail atexit_sleep_ms=0 level=all")
	}
	out, err := cmd.CombinedOutput()
	if (err != nil) != wrong {
		t.Errorf("%s, of a program that is wrong: %v: %v\n%s", test, wrong, err, out)
		return
	}
	names := "\nMore of it: commute explain " + kind + "\n"
	if kind == "check-then-act" { // that is the kind; a report names the page of its effect
		names = "\nWARNING: CHECK-THEN-ACT RACE\n"
	}
	if wrong && !strings.Contains(string(out), names) {
		t.Errorf("%s: no report has%s\n%s", test, names, out)
	}
}
