// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

// Package survey finds out what commute relies on in the standard library. That is declarations
// that it changes or replaces, that call its hooks, or that its code in package runtime uses.
//
// Input: GOROOTs. Output: the rows of the table of a release.
//
// # Method
//
//	patched    the changes are made; the declarations at the offsets of edits count
//	replaced   the files that a change takes as a whole
//	announces  functions that call hooks, in package runtime and in those that use internal/race
//	used       what templates and engine refer to in package runtime, by type-checking the whole
//
// Package runtime differs between platforms. It is type-checked, with the engine and the templates
// in it, for each platform that commute's code tells apart. A declaration has a line for its
// weightiest reason.
package survey

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/commutego/commute/internal/toolchain/goversion"
	"github.com/commutego/commute/internal/toolchain/patch"
	"github.com/commutego/commute/internal/toolchain/release"
	"github.com/commutego/commute/internal/toolchain/target"
	"github.com/commutego/commute/internal/toolchain/toolexec"
)

// Platforms are the platforms for which package runtime is surveyed: every system and processor
// that commute's code tells apart.
var Platforms = []target.Platform{
	{GOOS: "linux", GOARCH: "amd64"}, {GOOS: "linux", GOARCH: "arm64"},
	{GOOS: "linux", GOARCH: "386"},
	{GOOS: "darwin", GOARCH: "arm64"}, {GOOS: "windows", GOARCH: "amd64"},
	{GOOS: "js", GOARCH: "wasm"},
}

// A Source is an installed release.
type Source struct{ Goroot, Version string }

// A key identifies a declaration.
type key struct{ pkg, file, name string }

// A survey is the state of the survey of one release.
type survey struct {
	Source
	config toolexec.Config
	found  map[key]release.Why
	files  map[string]*file // by path
	// the build is one in which schedules are explored
	explores bool
	perturbs bool // it is one in which they are perturbed
}

// A file is a file of the standard library.
type file struct {
	declarations map[string]release.Declaration
	generated    bool
}

// Rows lists what commute relies on in a release, for some platforms.
func Rows(s Source, config toolexec.Config, platforms []target.Platform) ([]release.Row, error) {
	v := &survey{Source: s, config: config, found: make(map[key]release.Why),
		files: make(map[string]*file)}
	for i, platform := range platforms {
		platform.Release = s.Version
		for _, memory := range []bool{true, false} {
			if !memory && i > 0 {
				continue // what is used where memory is not watched is the same for all
			}
			if err := v.changes(platform, memory); err != nil {
				return nil, fmt.Errorf("%s of %s: %w", platform, s.Version, err)
			}
		}
	}
	for _, path := range []string{"sync", "internal/sync", "internal/poll",
		"internal/runtime/maps"} {
		if err := v.announcers(path); err != nil {
			return nil, err
		}
	}
	return v.rows()
}

// exploreRows lists what commute relies on besides where schedules are explored.
func exploreRows(s Source, config toolexec.Config) ([]release.Row, error) {
	rest := new(release.Table)
	var err error
	if rest.Rows, err = Rows(s, config, Platforms); err != nil {
		return nil, err
	}
	v := &survey{Source: s, config: config, found: make(map[key]release.Why),
		files: make(map[string]*file), explores: true}
	for i, platform := range Platforms {
		platform.Release = s.Version
		for _, memory := range []bool{true, false} {
			if !platform.Explores() || !memory && i > 0 {
				continue
			}
			if err := v.changes(platform, memory); err != nil {
				return nil, fmt.Errorf("exploring, %s of %s: %w", platform, s.Version, err)
			}
		}
	}
	rows, err := v.rows()
	return rest.Lacks(rows), err
}

// perturbRows lists what commute relies on where schedules are perturbed.
func perturbRows(s Source, config toolexec.Config) ([]release.Row, error) {
	v := &survey{Source: s, config: config, found: make(map[key]release.Why),
		files: make(map[string]*file), perturbs: true}
	for _, platform := range Platforms {
		platform.Release = s.Version
		if err := v.changes(platform, true); err != nil {
			return nil, fmt.Errorf("perturbing, %s of %s: %w", platform, s.Version, err)
		}
	}
	return v.rows()
}

// rows are the rows of what was found.
func (v *survey) rows() ([]release.Row, error) {
	var rows []release.Row
	for k, why := range v.found {
		f, err := v.file(v.path(k.pkg, k.file))
		if err != nil {
			return nil, err
		}
		d, ok := f.declarations[k.name]
		if !ok {
			return nil, fmt.Errorf("%s: %s/%s declares no %s, or several", v.Version, k.pkg,
				k.file, k.name)
		}
		rows = append(rows, release.Row{Package: k.pkg, File: k.file, Name: k.name, Why: why,
			Hashes: []string{d.Hash}})
	}
	return rows, nil
}

// Table makes the table of releases of one minor release. The rows are found in the last release.
// The others may have a declaration in another form: its hash counts as well. LeftOut are rows of
// declarations that one of the releases lacks.
func Table(sources []Source, config toolexec.Config) (t *release.Table, leftOut []release.Row,
	err error) {
	found, err := Rows(sources[len(sources)-1], config, Platforms)
	if err != nil {
		return nil, nil, err
	}
	return table(sources, found)
}

// ExploreTable is Table for what commute relies on besides where schedules are explored.
func ExploreTable(sources []Source, config toolexec.Config) (t *release.Table,
	leftOut []release.Row, err error) {
	found, err := exploreRows(sources[len(sources)-1], config)
	if err != nil {
		return nil, nil, err
	}
	return table(sources, found)
}

// table is the table of what was found in the last of some releases.
func table(sources []Source, found []release.Row) (t *release.Table, leftOut []release.Row,
	err error) {
	minor, _ := goversion.Minor(sources[0].Version)
	t = &release.Table{Minor: minor}
	forms := make([]int, len(found)) // in how many sources each is
	for i := range found {
		found[i].Hashes = nil
	}
	for _, s := range sources {
		t.Releases = append(t.Releases, s.Version)
		v := &survey{Source: s, files: make(map[string]*file)}
		for i := range found {
			r := &found[i]
			f, err := v.file(v.path(r.Package, r.File))
			if err != nil && !os.IsNotExist(err) {
				return nil, nil, err
			}
			if d, ok := f.declarations[r.Name]; ok {
				forms[i]++
				if !slices.Contains(r.Hashes, d.Hash) {
					r.Hashes = append(r.Hashes, d.Hash)
				}
			}
		}
	}
	for i, r := range found {
		if forms[i] == len(sources) {
			t.Rows = append(t.Rows, r)
		} else {
			leftOut = append(leftOut, r)
		}
	}
	return t, leftOut, nil
}

func (v *survey) path(pkg, file string) string {
	return filepath.Join(v.Goroot, "src", filepath.FromSlash(pkg), file)
}

// file reads a file, once. A missing file has no declarations.
func (v *survey) file(path string) (*file, error) {
	if f := v.files[path]; f != nil {
		return f, nil
	}
	f := new(file)
	src, err := os.ReadFile(path)
	if err != nil {
		return f, err
	}
	if f.declarations, err = release.Declarations(src); err != nil {
		return f, fmt.Errorf("%s: %w", path, err)
	}
	f.generated = generated(src)
	v.files[path] = f
	return f, nil
}

// add notes a declaration of the package at pkg, if it has no weightier reason already. A generated
// file that is changed, or calls hooks, counts as one declaration.
func (v *survey) add(pkg, path, name string, why release.Why) error {
	f, err := v.file(path)
	if err != nil {
		return err
	}
	if f.generated && why != release.Used {
		name = release.WholeFile
	}
	k := key{pkg, filepath.Base(path), name}
	if have, ok := v.found[k]; !ok || why.Weight() < have.Weight() {
		v.found[k] = why
	}
	return nil
}

// changes makes the changes of the standard library for a platform, and notes the declarations that
// they concern.
func (v *survey) changes(platform target.Platform, memory bool) error {
	for _, c := range v.config.Changes(platform, memory) {
		files, err := release.Files(v.Goroot, c.Path)
		if err != nil {
			return err
		}
		p := patch.New(c.Path, v.Version, files)
		p.Explores, p.Perturbs = v.explores, v.perturbs
		if err := c.Make(p); err != nil {
			return err
		}
		for path, edits := range p.Edits {
			var offsets []int
			for _, e := range edits {
				offsets = append(offsets, e.Start)
			}
			if err := v.edited(c.Path, path, offsets); err != nil {
				return err
			}
		}
		for _, path := range p.Whole {
			if err := v.add(c.Path, path, release.WholeFile, release.Replaced); err != nil {
				return err
			}
		}
		if c.Path == "runtime" {
			if err := v.runtime(p, platform); err != nil {
				return err
			}
		}
	}
	return nil
}
