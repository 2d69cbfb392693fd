// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package toolexec

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/commutego/commute/internal/toolchain/goenv"
	"github.com/commutego/commute/internal/toolchain/release"
	"github.com/commutego/commute/internal/toolchain/specset"
)

// TestKept has a validation kept until a file is written, or another build is asked for.
func TestKept(t *testing.T) {
	goroot, keep := t.TempDir(), filepath.Join(t.TempDir(), "new")
	env := &goenv.Env{GOROOT: goroot, GOVERSION: "go1.26.8"}
	changes := []Change{{Path: "some/package"}}
	if k := keptFile(env, changes, keep); k != "" {
		t.Fatalf("kept in %s though GOROOT has no sources", k)
	}
	needed := filepath.Join(goroot, "src", "some", "package", "file.go")
	for _, path := range append(release.Packages(env.GOVERSION), changes[0].Path) {
		dir := filepath.Join(goroot, "src", filepath.FromSlash(path))
		if err := os.MkdirAll(dir, 0o777); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(needed, []byte("package p"), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, ok := keptFile(env, changes, "").read(); ok {
		t.Error("something is kept without a folder")
	}
	const notice = "a line for the user"
	first := keptFile(env, changes, keep)
	if _, ok := first.read(); ok || first == "" {
		t.Fatalf("%q is kept before it was written", first)
	}
	first.write(notice)
	if got, ok := keptFile(env, changes, keep).read(); !ok || got != notice {
		t.Errorf("kept %q, %v, want the notice", got, ok)
	}
	other := *env
	other.GOVERSION = "go1.26.7"
	if _, ok := keptFile(&other, changes, keep).read(); ok {
		t.Error("another release is taken for validated")
	}
	t.Setenv("GOOS", "plan9")
	if _, ok := keptFile(env, changes, keep).read(); ok {
		t.Error("another platform is taken for validated")
	}
	t.Setenv("GOOS", "")
	t.Setenv(MemoryVariable, "1")
	if _, ok := keptFile(env, changes, keep).read(); ok {
		t.Error("a build that watches memory is taken for validated")
	}
	t.Setenv(MemoryVariable, "")
	t.Setenv(specset.Variable, "own.ecl")
	if _, ok := keptFile(env, changes, keep).read(); ok {
		t.Error("a specification of the user's own is taken for validated")
	}
	t.Setenv(specset.Variable, "")
	later := time.Now().Add(time.Hour)
	if err := os.Chtimes(needed, later, later); err != nil {
		t.Fatal(err)
	}
	second := keptFile(env, changes, keep)
	if _, ok := second.read(); ok {
		t.Error("a file that was written since is taken for validated")
	}
	// What is old goes when something is kept, and nothing else is left behind.
	before := time.Now().Add(-31 * 24 * time.Hour)
	if err := os.Chtimes(string(first), before, before); err != nil {
		t.Fatal(err)
	}
	second.write("")
	if names, err := os.ReadDir(keep); err != nil || len(names) != 1 ||
		!strings.HasSuffix(string(second), names[0].Name()) {
		t.Errorf("the folder has %v, %v, want what was kept last", names, err)
	}
}
