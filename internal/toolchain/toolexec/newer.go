// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package toolexec

import (
	"fmt"
	"strings"

	"github.com/commutego/commute/internal/toolchain/exportdata"
)

// unreadable returns what commute could not read of the package, as it was built with an older
// release. Otherwise an error of the parser or type checker is the author's, and the compiler
// reports it. If the release that compiles is later than commute's, the language may have forms
// that go/parser and go/types don't know.
func (u *unit) unreadable() error {
	if !exportdata.Newer(u.GoVersion) {
		return nil
	}
	for _, err := range u.source.Errors() {
		// Files may ask for a later release than they need.
		if !strings.Contains(err.Error(), "requires newer Go version") {
			return err
		}
	}
	return nil
}

// refuse has the compiler report what is wrong with a package that commute cannot read. If nothing
// is, the package is refused: synchronization in it that isn't watched could make false alarms
// elsewhere.
func (d *Driver) refuse(tool string, original []string, u *unit) (int, error) {
	if err := runTool(tool, original, d.Stdout, d.Stderr); err != nil {
		return exitCode(err)
	}
	return 0, fmt.Errorf("package %s: %w", u.Package,
		exportdata.Unreadable(u.GoVersion, u.unreadable()))
}
