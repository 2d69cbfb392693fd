// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package toolexec_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/commutego/commute/internal/toolchain/toolexec"
)

// TestAlone compiles a package as the go command does that is not run by commute test: what is marked as atomic is
// instrumented, or named.
func TestAlone(t *testing.T) {
	tool := compiler(t)
	t.Setenv("GOOS", "linux")
	t.Setenv("GOARCH", "amd64")
	t.Setenv("TOOLEXEC_IMPORTPATH", "")
	t.Setenv("GOWORK", "")
	t.Setenv(toolexec.MemoryVariable, "")
	t.Setenv(toolexec.RootVariable, "")
	dir := t.TempDir()
	for name, text := range map[string]string{
		"m/go.mod":       "module example.com/m\n\ngo 1.26\n",
		"m/bank/bank.go": "package bank\n\n//commute:concurrent it is only a test\nvar n int\n\n//atomic\nfunc Deposit(d int) { n += d }\n\nfunc Add(d int) { n += d }\n",
		"m/sub/x":        "",
		"other/bank.go":  "package bank\n\n//commute:concurrent it is only a test\nvar n int\n\n//atomic\nfunc Deposit(d int) { n += d }\n",
		"work/cfg":       "",
	} {
		name = filepath.Join(dir, name)
		os.MkdirAll(filepath.Dir(name), 0o777)
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(filepath.Join(dir, "m", "sub"))
	const note = "bank.go:7: commute: what is marked as atomic in package example.com/m/bank is not checked"
	for _, test := range []struct {
		flags       []string
		file        string
		note        bool
		marks, lack string // parts of the archive
	}{
		{nil, "../bank/bank.go", true, "", `go:string."example.com/m/bank.Deposit"`},
		{[]string{toolexec.Driven}, "../bank/bank.go", false, "", `go:string."example.com/m/bank.Deposit"`},
		{[]string{"-datarace"}, "../bank/bank.go", false, `go:string."example.com/m/bank.Deposit"`, `go:string."example.com/m/bank.Add"`},
		{[]string{"-atomic", "bank.Add"}, "../bank/bank.go", false, `go:string."example.com/m/bank.Add"`, `go:string."example.com/m/bank.None"`},
		{[]string{"-datarace"}, "../../other/bank.go", false, "", `go:string."example.com/m/bank.Deposit"`},
	} {
		out := filepath.Join(dir, "work", "bank.a")
		args := append(test.flags, tool, "-p", "example.com/m/bank", "-o", out, "-importcfg", filepath.Join(dir, "work", "cfg"), test.file)
		code, _, stderr := run(args...)
		if code != 0 || strings.Contains(stderr, note) != test.note {
			t.Errorf("%q: %d, %s", test.flags, code, stderr)
		}
		data, err := os.ReadFile(out)
		if err != nil || !bytes.Contains(data, []byte(test.marks)) || bytes.Contains(data, []byte(test.lack)) {
			t.Errorf("%q, %s: marks %q %v, %q %v (%v)", test.flags, test.file, test.marks, bytes.Contains(data, []byte(test.marks)), test.lack, bytes.Contains(data, []byte(test.lack)), err)
		}
	}
}
