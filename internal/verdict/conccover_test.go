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

	"github.com/commutego/commute/internal/engine/host"
	"github.com/commutego/commute/internal/longtest"
)

// conccoverDir is a copy of the module of testdata/conccover.
func conccoverDir(t *testing.T) string {
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS("../../testdata/conccover")); err != nil {
		t.Fatal(err)
	}
	return dir
}

// profileOf is a profile without the lines of types, which their specifications are tested for.
func profileOf(t *testing.T, file string) string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return regexp.MustCompile(`(?m)^type .*\n`).ReplaceAllString(string(text), "")
}

// TestConcurrencyCoverage runs tests whose pairs have each of the states, in two packages. Each
// state is that of the program whatever order it is run in.
func TestConcurrencyCoverage(t *testing.T) {
	longtest.Same(t)
	if !host.FramePointers {
		t.Skip("locks are not followed on this port")
	}
	dir := conccoverDir(t)
	cmd := exec.Command(commute(t), "test", "-level=violations", "-conc_cover=c.out", "./...")
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, line := range []string{
		"commute: conccover: concurrency coverage: 15.3% of pairs (2 of 13)\n",
		"commute: pair: concurrency coverage: 50.0% of pairs (1 of 2)\n",
		"commute: all packages: concurrency coverage: 23.0% of pairs (3 of 13)\n",
	} {
		if !strings.Contains(string(out), line) {
			t.Errorf("it doesn't say %s%s", line, out)
		}
	}
	golden := "../../testdata/conccover/profile.golden"
	got := profileOf(t, filepath.Join(dir, "c.out"))
	if *update {
		if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if want := profileOf(t, golden); got != want {
		t.Errorf("the profile is\n%s\nwant\n%s", got, want)
	}
}

// TestConcurrencyCoverageOfDependency has the operations of a dependency count.
func TestConcurrencyCoverageOfDependency(t *testing.T) {
	longtest.Need(t, "runs tests that TestConcurrencyCoverage runs")
	if !host.FramePointers {
		t.Skip("locks are not followed on this port")
	}
	dir := conccoverDir(t)
	cmd := exec.Command(commute(t), "test", "-conc_cover=c.out",
		"-conc_coverpkg=./main,example.com/d...", "-run=Dependency", "./pair")
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	const says = "commute: concurrency coverage: 100.0% of pairs (1 of 1)\n"
	if err != nil || !strings.Contains(string(out), says) {
		t.Fatalf("%v\n%swant %s", err, out, says)
	}
	const lock = "lock sync.Mutex example.com/dep.Counter.mu "
	const op = "Lock example.com/dep/dep.go:17"
	want := "commute concurrency 1\nop " + lock + op + "\npair " + lock + op + " " + op + " both\n"
	if got := profileOf(t, filepath.Join(dir, "c.out")); got != want {
		t.Errorf("the profile is\n%swant\n%s", got, want)
	}
}

// TestConcurrencyCoverageOfPrograms runs a program that ends with os.Exit: by commute run, and by
// itself, which leaves a file with its number. The two say the same.
func TestConcurrencyCoverageOfPrograms(t *testing.T) {
	longtest.Need(t, "builds programs")
	tool, dir := commute(t), conccoverDir(t)
	run := func(name string, args ...string) string {
		cmd := exec.Command(name, args...)
		cmd.Dir, cmd.Env = dir, append(os.Environ(), "COMMUTE=conc_cover="+filepath.Join(dir, "own"))
		out, err := cmd.CombinedOutput()
		if _, ended := err.(*exec.ExitError); err != nil && !ended {
			t.Fatal(err)
		}
		return string(out)
	}
	const says = "commute: concurrency coverage: 100.0% of pairs (1 of 1)\n"
	if out := run(tool, "run", "-conc_cover=run.out", "./main"); !strings.Contains(out, says) {
		t.Errorf("it says %s", out)
	}
	run(tool, "build", "-o", "program"+exe(), "./main")
	run(filepath.Join(dir, "program"+exe()))
	files, err := filepath.Glob(filepath.Join(dir, "own.*"))
	if err != nil || len(files) != 1 {
		t.Fatalf("%d profiles of one process, %v", len(files), err)
	}
	run(tool, "cover", "-o=own.out", files[0])
	const want = "commute concurrency 1\n" +
		"op call sync.Map main.names LoadOrStore main/main.go:17\n" +
		"op call sync.Map main.names LoadOrStore main/main.go:20\n" +
		"pair call sync.Map main.names LoadOrStore main/main.go:17 LoadOrStore main/main.go:20 " +
		"unordered\n"
	for _, name := range []string{"run.out", "own.out"} {
		if got := profileOf(t, filepath.Join(dir, name)); got != want {
			t.Errorf("%s is\n%s\nwant\n%s", name, got, want)
		}
	}
}
