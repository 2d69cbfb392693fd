// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package comments

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strings"

	"github.com/commutego/commute/analyzer/annotation"
	"github.com/commutego/commute/analyzer/directive"
	"github.com/commutego/commute/analyzer/transaction"
	"github.com/commutego/commute/ecl"
	"github.com/commutego/commute/internal/toolchain/golist"
)

// Check returns the mistakes in comments and specifications of packages of a build. Their folders
// are mentioned, and lie in the user's modules. Where the go command cannot say what the build has,
// it is left to it to complain when it builds.
func Check(b *golist.Build, m Mentions) ecl.Errors {
	wrong := slices.DeleteFunc(slices.Clone(m.Dirs), func(dir string) bool { return !suspect(dir) })
	if len(wrong) == 0 {
		return nil
	}
	named, err := b.Named()
	if err != nil {
		return nil
	}
	all, err := b.All()
	if err != nil {
		return nil
	}
	var errs ecl.Errors
	for _, p := range all {
		if p.Standard || p.ForTest != "" || made(p) || !slices.Contains(wrong, p.Dir) {
			continue
		}
		files, tests := slices.Concat(p.GoFiles, p.CgoFiles), []string(nil)
		if i := find(named, p.ImportPath); i >= 0 {
			files, tests = named[i].Own(), named[i].XTestGoFiles
		}
		errs = append(errs, Package(p.ImportPath, p.Dir, full(p.Dir, files))...)
		errs = append(errs, Package(p.ImportPath+"_test", "", full(p.Dir, tests))...)
	}
	return Sorted(errs)
}

// full makes names of files paths.
func full(dir string, names []string) (list []string) {
	for _, name := range names {
		if !filepath.IsAbs(name) {
			name = filepath.Join(dir, name)
		}
		list = append(list, name)
	}
	return list
}

// suspect reports whether there may be a mistake in a folder's files, whatever is compiled of them.
func suspect(dir string) bool {
	files, _ := filepath.Glob(filepath.Join(annotation.Escape(dir), "*.go"))
	parts := make(map[string][]string) // by the packages' names
	for _, name := range files {
		if f, err := parser.ParseFile(token.NewFileSet(), name, nil,
			parser.PackageClauseOnly); err == nil {
			parts[f.Name.Name] = append(parts[f.Name.Name], name)
		}
	}
	for name, files := range parts {
		own := dir
		if strings.HasSuffix(name, "_test") {
			own = ""
		}
		if len(Package("p", own, files)) > 0 {
			return true
		}
	}
	return false
}

// Package returns the mistakes in the comments of a package that consists of some files, and in the
// specifications of its folder, if one is given.
func Package(path, dir string, names []string) (errs ecl.Errors) {
	fset := token.NewFileSet()
	var files []*ast.File
	for _, name := range names {
		f, err := parser.ParseFile(fset, name, nil,
			parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return nil // the compiler will say so
		}
		files = append(files, f)
	}
	if len(files) == 0 {
		return nil
	}
	return Files(fset, files, path, dir)
}

// Files is Package for what is parsed, with comments.
func Files(fset *token.FileSet, files []*ast.File, path, dir string) (errs ecl.Errors) {
	add := func(pos token.Pos, text string) {
		errs = append(errs, &ecl.Error{Pos: fset.Position(pos), Text: text})
	}
	for _, file := range files {
		_, problems := directive.Scan(fset, file)
		for _, p := range problems {
			add(p.Pos, p.Message)
		}
	}
	_, marks := transaction.Find(path, fset, files)
	for _, d := range marks {
		add(d.Pos, d.Message)
	}
	var own []*ecl.Spec
	if dir != "" {
		specs, err := annotation.Folder(dir, path)
		if wrong, ok := err.(ecl.Errors); ok {
			errs = append(errs, annotation.Blame(files, specs, wrong)...)
		} else if err == nil {
			own = specs
		}
	}
	_, wrong := annotation.Find(files, fset.Position, own...)
	return Sorted(append(errs, wrong...))
}

// Sorted sorts errors by their places, and drops what is there twice.
func Sorted(errs ecl.Errors) ecl.Errors {
	slices.SortStableFunc(errs, func(a, b *ecl.Error) int {
		if c := strings.Compare(a.Pos.Filename, b.Pos.Filename); c != 0 {
			return c
		}
		if a.Pos.Line != b.Pos.Line {
			return a.Pos.Line - b.Pos.Line
		}
		return a.Pos.Column - b.Pos.Column
	})
	return slices.CompactFunc(errs,
		func(a, b *ecl.Error) bool { return a.Pos == b.Pos && a.Text == b.Text })
}
