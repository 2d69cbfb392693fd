// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package marked

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/commutego/commute/internal/toolchain/comments"
	"github.com/commutego/commute/internal/toolchain/golist"
)

// module writes a module, and returns the build of it.
func module(t testing.TB, files map[string]string) *golist.Build {
	t.Helper()
	path, err := exec.LookPath("go")
	if err != nil {
		t.Skip(err)
	}
	dir := t.TempDir()
	files["go.mod"] = "module example.com/m\n\ngo 1.26\n"
	for name, text := range files {
		name = filepath.Join(dir, name)
		os.MkdirAll(filepath.Dir(name), 0o777)
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return &golist.Build{Go: path, Chdir: []string{"-C", dir}, Command: "test",
		Roots: []string{dir}}
}

const mark = "//atomic\nfunc F() {}\n"

func TestAnnotated(t *testing.T) {
	b := module(t, map[string]string{
		"none/a.go":       "package none\n\n// atomic is a word here.\nfunc F() {}\n",
		"code/a.go":       "package code\n" + mark,
		"imports/a.go":    "package imports\n\nimport _ \"example.com/m/code\"\n",
		"tests/a.go":      "package tests\n",
		"tests/a_test.go": "package tests\n" + mark,
		"ext/a.go":        "package ext\n",
		"ext/a_test.go":   "package ext_test\n" + mark,
		"tag/a.go":        "package tag\n",
		"tag/b.go":        "//go:build x\n\npackage tag\n" + mark,
		"wrong/a.go":      "package wrong\n\n//atomic\n\nvar x int\n",
		"calls/a_test.go": "package calls\n\nimport \"" + comments.TestPackage + "\"\n\n" +
			"func f() { commutetest.Atomic(nil) }\n",
		"named/a.go": "package named\n\nimport c \"" + comments.TestPackage + "\"\n\n" +
			"var f = c.Atomic\n",
		"dot/a.go": "package dot\n\nimport . \"" + comments.TestPackage + "\"\n\n" +
			"func f() { Atomic(nil) }\n",
		"ignores/a.go": "package ignores\n\nimport \"" + comments.TestPackage + "\"\n\n" +
			"type t struct{ Atomic int }\n\nfunc f(x t) { commutetest.Ignore(nil); x.Atomic++ }\n",
		"cgo/a.go": "package cgo\n\nimport \"C\"\n\n" + mark,
	})
	for _, test := range []struct {
		command, args, watch string
		want                 bool
	}{
		{"test", "./...", "", true},
		{"test", "./none", "", false},
		{"test", "./none", "./code", false},
		{"test", "./imports", "", false},
		{"test", "./imports", "./code", true},
		{"test", "./imports", "example.com/...", true},
		{"test", "./imports", "example.org/other/...", false},
		{"test", "./code", "", true},
		{"test", "example.com/m/code", "", true},
		{"build", "./code", "", true},
		{"test", "./tests", "", true},
		{"build", "./tests", "", false},
		{"test", "./ext", "", true},
		{"test", "./tag", "", false},
		{"test", "-tags x ./tag", "", true},
		{"test", "./wrong", "", true},
		{"test", "./calls", "", true},
		{"build", "./calls", "", false},
		{"test", "./named", "", true},
		{"test", "./dot", "", true},
		{"test", "./ignores", "", false},
		{"test", "./nowhere", "", false},
		{"run", "./none ./code", "", false},
		{"run", "code/a.go", "", true},
	} {
		b := &golist.Build{Go: b.Go, Chdir: b.Chdir, Command: test.command,
			Args: strings.Fields(test.args), Watch: strings.Fields(test.watch), Roots: b.Roots}
		if got := Annotated(b, comments.Scan(b.Roots).Atomic); got != test.want {
			t.Errorf("%s %s (%s): %v", test.command, test.args, test.watch, got)
		}
	}
	t.Setenv("CGO_ENABLED", "1")
	if b.Args, b.Command = []string{"./cgo"},
		"build"; !Annotated(b, comments.Scan(b.Roots).Atomic) {
		t.Error("./cgo: false")
	}
}

// TestQuick has nothing that is marked: the go command is not asked.
func TestQuick(t *testing.T) {
	b := module(t, map[string]string{
		"a.go":           "package a\n\n// atomic is a word here.\nfunc F() {}\n",
		"vendor/b/b.go":  "package b\n" + mark,
		".hidden/b/b.go": "package b\n" + mark,
	})
	b.Go = "/does/not/exist"
	b.Roots = append(b.Roots, filepath.Join(b.Roots[0], "none"))
	if b.Args = []string{"./..."}; Annotated(b, comments.Scan(b.Roots).Atomic) {
		t.Error("true")
	}
}

func TestMatch(t *testing.T) {
	dir := module(t, map[string]string{
		"bank/a.go": "package bank\n\nimport _ \"example.com/m/dep\"\n\ntype A int\n\nfunc " +
			"(*A) Deposit() {}\nfunc helper() {}\n",
		"bank/a_test.go": "package bank_test\n\nfunc check() {}\n",
		"cmd/a.go":       "package main\n\nfunc main() {}\nfunc serve() {}\n",
		"dep/a.go": "package dep\n\nimport \"context\"\n\nfunc Do() {}\nfunc Run(ctx " +
			"context.Context) {}\nfunc Get(c chan int) int { return <-c }\n",
		"wait/a.go": "package wait\n\nfunc Get(c chan int) int { return <-c }\n",
	})
	const example = "these packages is called so (names are as in stack traces, " +
		"example.com/m/bank.(*A).Deposit for one; -watch adds packages)"
	for _, test := range []struct {
		words, pattern, watch string
		want                  string // a part of the error
	}{
		{"./bank ./cmd", "bank.(*A).Deposit", "", ""},
		{"./bank ./cmd", "example.com/m/bank.helper", "", ""},
		{"./bank ./cmd", "bank_test.check", "", ""},
		{"./bank ./cmd", "main.serve", "", ""},
		{"./bank ./cmd", "main.main", "", ""},
		{"./bank ./cmd", "exported", "", ""},
		{"./bank ./cmd", "bank.Deposit", "", example},
		{"./bank ./cmd", "cmd.serve", "", example},
		{"./bank ./cmd", "example.com/m/bank.helper.*", "", example},
		{"./bank", "dep.Do", "",
			"-atomic dep.Do: package example.com/m/dep is not on the command line (to have it " +
				"watched, add -watch example.com/m/dep)"},
		{"./bank", "dep.Do", "example.com/m/d...", ""},
		{"./bank", "dep.Do", "./dep", ""},
		{"./bank", "dep.Do", "all", ""},
		{"./bank", "dep.Do", "example.org/other/...", "is not on the command line"},
		{"./cmd", "exported", "./dep",
			"-atomic exported: package main exports nothing (name functions, -atomic 'main.*', " +
				"or packages of this build, -atomic exported:./...)"},
		{"./bank", "exported:./...", "", ""},
		{"./cmd", "exported:./dep", "",
			"-atomic exported:./dep: no exported function of a package of this build is meant"},
		{"./wait", "exported", "",
			"all exported functions wait for others, example.com/m/wait.Get for one"},
		{"-mod=nonsense", "*", "", "-mod"},
	} {
		b := &golist.Build{Go: dir.Go, Chdir: dir.Chdir, Command: "test",
			Args: strings.Fields(test.words), Watch: strings.Fields(test.watch)}
		m, err := Match(b, []string{test.pattern})
		if (err != nil) != (test.want != "") ||
			err != nil && !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s -atomic %s -watch %s: %v", test.words, test.pattern, test.watch, err)
		}
		if test.pattern == "exported:./..." &&
			(m.Marked != 2 || len(m.Packages) != 2 ||
				!slices.Equal(m.Waiting,
					[]string{"example.com/m/dep.Run", "example.com/m/dep.Get"})) {
			t.Errorf("%+v", m)
		}
	}
}
