// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/commutego/commute/internal/longtest"
	"github.com/rogpeppe/go-internal/testscript"
)

// TestScripts runs the scripts in testdata/script. What those build goes to the user's build cache,
// as what commute builds for them does, or to that in COMMUTE_TEST_GOCACHE. The condition long
// holds if package longtest says so.
func TestScripts(t *testing.T) {
	goCommand, err := exec.LookPath("go")
	if err != nil {
		t.Skip("the go command is not on PATH")
	}
	commute, err := exec.LookPath("commute")
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob("testdata/script/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no scripts: %v", err)
	}
	s := settings{goCommand: goCommand, commute: commute, cache: cacheDir(t, goCommand)}
	s.warm(t)
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			t.Parallel()
			testscript.RunT(inline{t}, s.params(file, deadline(t)))
		})
	}
}

// inline runs what testscript takes for a subtest in the test that it has been given.
type inline struct{ *testing.T }

func (t inline) Run(_ string, f func(testscript.T)) { f(t) }
func (t inline) Parallel()                          {}
func (t inline) Verbose() bool                      { return testing.Verbose() }

// scriptLimit is how long a script may take. On an idle machine, each is over in a minute.
const scriptLimit = 6 * time.Minute

// deadline is when a script that begins now has to be over. Each has one of its own, so that others
// go on where one hangs; none goes on to the moment at which the whole test binary is killed.
func deadline(t *testing.T) time.Time {
	own := time.Now().Add(scriptLimit)
	if all, ok := t.Deadline(); ok && all.Add(-10*time.Second).Before(own) {
		return all.Add(-10 * time.Second)
	}
	return own
}

// cacheDir is the build cache that scripts use.
func cacheDir(t *testing.T, goCommand string) string {
	if dir := os.Getenv("COMMUTE_TEST_GOCACHE"); dir != "" {
		return dir
	}
	out, err := exec.Command(goCommand, "env", "GOCACHE").Output()
	if err != nil {
		t.Fatalf("go env GOCACHE: %v", err)
	}
	return strings.TrimSpace(string(out))
}

// settings are what all scripts have in common.
type settings struct{ goCommand, commute, cache string }

// env is the environment of the go command in scripts, the user's own settings of it apart. It is
// without vet: see longtest.Unvetted.
func (s settings) env() []string {
	return []string{
		"GOCACHE=" + s.cache, "GOPROXY=off", "GOFLAGS=-vet=off", "GOENV=off", "GOTOOLCHAIN=local",
		"COMMUTE=",
	}
}

// warm compiles the standard library in the ways that most scripts need. They run side by side, and
// where two need the same package both would compile it.
func (s settings) warm(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.mod":    "module example.com/warm\n\ngo 1.26\n",
		"x_test.go": "package warm\n\nimport \"testing\"\n\nfunc Test(*testing.T) {}\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for _, flags := range [][]string{nil, {"-datarace"}} {
		cmd := exec.Command(s.commute, append([]string{"test", "-c", "-o", os.DevNull},
			flags...)...)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), s.env()...)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", cmd, err, out)
		}
	}
}

func (s settings) params(file string, deadline time.Time) testscript.Params {
	return testscript.Params{
		Files:               []string{file},
		Deadline:            deadline,
		UpdateScripts:       *update,
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup: func(env *testscript.Env) error {
			env.Vars = append(env.Vars, s.env()...)
			env.Setenv("GOPATH", filepath.Join(env.WorkDir, "gopath"))
			env.Setenv("GODIR", filepath.Dir(s.goCommand))
			// Scripts that change PATH, or give the command's path to another, need it.
			env.Setenv("COMMUTE_EXE", s.commute)
			return nil
		},
		Condition: func(cond string) (bool, error) {
			switch cond {
			case "long":
				return longtest.Asked(), nil
			case "cgo":
				out, err := exec.Command("go", "env", "CGO_ENABLED").Output()
				return err == nil && strings.TrimSpace(string(out)) == "1" && haveCC(), nil
			}
			return false, nil
		},
	}
}

// haveCC reports whether the C compiler of go env CC exists.
func haveCC() bool {
	out, err := exec.Command("go", "env", "CC").Output()
	fields := strings.Fields(string(out))
	if err != nil || len(fields) == 0 {
		return false
	}
	_, err = exec.LookPath(fields[0])
	return err == nil
}
