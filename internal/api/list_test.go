// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package api

import (
	"flag"
	"fmt"
	"go/ast"
	"go/doc"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/go/packages"
)

var update = flag.Bool("update", false, "rewrite the list")

const module = "github.com/commutego/commute"

// public are the packages that other modules may import. The others that they could are the root's,
// which has the engine's sources, runtime, which is compiled into Go's, and analyzer/section, which
// serves the build: their documentation says that they are not for import.
var public = []string{
	"analyzer/annotation", "analyzer/checkact", "analyzer/directive", "analyzer/gclplugin", "analyzer/reduction", "analyzer/splitlock",
	"analyzer/transaction", "commutetest", "ecl", "report", "specs", "trace",
}

var closed = []string{"", "analyzer/section", "runtime"}

// load type-checks packages.
func load(t *testing.T, patterns ...string) []*packages.Package {
	t.Helper()
	list, err := packages.Load(&packages.Config{
		Dir: "../..", Mode: packages.LoadSyntax,
	}, patterns...)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range list {
		for _, err := range p.Errors {
			t.Fatal(err)
		}
	}
	return list
}

// TestPackages wants the packages that can be imported to be those that are meant to be.
func TestPackages(t *testing.T) {
	list, err := packages.Load(&packages.Config{Dir: "../..", Mode: packages.NeedName}, "./...")
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, p := range list {
		path := strings.TrimPrefix(strings.TrimPrefix(p.PkgPath, module), "/")
		hidden := slices.Contains(strings.Split(path, "/"), "internal")
		if p.Name != "main" && !hidden && !strings.HasPrefix(path, "examples/") {
			got = append(got, path)
		}
	}
	want := append(slices.Clone(public), closed...)
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("packages that can be imported: %q, want %q", got, want)
	}
	for _, p := range closed {
		text := packageDoc(t, filepath.Join("../..", p))
		if !strings.Contains(strings.Join(strings.Fields(text), " "), "not for import") {
			t.Errorf("the documentation of %q doesn't say that it is not for import", p)
		}
	}
}

// packageDoc is the documentation of the package in a folder.
func packageDoc(t *testing.T, dir string) (text string) {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		f, err := parser.ParseFile(token.NewFileSet(), name, nil,
			parser.ParseComments|parser.PackageClauseOnly)
		if err != nil {
			t.Fatal(err)
		}
		text += f.Doc.Text()
	}
	return text
}

// TestList compares what the public packages export with the list.
func TestList(t *testing.T) {
	var lines []string
	for _, p := range load(t, patterns()...) {
		lines = append(lines, symbols(p, examples(t, p))...)
	}
	got := strings.Join(lines, "\n") + "\n"
	if *update {
		if err := os.WriteFile("api.txt", []byte(got), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	data, err := os.ReadFile("api.txt")
	if err != nil {
		t.Fatal(err)
	}
	want := strings.Split(strings.TrimSpace(string(data)), "\n")
	for _, line := range lines {
		if !slices.Contains(want, line) {
			t.Errorf("new: %s", line)
		}
	}
	for _, line := range want {
		if !slices.Contains(lines, line) {
			t.Errorf("gone: %s", line)
		}
	}
	if t.Failed() {
		t.Log("if the API is meant to change: go test ./internal/api -run List -update")
	} else if got != string(data) {
		t.Error("the order of api.txt has changed")
	}
}

func patterns() (list []string) {
	for _, p := range public {
		list = append(list, "./"+p)
	}
	return list
}

// examples are the symbols of a package that have an example that is verified: F, T or T_M.
func examples(t *testing.T, p *packages.Package) map[string]bool {
	t.Helper()
	has := make(map[string]bool)
	names, err := filepath.Glob(filepath.Join(filepath.Dir(p.GoFiles[0]), "*_test.go"))
	if err != nil {
		t.Fatal(err)
	}
	var files []*ast.File
	for _, name := range names {
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, f)
	}
	for _, e := range doc.Examples(files...) {
		if e.Output != "" || e.EmptyOutput {
			has[e.Name] = true
		}
	}
	return has
}

// symbols are the lines of a package, in the order of their names.
func symbols(p *packages.Package, examples map[string]bool) (lines []string) {
	pkg := strings.TrimPrefix(p.PkgPath, module+"/")
	qualify := func(o *types.Package) string {
		if o == p.Types {
			return ""
		}
		return o.Name()
	}
	add := func(example, format string, args ...any) {
		line := fmt.Sprintf("pkg %s, %s", pkg, fmt.Sprintf(format, args...))
		if example != "" && examples[example] {
			line += " (example)"
		}
		lines = append(lines, line)
	}
	scope := p.Types.Scope()
	for _, name := range scope.Names() {
		obj := scope.Lookup(name)
		if !obj.Exported() {
			continue
		}
		switch obj := obj.(type) {
		case *types.Const:
			add("", "const %s %s = %s", name, types.TypeString(obj.Type(), qualify), obj.Val())
		case *types.Var:
			add("", "var %s %s", name, types.TypeString(obj.Type(), qualify))
		case *types.Func:
			add(name, "func %s%s", name, signature(obj, qualify))
		case *types.TypeName:
			members(obj, qualify, add)
		}
	}
	return lines
}

func signature(f *types.Func, qualify types.Qualifier) string {
	return strings.TrimPrefix(types.TypeString(f.Type(), qualify), "func")
}

// members adds a type, its fields and its methods.
func members(obj *types.TypeName, qualify types.Qualifier, add func(string, string, ...any)) {
	name := obj.Name()
	switch u := obj.Type().Underlying().(type) {
	case *types.Struct:
		add(name, "type %s struct", name)
		for i := range u.NumFields() {
			f := u.Field(i)
			typ := types.TypeString(f.Type(), qualify)
			switch {
			case f.Embedded() && f.Exported():
				add("", "type %s struct, embedded %s", name, typ)
			case f.Exported():
				add("", "type %s struct, %s %s", name, f.Name(), typ)
			}
		}
	default:
		add(name, "type %s %s", name, types.TypeString(u, qualify))
	}
	methods := types.NewMethodSet(types.NewPointer(obj.Type()))
	for i := range methods.Len() {
		m := methods.At(i).Obj().(*types.Func)
		if m.Exported() && m.Pkg() == obj.Pkg() {
			recv := types.TypeString(m.Signature().Recv().Type(), qualify)
			add(name+"_"+m.Name(), "method (%s) %s%s", recv, m.Name(), signature(m, qualify))
		}
	}
}

// TestDocumented wants each exported symbol to have its reason: a comment of its own, or, of
// constants and variables, one on its line, or that of the group that it is in. So do the fields of
// what is stable. Functions and types that are used by themselves have examples; the list says
// which.
func TestDocumented(t *testing.T) {
	for _, p := range load(t, patterns()...) {
		for _, file := range p.Syntax {
			for _, decl := range file.Decls {
				undocumented(decl, stable(p.PkgPath), func(n ast.Node, name string) {
					t.Errorf("%s: %s has no comment", p.Fset.Position(n.Pos()), name)
				})
			}
		}
	}
}

// stable reports whether a package keeps what it exports: the analyzers have only Analyzer for
// others, and package ecl grows with its language.
func stable(path string) bool {
	return !strings.HasPrefix(path, module+"/analyzer/") && path != module+"/ecl"
}

// undocumented calls f for the exported symbols of a declaration that have no comment.
func undocumented(decl ast.Decl, withFields bool, f func(n ast.Node, name string)) {
	switch d := decl.(type) {
	case *ast.FuncDecl:
		if d.Name.IsExported() && exportedReceiver(d) && d.Doc == nil {
			f(d, d.Name.Name)
		}
	case *ast.GenDecl:
		for _, spec := range d.Specs {
			switch s := spec.(type) {
			case *ast.ValueSpec:
				for _, id := range s.Names {
					if id.IsExported() && s.Doc == nil && s.Comment == nil && d.Doc == nil {
						f(id, id.Name)
					}
				}
			case *ast.TypeSpec:
				if !s.Name.IsExported() {
					continue
				}
				if s.Doc == nil && d.Doc == nil {
					f(s, s.Name.Name)
				}
				if typ, ok := s.Type.(*ast.StructType); ok && withFields {
					fields(typ, func(n ast.Node, name string) { f(n, s.Name.Name+"."+name) })
				}
			}
		}
	}
}

// plain are names of fields that say all.
var plain = []string{"Name", "Text", "Line", "Pos", "Func", "File", "Thread", "Type"}

// fields calls f for the exported fields of a type that have neither a comment nor a plain name.
func fields(typ *ast.StructType, f func(n ast.Node, name string)) {
	for _, field := range typ.Fields.List {
		for _, id := range field.Names {
			if id.IsExported() && field.Doc == nil && field.Comment == nil &&
				!slices.Contains(plain, id.Name) {
				f(id, id.Name)
			}
		}
	}
}

func exportedReceiver(d *ast.FuncDecl) bool {
	if d.Recv == nil {
		return true
	}
	typ := d.Recv.List[0].Type
	if star, ok := typ.(*ast.StarExpr); ok {
		typ = star.X
	}
	id, ok := typ.(*ast.Ident)
	return ok && id.IsExported()
}
