// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

// Package release knows the Go releases that commute works with. Commute replaces declarations of
// the standard library, and its own code in package runtime uses many more. A table for each
// release lists them all, with a hash of each. A release is accepted if all its declarations have
// the hashes of the table, whose text has been reviewed. Package survey writes the tables; see
// docs/new-go-release.md.
//
// Input: the GOROOT and the version of a release. Output: nothing, a line for the user, or an error
// that names the declaration that differs.
package release

import (
	"embed"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/commutego/commute/internal/toolchain/goversion"
)

//go:embed go1.*.txt
var tables embed.FS

// A Table is what commute relies on of one minor release of Go.
type Table struct {
	Minor    int      // 26 of Go 1.26
	Releases []string // those that it was written from, as in "go1.26.8", the oldest first
	Rows     []Row
}

// A Row is a declaration.
type Row struct {
	Package, File, Name string   // Name is as in [Declarations]
	Why                 Why      // the first that applies
	Hashes              []string // one for each form that it has among the releases
}

// Why says what commute has to do with a declaration.
type Why string

// The reasons, the weightiest first.
const (
	Patched   Why = "patched"   // commute changes it
	Replaced  Why = "replaced"  // a file that commute has one of its own for
	Announces Why = "announces" // it calls the hooks, and commute takes these calls as they are
	Used      Why = "used"      // code of commute's in that package uses it
)

// Weight orders reasons, the weightiest first.
func (w Why) Weight() int { return slices.Index([]Why{Patched, Replaced, Announces, Used}, w) }

func (r Row) String() string { return r.Package + "." + strings.TrimPrefix(r.Name, r.Package+".") }

// Packages lists the packages of the declarations that commute relies on in a release.
func Packages(version string) (list []string) {
	minor, _ := goversion.Minor(version)
	t, err := For(minor)
	if err != nil {
		return nil
	}
	for _, r := range t.Rows {
		list = append(list, r.Package)
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// FileName is the name of the table of a minor release.
func FileName(minor int) string { return fmt.Sprintf("go1.%d.txt", minor) }

// For returns the table of a minor release or, if there is none, that of the newest.
func For(minor int) (*Table, error) {
	if minor > goversion.Last {
		minor = goversion.Last
	}
	data, err := tables.ReadFile(FileName(minor))
	if err != nil {
		return nil, err
	}
	t, err := Parse(string(data))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", FileName(minor), err)
	}
	return t, nil
}

const head = `# What commute relies on in the standard library of Go 1.%d: see docs/new-go-release.md.
# Written by "go run ./internal/toolchain/checkrelease -write"; do not edit but for the next line.
releases %s
# file, declaration, why, a hash for each form that it has among these releases
`

// Format writes the table as text.
func (t *Table) Format() string {
	var b strings.Builder
	fmt.Fprintf(&b, head, t.Minor, strings.Join(t.Releases, " "))
	slices.SortFunc(t.Rows, func(a, b Row) int {
		return strings.Compare(a.Package+"/"+a.File+" "+a.Name, b.Package+"/"+b.File+" "+b.Name)
	})
	for _, r := range t.Rows {
		fmt.Fprintf(&b, "%s/%s\t%s\t%s\t%s\n", r.Package, r.File, r.Name, r.Why,
			strings.Join(r.Hashes, " "))
	}
	return b.String()
}

// Parse reads what Format has written.
func Parse(text string) (*Table, error) {
	t := new(Table)
	for i, line := range strings.Split(strings.TrimSuffix(text, "\n"), "\n") {
		if strings.HasPrefix(line, "#") {
			continue
		}
		if list, ok := strings.CutPrefix(line, "releases "); ok && len(t.Releases) == 0 {
			t.Releases = strings.Fields(list)
			continue
		}
		f := strings.Split(line, "\t")
		if len(f) != 4 || Why(f[2]).Weight() < 0 || f[3] == "" {
			return nil, fmt.Errorf("line %d is no row: %q", i+1, line)
		}
		t.Rows = append(t.Rows, Row{path.Dir(f[0]), path.Base(f[0]), f[1], Why(f[2]),
			strings.Fields(f[3])})
	}
	if len(t.Releases) == 0 {
		return nil, fmt.Errorf("no line says of which releases it is")
	}
	minor, ok := goversion.Minor(t.Releases[0])
	if !ok {
		return nil, fmt.Errorf("%q is no release", t.Releases[0])
	}
	t.Minor = minor
	return t, nil
}
