// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package toolexec_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/commutego/commute/internal/toolchain/specset"
	"github.com/commutego/commute/internal/toolchain/toolexec"
)

// TestAlone compiles a package as the go command does that is not run by commute test: what is
// marked as atomic is instrumented, or named.
func TestAlone(t *testing.T) {
	tool := compiler(t)
	t.Setenv("GOOS", "linux")
	t.Setenv("GOARCH", "amd64")
	t.Setenv("TOOLEXEC_IMPORTPATH", "")
	t.Setenv("GOWORK", "")
	t.Setenv(toolexec.MemoryVariable, "")
	t.Setenv(toolexec.RootVariable, "")
	t.Setenv(specset.Variable, "")
	dir := t.TempDir()
	const bank = "package bank\n\n//commute:concurrent it is only a test\nvar n int\n\n" +
		"//atomic\nfunc Deposit(d int) { n += d }\n"
	for name, text := range map[string]string{
		"m/go.mod": "module example.com/m\n\ngo 1.26\n",
		"m/bank/bank.go": bank +
			"\nfunc Add(d int) { n += d }\n\ntype T struct{}\n\nfunc (*T) Get() int { return n }\n",
		"m/sub/x":       "",
		"other/bank.go": bank,
		"t.ecl":         "//ecl:type example.com/m/bank.T\n//ecl:observer Get()/n\n",
		"work/cfg":      "",
	} {
		name = filepath.Join(dir, name)
		os.MkdirAll(filepath.Dir(name), 0o777)
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(filepath.Join(dir, "m", "sub"))
	const note = "bank.go:7: commute: what is marked as atomic in package example.com/m/bank is " +
		"not checked"
	const (
		deposit   = `go:string."example.com/m/bank.Deposit"`
		specified = "commute/specs/example.com/m/bank.go"
		own       = "../bank/bank.go"
		other     = "../../other/bank.go"
	)
	for _, test := range []struct {
		flags       []string
		file        string
		note        bool
		marks, lack string // parts of the archive
	}{
		{nil, own, true, "", deposit},
		{nil, own, true, "", specified},
		{[]string{toolexec.Driven}, own, false, "", deposit},
		{[]string{"-datarace"}, own, false, deposit, `go:string."example.com/m/bank.Add"`},
		{[]string{"-atomic", "bank.Add"}, own, false, `go:string."example.com/m/bank.Add"`,
			`go:string."example.com/m/bank.None"`},
		{[]string{"-datarace"}, other, false, "", deposit},
		{[]string{"-atomic", "bank.Deposit"}, other, false, "", deposit},
		{[]string{"-atomic", "bank.Deposit", "-watch", "example.com/n/..."}, other, false, "",
			deposit},
		{[]string{"-atomic", "bank.Deposit", "-watch", "example.com/m/..."}, other, false, deposit,
			specified},
		{[]string{"-atomic", "exported", "-watch=all"}, other, false, "", deposit},
		{[]string{"-spec", filepath.Join(dir, "t.ecl")}, own, true, specified, deposit},
		{[]string{"-spec=" + filepath.Join(dir, "t.ecl"), "-datarace"}, own, false, specified,
			"none"},
	} {
		out := filepath.Join(dir, "work", "bank.a")
		args := append(test.flags, tool, "-p", "example.com/m/bank", "-o", out,
			"-importcfg", filepath.Join(dir, "work", "cfg"), test.file)
		code, _, stderr := run(args...)
		if code != 0 || strings.Contains(stderr, note) != test.note {
			t.Errorf("%q: %d, %s", test.flags, code, stderr)
		}
		data, err := os.ReadFile(out)
		if err != nil || !bytes.Contains(data, []byte(test.marks)) ||
			bytes.Contains(data, []byte(test.lack)) {
			t.Errorf("%q, %s: marks %q %v, %q %v (%v)", test.flags, test.file,
				test.marks, bytes.Contains(data, []byte(test.marks)),
				test.lack, bytes.Contains(data, []byte(test.lack)), err)
		}
	}
}

// TestFlagErrors has flags that toolexec doesn't take as they are.
func TestFlagErrors(t *testing.T) {
	t.Setenv(specset.Variable, "") // which a flag sets
	const tool = "/go/pkg/tool/linux_amd64/compile"
	for flags, want := range map[string]string{
		"-datraace": "unknown flag -datraace (did you mean -datarace?)",
		"-sepc=x":   "unknown flag -sepc=x (did you mean -spec?)",
		"-verbose": "unknown flag -verbose (there are -datarace, -atomic PATTERN, " +
			"-spec FILE and -watch PATTERN; commute test has more)",
		"-strict": "unknown flag -strict (it is for commute test, which runs the " +
			"go command itself)",
		"-trace=traces": "unknown flag -trace=traces (set COMMUTE=trace=FOLDER in the " +
			"environment of what is run)",
		"-trace_last=5": "unknown flag -trace_last=5 (it is for commute test, which " +
			"runs the go command itself)",
		"-level=all": "unknown flag -level=all (set COMMUTE=level=LEVEL in the " +
			"environment of what is run)",
		"-datarace=maybe": `invalid boolean value "maybe" for -datarace`,
		"-atomic": "flag needs an argument: -atomic (a pattern of functions, as " +
			"'bank.(*Account).*', or exported)",
		"-atomic exported:./...": "-atomic exported:./...: only commute test knows the packages " +
			"of a pattern (write exported, for all of the module)",
		"-spec": `flag needs an argument: -spec (the absolute path of a .ecl file, ` +
			`or a package that "commute spec list" shows)`,
		"-spec lru.ecl": "-spec lru.ecl: the go command runs its tools in the folders " +
			"of packages (write an absolute path)",
		"-datarace -watch": "flag needs an argument: -watch (a pattern of import paths, or " +
			"std, or all)",
		"-datarace -watch ./...": "-watch ./...: only commute test knows the folder that is " +
			"meant (write import paths; packages of the main module are watched anyway)",
		"-watch all": "-watch says whose accesses to memory are watched; it needs " +
			"-datarace or -atomic",
		"-spec /none/x.ecl": "open /none/x.ecl: no such file or directory",
	} {
		code, _, stderr := run(append(strings.Fields(flags), tool)...)
		if got := strings.TrimSpace(stderr); code != toolexec.ExitUsage ||
			got != "commute: toolexec: "+want {
			t.Errorf("%s: exit code %d, %s\nwant %s", flags, code, got, want)
		}
	}
}
