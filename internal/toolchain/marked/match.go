// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package marked

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strings"

	"github.com/commutego/commute/analyzer/transaction"
	"github.com/commutego/commute/internal/toolchain/golist"
)

// Exported has the functions that -atomic exported, and exported:PATTERN, mark.
type Exported struct {
	Marked   int              // functions
	Waiting  []string         // names of functions that are left out because they wait
	Packages []golist.Package // the packages of patterns
}

// Match compares the patterns of -atomic with the functions of the watched packages. A pattern that
// marks nothing is an error, which suggests other names.
func Match(b *golist.Build, patterns []string) (e Exported, err error) {
	list, err := watched(b)
	if err != nil {
		return e, err
	}
	named, err := b.Named()
	if err != nil {
		return e, err
	}
	used := make(map[string]bool)
	example := ""
	for _, p := range list {
		own := patterns
		if !contains(named, p) {
			own = slices.DeleteFunc(slices.Clone(patterns),
				func(p string) bool { return p == transaction.Exported })
		}
		if ex := e.add(&p, own, used); example == "" {
			example = ex
		}
	}
	for _, pattern := range patterns {
		of, ok := strings.CutPrefix(pattern, transaction.ExportedOf)
		if ok {
			if err := e.addPackages(b, of); err != nil {
				return e, err
			}
			used[pattern] = true
		}
	}
	for _, pattern := range patterns {
		if !used[pattern] {
			return e, unmatched(b, list, pattern, example, e.Waiting)
		}
	}
	return e, nil
}

// add counts what patterns match in a package, and returns the name of a function that could be
// matched.
func (e *Exported) add(p *golist.Package, patterns []string,
	used map[string]bool) (example string) {
	eachPart(p, func(path string, fset *token.FileSet, files []*ast.File) {
		m := transaction.Matched(patterns, path, fset, files)
		for _, u := range m.Used {
			used[u] = true
		}
		kinds := []string{transaction.Exported}
		for _, p := range patterns {
			if strings.HasPrefix(p, transaction.Not) {
				kinds = append(kinds, p)
			}
		}
		exported := transaction.Matched(kinds, path, fset, files)
		if example == "" && len(exported.Marks) > 0 {
			example = exported.Marks[0].Name
		}
		if slices.Contains(patterns, transaction.Exported) {
			e.Marked += len(exported.Marks)
			e.Waiting = append(e.Waiting, exported.Waiting...)
		}
	})
	return example
}

// eachPart parses a package, with its internal test, and the external one.
func eachPart(p *golist.Package, visit func(path string, fset *token.FileSet, files []*ast.File)) {
	path := p.ImportPath
	if p.Name == "main" {
		path = "main"
	}
	for _, part := range []struct {
		path  string
		names []string
	}{{path, p.Own()}, {p.ImportPath + "_test", p.XTestGoFiles}} {
		fset := token.NewFileSet()
		var files []*ast.File
		for _, name := range part.names {
			f, _ := parser.ParseFile(fset, filepath.Join(p.Dir, name), nil,
				parser.ParseComments|parser.SkipObjectResolution)
			if f != nil {
				files = append(files, f)
			}
		}
		visit(part.path, fset, files)
	}
}

// addPackages takes the packages that a pattern is about, and says if there are none with functions
// to mark.
func (e *Exported) addPackages(b *golist.Build, pattern string) error {
	list, err := b.Matching(pattern)
	if err != nil {
		return err
	}
	before := e.Marked
	for _, p := range list {
		if !p.Standard && !contains(e.Packages, p) {
			e.add(&p, []string{transaction.Exported}, make(map[string]bool))
			e.Packages = append(e.Packages, p)
		}
	}
	if e.Marked == before {
		return fmt.Errorf("-atomic %s%s: no exported function of a package of this build is meant",
			transaction.ExportedOf, pattern)
	}
	return nil
}

// unmatched is the error for a pattern that marks nothing.
func unmatched(b *golist.Build, list []golist.Package, pattern, example string,
	waiting []string) error {
	if pattern == transaction.Exported {
		switch main := !slices.ContainsFunc(list,
			func(p golist.Package) bool { return p.Name != "main" }); {
		case len(waiting) > 0:
			return fmt.Errorf("-atomic exported: all exported functions wait for others, %s for "+
				"one (name those that are meant all the same)", waiting[0])
		case main:
			return fmt.Errorf("-atomic exported: package main exports nothing "+
				"(name functions, -atomic 'main.*', or packages of this build, -atomic %s./...)",
				transaction.ExportedOf)
		}
		return fmt.Errorf("-atomic exported: these packages export no function")
	}
	if all, err := b.All(); err == nil {
		for _, p := range all {
			if p.Standard || p.ForTest != "" || contains(list, p) {
				continue
			}
			used := make(map[string]bool)
			if new(Exported).add(&p, []string{pattern}, used); used[pattern] {
				return fmt.Errorf("-atomic %s: package %s is not on the command line (to have it "+
					"watched, add -watch %[2]s)", pattern, p.ImportPath)
			}
		}
	}
	if example != "" {
		return fmt.Errorf("-atomic %s: no function of these packages is called so (names are as "+
			"in stack traces, %s for one; -watch adds packages)", pattern, example)
	}
	return fmt.Errorf("-atomic %s: no function of these packages is called so (-watch adds "+
		"packages)", pattern)
}
