// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package main

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/commutego/commute/internal/conccover"
	"github.com/commutego/commute/internal/option"
)

// concPrefix is what the names of profiles in the folder of the counts begin with. The number of
// the process follows, as in the name of its counts.
const concPrefix = "conc"

// setConcCover takes the value of -conc_cover.
func setConcCover(own *setting, value string) error {
	own.concCover = value
	if dir, err := os.Stat(filepath.Dir(value)); err != nil || !dir.IsDir() {
		return fmt.Errorf("-conc_cover=%s: there is no folder %s (make it, or name another file)",
			value, filepath.Dir(value))
	}
	if f, err := os.Stat(value); err == nil && f.IsDir() {
		return fmt.Errorf("-conc_cover=%s: that is a folder: name a file, as %s", value,
			filepath.Join(value, "conc.out"))
	}
	return nil
}

// concCoverArgs refuses -conc_cover where nothing is run, and has tests run anew: a cached result
// has no profile.
func concCoverArgs(own *setting, name string, args []string, goflags string) ([]string, error) {
	if own.concCover == "" {
		return args, nil
	}
	if name == "build" || name == "test" && hasFlag("c", args, goflags) {
		return nil, errors.New("-conc_cover is about what runs: build without it, and run the " +
			"program with COMMUTE=conc_cover=PATH in its environment")
	}
	if name == "test" && !hasFlag("count", args, goflags) {
		args = append([]string{"-count=1"}, args...)
	}
	return args, nil
}

// wantConcCover has programs write their profiles to a folder.
func (own *setting) wantConcCover(dir string) error {
	if own.concCover == "" {
		return nil
	}
	s := option.Setting{Name: "conc_cover", Value: filepath.Join(dir, concPrefix)}
	return os.Setenv(option.Variable, strings.TrimSpace(os.Getenv(option.Variable)+" "+
		option.String([]option.Setting{s})))
}

// A concRun is the profiles of a run.
type concRun struct {
	all      *conccover.Profile
	programs map[string]*conccover.Profile // by the name of the program
}

// readConc reads what the profiles in a folder have of some packages.
func readConc(dir string, of func(path string) bool) (*concRun, error) {
	r := &concRun{all: new(conccover.Profile), programs: make(map[string]*conccover.Profile)}
	files, err := filepath.Glob(filepath.Join(dir, concPrefix+".*"))
	if err != nil {
		return nil, err
	}
	for _, file := range files {
		p, err := conccover.Read(file)
		if err != nil {
			return nil, err
		}
		p = p.Only(of)
		r.all.Merge(p)
		name := programOf(filepath.Join(dir, strings.TrimPrefix(filepath.Ext(file), ".")))
		if r.programs[name] == nil {
			r.programs[name] = new(conccover.Profile)
		}
		r.programs[name].Merge(p)
	}
	return r, nil
}

// programOf is the name of the program that has written a file of counts.
func programOf(file string) string {
	text, _ := os.ReadFile(file)
	for line := range strings.Lines(string(text)) {
		if path, ok := strings.CutPrefix(strings.TrimSuffix(line, "\n"), "program "); ok {
			return strings.TrimSuffix(strings.TrimSuffix(filepath.Base(path), ".exe"), ".test")
		}
	}
	return ""
}

// lines says how much is covered: of each program, if there are several, and of all together.
func (r *concRun) lines() (list []string) {
	part := func(p *conccover.Profile) string {
		return "concurrency coverage: " + conccover.Part(conccover.Sum(
			p.Groups(conccover.ByMethods)))
	}
	if len(r.programs) > 1 {
		for _, name := range slices.Sorted(maps.Keys(r.programs)) {
			list = append(list, name+": "+part(r.programs[name]))
		}
		return append(list, "all packages: "+part(r.all))
	}
	return append(list, part(r.all))
}

// finishConc reads the profiles of a run, says what they cover, and writes the file of -conc_cover.
func (own *setting) finishConc(dir string) error {
	if own.concCover == "" {
		return nil
	}
	r, err := readConc(dir, own.concPackages.has)
	if err != nil {
		return fmt.Errorf("-conc_cover: what was covered is not known: %w", err)
	}
	if len(r.programs) == 0 {
		return nil // the build failed, or there are no tests: go has said so
	}
	for _, line := range r.lines() {
		fmt.Fprintf(os.Stderr, "commute: %s\n", line)
	}
	if err := r.all.Write(own.concCover); err != nil {
		return fmt.Errorf("-conc_cover: %w", err)
	}
	return nil
}
