// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

// Package specset says which specifications from outside of a package's Go files apply to it. They
// are in the .ecl files of its folder, or the user gives them with -spec, or they come with commute
// for the version of its module. The package also makes the go command's cache depend on them,
// since the cache knows of Go files only.
//
// Input: a package's import path and folder. Output: a [Set]; for the go command, flags.
//
// # Terms
//
//	own        of a specification: it stands in an .ecl file of the package's folder
//	given      with -spec: in a file, or by the name of a shipped one
//	shipped    it comes with commute, for a range of versions of the module
//	requested  given for a package of which only the calls in the user's own packages are watched
//	key        a hash of specifications, which goes into the key of the build cache
package specset

import (
	"errors"
	"fmt"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/commutego/commute/analyzer/annotation"
	"github.com/commutego/commute/ecl"
	"github.com/commutego/commute/specs"
)

// Variable is the environment variable with the values of -spec for the compiles of a build. It is
// separated as a list of folders is.
const Variable = "COMMUTE_SPEC"

// A Set is the specifications that apply to one package.
type Set struct {
	Own     []*ecl.Spec // of the .ecl files in its folder
	Given   []*ecl.Spec // with -spec, which go before all others
	Shipped []*ecl.Spec // with commute

	// Requested are given too, but for packages of which only the calls in the user's own packages
	// are watched.
	Requested []*ecl.Spec
}

// Of returns the specifications for the package at path, whose files are in dir. shipped are those
// that come with commute. An [ecl.Errors] is about the package's own.
func Of(path, dir string, std bool, shipped []*ecl.Spec) (Set, error) {
	var s Set
	given, err := Given()
	if err != nil {
		return s, fmt.Errorf("-spec: %v", err) // not an ecl.Errors
	}
	version := ModuleVersion(dir)
	for _, g := range given {
		if g.Path == path {
			if wrong := Misfit(g, version); wrong != nil {
				return s, wrong
			}
			s.Given = append(s.Given, g)
		}
		if specs.OnRequest(g.Path) {
			s.Requested = append(s.Requested, g)
		}
	}
	if len(shipped) > 0 && !specs.OnRequest(path) {
		for _, sp := range shipped {
			if sp.Module == nil && std || sp.Module != nil && sp.Module.Allows(version) {
				s.Shipped = append(s.Shipped, sp)
			}
		}
	}
	if !std {
		s.Own, err = annotation.Folder(dir, path)
	}
	return s, err
}

// Misfit is the error for a given specification that is for other versions of its module than the
// one in the build.
func Misfit(g *ecl.Spec, version string) *ecl.Error {
	if g.Module == nil || isShipped(g) || version == "" || g.Module.Allows(version) {
		return nil
	}
	return &ecl.Error{
		Pos: g.Module.Pos,
		Text: fmt.Sprintf("the specification of %s is for %s, and the module is at %s",
			g.TypeName(), g.Module, version),
		Hint: "change the versions, or leave //ecl:module out",
	}
}

// isShipped reports whether a specification comes with commute: named by -spec, it applies to every
// version.
func isShipped(g *ecl.Spec) bool { return slices.Contains(specs.For(g.Path), g) }

// Given reads what the user gave with -spec: files, and names of shipped specifications. The latter
// then apply to every version.
func Given() ([]*ecl.Spec, error) {
	list, placed, err := read()
	if len(placed) > 0 {
		err = errors.Join(err, placed)
	}
	return list, err
}

// read is Given with the errors of all files: those that have places, and others.
func read() (list []*ecl.Spec, placed ecl.Errors, err error) {
	for _, name := range filepath.SplitList(os.Getenv(Variable)) {
		found, e := give(name)
		if wrong, ok := e.(ecl.Errors); ok {
			placed = append(placed, wrong...)
		} else if e != nil {
			err = errors.Join(err, e)
		}
		list = append(list, found...)
	}
	return list, placed, err
}

// give reads one value of -spec.
func give(name string) ([]*ecl.Spec, error) {
	if filepath.Ext(name) != ".ecl" {
		if shipped := specs.For(name); len(shipped) > 0 {
			return shipped, nil
		}
		return nil, fmt.Errorf("-spec %s: no such specification comes with commute "+
			"(name a .ecl file, or a package that \"commute spec list\" shows)", name)
	}
	list, err := annotation.Read(name)
	if err != nil {
		return nil, err
	}
	var wrong ecl.Errors
	for _, s := range list {
		if s.Path == "" {
			wrong = append(wrong, &ecl.Error{
				Pos:  s.Pos,
				Text: "it is not said which package " + s.Name + " is of",
				Hint: "write //ecl:type import/path." + s.Name,
			})
		}
	}
	if len(list) == 0 {
		wrong = ecl.Errors{{
			Pos:  token.Position{Filename: name, Line: 1, Column: 1},
			Text: "there is no specification in the file",
			Hint: "begin with //ecl:type import/path.Name",
		}}
	}
	if len(wrong) > 0 {
		return nil, wrong
	}
	return list, nil
}

// Give hands values of -spec to the compiles of a build, files by their absolute paths. It returns
// what it read, the errors that have places in files, and others.
func Give(values []string) (given []*ecl.Spec, placed ecl.Errors, err error) {
	var names []string
	for _, v := range values {
		if filepath.Ext(v) == ".ecl" {
			abs, err := filepath.Abs(v)
			if err != nil {
				return nil, nil, err
			}
			v = abs
		}
		if strings.ContainsRune(v, filepath.ListSeparator) {
			return nil, nil,
				fmt.Errorf("-spec %s: a path with %q cannot be handed on (move the file)",
					v, filepath.ListSeparator)
		}
		if !slices.Contains(names, v) {
			names = append(names, v)
		}
	}
	if len(names) > 0 {
		os.Setenv(Variable, strings.Join(names, string(filepath.ListSeparator)))
	}
	given, placed, err = read()
	seen := make(map[string]*ecl.Spec)
	for _, s := range given {
		if have := seen[s.TypeName()]; have != nil {
			placed = append(placed, &ecl.Error{
				Pos:  s.Pos,
				Text: s.TypeName() + " is specified twice, first at " + have.Pos.String(),
			})
		}
		seen[s.TypeName()] = s
	}
	return given, placed, err
}
