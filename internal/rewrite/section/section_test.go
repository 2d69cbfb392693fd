// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package section

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/build"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/commutego/commute/analyzer/section"
	"github.com/commutego/commute/internal/engine/capture"
	"github.com/commutego/commute/internal/engine/compiled"
	"github.com/commutego/commute/internal/toolchain/edit"
	"github.com/commutego/commute/internal/toolchain/load"
)

// read makes a package of files.
func read(path string, names ...string) *Package {
	p := &Package{Source: load.New(load.Config{
		Path: path, Names: names, Lang: "go1.26",
		Importer: func(fset *token.FileSet) (types.Importer, error) {
			return importer.ForCompiler(fset, "gc", nil), nil
		},
	})}
	p.Place = func(pos token.Pos) string {
		at := p.Source.Fset.Position(pos)
		return fmt.Sprintf("%s:%d", filepath.Base(at.Filename), at.Line)
	}
	p.Line = func(pos token.Pos) compiled.Line {
		at := p.Source.Fset.Position(pos)
		return compiled.Line{File: filepath.Base(at.Filename), Number: at.Line}
	}
	p.Name = func(ast.Node) string { return path + ".f" }
	p.Sizes = types.SizesFor("gc", "amd64")
	return p
}

// touched has everything in a package be a touch.
func touched(t testing.TB, p *Package) *section.Result {
	t.Helper()
	files, err := p.Source.Syntax()
	if err != nil {
		t.Fatal(err)
	}
	checked, err := p.Source.Types()
	if err != nil {
		t.Fatal(err)
	}
	return everything(files, checked.Info)
}

// generated is what Generate makes of a package in which everything is a touch.
func generated(t testing.TB, p *Package) (*section.Result, *Output) {
	t.Helper()
	r := touched(t, p)
	out, err := Generate(p, r)
	if err != nil {
		t.Fatal(err)
	}
	return r, out
}

// applied is a file with the edits.
func applied(t testing.TB, p *Package, out *Output, name string) []byte {
	t.Helper()
	src, err := p.Source.Source(name)
	if err != nil {
		t.Fatal(err)
	}
	text, err := edit.Apply(src, out.Edits(nil)[name])
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// pulls are the engine's functions in an added file.
var pulls = regexp.MustCompile(
	`(?s)//go:linkname (\w+) runtime\.\w+\n//go:noescape\nfunc \w+\(.*?\)( bool)?\n`)

// instrumented returns the new text of each file, and the added one with fakes in place of the
// engine's functions.
func instrumented(t testing.TB, p *Package, out *Output) map[string]string {
	t.Helper()
	fakes, err := os.ReadFile("testdata/fakes.go.txt")
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{"commute_fakes.go": string(fakes),
		"commute_sections.go": string(pulls.ReplaceAll(out.Added, nil))}
	for _, name := range p.Source.Names {
		files[filepath.Base(name)] = string(edit.WithLine(name, applied(t, p, out, name)))
	}
	return files
}

// run builds and runs a program.
func run(t testing.TB, files map[string]string) (stdout, stderr string) {
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
	var o, e bytes.Buffer
	cmd = exec.Command(exe)
	cmd.Stdout, cmd.Stderr = &o, &e
	if err := cmd.Run(); err != nil {
		t.Fatalf("%v\n%s", err, e.String())
	}
	return o.String(), e.String()
}

// TestRun runs the cases as they are, and with a touch wherever there can be one, which is hot or
// not: they say the same.
func TestRun(t *testing.T) {
	names, err := filepath.Glob("testdata/cases/*.go")
	if err != nil || len(names) != 4 {
		t.Fatal(names, err)
	}
	p := read("main", names...)
	r, out := generated(t, p)
	if len(r.Touches) < 300 || len(r.Locks) < 8 || len(out.LeftOut) > len(r.Touches)/5 {
		t.Errorf("of %d touches and %d lock sites %d are left out", len(r.Touches), len(r.Locks),
			len(out.LeftOut))
	}
	files := make(map[string]string)
	for _, name := range names {
		src, _ := p.Source.Source(name)
		files[filepath.Base(name)] = string(edit.WithLine(name, src))
	}
	want, _ := run(t, files)
	got, stderr := run(t, instrumented(t, p, out))
	if got != want {
		t.Errorf("instrumented:\n%s\nas it is:\n%s", got, want)
	}
	if !strings.HasSuffix(stderr, "touched, locked, all left\n") {
		t.Error(stderr)
	}
	t.Setenv("COLD", "1")
	if got, stderr = run(t, instrumented(t, p, out)); got != want ||
		!strings.HasPrefix(stderr, "0 touches 0 locks") {
		t.Errorf("instrumented and cold:\n%s%s\nas it is:\n%s", got, stderr, want)
	}
}

// TestTouches compares the text of a small program, and what its touches say, with golden files.
func TestTouches(t *testing.T) {
	p := read("main", "testdata/rates/rates.go")
	_, out := generated(t, p)
	for _, l := range out.LeftOut {
		t.Errorf("%s: %s", p.Place(l.Pos), l.Why)
	}
	capture.Golden(t, "rates.txt", string(applied(t, p, out, p.Source.Names[0])))
	_, said := run(t, instrumented(t, p, out))
	capture.Golden(t, "touches.txt", said)
}

// TestPositions compares the positions of names in the cases with those in what becomes of them.
func TestPositions(t *testing.T) {
	names, err := filepath.Glob("testdata/cases/*.go")
	if err != nil {
		t.Fatal(err)
	}
	p := read("main", names...)
	_, out := generated(t, p)
	for _, name := range names {
		src, _ := p.Source.Source(name)
		has := identifiers(t, edit.WithLine("x.go", applied(t, p, out, name)))
		n := 0
		for at := range identifiers(t, src) {
			if n++; !has[at] {
				t.Errorf("%s is no longer there", at)
			}
		}
		if n < 50 {
			t.Errorf("only %d names", n)
		}
	}
}

// identifiers are the names of a file with their positions.
func identifiers(t *testing.T, src []byte) map[string]bool {
	t.Helper()
	fset := token.NewFileSet()
	found := make(map[string]bool)
	ast.Inspect(reparse(t, fset, "x.go", src), func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok {
			found[fset.Position(id.Pos()).String()+" "+id.Name] = true
		}
		return true
	})
	return found
}

func reparse(t *testing.T, fset *token.FileSet, name string, src []byte) *ast.File {
	t.Helper()
	file, err := parser.ParseFile(fset, name, src, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	return file
}

// TestStandard has a touch wherever there can be one in packages of the standard library, and
// type-checks what comes out.
func TestStandard(t *testing.T) {
	imports := importer.ForCompiler(token.NewFileSet(), "gc", nil)
	for _, path := range []string{
		"bufio", "compress/flate", "container/list", "encoding/json", "expvar", "fmt", "go/printer",
		"go/types", "iter", "log", "maps", "net/http", "net/url", "reflect", "regexp/syntax",
		"strings", "sync", "text/template/parse", "time",
	} {
		t.Run(strings.ReplaceAll(path, "/", "."), func(t *testing.T) {
			pkg, err := build.Import(path, "", 0)
			if err != nil {
				t.Skip(err)
			}
			for i, name := range pkg.GoFiles {
				pkg.GoFiles[i] = filepath.Join(pkg.Dir, name)
			}
			p := read(path, pkg.GoFiles...)
			r, out := generated(t, p)
			fset := token.NewFileSet()
			var files []*ast.File
			for _, name := range pkg.GoFiles {
				files = append(files, reparse(t, fset, name, applied(t, p, out, name)))
			}
			conf := types.Config{Importer: imports, Error: func(err error) {
				if !strings.Contains(err.Error(), "missing function body") {
					t.Errorf("%v", err)
				}
			}}
			conf.Check(path, fset, append(files, reparse(t, fset, "added.go", out.Added)), nil)
			t.Logf("%d touches, %d lock sites, %d left out", len(r.Touches), len(r.Locks),
				len(out.LeftOut))
			if len(out.LeftOut) > len(r.Touches)/3 {
				t.Error("too many are left out")
			}
		})
	}
}
