// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package toolexec

import (
	"fmt"
	"go/parser"
	"go/token"
	"strings"

	"github.com/commutego/commute/internal/toolchain/exportdata"
)

// newer reports whether the release that compiles is later than the one that commute was built with.
// Its language may have what go/parser and go/types don't know.
func (u *unit) newer() bool { return exportdata.Newer(u.GoVersion) }

// unreadable notes that the package cannot be parsed or checked. Of a release that commute knows the
// language of, that's the author's error, and the compiler says so. Of a later one it may be no error.
func (u *unit) unreadable(err error) {
	// Files may ask for a later release than they need.
	if u.newer() && u.beyond == nil && !strings.Contains(err.Error(), "requires newer Go version") {
		u.beyond = err
	}
}

// parseAll parses the package, if its release is later than commute's.
func (u *unit) parseAll() {
	if !u.newer() {
		return
	}
	fset := token.NewFileSet()
	for _, path := range u.Files {
		if _, err := parser.ParseFile(fset, path, nil, parser.SkipObjectResolution); err != nil {
			u.unreadable(err)
		}
	}
}

// refuse has the compiler say what is wrong with a package that commute cannot read. If nothing is,
// the package is refused: what of it is not watched could make false alarms elsewhere.
func (d *Driver) refuse(tool string, original []string, u *unit) (int, error) {
	if err := runTool(tool, original, d.Stdout, d.Stderr); err != nil {
		return exitCode(err)
	}
	return 0, fmt.Errorf("package %s: %w", u.Package, exportdata.Unreadable(u.GoVersion, u.beyond))
}
