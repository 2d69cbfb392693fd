// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package toolexec

import (
	"errors"
	"go/token"
	"os"
	"path/filepath"
	"strings"

	"github.com/commutego/commute/analyzer/annotation"
	"github.com/commutego/commute/analyzer/directive"
	"github.com/commutego/commute/analyzer/transaction"
	"github.com/commutego/commute/ecl"
	"github.com/commutego/commute/internal/toolchain/comments"
	"github.com/commutego/commute/internal/toolchain/edit"
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

// checkComments reports all mistakes in the comments of a package of the user's at once.
func (u *unit) checkComments() (none edit.Change, err error) {
	if u.Std || u.dependency() || !u.mentions() {
		return none, nil
	}
	files, err := u.source.Syntax()
	if err != nil {
		return none, nil // the compiler will say so
	}
	path, ok := importPath(u.Package)
	dir := u.folder()
	if !ok {
		dir = "" // the package in the folder is another
	}
	if errs := comments.Files(u.source.Fset, files, path, dir); len(errs) > 0 {
		return none, &sourceError{errs.Error()}
	}
	return none, nil
}

// mentions reports whether the package may have comments for commute, or files of specifications.
func (u *unit) mentions() bool {
	if u.source.Any(func(text string) bool {
		return directive.Mentioned(text) || annotation.Mentioned(text) ||
			transaction.Mentioned(text)
	}) {
		return true
	}
	list, _ := filepath.Glob(filepath.Join(annotation.Escape(u.folder()), "*.ecl"))
	return len(list) > 0
}

// folder is where the package's files come from: not those that the go command made.
func (u *unit) folder() string {
	for _, path := range u.Files {
		if filepath.Dir(path) != u.Dir() {
			return filepath.Dir(path)
		}
	}
	for _, path := range u.Files {
		src, _ := u.source.Source(path)
		for line := range strings.Lines(string(src)) {
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

// isDependency reports whether the package is not the user's to change.
func (u *unit) isDependency() bool { return dependency(filepath.Join(u.folder(), "x.go")) }

// outside has the specifications that are not in the package's Go files.
type outside struct {
	specset.Set
	*imported
}

// any reports whether there are some of types in the package.
func (o *outside) any() bool { return len(o.Own)+len(o.Given)+len(o.Shipped) > 0 }

func (u *unit) readOutside() (*outside, error) {
	set, err := u.readSpecs()
	imported, err2 := u.readImports()
	return &outside{set, imported}, errors.Join(err, err2)
}

// readSpecs finds the specifications from outside of the package's Go files that apply to it.
func (u *unit) readSpecs() (set specset.Set, err error) {
	path, ok := importPath(u.Package)
	if !ok {
		return set, nil
	}
	set, err = specset.Of(path, u.folder(), u.Std, u.driver.Specs(path))
	if wrong, ok := err.(ecl.Errors); ok {
		if u.dependency() {
			err = nil // not the user's to mend
		} else {
			blamed := annotation.Blame(u.source.Readable(), set.Own, wrong)
			err = &sourceError{blamed.Error()}
		}
		set.Own = nil
	}
	return set, err
}

// findAnnotated reads the package's own specifications. Those with errors are left out:
// checkComments reports the user's, and a dependency's are not reported.
func (u *unit) findAnnotated() ([]*ecl.Spec, error) {
	out, err := u.outside()
	if err != nil || len(out.Own) == 0 && !u.source.Any(annotation.Mentioned) {
		return nil, err
	}
	files, err := u.source.Syntax()
	if err != nil {
		return nil, nil // the compiler will say so
	}
	list, _ := annotation.Find(files, func(pos token.Pos) token.Position {
		at := u.source.Fset.Position(pos)
		at.Filename = u.Trim(at.Filename)
		return at
	}, out.Own...)
	for _, s := range list {
		s.Path = u.Package
	}
	return list, nil
}

// importPath is the import path of the package that is compiled, whose -p may be main. It reports
// false for a package that is only made for a test, and has other types than the package in the
// same folder.
func importPath(pkg string) (string, bool) {
	env := os.Getenv("TOOLEXEC_IMPORTPATH")
	if env == "" {
		return pkg, true
	}
	path, test, inTest := strings.Cut(env, " [")
	switch {
	case inTest && strings.TrimSuffix(path, "_test")+".test]" == test &&
		strings.HasSuffix(path, "_test"):
		return "", false // the external test
	case !inTest && strings.HasSuffix(path, ".test"):
		return "", false // the test's main package
	}
	return path, true
}
