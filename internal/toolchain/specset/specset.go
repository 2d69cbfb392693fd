// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

// Package specset says which specifications from outside of a package's Go files apply to it: those in its
// folder's .ecl files, those that the user gives with -spec, and those that come with commute for the
// version of its module. And it tells the go command's cache of them, which knows of Go files only.
//
// Input: a package's import path and folder. Output: a [Set]; for the go command, flags.
package specset

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/commutego/commute/analyzer/annotation"
	"github.com/commutego/commute/ecl"
	"github.com/commutego/commute/specs"
)

// Variable is the environment variable that hands the values of -spec to the compiles of a build,
// separated as a list of folders is.
const Variable = "COMMUTE_SPEC"

// A Set is what applies to one package.
type Set struct {
	Own     []*ecl.Spec // of the .ecl files in its folder
	Given   []*ecl.Spec // with -spec, which go before all others
	Shipped []*ecl.Spec // with commute

	// Requested are given too, but for packages of which only the calls in the user's own packages
	// are watched.
	Requested []*ecl.Spec
}

// Of returns the specifications for the package at path, whose files are in dir; shipped are those that
// come with commute. An [ecl.Errors] is about the package's own.
func Of(path, dir string, std bool, shipped []*ecl.Spec) (Set, error) {
	var s Set
	given, err := Given()
	if err != nil {
		return s, fmt.Errorf("-spec: %v", err) // not an ecl.Errors
	}
	version := ModuleVersion(dir)
	for _, g := range given {
		switch {
		case g.Path != path:
		case g.Module != nil && !forced(g) && version != "" && !g.Module.Allows(version):
			return s, fmt.Errorf("%s: the specification of %s is for %s, and the module is at %s (change the versions, or leave //ecl:module out)", g.Module.Pos, g.TypeName(), g.Module, version)
		default:
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

// forced reports whether a specification is one that comes with commute: -spec applies it to every version.
func forced(g *ecl.Spec) bool { return slices.Contains(specs.For(g.Path), g) }

// Given reads what the user gave with -spec: files, and names of shipped specifications, which then
// are for every version.
func Given() ([]*ecl.Spec, error) {
	var list []*ecl.Spec
	for _, name := range filepath.SplitList(os.Getenv(Variable)) {
		found, err := give(name)
		if err != nil {
			return nil, err
		}
		list = append(list, found...)
	}
	return list, nil
}

// give reads one value of -spec.
func give(name string) ([]*ecl.Spec, error) {
	if filepath.Ext(name) != ".ecl" {
		if shipped := specs.For(name); len(shipped) > 0 {
			return shipped, nil
		}
		return nil, fmt.Errorf("-spec %s: no such specification comes with commute (name a .ecl file, or a package that \"commute spec list\" shows)", name)
	}
	list, err := annotation.Read(name)
	if err != nil {
		return nil, err
	}
	for _, s := range list {
		if s.Path == "" {
			return nil, ecl.Errors{{Pos: s.Pos, Text: "it is not said which package " + s.Name + " is of", Hint: "write //ecl:type import/path." + s.Name}}
		}
	}
	if len(list) == 0 {
		return nil, fmt.Errorf("%s:1:1: there is no specification in the file (begin with //ecl:type import/path.Name)", name)
	}
	return list, nil
}

// Give makes values of -spec known to the compiles of a build, files by their absolute paths.
func Give(values []string) error {
	var list []string
	for _, v := range values {
		if filepath.Ext(v) == ".ecl" {
			abs, err := filepath.Abs(v)
			if err != nil {
				return err
			}
			v = abs
		}
		if strings.ContainsRune(v, filepath.ListSeparator) {
			return fmt.Errorf("-spec %s: a path with %q cannot be handed on (move the file)", v, filepath.ListSeparator)
		}
		if !slices.Contains(list, v) {
			list = append(list, v)
		}
	}
	if len(list) > 0 {
		os.Setenv(Variable, strings.Join(list, string(filepath.ListSeparator)))
	}
	seen := make(map[string]*ecl.Spec)
	given, err := Given()
	for _, s := range given {
		if have := seen[s.TypeName()]; have != nil {
			err = errors.Join(err, ecl.Errors{{Pos: s.Pos, Text: s.TypeName() + " is specified twice, first at " + have.Pos.String()}})
		}
		seen[s.TypeName()] = s
	}
	return err
}
