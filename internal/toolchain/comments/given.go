// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package comments

import (
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strings"

	"github.com/commutego/commute/analyzer/annotation"
	"github.com/commutego/commute/ecl"
	"github.com/commutego/commute/internal/toolchain/golist"
	"github.com/commutego/commute/internal/toolchain/specset"
)

// Given holds specifications that the user gave with -spec against the packages of a build, as far
// as that can be done without types. There are notes on those that have no package in the build,
// but stand in a file with others that have. Where the go command cannot list the build, it
// complains itself later.
func Given(b *golist.Build, given []*ecl.Spec) (errs, notes ecl.Errors) {
	if len(given) == 0 {
		return nil, nil
	}
	all, err := b.All()
	if err != nil || len(all) == 0 {
		return nil, nil
	}
	var paths []string
	for _, p := range all {
		paths = append(paths, p.ImportPath)
	}
	errs, notes = specset.Unused(given, paths)
	for _, p := range all {
		if p.Standard || p.ForTest != "" { // the standard library's own are only for its release
			continue
		}
		about := slices.DeleteFunc(slices.Clone(given),
			func(s *ecl.Spec) bool { return s.Path != p.ImportPath })
		errs = append(errs, misfits(b, p, about)...)
	}
	return Sorted(errs), notes
}

// misfits returns what is wrong with specifications of a package's types.
func misfits(b *golist.Build, p golist.Package, about []*ecl.Spec) (errs ecl.Errors) {
	if len(about) == 0 {
		return nil
	}
	version := specset.ModuleVersion(p.Dir)
	var fit []*ecl.Spec
	for _, s := range about {
		if wrong := specset.Misfit(s, version); wrong != nil {
			errs = append(errs, wrong)
		} else {
			fit = append(fit, s)
		}
	}
	var files []*ast.File
	for _, name := range full(p.Dir, sources(b, p)) {
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		if err != nil {
			return errs // the compiler will say so
		}
		files = append(files, f)
	}
	_, wrong := annotation.Hold(files, fit)
	return append(errs, wrong...)
}

// sources lists the files of a package, with those of its internal test if that is in the build.
func sources(b *golist.Build, p golist.Package) []string {
	named, err := b.Named()
	if err == nil {
		if i := find(named, p.ImportPath); i >= 0 {
			return named[i].Own()
		}
	}
	return slices.Concat(p.GoFiles, p.CgoFiles)
}

// find returns the index of the package with an import path, -1 if there is none.
func find(list []golist.Package, path string) int {
	return slices.IndexFunc(list, func(p golist.Package) bool { return p.ImportPath == path })
}

// made reports whether the go command makes a package itself, for a test.
func made(p golist.Package) bool {
	return p.Name == "main" && strings.HasSuffix(p.ImportPath, ".test")
}
