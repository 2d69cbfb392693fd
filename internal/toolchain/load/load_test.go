// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package load_test

import (
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"slices"
	"strings"
	"testing"

	"github.com/commutego/commute/internal/toolchain/load"
)

// source is a package whose files are texts. It counts how often each is read.
func source(files map[string]string, names ...string) (p *load.Package, reads map[string]int) {
	reads = make(map[string]int)
	return load.New(load.Config{
		Path:  "example.com/p",
		Names: names,
		Lang:  "go1.26",
		Read: func(name string) ([]byte, error) {
			reads[name]++
			text, ok := files[name]
			if !ok {
				return nil, errors.New("there is no " + name)
			}
			return []byte(text), nil
		},
		Importer: func(*token.FileSet) (types.Importer, error) { return nothing{}, nil },
	}), reads
}

// nothing is an importer without packages, but for unsafe.
type nothing struct{}

func (nothing) Import(path string) (*types.Package, error) {
	if path == "unsafe" {
		return types.Unsafe, nil
	}
	return nil, errors.New("no package " + path)
}

var two = map[string]string{
	"a.go": "package p\n\nimport \"unsafe\"\n\n// F is one.\nfunc F(n uintptr) uintptr { return " +
		"n + size }\n",
	"b.go": "package p\n\nimport \"unsafe\"\n\nconst size = unsafe.Sizeof(0)\n\nfunc asm()\n",
}

// TestOnce asks for everything twice, which is made once, and for nothing, which makes nothing.
func TestOnce(t *testing.T) {
	p, reads := source(two, "a.go", "b.go")
	if len(reads) > 0 {
		t.Errorf("read unasked: %v", reads)
	}
	if f, err := p.File("b.go"); err != nil || f.AST == nil || p.Work != (load.Work{Parsed: 1}) {
		t.Errorf("b.go: %v, %+v", err, p.Work)
	}
	var first []*ast.File
	for range 2 {
		if err := p.Sources(); err != nil {
			t.Fatal(err)
		}
		syntax, err := p.Syntax()
		if err != nil || len(syntax) != 2 || first != nil && !slices.Equal(syntax, first) {
			t.Fatalf("%d files, %v", len(syntax), err)
		}
		first = syntax
		checked, err := p.Types()
		if err != nil || len(checked.Errs) > 1 || checked.Pkg.Scope().Lookup("F") == nil {
			t.Fatalf("%+v, %v", checked, err)
		}
		built, err := p.SSA()
		if err != nil || built.Func("F") == nil || len(built.Func("F").Blocks) == 0 {
			t.Fatalf("SSA: %v, %v", built, err)
		}
	}
	if p.Work != (load.Work{Parsed: 2, Checked: 1, Built: 1}) {
		t.Errorf("made %+v", p.Work)
	}
	if reads["a.go"] != 1 || reads["b.go"] != 1 {
		t.Errorf("read %v", reads)
	}
	if got := p.Offset(first[0].Decls[1].Pos()); got != strings.Index(two["a.go"], "func") {
		t.Errorf("F is at %d", got)
	}
}

// TestImports has files whose imports are asked for before they are parsed, and after.
func TestImports(t *testing.T) {
	p, _ := source(map[string]string{
		"a.go": "package p\n\nimport \"x\"\n",
		"b.go": "package p\n\nimport (\n\ty \"z\"\n)\n\nfunc {\n",
		"c.go": "pakage p\n",
	}, "a.go", "b.go", "c.go", "none.go")
	paths := func() (list []string) {
		for _, spec := range p.Imports() {
			list = append(list, spec.Path.Value)
		}
		return list
	}
	want := []string{`"x"`, `"z"`}
	if got := paths(); !slices.Equal(got, want) || p.Work.Parsed > 0 {
		t.Errorf("%v, parsed %d", got, p.Work.Parsed)
	}
	if list := p.Readable(); len(list) < 2 || p.Work.Parsed != 3 {
		t.Errorf("%d readable files, parsed %d", len(list), p.Work.Parsed)
	}
	if got := paths(); !slices.Equal(got, want) || p.Work.Parsed != 3 {
		t.Errorf("%v, parsed %d", got, p.Work.Parsed)
	}
}

// TestErrors has files that cannot be read, parsed or type-checked. What is wrong is said once.
func TestErrors(t *testing.T) {
	p, _ := source(two, "a.go", "none.go")
	if err := p.Sources(); err == nil || err.Error() != "there is no none.go" {
		t.Errorf("sources: %v", err)
	}
	if _, err := p.Types(); err == nil || p.Work.Checked > 0 {
		t.Errorf("types: %v", err)
	}
	if !p.Any(func(text string) bool { return strings.Contains(text, "F is one") }) {
		t.Error("what can be read is not looked at")
	}

	p, _ = source(map[string]string{"a.go": "package p\n\nfunc F() { return 1 }\n\nfunc asm()\n"},
		"a.go")
	checked, err := p.Types()
	if err != nil || len(checked.Errs) != 1 || len(p.Errors()) != 1 {
		t.Errorf("types: %v, %v", checked, err)
	}

	p, _ = source(map[string]string{"a.go": "package p\n\nfunc F( {\n"}, "a.go")
	for range 2 {
		if _, err := p.Files(); err == nil {
			t.Error("a.go can be parsed")
		}
		if _, err := p.SSA(); err == nil {
			t.Error("a.go can be built")
		}
	}
	if len(p.Errors()) != 1 || p.Work.Parsed != 1 {
		t.Errorf("errors %v", p.Errors())
	}

	p, _ = source(two, "a.go", "b.go")
	p.Importer = nil
	if _, err := p.Types(); err == nil {
		t.Error("checked without an importer")
	}
}

// TestChecked takes over a package that has been parsed and type-checked elsewhere.
func TestChecked(t *testing.T) {
	fset, info := token.NewFileSet(), load.NewInfo()
	file, err := parser.ParseFile(fset, "a.go", "package p\n\nfunc F() int { return 1 }\n", 0)
	if err != nil {
		t.Fatal(err)
	}
	pkg, err := new(types.Config).Check("p", fset, []*ast.File{file}, info)
	if err != nil {
		t.Fatal(err)
	}
	p := load.Checked(fset, []*ast.File{file}, pkg, info)
	built, err := p.SSA()
	if err != nil || built.Func("F") == nil || p.Work != (load.Work{Built: 1}) || p.Path != "p" {
		t.Errorf("SSA: %v, %+v", err, p.Work)
	}
}
