// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

// Package exportdata reads the types of packages as the compiler wrote them. The standard library's
// own reader knows the formats of its release and of older ones only. This one also knows those of
// later releases, so that commute need not be built by the release that it runs.
//
// Input: the places of archives. Output: an importer for go/types, and the language version for
// type checking.
package exportdata

import (
	"fmt"
	"go/token"
	"go/types"
	"go/version"
	"os"
	"runtime"
	"strings"

	"golang.org/x/tools/go/gcexportdata"
)

// Importer returns an importer that reads the archive of each package from the file that find
// names. Paths in importMap stand for others, as those of vendored packages do.
func Importer(fset *token.FileSet, importMap map[string]string,
	find func(path string) (file string, ok bool)) types.Importer {
	return &importer{fset, importMap, find, make(map[string]*types.Package)}
}

type importer struct {
	fset      *token.FileSet
	importMap map[string]string
	find      func(path string) (file string, ok bool)
	packages  map[string]*types.Package
}

// Import implements types.Importer.
func (i *importer) Import(path string) (*types.Package, error) {
	if path == "unsafe" {
		return types.Unsafe, nil
	}
	if mapped, ok := i.importMap[path]; ok {
		path = mapped
	}
	if pkg := i.packages[path]; pkg != nil && pkg.Complete() {
		return pkg, nil
	}
	name, ok := i.find(path)
	if !ok {
		return nil, fmt.Errorf("no archive of package %s", path)
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	//lint:ignore SA1019 the archives of the supported releases have it
	r, err := gcexportdata.NewReader(f)
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", name, err)
	}
	return gcexportdata.Read(r, i.fset, i.packages, path)
}

// Newer reports whether the language version lang, as in "go1.27", is later than that of the
// release by which this program was built. Then go/parser and go/types may not know all of it.
func Newer(lang string) bool { return version.Compare(version.Lang(lang), own()) > 0 }

// Language is lang, but no later than the version that go/types knows: with a later one, go/types
// would refuse to check anything.
func Language(lang string) string {
	if Newer(lang) {
		return own()
	}
	return lang
}

// own is the language version of the release by which this program was built.
func own() string { return version.Lang(release()) }

// release is that release, as in "go1.26.8" or, of a development version, "go1.28-devel_1a2b3c".
func release() string {
	for f := range strings.FieldsSeq(runtime.Version()) {
		if strings.HasPrefix(f, "go") {
			return f
		}
	}
	return ""
}

// Unreadable says that this program cannot read source for a later Go release, for the reason
// cause, and what to do.
func Unreadable(release string, cause error) error {
	return fmt.Errorf("the code is for %s, and this commute was built with %s: %w; in commute's "+
		"source, run GOTOOLCHAIN=%s go install ./cmd/commute",
		release, runtime.Version(), cause, release)
}
