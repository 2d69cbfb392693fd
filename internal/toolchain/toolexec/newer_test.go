// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package toolexec_test

import (
	"bytes"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/commutego/commute/internal/toolchain/enginetest"
	"github.com/commutego/commute/internal/toolchain/specset"
	"github.com/commutego/commute/internal/toolchain/toolexec"
)

// futureCompiler is a compiler that takes all but files with a line that is wrong in each release.
func futureCompiler(t *testing.T) string {
	if _, err := os.Stat("/bin/sh"); err != nil {
		t.Skip("the compiler of a later release is a shell script: ", err)
	}
	name := filepath.Join(t.TempDir(), "compile")
	const script = `#!/bin/sh
for last; do :; done
if grep -q 'wrong in each release' "$last"; then
	echo "$last:1:1: it is wrong in go1.999 too" >&2
	exit 3
fi
`
	if err := os.WriteFile(name, []byte(script), 0o777); err != nil {
		t.Fatal(err)
	}
	return name
}

// futureArchive compiles a package that holds one function, and has its export data be of a format
// that is to come.
func futureArchive(t *testing.T, tool, dir string) string {
	src, archive := filepath.Join(dir, "dep.go"), filepath.Join(dir, "dep.a")
	text := "package dep\n\nfunc F() int { return 0 }\n"
	if err := os.WriteFile(src, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command(tool, "-p", "example.com/dep", "-o", archive,
		src).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	data, err := os.ReadFile(archive)
	if err != nil {
		t.Fatal(err)
	}
	const begin = "$$B\nu" // what follows is the number of the format
	at := bytes.Index(data, []byte(begin))
	if at < 0 {
		t.Fatal("the archive has no export data")
	}
	data[at+len(begin)] = 99
	if err := os.WriteFile(archive, data, 0o666); err != nil {
		t.Fatal(err)
	}
	return archive
}

// runApart is run in a process of its own, which the compiler may take the place of. It is the test
// that is run there which calls apart.
func runApart(t *testing.T, args ...string) (code int, stderr string) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self, append([]string{"-test.run=^" + t.Name() + "$", "--"}, args...)...)
	cmd.Env = append(os.Environ(), "COMMUTE_TEST_APART=1")
	var errs strings.Builder
	cmd.Stderr = &errs
	cmd.Run()
	return cmd.ProcessState.ExitCode(), errs.String()
}

// apart is for a test that calls runApart: there it does not return.
func apart() {
	if os.Getenv("COMMUTE_TEST_APART") != "" {
		d := &toolexec.Driver{Config: enginetest.Config(), Stdout: os.Stdout, Stderr: os.Stderr}
		os.Exit(d.Run(flag.Args()))
	}
}

// TestNewerRelease compiles packages with a release that is later than the one that commute was
// built with. One that commute cannot read is refused, unless the compiler finds it wrong; so is
// one whose dependencies it cannot read.
func TestNewerRelease(t *testing.T) {
	apart()
	real, future := compiler(t), futureCompiler(t)
	for _, name := range []string{"TOOLEXEC_IMPORTPATH", "GOWORK", toolexec.MemoryVariable,
		toolexec.RootVariable, specset.Variable} {
		t.Setenv(name, "")
	}
	dir := t.TempDir()
	config := filepath.Join(dir, "importcfg")
	text := "packagefile example.com/dep=" + futureArchive(t, real, dir) + "\n"
	if err := os.WriteFile(config, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	const (
		marked  = "//atomic\nfunc F() {}\n"
		strange = "\nfunc G() { unless true {} }\n"
		beyond  = "package a\n\n" + marked + strange
		ignored = "package a\n\nfunc F() {\n\tprintln() //commute:ignore it is only a test\n}\n" +
			strange
		atomics = "package a\n\nimport \"sync/atomic\"\n\nfunc F() {\n\tvar n " +
			"int32\n\tatomic.AddInt32(&n, 1)\n}\n" + strange
		spec = "//ecl:commute Put(k1), Put(k2): true\ntype T struct{}\n\nfunc (*T) Put(k int) " +
			"{}\n"
		depends = "package a\n\nimport \"example.com/dep\"\n\nvar n = dep.F()\n\n" + spec
	)
	advice := ", and this commute was built with " + runtime.Version() + ": "
	refused := "commute: package example.com/m/a: the code is for go1.999.2" + advice
	for name, test := range map[string]struct {
		release, text string
		code          int
		says, lacks   string
	}{
		"syntax": {"go1.999.2", beyond, 2, refused, "wrong"},
		"advice": {"go1.999.2", beyond, 2,
			"in commute's source, run GOTOOLCHAIN=go1.999.2 go install ./cmd/commute", "wrong"},
		"wrong too": {"go1.999.2", beyond + "// wrong in each release\n", 3,
			"it is wrong in go1.999 too", "commute"},
		"directive":   {"go1.999.2", ignored, 2, refused, "wrong"},
		"atomics":     {"go1.999.2", atomics, 2, refused, "wrong"},
		"own release": {"go1.26.8", beyond, 0, "", "commute"},
		"export data": {"go1.999.2", depends, 2, refused, "wrong"},
		"plain":       {"go1.999.2", "package a\n\n" + marked, 0, "", "commute was built"},
		"asks for newer": {"go1.999.2", "//go:build go1.999\n\npackage a\n\n" + spec, 0, "",
			"commute was built"},
	} {
		src := filepath.Join(dir, "a.go")
		if err := os.WriteFile(src, []byte(test.text), 0o666); err != nil {
			t.Fatal(err)
		}
		code, stderr := runApart(t, toolexec.Driven, future, "-p", "example.com/m/a", "-goversion",
			test.release,
			"-o", filepath.Join(dir, "a.a"), "-importcfg", config, src)
		if code != test.code || !strings.Contains(stderr, test.says) ||
			strings.Contains(stderr, test.lacks) {
			t.Errorf("%s: code %d, want %d: %s", name, code, test.code, stderr)
		}
	}
}
