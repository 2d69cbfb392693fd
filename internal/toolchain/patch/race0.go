// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package patch

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/types"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/commutego/commute/internal/toolchain/edit"
	"github.com/commutego/commute/internal/toolchain/target"
)

// Tag keeps the templates out of ordinary builds. It is set when files are chosen among them.
const Tag = "commute_patch"

// MemoryTag is set as well where accesses to memory are watched.
const MemoryTag = "commute_memory"

// TemplatePrefix begins the names of files that templates become.
const TemplatePrefix = "commute_patch_"

// race0 is the file of package runtime that declares the race detector's hooks for a build without
// it. The template of that name replaces it.
const race0 = "race0.go"

// Runtime replaces race0.go by the templates for a platform, which are Go files at the top of fsys.
// Memory says whether accesses to memory are watched.
func (p *Package) Runtime(fsys fs.FS, platform target.Platform, memory bool) error {
	tags := []string{Tag}
	if memory {
		tags = append(tags, MemoryTag)
	}
	if p.Explores {
		tags = append(tags, ExploreTag)
	}
	if p.Perturbs {
		tags = append(tags, PerturbTag)
	}
	original, err := p.parse(race0)
	if err != nil {
		return err
	}
	names, err := fs.Glob(fsys, "*.go")
	if err != nil {
		return err
	}
	var defined []*ast.File
	var own *ast.File
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		data, err := fs.ReadFile(fsys, name)
		if err != nil {
			return err
		}
		if ok, err := platform.Match(name, data, tags...); !ok || err != nil {
			if err != nil {
				return err
			}
			continue
		}
		syntax, err := parser.ParseFile(p.Source.Fset, name, data,
			parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		defined = append(defined, syntax)
		if name == race0 {
			own = syntax
		}
		p.Added = append(p.Added, edit.Added{
			// The suffix keeps a name from being read as a constraint.
			Name: TemplatePrefix + strings.TrimSuffix(name, ".go") + "_.go",
			Data: edit.WithLine(path.Join("commute/patch", name), data),
		})
	}
	if own == nil {
		return fmt.Errorf("no template of package runtime is called %s", race0)
	}
	if err := p.checkRace0(original.syntax, own, defined); err != nil {
		return err
	}
	p.Remove(original.path)
	p.Whole = append(p.Whole, original.path)
	return nil
}

// checkRace0 reports a function that the release's race0.go declares and the templates don't, or
// with another signature, and the other way round. So a hook of a new release isn't missed.
func (p *Package) checkRace0(original, own *ast.File, templates []*ast.File) error {
	want, have := funcs(original), make(map[string]string)
	for _, t := range templates {
		for name, signature := range funcs(t) {
			have[name] = signature
		}
	}
	for _, name := range sortedKeys(want) {
		switch signature, ok := have[name]; {
		case !ok:
			return p.unexpected(fmt.Sprintf("race0.go declares %s%s, which commute does not "+
				"implement", name, trimFunc(want[name])))
		case signature != want[name]:
			return p.unexpected(fmt.Sprintf("race0.go declares %s%s, which commute has as %s%s",
				name, trimFunc(want[name]), name, trimFunc(signature)))
		}
	}
	for _, name := range sortedKeys(funcs(own)) {
		if _, ok := want[name]; !ok {
			return p.unexpected("race0.go does not declare " + name)
		}
	}
	for _, decl := range original.Decls {
		switch decl := decl.(type) {
		case *ast.FuncDecl:
			if decl.Recv != nil {
				return p.unexpected("race0.go declares the method " + decl.Name.Name)
			}
		case *ast.GenDecl:
			for _, name := range declared(decl) {
				if name != "raceenabled" {
					return p.unexpected("race0.go declares " + name)
				}
			}
		}
	}
	return nil
}

// funcs returns the signature of each function of a file, without the names of parameters.
func funcs(file *ast.File) map[string]string {
	out := make(map[string]string)
	for _, decl := range file.Decls {
		if fn, ok := decl.(*ast.FuncDecl); ok && fn.Recv == nil {
			out[fn.Name.Name] = signature(fn.Type)
		}
	}
	return out
}

// signature prints the types of a function's parameters and results, without names.
func signature(t *ast.FuncType) string {
	list := func(fields *ast.FieldList) string {
		if fields == nil {
			return "()"
		}
		var types_ []string
		for _, f := range fields.List {
			for range max(1, len(f.Names)) {
				types_ = append(types_, types.ExprString(f.Type))
			}
		}
		return "(" + strings.Join(types_, ", ") + ")"
	}
	results := list(t.Results)
	if results == "()" {
		results = ""
	} else {
		results = " " + results
	}
	return "func" + list(t.Params) + results
}

func trimFunc(signature string) string { return strings.TrimPrefix(signature, "func") }

// declared lists the names that a declaration of constants, variables or types makes.
func declared(decl *ast.GenDecl) []string {
	var names []string
	for _, spec := range decl.Specs {
		switch spec := spec.(type) {
		case *ast.ValueSpec:
			for _, id := range spec.Names {
				names = append(names, id.Name)
			}
		case *ast.TypeSpec:
			names = append(names, spec.Name.Name)
		}
	}
	return names
}

func sortedKeys(m map[string]string) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

// InternalRace replaces norace.go by race.go of the same folder, whose build constraint is taken
// out: it calls the hooks. The two have to declare the same functions. Where accesses to memory are
// not watched, those that announce them do nothing, and are inlined.
func (p *Package) InternalRace(memory bool) error {
	norace, err := p.parse("norace.go")
	if err != nil {
		return err
	}
	path := filepath.Join(filepath.Dir(norace.path), "race.go")
	with := New(p.Path, p.GoVersion, []string{path})
	race, err := with.parse("race.go")
	if err != nil {
		return p.unexpected("it has no file race.go")
	}
	want, have := funcs(norace.syntax), funcs(race.syntax)
	for _, name := range sortedKeys(want) {
		if have[name] != want[name] {
			return p.unexpected("race.go does not declare " + name + trimFunc(want[name]))
		}
	}
	var constraint *ast.Comment
	for _, group := range race.syntax.Comments {
		for _, c := range group.List {
			if c.Text == "//go:build race" && c.Pos() < race.syntax.Package {
				constraint = c
			}
		}
	}
	if constraint == nil {
		return p.unexpected("race.go is not constrained to race")
	}
	start := race.offset(constraint.Pos())
	edits := []edit.Edit{{Start: start, End: start + len(constraint.Text)}}
	if !memory {
		edits = append(edits, race.emptyBodies("Read", "Write")...)
	}
	unconstrained, err := edit.Apply(race.data, edits)
	if err != nil {
		return err
	}
	p.Remove(norace.path)
	p.Whole = append(p.Whole, norace.path, path)
	p.Added = append(p.Added,
		edit.Added{Name: "commute_race.go", Data: edit.WithLine(path, unconstrained)})
	return nil
}

// emptyBodies are edits that give a body to the functions whose names begin with a prefix.
func (f *parsed) emptyBodies(prefixes ...string) (edits []edit.Edit) {
	for _, decl := range f.syntax.Decls {
		fn, ok := decl.(*ast.FuncDecl)
		if ok && fn.Recv == nil && fn.Body == nil && slices.ContainsFunc(prefixes,
			func(prefix string) bool { return strings.HasPrefix(fn.Name.Name, prefix) }) {
			end := f.offset(fn.End())
			edits = append(edits, edit.Edit{Start: end, End: end, Text: " {}"})
		}
	}
	return edits
}
