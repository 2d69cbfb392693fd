// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

// Command checkrelease holds an installed Go release against the table of what commute relies on in
// it, and writes the tables. From the root of the repository:
//
//	go run ./internal/toolchain/checkrelease [-goroot folder]
//	go run ./internal/toolchain/checkrelease -write [-add go1.28.0]
//
// The first prints each row that differs, with its place, and each that the table lacks though
// commute now relies on it. The release is the one of the go command on PATH, which GOTOOLCHAIN may
// choose. The second writes all tables anew from the releases that they name, which the go command
// fetches; -add adds a release to a table, or the table. See docs/new-go-release.md.
//
// The exit status is 0 if all is as in the table, 1 if not, and 2 if that can't be told.
package main

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/commutego/commute"
	"github.com/commutego/commute/internal/toolchain/goenv"
	"github.com/commutego/commute/internal/toolchain/goversion"
	"github.com/commutego/commute/internal/toolchain/patch"
	"github.com/commutego/commute/internal/toolchain/release"
	"github.com/commutego/commute/internal/toolchain/release/survey"
	"github.com/commutego/commute/internal/toolchain/toolexec"
)

var (
	goroot = flag.String("goroot", "",
		"the folder of the release to check (default: that of the go command on PATH)")
	write = flag.Bool("write", false, "write the tables")
	add   = flag.String("add", "", "with -write, a release to add, as in go1.28.0")
)

var config = toolexec.Config{Engine: commute.Engine(), Templates: patch.Templates(),
	Specs: toolexec.Shipped}

func main() {
	flag.Parse()
	ok, err := run()
	if err != nil {
		fmt.Fprintln(os.Stderr, "checkrelease:", err)
		os.Exit(2)
	}
	if !ok {
		os.Exit(1)
	}
}

func run() (bool, error) {
	switch {
	case flag.NArg() > 0:
		return false, fmt.Errorf("%s: no arguments are taken, only flags", flag.Arg(0))
	case *write && *goroot != "":
		return false, fmt.Errorf("-goroot says what to check: -write takes releases by their names")
	case *add != "" && !*write:
		return false, fmt.Errorf("-add needs -write")
	case *write:
		return true, writeTables()
	}
	return check()
}

// check prints what differs.
func check() (bool, error) {
	name := "go"
	if *goroot != "" {
		name = filepath.Join(*goroot, "bin", "go")
		os.Setenv("GOTOOLCHAIN", "local")
	}
	env, err := goenv.Read(name, nil)
	if err != nil {
		return false, err
	}
	minor, ok := goversion.Minor(env.GOVERSION)
	if !ok {
		return false, goversion.Check(env.GOVERSION)
	}
	t, err := release.For(minor)
	if err != nil {
		return false, err
	}
	differences, err := t.Check(env.GOROOT)
	if err != nil {
		return false, err
	}
	more, explored, err := release.ForExplore(minor)
	if err != nil {
		return false, err
	}
	if explored {
		list, err := more.Check(env.GOROOT)
		if err != nil {
			return false, err
		}
		differences = append(differences, list...)
	}
	for _, d := range differences {
		fmt.Printf("%v (%s)\n", d, d.Why)
	}
	// What the table lacks shows in a survey, which fails where a change cannot be made.
	rows, err := survey.Rows(survey.Source{Goroot: env.GOROOT, Version: env.GOVERSION}, config,
		survey.Platforms)
	if err != nil {
		return false, err
	}
	lacking := t.Lacks(rows)
	for _, r := range lacking {
		fmt.Printf("%s: %s (%s) is not in the table: write the tables anew, see "+
			"docs/new-go-release.md\n",
			filepath.Join(env.GOROOT, "src", filepath.FromSlash(r.Package), r.File), r, r.Why)
	}
	if len(differences)+len(lacking) > 0 {
		fmt.Printf("%s: %d of %d declarations differ from those of %s, and %d are not in the "+
			"table\n",
			env.GOVERSION, len(differences), len(t.Rows), strings.Join(t.Releases,
				", "), len(lacking))
		return false, nil
	}
	fmt.Printf("%s: all %d declarations are as in %s\n", env.GOVERSION, len(t.Rows),
		strings.Join(t.Releases, ", "))
	return true, nil
}

// writeTables writes the table of each minor release.
func writeTables() error {
	out, err := exec.Command("go", "list", "-f", "{{.Dir}}",
		"github.com/commutego/commute/internal/toolchain/release").Output()
	if err != nil {
		return fmt.Errorf("go list: %w", err)
	}
	dir := strings.TrimSpace(string(out))
	last := goversion.Last
	if minor, ok := goversion.Minor(*add); ok {
		last = max(last, minor)
	} else if *add != "" {
		return fmt.Errorf("-add %s: it is no release, as go1.28.0 is one", *add)
	}
	for minor := goversion.First; minor <= last; minor++ {
		t, leftOut, err := newTable(filepath.Join(dir, release.FileName(minor)), minor)
		if err != nil {
			return err
		}
		if t == nil {
			continue
		}
		if err := os.WriteFile(filepath.Join(dir, release.FileName(minor)), []byte(t.Format()),
			0o666); err != nil {
			return err
		}
		for _, r := range leftOut {
			fmt.Printf("%s: without %s, which not all of these releases have in %s\n",
				release.FileName(minor), r, r.File)
		}
		fmt.Printf("%s: %d declarations of %s\n", release.FileName(minor), len(t.Rows),
			strings.Join(t.Releases, ", "))
		if err := writeExploreTable(dir, minor, t.Releases); err != nil {
			return err
		}
	}
	return nil
}

// writeExploreTable writes the table of what exploring schedules relies on besides in a minor
// release.
func writeExploreTable(dir string, minor int, releases []string) error {
	name := release.ExploreFileName(minor)
	sources, err := installed(releases)
	if err != nil {
		return err
	}
	t, leftOut, err := survey.ExploreTable(sources, config)
	if err != nil {
		return err
	}
	for _, r := range leftOut {
		fmt.Printf("%s: without %s, which not all of these releases have in %s\n",
			name, r, r.File)
	}
	fmt.Printf("%s: %d declarations of %s\n", name, len(t.Rows),
		strings.Join(t.Releases, ", "))
	return os.WriteFile(filepath.Join(dir, name), []byte(t.Format()), 0o666)
}

// newTable makes the table that is to be in a file: nil if there is none for that minor release.
func newTable(name string, minor int) (t *release.Table, leftOut []release.Row, err error) {
	var releases []string
	data, err := os.ReadFile(name)
	if err == nil {
		t, err := release.Parse(string(data))
		if err != nil {
			return nil, nil, fmt.Errorf("%s: %w", name, err)
		}
		releases = t.Releases
	} else if !os.IsNotExist(err) {
		return nil, nil, err
	}
	if m, ok := goversion.Minor(*add); ok && m == minor && !slices.Contains(releases, *add) {
		releases = append(releases, *add)
	}
	if len(releases) == 0 {
		return nil, nil, nil
	}
	sources, err := installed(releases)
	if err != nil {
		return nil, nil, err
	}
	return survey.Table(sources, config)
}

// installed are the sources of releases, which the go command fetches.
func installed(releases []string) (sources []survey.Source, err error) {
	for _, version := range releases {
		cmd := exec.Command("go", "env", "GOROOT")
		cmd.Env = append(os.Environ(), "GOTOOLCHAIN="+version)
		cmd.Stderr = os.Stderr
		out, err := cmd.Output()
		if err != nil {
			return nil, fmt.Errorf("GOTOOLCHAIN=%s go env GOROOT: %w", version, err)
		}
		sources = append(sources, survey.Source{Goroot: strings.TrimSpace(string(out)),
			Version: version})
	}
	return sources, nil
}
