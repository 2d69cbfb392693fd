// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package toolexec

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strings"

	"github.com/commutego/commute/analyzer/annotation"
	"github.com/commutego/commute/ecl"
	"github.com/commutego/commute/internal/rewrite/instrument"
	"github.com/commutego/commute/internal/toolchain/edit"
	"github.com/commutego/commute/internal/toolchain/patch"
)

// annotate instruments the types of the package that have a specification.
func (u *unit) annotate() error {
	mentioned := u.specs.any() || len(u.abstract) > 0
	for _, path := range u.Files {
		mentioned = mentioned || annotation.Mentioned(string(u.source[path]))
	}
	if !mentioned || u.unwatched {
		return nil
	}
	target := &instrument.Package{Path: u.Package, Fset: token.NewFileSet()}
	var syntax []*ast.File
	for _, path := range u.Files {
		file, err := parser.ParseFile(target.Fset, path, u.current(path), parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			u.unreadable(err)
			return nil // the compiler will say so
		}
		syntax = append(syntax, file)
		target.Files = append(target.Files, instrument.File{Name: path, Src: u.current(path), AST: file})
	}
	specs, err := u.apply(target.Fset, syntax)
	if err != nil || len(specs) == 0 {
		return err
	}
	tables, err := u.tables(specs)
	if err != nil {
		return err
	}
	out, err := instrument.Generate(target, tables)
	if err != nil {
		return &sourceError{err.Error()}
	}
	for i, path := range u.Files {
		if data := instrument.Apply(u.current(path), i, out.Edits); len(data) != len(u.current(path)) {
			u.changes[path] = data
		}
	}
	u.added = append(u.added, patch.Added{
		Name: "commute_specs.go",
		Data: edit.WithLine("commute/specs/"+u.Package+".go", append(out.Added, handOn(specs)...)),
	})
	return nil
}

// blames reports whether all errors of the compiler are at specifications: what they say is not Go, or
// not of the right types.
func blames(output string, specified []string) bool {
	if len(specified) == 0 {
		return false
	}
	for line := range strings.Lines(output) {
		if !slices.ContainsFunc(specified, func(at string) bool { return strings.HasPrefix(line, at) }) && line[0] != '\t' {
			return false
		}
	}
	return true
}

// without compiles a dependency whose specifications are no good without them.
func (d *Driver) without(tool string, u *unit) (int, error) {
	unit := &unit{Compile: u.Compile, driver: d, unwatched: true}
	if err := unit.plan(); err != nil {
		return 0, err
	}
	args, err := unit.write()
	if err != nil {
		return 0, err
	}
	return Replace(append([]string{tool}, args...))
}

// current is the text of a file with the changes that were made so far.
func (u *unit) current(path string) []byte {
	if data, ok := u.changes[path]; ok {
		return data
	}
	return u.source[path]
}

// apply collects the specifications that fit the package. What is wrong with a dependency's own is not
// the user's to mend: those types are not watched.
func (u *unit) apply(fset *token.FileSet, files []*ast.File) (specs []*ecl.Spec, err error) {
	if _, errs := annotation.Find(files, fset.Position, u.specs.own()...); len(errs) > 0 && !u.dependency() {
		return nil, &sourceError{errs.Error()}
	}
	own, _ := annotation.Find(files, func(pos token.Pos) token.Position {
		at := fset.Position(pos)
		at.Filename = u.Trim(at.Filename)
		return at
	}, u.specs.own()...)
	given, errs := annotation.Hold(files, u.specs.Given)
	if len(errs) > 0 {
		return nil, &sourceError{errs.Error()}
	}
	shipped, errs := annotation.Hold(files, u.specs.Shipped)
	if len(errs) > 0 {
		fmt.Fprintf(u.driver.Stderr, "commute: what comes with commute does not fit this version of the package, and is left out:\n%s\n", errs)
	}
	for _, list := range [][]*ecl.Spec{given, own, shipped} {
		for _, s := range list {
			if !slices.ContainsFunc(specs, func(have *ecl.Spec) bool { return have.Name == s.Name }) {
				s.Path = strings.TrimSuffix(u.Package, ".test")
				specs = append(specs, s)
			}
		}
	}
	for _, s := range given {
		u.given = append(u.given, places(s)...)
	}
	if specs, err = u.safe(fset, files, specs); err != nil {
		return nil, err
	}
	implementing, err := u.implementing(fset, files, specs)
	return append(specs, implementing...), err
}

// safe leaves out specifications whose conditions select what is behind a pointer, which only types
// tell; those of the user's own are an error.
func (u *unit) safe(fset *token.FileSet, files []*ast.File, specs []*ecl.Spec) (good []*ecl.Spec, err error) {
	if !slices.ContainsFunc(specs, annotation.Selects) {
		return specs, nil
	}
	pkg, err := u.typeCheck(fset, files, nil)
	if pkg == nil || err != nil {
		return nil, err
	}
	for _, s := range specs {
		if annotation.Selects(s) {
			errs := annotation.Typed(pkg, s)
			if len(errs) > 0 && (!u.dependency() || slices.Contains(u.specs.Given, s)) {
				return nil, &sourceError{errs.Error()}
			}
			if len(errs) > 0 {
				continue
			}
		}
		good = append(good, s)
	}
	return good, nil
}

// tables compiles specifications, but for those of interfaces.
func (u *unit) tables(specs []*ecl.Spec) (tables []*ecl.Table, err error) {
	for _, s := range specs {
		if s.Abstract {
			continue
		}
		t, err := ecl.Compile(s)
		if err != nil {
			return nil, err
		}
		tables = append(tables, t)
		u.specified = append(u.specified, places(s)...)
	}
	return tables, nil
}

// places are the beginnings of what the compiler says of a specification.
func places(s *ecl.Spec) (list []string) {
	for _, m := range s.Methods {
		list = append(list, fmt.Sprintf("%s:%d:", m.Pos.Filename, m.Pos.Line))
	}
	return list
}
