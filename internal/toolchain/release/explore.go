// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package release

import (
	_ "embed"
	"fmt"
)

// ExploreMinor is the minor release of Go 1 whose schedules can be explored, and ExploreFileName the
// name of the table of what that relies on besides.
const (
	ExploreMinor    = 26
	ExploreFileName = "explore1.26.txt"
)

//go:embed explore1.26.txt
var exploreTable string

// ForExplore returns that table.
func ForExplore() (*Table, error) {
	t, err := Parse(exploreTable)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", ExploreFileName, err)
	}
	return t, nil
}

// VerifyExplore says whether schedules can be explored with the release in goroot, of that minor
// release.
func VerifyExplore(goroot, version string) error {
	t, err := ForExplore()
	if err != nil {
		return err
	}
	differences, err := t.Check(goroot)
	if err != nil || len(differences) == 0 {
		return err
	}
	return fmt.Errorf("schedules cannot be explored with %s: %v; update commute, or set "+
		"GOTOOLCHAIN=%s for this run", version, differences[0], t.Releases[len(t.Releases)-1])
}
