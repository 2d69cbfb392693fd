// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/commutego/commute/internal/conccover"
	"github.com/commutego/commute/internal/toolchain/golist"
)

// setConcCoverPkg takes the value of -conc_coverpkg: patterns with commas between.
func setConcCoverPkg(own *setting, value string) (err error) {
	own.concPatterns, err = splitPatterns("-conc_coverpkg", value)
	return err
}

// splitPatterns are the patterns of a flag's value.
func splitPatterns(flag, value string) ([]string, error) {
	list := strings.Split(value, ",")
	if slices.Contains(list, "") {
		return nil, fmt.Errorf("%s=%s: want patterns of packages with commas between, as in "+
			"%[1]s=./...,example.com/db", flag, value)
	}
	return list, nil
}

// findConcPackages finds the packages whose operations count for -conc_cover: those of the user's
// modules, or those that -conc_coverpkg names.
func (c *goCall) findConcPackages() error {
	if c.own.concCover == "" {
		if c.own.concPatterns != nil {
			return fmt.Errorf("-conc_coverpkg says which packages count for -conc_cover: give both, " +
				"or neither")
		}
		return nil
	}
	if c.own.concPatterns == nil {
		all, err := c.build.All()
		if err != nil {
			return err
		}
		c.own.concPackages = make(packageSet)
		for _, p := range all {
			if p.Main() || p.ImportPath == "command-line-arguments" {
				c.own.concPackages.add(p)
			}
		}
		return nil
	}
	list, err := c.build.Matching(c.own.concPatterns...)
	if err != nil {
		return err
	}
	if len(list) == 0 {
		return fmt.Errorf("-conc_coverpkg=%s: no package of what is built matches (./... is all of "+
			"this module, all is dependencies too)", strings.Join(c.own.concPatterns, ","))
	}
	c.own.concPackages = make(packageSet)
	for _, p := range list {
		c.own.concPackages.add(p)
	}
	return nil
}

// A packageSet is import paths, as profiles have them.
type packageSet map[string]bool

// add adds a package, and its external test. A program's own package is called main.
func (s packageSet) add(p golist.Package) {
	path, _, _ := strings.Cut(p.ImportPath, " ") // it may end with " [for the test]"
	s[path], s[path+"_test"] = true, true
	if p.Name == "main" {
		s["main"] = true
	}
}

func (s packageSet) has(path string) bool { return s[path] }

// setPackages takes the value of cover -pkg. Patterns of folders are asked of the go command, for
// what is in the current one; others are compared with the import paths in the profiles.
func (c *coverCall) setPackages(value string) error {
	patterns, err := splitPatterns("cover -pkg", value)
	if err != nil {
		return err
	}
	found := make(packageSet)
	if folders := slices.DeleteFunc(slices.Clone(patterns), func(p string) bool {
		return !golist.Relative(p)
	}); len(folders) > 0 {
		build := &golist.Build{Go: "go", Command: "build", Args: folders}
		list, err := build.Named()
		if err != nil {
			return fmt.Errorf("cover -pkg=%s: %w", value, err)
		}
		for _, p := range list {
			found.add(p)
		}
	}
	c.of = func(path string) bool {
		return found.has(path) || slices.ContainsFunc(patterns, func(pattern string) bool {
			return !golist.Relative(pattern) &&
				(golist.Match(pattern, path, false) ||
					golist.Match(pattern, strings.TrimSuffix(path, "_test"), false))
		})
	}
	return nil
}

// only is the part of the profile that -pkg asks for. A pattern that is about nothing is an error.
func (c *coverCall) only(p *conccover.Profile) (*conccover.Profile, error) {
	if c.of == nil || p.Empty() {
		return p, nil
	}
	part := p.Only(c.of)
	if part.Empty() {
		return nil, fmt.Errorf("cover -pkg: no operation of the profiles is in such a package; "+
			"they are in %s", strings.Join(p.Packages(), ", "))
	}
	return part, nil
}
