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
)

func TestSplit(t *testing.T) {
	for _, test := range []struct{ command, args, flags, words string }{
		{"test", "", "", "."},
		{"test", "./...", "", "./..."},
		{"test", "-run Foo", "", "."},
		{"test", "-run Foo ./a -v ./b -count=1", "", "./a ./b"},
		{"test", "-v -short -test.v -tags x,y --mod=vendor ./a", "-tags=x,y -mod=vendor", "./a"},
		{"test", "./a -args -tags x ./b", "", "./a"},
		{"build", "-o x.exe -trimpath -overlay o.json ./a", "-overlay=o.json", "./a"},
		{"run", "-tags x ./a b -tags y", "-tags=x", "./a"},
		{"run", "a.go b.go c d.go", "", "a.go b.go"},
		{"run", "a.go -tags x", "", "a.go"},
		{"run", "", "", "."},
	} {
		flags, words := split(test.command, strings.Fields(test.args))
		if got := strings.Join(flags, " "); got != test.flags {
			t.Errorf("%s %s: flags %s", test.command, test.args, got)
		}
		if got := strings.Join(words, " "); got != test.words {
			t.Errorf("%s %s: words %s", test.command, test.args, got)
		}
	}
}

// TestBoolean compares the table with what the go command says of its flags.
func TestBoolean(t *testing.T) {
	var found []string
	for _, topic := range []string{"build", "test", "testflag"} {
		out, err := exec.Command("go", "help", topic).Output()
		if err != nil {
			t.Skip(err)
		}
		for line := range strings.Lines(string(out)) {
			flag, ok := strings.CutPrefix(strings.TrimRight(line, "\n"), "\t-")
			if ok && !strings.Contains(flag, " ") && flag != "args" {
				found = append(found, flag)
			}
		}
	}
	slices.Sort(found)
	if got := slices.Compact(found); !slices.Equal(got, boolean) {
		t.Errorf("the go command has\n%q\nthe table\n%q", got, boolean)
	}
}

// module writes a module, and returns the build of it.
func module(t testing.TB, files map[string]string) *Build {
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
	return &Build{Go: path, Chdir: []string{"-C", dir}, Command: "test", Roots: []string{dir}}
}

const mark = "//atomic\nfunc F() {}\n"

func TestAnnotated(t *testing.T) {
	b := module(t, map[string]string{
		"none/a.go":       "package none\n\n// atomic is a word here.\nfunc F() {}\n",
		"code/a.go":       "package code\n" + mark,
		"tests/a.go":      "package tests\n",
		"tests/a_test.go": "package tests\n" + mark,
		"ext/a.go":        "package ext\n",
		"ext/a_test.go":   "package ext_test\n" + mark,
		"tag/a.go":        "package tag\n",
		"tag/b.go":        "//go:build x\n\npackage tag\n" + mark,
		"wrong/a.go":      "package wrong\n\n//atomic\n\nvar x int\n",
		"cgo/a.go":        "package cgo\n\nimport \"C\"\n\n" + mark,
	})
	for _, test := range []struct {
		command, args, watch string
		want                 bool
	}{
		{"test", "./...", "", true},
		{"test", "./none", "", false},
		{"test", "./none", "./code", true},
		{"test", "./code", "", true},
		{"test", "example.com/m/code", "", true},
		{"build", "./code", "", true},
		{"test", "./tests", "", true},
		{"build", "./tests", "", false},
		{"test", "./ext", "", true},
		{"test", "./tag", "", false},
		{"test", "-tags x ./tag", "", true},
		{"test", "./wrong", "", true},
		{"test", "./nowhere", "", false},
		{"run", "./none ./code", "", false},
		{"run", "code/a.go", "", true},
	} {
		b.Command, b.Args, b.Watch = test.command, strings.Fields(test.args), strings.Fields(test.watch)
		if got := b.Annotated(); got != test.want {
			t.Errorf("%s %s (%s): %v", test.command, test.args, test.watch, got)
		}
	}
	t.Setenv("CGO_ENABLED", "1")
	if b.Args, b.Command = []string{"./cgo"}, "build"; !b.Annotated() {
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
	if b.Args = []string{"./..."}; b.Annotated() {
		t.Error("true")
	}
}

func TestUnmatched(t *testing.T) {
	b := module(t, map[string]string{
		"bank/a.go":      "package bank\n\ntype A int\n\nfunc (*A) Deposit() {}\nfunc helper() {}\n",
		"bank/a_test.go": "package bank_test\n\nfunc check() {}\n",
		"cmd/a.go":       "package main\n\nfunc main() {}\nfunc serve() {}\n",
	})
	b.Args = []string{"./..."}
	for pattern, want := range map[string]bool{
		"bank.(*A).Deposit":           true,
		"example.com/m/bank.helper":   true,
		"bank_test.check":             true,
		"main.serve":                  true,
		"main.main":                   true,
		"exported":                    true,
		"bank.Deposit":                false,
		"cmd.serve":                   false,
		"example.com/m/bank.helper.*": false,
	} {
		unmatched, example, err := b.Unmatched([]string{pattern, "*"})
		if err != nil || slices.Contains(unmatched, pattern) == want || slices.Contains(unmatched, "*") || example != "example.com/m/bank.(*A).Deposit" {
			t.Errorf("%s: %q, %s, %v", pattern, unmatched, example, err)
		}
	}
	b.Args = []string{"-mod=nonsense"}
	if _, _, err := b.Unmatched([]string{"*"}); err == nil || !strings.Contains(err.Error(), "-mod") {
		t.Errorf("error %v", err)
	}
}

// BenchmarkQuick looks through the sources of the standard library.
func BenchmarkQuick(b *testing.B) {
	out, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		b.Skip(err)
	}
	src := filepath.Join(strings.TrimSpace(string(out)), "src")
	for b.Loop() {
		if anyAnnotated([]string{filepath.Join(src, "net"), filepath.Join(src, "cmd")}) {
			b.Fatal("the standard library is annotated")
		}
	}
}
