// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package release

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/commutego/commute/internal/toolchain/goversion"
)

// A Difference is a row that does not hold in a GOROOT.
type Difference struct {
	Row
	Path    string // of the file
	Line    int    // 0 if the declaration is not there
	Problem string
}

func (d Difference) String() string {
	at := d.Path
	if d.Line > 0 {
		at = fmt.Sprintf("%s:%d", at, d.Line)
	}
	return fmt.Sprintf("%s: %s %s", at, d.Row, d.Problem)
}

// Check holds each row of the table against the sources in a GOROOT. What differs is in the order
// of the rows.
func (t *Table) Check(goroot string) ([]Difference, error) {
	var files [][]Row // of one file each
	for _, r := range t.Rows {
		if n := len(files); n > 0 && files[n-1][0].Package == r.Package &&
			files[n-1][0].File == r.File {
			files[n-1] = append(files[n-1], r)
		} else {
			files = append(files, []Row{r})
		}
	}
	found, errs := make([][]Difference, len(files)), make([]error, len(files))
	var wg sync.WaitGroup
	for i, rows := range files {
		wg.Go(func() { found[i], errs[i] = t.checkFile(goroot, rows) })
	}
	wg.Wait()
	for _, err := range errs {
		if err != nil {
			return nil, err
		}
	}
	return slices.Concat(found...), nil
}

// Files lists the Go files of a package of the standard library, for all platforms, without its
// tests.
func Files(goroot, path string) (list []string, err error) {
	dir := filepath.Join(goroot, "src", filepath.FromSlash(path))
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, fmt.Errorf("the sources of the standard library are not in GOROOT: %w", err)
	}
	for _, entry := range entries {
		name := entry.Name()
		if strings.HasSuffix(name, ".go") && !strings.HasSuffix(name, "_test.go") {
			list = append(list, filepath.Join(dir, name))
		}
	}
	return list, nil
}

// Lacks lists those of rows that the table has not.
func (t *Table) Lacks(rows []Row) (list []Row) {
	type key struct{ pkg, file, name string }
	have := make(map[key]bool)
	for _, r := range t.Rows {
		have[key{r.Package, r.File, r.Name}] = true
	}
	for _, r := range rows {
		if !have[key{r.Package, r.File, r.Name}] {
			list = append(list, r)
		}
	}
	slices.SortFunc(list, func(a, b Row) int { return strings.Compare(a.String(), b.String()) })
	return list
}

// checkFile holds the rows of one file against it.
func (t *Table) checkFile(goroot string, rows []Row) (list []Difference, err error) {
	path := filepath.Join(goroot, "src", filepath.FromSlash(rows[0].Package), rows[0].File)
	src, err := os.ReadFile(path)
	if os.IsNotExist(err) {
		if _, err := os.Stat(filepath.Join(goroot, "src", "runtime")); err != nil {
			return nil, fmt.Errorf("the sources of the standard library are not in GOROOT: %w", err)
		}
		for _, r := range rows {
			list = append(list, Difference{r, path, 0, "is gone, with its file"})
		}
		return list, nil
	}
	if err != nil {
		return nil, err
	}
	var names []string
	for _, r := range rows {
		names = append(names, r.Name)
	}
	have, err := Declarations(src, names...)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	last := t.Releases[len(t.Releases)-1]
	for _, r := range rows {
		switch d, ok := have[r.Name]; {
		case !ok:
			list = append(list,
				Difference{r, path, 0, "is not declared there, as it was in " + last})
		case !slices.Contains(r.Hashes, d.Hash):
			list = append(list, Difference{r, path, d.Line, "is not what it was in " + last})
		}
	}
	return list, nil
}

// Verify says whether commute can work with the release version in goroot. If commute has no table
// for it, but it has all that the newest one lists, notice is a line that says so.
func Verify(goroot, version string) (notice string, err error) {
	if err := goversion.Check(version); err != nil {
		return "", err
	}
	minor, _ := goversion.Minor(version)
	t, err := For(minor)
	if err != nil {
		return "", err
	}
	differences, err := t.Check(goroot)
	if err != nil {
		return "", err
	}
	last := t.Releases[len(t.Releases)-1]
	if n := len(differences); n > 0 {
		more := ""
		if n > 1 {
			more = fmt.Sprintf(" (and %d more)", n-1)
		}
		return "", fmt.Errorf("this commute does not know %s: %v%s; update commute, or set "+
			"GOTOOLCHAIN=%s for this run",
			version, differences[0], more, last)
	}
	if goversion.Known(version) {
		return "", nil
	}
	return fmt.Sprintf("%s is not among the releases that this commute was tested with (%s), but "+
		"has all %d declarations that it relies on as they are in %s: going on",
		version, goversion.Supported(), len(t.Rows), last), nil
}
