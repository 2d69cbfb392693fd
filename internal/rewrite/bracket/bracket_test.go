// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package bracket

import (
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/commutego/commute/analyzer/transaction"
	"github.com/commutego/commute/internal/toolchain/edit"
	"github.com/commutego/commute/internal/toolchain/load"
)

// read makes a package, whose files must have no wrong annotations.
func read(t testing.TB, path string, sources map[string]string, names []string) (*Package,
	[]transaction.Mark) {
	t.Helper()
	p := &Package{Source: load.New(load.Config{
		Path:  path,
		Names: names,
		Read:  func(name string) ([]byte, error) { return []byte(sources[name]), nil },
	})}
	syntax, err := p.Source.Syntax()
	if err != nil {
		t.Fatal(err)
	}
	fset := p.Source.Fset
	found, problems := transaction.Find(path, fset, syntax)
	for _, problem := range problems {
		t.Fatalf("%s: %s", fset.Position(problem.Pos), problem.Message)
	}
	p.Place = func(pos token.Pos) string {
		at := fset.Position(pos)
		return fmt.Sprintf("%s:%d", filepath.Base(at.Filename), at.Line)
	}
	info := &types.Info{Types: make(map[ast.Expr]types.TypeAndValue)}
	conf := types.Config{Importer: importer.ForCompiler(fset, "gc", nil), Error: func(error) {}}
	conf.Check(path, fset, syntax, info)
	p.Iterator = func(e ast.Expr) bool {
		_, ok := info.TypeOf(e).Underlying().(*types.Signature)
		return ok
	}
	p.ValueIndependent = func(n ast.Node) bool { _, ok := n.(*ast.FuncDecl); return ok }
	return p, found.Marks
}

// instrumented returns the new text of each file, and the added one with fakes in place of the
// engine's functions.
func instrumented(t testing.TB, p *Package, marks []transaction.Mark) map[string]string {
	t.Helper()
	out := generate(t, p, marks)
	added := string(out.Added)
	for _, f := range []string{"Begin(t *commute_Transaction, a *commute_Atomic)",
		"End(t *commute_Transaction)"} {
		name, _, _ := strings.Cut(f, "(")
		pull := "//go:linkname commute_atomic" + name + " runtime.commute_atomic" + name +
			"\n//go:noescape\nfunc commute_atomic" + f + "\n"
		if !strings.Contains(added, pull) {
			t.Fatalf("no pull linkname for %s in\n%s", name, added)
		}
		added = strings.Replace(added, pull, "", 1)
	}
	files := map[string]string{"commute_atomic.go": added}
	for _, name := range p.Source.Names {
		files[filepath.Base(name)] = string(edit.WithLine(name, applied(t, p, out, name)))
	}
	return files
}

func generate(t testing.TB, p *Package, marks []transaction.Mark) *Output {
	t.Helper()
	out, err := Generate(p, marks)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// applied is a file with the edits.
func applied(t testing.TB, p *Package, out *Output, name string) []byte {
	t.Helper()
	src, err := p.Source.Source(name)
	if err != nil {
		t.Fatal(err)
	}
	text, err := edit.Apply(src, out.Edits[name])
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// fakes say what is begun and ended. A transaction begins with zeros, and ends once.
const fakes = `package main

import "strings"

func bracket(a *commute_Atomic, opens bool) string {
	name, kind, _ := strings.Cut(strings.TrimPrefix(a.name, "main."), " ")
	brackets := map[string]string{"": "()", "block": "{}", "function literal": "[]"}[kind]
	if opens {
		return name + brackets[:1]
	}
	return name + brackets[1:]
}

var begun = map[*commute_Transaction]*commute_Atomic{}

func commute_atomicBegin(t *commute_Transaction, a *commute_Atomic) {
	if t.state != [4]uintptr{} {
		say("NOT ZERO")
	}
	t.state[0] = 1
	begun[t] = a
	say(bracket(a, true))
}

func commute_atomicEnd(t *commute_Transaction) {
	if t.state[0] == 1 {
		say(bracket(begun[t], false))
		t.state[0] = 2
		delete(begun, t)
	}
}

`

func compile(t testing.TB, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	files["go.mod"] = "module example\n\ngo 1.26\n"
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	exe := filepath.Join(dir, "cases.exe")
	cmd := exec.Command("go", "build", "-o", exe, ".")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOFLAGS=-mod=mod", "GOWORK=off")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return exe
}

func output(t testing.TB, exe string, args ...string) string {
	t.Helper()
	out, err := exec.Command(exe, args...).CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return string(out)
}

func cases(t testing.TB) (sources map[string]string, names []string) {
	t.Helper()
	paths, err := filepath.Glob("testdata/cases/*.go*")
	if err != nil || len(paths) == 0 {
		t.Fatal("no cases")
	}
	sources = make(map[string]string)
	for _, path := range paths {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		abs, err := filepath.Abs(path)
		if err != nil {
			t.Fatal(err)
		}
		abs = strings.TrimSuffix(abs, ".txt") // which keeps gofmt away
		sources[abs] = string(data)
		names = append(names, abs)
	}
	return sources, names
}

// TestRun runs instrumented code, which compares the order of what it does with what it should be.
func TestRun(t *testing.T) {
	sources, names := cases(t)
	p, marks := read(t, "main", sources, names)
	files := instrumented(t, p, marks)
	files["fakes.go"] = fakes
	exe := compile(t, files)
	if got, want := output(t, exe), "ran 111\n"; got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}

	// Stack traces are the same without instrumentation.
	plain := make(map[string]string)
	for name, text := range sources {
		plain[filepath.Base(name)] = text
	}
	got, want := output(t, exe, "positions"), output(t, compile(t, plain), "positions")
	if got != want || strings.Count(want, "\n") < 19 {
		t.Errorf("positions: got\n%s\nwant\n%s", got, want)
	}
}

// TestColumns looks for every name of the original in the instrumented text, at the same place.
func TestColumns(t *testing.T) {
	sources, names := cases(t)
	p, marks := read(t, "main", sources, names)
	files := instrumented(t, p, marks)
	places := func(name, text string) map[string]bool {
		fset := token.NewFileSet()
		file, err := parser.ParseFile(fset, name, text,
			parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		list := make(map[string]bool)
		ast.Inspect(file, func(n ast.Node) bool {
			if id, ok := n.(*ast.Ident); ok && id.Name != "_" {
				list[fmt.Sprint(id.Name, " ", fset.Position(id.Pos()))] = true
			}
			return true
		})
		return list
	}
	for name, text := range sources {
		after := places("x.go", files[filepath.Base(name)])
		before := places(name, text)
		for place := range before {
			if !after[place] {
				t.Errorf("not found: %s", place)
			}
		}
		if len(before) < 10 {
			t.Errorf("%s has only %d names", name, len(before))
		}
	}
}

// TestAdded pins what is said of marked code.
func TestAdded(t *testing.T) {
	const src = `package bank

type Account[T any] struct{}

//atomic
func (a *Account[T]) Deposit() {
	//atomic
	for {
	}
}

var f = func() { //atomic
}
`
	p, marks := read(t, "example.com/my.bank", map[string]string{"/m/bank.go": src},
		[]string{"/m/bank.go"})
	out := generate(t, p, marks)
	for _, want := range []string{
		"package bank\n",
		`commute_a0 = commute_Atomic{name: "example.com/my%2ebank.(*Account[...]).Deposit", ` +
			`pos: "bank.go:6", valueIndependent: true}`,
		`commute_a1 = commute_Atomic{name: ` +
			`"example.com/my%2ebank.(*Account[...]).Deposit block", pos: "bank.go:8"}`,
		`commute_a2 = commute_Atomic{name: "example.com/my%2ebank.f function literal", ` +
			`pos: "bank.go:12"}`,
	} {
		if !strings.Contains(string(out.Added), want) {
			t.Errorf("%s is missing in\n%s", want, out.Added)
		}
	}
}

// TestReturn pins what becomes of returns: nothing is deferred where the results can be assigned
// to.
func TestReturn(t *testing.T) {
	for _, test := range []struct{ function, want string }{
		{
			"() int {\n//atomic\n{ return 1 }\n}",
			"{ commute_r0 = /*line :4:9*/ 1; commute_atomicEnd(&commute_t0); return commute_r0 " +
				"}/*line :4:11*/ }",
		},
		{
			"() (n int, err error) {\nn, m := 1, 2\n//atomic\n{ return m, nil }\n}",
			"{ n, err = /*line :5:9*/ m, nil; commute_atomicEnd(&commute_t0); return n, err " +
				"}/*line :5:16*/ }",
		},
		{
			"() (n int) {\n//atomic\nfor { n := 2; return n }\n}",
			"{ defer commute_atomicEnd(&commute_t0); /*line :4:15*/return n }/*line :4:23*/ }",
		},
		{
			"(seq func(func() bool)) int {\n//atomic\nfor range 2 { for range seq { return 1 } " +
				"}\nreturn 2 }",
			"{ defer commute_atomicEnd(&commute_t0); /*line :4:31*/return 1 }/*line :4:39*/ }",
		},
		{
			"() {\n//atomic\n{ return }\n}",
			"{ commute_atomicEnd(&commute_t0); /*line :4:3*/return }/*line :4:9*/ }",
		},
	} {
		p, marks := read(t, "p", map[string]string{"p.go": "package p\nfunc f" + test.function +
			"\n"}, []string{"p.go"})
		out := generate(t, p, marks)
		if got := string(applied(t, p, out, "p.go")); !strings.Contains(got, test.want) {
			t.Errorf("%s is missing in\n%s", test.want, got)
		}
	}
}
