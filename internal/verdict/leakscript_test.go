// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package verdict

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// TestLeakScript has what a user sees of leaked goroutines. The scripts of cmd/commute have an
// engine of their own, which looks for none.
func TestLeakScript(t *testing.T) {
	tool := commute(t)
	cache, err := exec.Command("go", "env", "GOCACHE").Output()
	if err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{
		Files:               []string{filepath.Join("testdata", "leak.txtar")},
		RequireExplicitExec: true,
		Setup: func(env *testscript.Env) error {
			path := filepath.Dir(tool) + string(filepath.ListSeparator) + env.Getenv("PATH")
			env.Setenv("PATH", path)
			env.Setenv("GOPATH", filepath.Join(env.WorkDir, "gopath"))
			env.Vars = append(env.Vars, "GOCACHE="+strings.TrimSpace(string(cache)), "GOPROXY=off",
				"GOFLAGS=-vet=off", "GOENV=off", "GOTOOLCHAIN=local", "COMMUTE=")
			return nil
		},
	})
}
