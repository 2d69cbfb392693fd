// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package toolexec

import (
	"bytes"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/commutego/commute/internal/toolchain/command"
	"github.com/commutego/commute/internal/toolchain/specset"
)

const repeating = "package p\n\nfunc F(p *int) int { *p = 1; return *p }\n"

// TestElides has the builds in which all accesses are announced, and those in which repeats are
// not.
func TestElides(t *testing.T) {
	const watch, once = "-" + command.Watch, "-" + command.Once
	for _, test := range []struct {
		flags           string
		arch, exploring string
		want            bool
	}{
		{watch + " " + once, "amd64", "", true},
		{watch, "amd64", "", false}, // recorded, or with transactions
		{once, "amd64", "", false},
		{watch + " " + once + " -" + command.Atomic + "=F", "amd64", "", false},
		{watch + " " + once, "arm64", "", false},
		{watch + " " + once, "amd64", "1", false},
		{watch + " " + once, "amd64", Perturbs, false},
	} {
		t.Setenv("GOARCH", test.arch)
		t.Setenv(ExploreVariable, test.exploring)
		c, err := command.ParseCompile(append(strings.Fields(test.flags),
			"-o", "p.a", "-p", "p", "p.go"))
		if err != nil {
			t.Fatal(err)
		}
		if got := new(Driver).newUnit(c).elides(); got != test.want {
			t.Errorf("%+v: %v", test, got)
		}
	}
}

// TestElide compiles a function that reads what it has written, as the go command has it compiled.
func TestElide(t *testing.T) {
	out, err := exec.Command("go", "tool", "-n", "compile").Output()
	if errors.Is(err, exec.ErrNotFound) {
		t.Skip(err) // the machine only runs tests, as those of other ports do
	} else if err != nil {
		t.Fatal(err)
	}
	tool := strings.TrimSpace(string(out))
	t.Setenv("GOOS", "linux")
	t.Setenv("GOARCH", "amd64")
	for _, name := range []string{"TOOLEXEC_IMPORTPATH", RootVariable, specset.Variable,
		ExploreVariable} {
		t.Setenv(name, "")
	}
	t.Setenv(MemoryVariable, "1")
	dir := t.TempDir()
	source, cfg := filepath.Join(dir, "p.go"), filepath.Join(dir, "cfg")
	for name, text := range map[string]string{source: repeating, cfg: ""} {
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	// The first compile is what the second one is compared with.
	var objects [][]byte
	for _, once := range []string{"-" + command.Own + "=x", "-" + command.Once} {
		name := filepath.Join(dir, "p.a")
		d := &Driver{Config: Config{Specs: shippedOf}, Stdout: io.Discard, Stderr: os.Stderr}
		code, err := d.run([]string{Driven, tool, "-o", name, "-p", "p", "-lang=go1.26",
			"-importcfg", cfg, "-pack", "-" + command.Watch, once, source})
		if err != nil || code != 0 {
			t.Fatal(code, err)
		}
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		objects = append(objects, data)
	}
	all, left := objects[0], objects[1]
	if len(all) != len(left) || bytes.Equal(all, left) {
		t.Fatalf("nothing is left out: %d and %d bytes", len(all), len(left))
	}
	for i := range all {
		if all[i] != left[i] && (all[i] != 0xe8 || left[i] != 0xa9) {
			t.Errorf("byte %d is %#x, was %#x", i, left[i], all[i])
		}
	}
}
