// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package main

import (
	"encoding/json"
	"fmt"
	"go/ast"
	"go/build"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"slices"
	"strings"

	"github.com/commutego/commute/analyzer/annotation"
	"github.com/commutego/commute/analyzer/directive"
	"github.com/commutego/commute/analyzer/transaction"
	"github.com/commutego/commute/internal/toolchain/exportdata"
	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/unitchecker"
)

// A vetUnit is a package that go vet gives to its tool. Package unitchecker would parse and
// type-check all of them, dependencies and the standard library too, so that types are at hand.
// Most have no comment for commute. Types of imported packages are in the compiler's export data.
type vetUnit struct {
	unitchecker.Config
	fset *token.FileSet
}

// quickVet does the work of unitchecker.Run for one package, with its flag -json. It reports false
// if that is needed after all: there is no export data, or an analyzer wants more than syntax and
// types. Concerned reports, by the texts of a package's files, whether there may be something to
// report.
func quickVet(cfg string, analyzers []*analysis.Analyzer,
	concerned func(u *vetUnit, texts []string) bool) (code int, ok bool) {
	data, err := os.ReadFile(cfg)
	if err != nil {
		return 0, false
	}
	u := &vetUnit{fset: token.NewFileSet()}
	if err := json.Unmarshal(data, &u.Config); err != nil || u.Compiler != "gc" {
		return 0, false
	}
	// The compiler's export data is there, or not, of all that is imported, but for C. What imports
	// nothing is left to package unitchecker: where there is none, that needs what it writes of
	// each package for those who import it.
	if len(u.PackageFile) == 0 {
		return 0, false
	}
	for _, a := range analyzers {
		if len(a.FactTypes)+len(a.Requires) > 0 {
			return 0, false
		}
	}
	if err := u.vet(analyzers, concerned); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1, true
	}
	return 0, true
}

// vet writes the findings of the analyzers to where the go command wants them.
func (u *vetUnit) vet(analyzers []*analysis.Analyzer,
	concerned func(u *vetUnit, texts []string) bool) error {
	// The go command remembers that the package is done by this file.
	if err := os.WriteFile(u.VetxOutput, nil, 0o666); err != nil {
		return err
	}
	out := os.Stdout
	if u.Stdout != "" {
		f, err := os.Create(u.Stdout)
		if err != nil {
			return err
		}
		defer f.Close()
		out = f
	}
	if u.VetxOnly {
		return nil
	}
	if !u.concerned(concerned) {
		analyzers = nil // what doesn't type-check is told nevertheless
	}
	results, err := u.run(analyzers)
	if err != nil {
		return err
	}
	return writeJSON(out, u.fset, u.ID, results)
}

// concerned reads the files. A file that cannot be read may be of concern.
func (u *vetUnit) concerned(by func(u *vetUnit, texts []string) bool) bool {
	var texts []string
	for _, name := range u.GoFiles {
		text, err := os.ReadFile(name)
		if err != nil {
			return true
		}
		texts = append(texts, string(text))
	}
	return by(u, texts)
}

// mentioned reports whether a file may have a comment for commute, or is a file of specifications.
func mentioned(u *vetUnit, texts []string) bool {
	entries, err := os.ReadDir(u.Dir)
	return err != nil || slices.ContainsFunc(entries, func(e os.DirEntry) bool {
		return strings.HasSuffix(e.Name(), ".ecl")
	}) || slices.ContainsFunc(texts, func(text string) bool {
		return directive.Mentioned(text) || annotation.Mentioned(text) ||
			transaction.Mentioned(text)
	})
}

// run type-checks the package from the compiler's export data, and runs the analyzers. Type errors
// are the compiler's to report.
func (u *vetUnit) run(analyzers []*analysis.Analyzer) (results []vetResult, err error) {
	var files []*ast.File
	for _, name := range u.GoFiles {
		f, err := parser.ParseFile(u.fset, name, nil, parser.ParseComments)
		if err != nil {
			return nil, err
		}
		files = append(files, f)
	}
	config := types.Config{
		Importer: exportdata.Importer(u.fset, u.ImportMap, func(path string) (string, bool) {
			file, ok := u.PackageFile[path]
			return file, ok
		}),
		Sizes:     types.SizesFor("gc", build.Default.GOARCH),
		GoVersion: u.GoVersion,
	}
	info := &types.Info{
		Types:        map[ast.Expr]types.TypeAndValue{},
		Defs:         map[*ast.Ident]types.Object{},
		Uses:         map[*ast.Ident]types.Object{},
		Implicits:    map[ast.Node]types.Object{},
		Instances:    map[*ast.Ident]types.Instance{},
		Scopes:       map[ast.Node]*types.Scope{},
		Selections:   map[*ast.SelectorExpr]*types.Selection{},
		FileVersions: map[*ast.File]string{},
	}
	pkg, err := config.Check(u.ImportPath, u.fset, files, info)
	if err != nil {
		if u.SucceedOnTypecheckFailure {
			return nil, nil // the compiler says so
		}
		return nil, err
	}
	module := u.Module
	if module == nil { // as Go 1.26 has it
		module = &analysis.Module{Path: u.ModulePath, Version: u.ModuleVersion,
			GoVersion: u.GoVersion}
	}
	for _, a := range analyzers {
		r := vetResult{analyzer: a.Name}
		pass := &analysis.Pass{
			Analyzer: a, Fset: u.fset, Files: files, OtherFiles: u.NonGoFiles,
			IgnoredFiles: u.IgnoredFiles,
			Pkg:          pkg, TypesInfo: info, TypesSizes: config.Sizes, ReadFile: os.ReadFile,
			Module: module,
			Report: func(d analysis.Diagnostic) { r.found = append(r.found, d) },
		}
		_, r.err = a.Run(pass)
		results = append(results, r)
	}
	return results, nil
}
