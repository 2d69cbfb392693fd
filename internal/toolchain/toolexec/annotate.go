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
	"github.com/commutego/commute/analyzer/instrument"
	"github.com/commutego/commute/ecl"
	"github.com/commutego/commute/internal/toolchain/command"
	"github.com/commutego/commute/internal/toolchain/edit"
	"github.com/commutego/commute/internal/toolchain/patch"
)

// annotate instruments the types of the package that have a specification in their doc comments.
func (u *unit) annotate() error {
	mentioned := false
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
			return nil // the compiler will say so
		}
		syntax = append(syntax, file)
		target.Files = append(target.Files, instrument.File{Name: path, Src: u.current(path), AST: file})
	}
	tables, err := u.tables(target.Fset, syntax)
	if err != nil || len(tables) == 0 {
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
		Data: edit.WithLine("commute/specs/"+u.Package+".go", out.Added),
	})
	return nil
}

// blames reports whether all errors of the compiler are at specifications: what they say is not Go, or
// not of the right types.
func (u *unit) blames(output string) bool {
	if len(u.specified) == 0 {
		return false
	}
	for line := range strings.Lines(output) {
		if !slices.ContainsFunc(u.specified, func(at string) bool { return strings.HasPrefix(line, at) }) && line[0] != '\t' {
			return false
		}
	}
	return true
}

// without compiles a dependency whose specifications are no good without them.
func (d *Driver) without(tool string, original []string, c *command.Compile) (int, error) {
	unit := &unit{Compile: c, driver: d, unwatched: true}
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

// tables compiles the package's specifications. What is wrong with a dependency's is not the user's
// to mend: those types are not watched.
func (u *unit) tables(fset *token.FileSet, files []*ast.File) (tables []*ecl.Table, err error) {
	if _, errs := annotation.Find(files, fset.Position); len(errs) > 0 && !dependency(u.Files[0]) {
		return nil, &sourceError{errs.Error()}
	}
	specs, _ := annotation.Find(files, func(pos token.Pos) token.Position {
		at := fset.Position(pos)
		at.Filename = u.Trim(at.Filename)
		return at
	})
	for _, s := range specs {
		s.Path = strings.TrimSuffix(u.Package, ".test")
		t, err := ecl.Compile(s)
		if err != nil {
			return nil, err
		}
		tables = append(tables, t)
		for _, m := range s.Methods {
			u.specified = append(u.specified, fmt.Sprintf("%s:%d:", m.Pos.Filename, m.Pos.Line))
		}
	}
	return tables, nil
}
