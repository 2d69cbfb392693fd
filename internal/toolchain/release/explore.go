// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package release

import (
	"embed"
	"fmt"

	"github.com/commutego/commute/internal/toolchain/goversion"
)

// Schedules are explored with some minor releases. What that relies on besides is in a table of its
// own for each of them.

//go:embed explore1.*.txt
var exploreTables embed.FS

// ExploreFileName is the name of the table of a minor release for exploring.
func ExploreFileName(minor int) string { return fmt.Sprintf("explore1.%d.txt", minor) }

// ForExplore returns the table of a minor release for exploring. It reports whether there is one:
// else schedules can't be explored with that release.
func ForExplore(minor int) (t *Table, ok bool, err error) {
	data, err := exploreTables.ReadFile(ExploreFileName(minor))
	if err != nil {
		return nil, false, nil
	}
	t, err = Parse(string(data))
	if err != nil {
		return nil, false, fmt.Errorf("%s: %w", ExploreFileName(minor), err)
	}
	return t, true, nil
}

// VerifyExplore says whether schedules can be explored with the release in goroot.
func VerifyExplore(goroot, version string) error {
	minor, _ := goversion.Minor(version)
	t, ok, err := ForExplore(minor)
	switch {
	case err != nil:
		return err
	case !ok:
		return fmt.Errorf("schedules can be explored with %s, and this is %s", goversion.Supported(),
			version)
	}
	differences, err := t.Check(goroot)
	if err != nil || len(differences) == 0 {
		return err
	}
	return fmt.Errorf("schedules cannot be explored with %s: %v; update commute, or set "+
		"GOTOOLCHAIN=%s for this run", version, differences[0], t.Releases[len(t.Releases)-1])
}
