// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package toolexec

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strings"

	"github.com/commutego/commute/analyzer/annotation"
	"github.com/commutego/commute/ecl"
	"github.com/commutego/commute/internal/toolchain/specset"
	"github.com/commutego/commute/specs"
)

// Shipped returns the specifications that come with commute, for Config.Specs.
func Shipped(importPath string) []*ecl.Spec {
	if importPath == "" {
		return specs.All()
	}
	return specs.For(importPath)
}

// specifications are those for a package that do not stand in its Go files.
type specifications struct{ specset.Set }

func (s specifications) any() bool { return len(s.Own)+len(s.Given)+len(s.Shipped) > 0 }

func (s specifications) own() []*ecl.Spec { return s.Own }

// folder is where the package's files come from: not those that the go command made.
func (u *unit) folder() string {
	for _, path := range u.Files {
		if filepath.Dir(path) != u.Dir() {
			return filepath.Dir(path)
		}
	}
	for _, path := range u.Files {
		for line := range strings.Lines(string(u.source[path])) {
			if rest, ok := strings.CutPrefix(line, "//line "); ok { // by the cover tool, or by cgo
				rest = strings.TrimRight(strings.TrimSpace(rest), "0123456789:")
				if filepath.IsAbs(rest) {
					return filepath.Dir(rest)
				}
			}
		}
	}
	return u.Dir()
}

// dependency reports whether the package is not the user's to change.
func (u *unit) dependency() bool { return dependency(filepath.Join(u.folder(), "x.go")) }

// loadSpecs finds out what applies to the package.
func (u *unit) loadSpecs() error {
	path, ok := importPath(u.Package)
	if !ok {
		return nil
	}
	set, err := specset.Of(path, u.folder(), u.Std, u.driver.Specs(path))
	if wrong, ok := err.(ecl.Errors); ok {
		if u.dependency() {
			err = nil // not the user's to mend
		} else {
			err = &sourceError{annotation.Blame(u.syntax(), set.Own, wrong).Error()}
		}
		set.Own = nil
	}
	u.specs = specifications{set}
	return err
}

// syntax parses the package's files, as far as they can be.
func (u *unit) syntax() (files []*ast.File) {
	fset := token.NewFileSet()
	for _, path := range u.Files {
		if file, _ := parser.ParseFile(fset, path, u.source[path], parser.SkipObjectResolution); file != nil {
			files = append(files, file)
		}
	}
	return files
}

// importPath is the import path of what is compiled, whose -p may be main. It reports false for what is
// only made for a test, and has other types than the package in the same folder.
func importPath(pkg string) (string, bool) {
	env := os.Getenv("TOOLEXEC_IMPORTPATH")
	if env == "" {
		return pkg, true
	}
	path, test, inTest := strings.Cut(env, " [")
	switch {
	case inTest && strings.TrimSuffix(path, "_test")+".test]" == test && strings.HasSuffix(path, "_test"):
		return "", false // the external test
	case !inTest && strings.HasSuffix(path, ".test"):
		return "", false // the test's main package
	}
	return path, true
}
