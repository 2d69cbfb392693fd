// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package main

import (
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/commutego/commute/internal/toolchain/enginetest"
	"github.com/rogpeppe/go-internal/testscript"
)

var update = flag.Bool("u", false, "rewrite the scripts' golden files")

// The test binary is the command, with the tests' engine in place of the real one.
func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"commute": func() { os.Exit(run(os.Args[1:], enginetest.Config())) },
	})
}

// TestScripts runs the scripts in testdata/script. Those that build share one
// build cache, so that the standard library is built once: for this run, or
// for good if COMMUTE_TEST_GOCACHE names a directory.
func TestScripts(t *testing.T) {
	goCommand, err := exec.LookPath("go")
	if err != nil {
		t.Skip("the go command is not on PATH")
	}
	cache := os.Getenv("COMMUTE_TEST_GOCACHE")
	if cache == "" {
		cache = t.TempDir()
	}
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		UpdateScripts:       *update,
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup: func(env *testscript.Env) error {
			env.Setenv("GOCACHE", cache)
			env.Setenv("GOPROXY", "off")
			env.Setenv("GOFLAGS", "")
			env.Setenv("GOENV", "off")
			env.Setenv("GOTOOLCHAIN", "local")
			env.Setenv("GOPATH", filepath.Join(env.WorkDir, "gopath"))
			env.Setenv("GODIR", filepath.Dir(goCommand))
			env.Setenv("COMMUTE", "")
			// Scripts that change PATH, or give the command's path to another, need it.
			commute, err := exec.LookPath("commute")
			env.Setenv("COMMUTE_EXE", commute)
			if err != nil {
				return err
			}
			return nil
		},
		Condition: func(cond string) (bool, error) {
			if cond == "cgo" {
				out, err := exec.Command("go", "env", "CGO_ENABLED").Output()
				return err == nil && strings.TrimSpace(string(out)) == "1" && haveCC(), nil
			}
			return false, nil
		},
	})
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
