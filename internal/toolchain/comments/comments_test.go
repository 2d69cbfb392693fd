// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package comments

import (
	"go/build"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/commutego/commute/internal/toolchain/golist"
)

// five has a mistake of each kind.
const five = `package lru

// A Cache is watched.
//
//ecl:observer Gett(k)/v, Len()
//ecl:commute Put(k1, v1), Put(k2, v2): k1 <> k2
//ecl:commute Put(k1, v1), Len(): false
type Cache struct{}

//atomc
func (c *Cache) Get(k string) int { return 0 }

// Put puts.
//
//commute:notatomic
func (c *Cache) Put(k string, v int) { c.Get(k) //comute:ignore why
}

func (c *Cache) Len() int { return 0 }

// A Set is watched.
//
//ecl:observer Len()/n
//ecl:commute Add(k1), Add(k2): k1 != k2
type Set struct{}

func (*Set) Add(k string) {}
func (*Set) Len() int     { return 0 }
`

var wrong = []string{
	"a.go:5:16: Cache declares no method Gett (did you mean Get?)",
	"a.go:6:45: expected operand, found '>'",
	"a.go:10:1: //atomc is no annotation; did you mean //atomic?",
	"a.go:15:1: //commute:notatomic needs a reason: write //commute:notatomic and why",
	"a.go:16:49: unknown directive //comute:ignore; did you mean //commute:ignore?",
	"a.go:23:7: no formula for the pair Len, Add (add //ecl:commute Len()/(n), Add(k): ..., or " +
		"//ecl:default false)",
}

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

// TestRound has all that is wrong with a package told in one round, in the order of the places.
func TestRound(t *testing.T) {
	b := module(t, map[string]string{"lru/a.go": five})
	b.Args = []string{"./..."}
	var got []string
	for _, e := range Check(b, Scan(b.Roots)) {
		e.Pos.Filename = filepath.Base(e.Pos.Filename)
		got = append(got, e.Error())
	}
	if !slices.Equal(got, wrong) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(wrong, "\n"))
	}
}

// TestBuild has mistakes in what a build has, and in what it doesn't have.
func TestBuild(t *testing.T) {
	const bad = "//comute:ignore why\n"
	files := map[string]string{
		"good/a.go": "package good\n\nimport _ \"example.com/m/dep\"\n\n//atomic\nfunc " +
			"F() {}\n",
		"dep/a.go":          "package dep\n",
		"dep/a_test.go":     "package dep\n" + bad,
		"dep/x_test.go":     "package dep_test\n" + bad,
		"tag/a.go":          "package tag\n",
		"tag/b.go":          "//go:build x\n\npackage tag\n" + bad,
		"other/a.go":        "package other\n" + bad,
		"user/a.go":         "package user\n\nimport _ \"example.com/m/other\"\n",
		"ecl/a.go":          "package ecl\n",
		"ecl/a.ecl":         "//ecl:type None\n//ecl:default false\n//ecl:mutator Put(k)\n",
		"vendor/v/a.go":     "package v\n" + bad,
		"method/a.go":       "package method\n\n//atomic\ntype T int\n",
		"method/b_other.go": "package method\n\nfunc (T) M() {}\n",
		"syntax/a.go":       "package syntax\n" + bad + "}\n",
	}
	files["eclmethod/a.go"] = "package eclmethod\n\ntype Queue int\n\nfunc (*Queue) Push(n int) " +
		"{}\n"
	files["eclmethod/a_test.go"] = "package eclmethod\n\nimport \"testing\"\n\nfunc TestA(t " +
		"*testing.T) {}\n"
	files["eclmethod/a.ecl"] = "//ecl:type Queue\n\n//ecl:mutator Pus(n)\n"
	b := module(t, files)
	for _, test := range []struct {
		command, args string
		want          int
	}{
		{"test", "./good", 0},
		{"test", "./dep", 2},
		{"build", "./dep", 0},
		{"test", "./good ./dep", 2},
		{"test", "./tag", 0},
		{"test", "-tags x ./tag", 1},
		{"test", "./other", 1},
		{"run", "./user", 1},
		{"test", "./ecl", 1},
		{"test", "./eclmethod", 1},
		{"test", "./method", 0},
		{"test", "./syntax", 0},
		{"test", "./nowhere", 0},
	} {
		b := &golist.Build{Go: b.Go, Chdir: b.Chdir, Command: test.command,
			Args: strings.Fields(test.args), Roots: b.Roots}
		if errs := Check(b, Scan(b.Roots)); len(errs) != test.want {
			t.Errorf("%s %s: %v", test.command, test.args, errs)
		}
	}
}

// TestQuick has nothing that is wrong: the go command is not asked.
func TestQuick(t *testing.T) {
	b := module(t, map[string]string{"a.go": "package a\n\n//atomic\nfunc F() " +
		"{}\n\n//commute:notatomic it waits\nfunc G() {}\n"})
	b.Go, b.Args = "/does/not/exist", []string{"./..."}
	m := Scan(b.Roots)
	if errs := Check(b, m); len(errs) > 0 || len(m.Atomic) != 1 || len(m.Dirs) != 1 {
		t.Errorf("%v, %v", errs, m)
	}
	if named, err := b.Named(); err == nil {
		t.Errorf("the go command said %v", named)
	}
}

// BenchmarkScan looks through the sources of the standard library.
func BenchmarkScan(b *testing.B) {
	src := filepath.Join(build.Default.GOROOT, "src")
	for b.Loop() {
		Scan([]string{filepath.Join(src, "net"), filepath.Join(src, "cmd")})
	}
}
