// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

// Package golist asks the go command, before a build, which packages it will be made of.
//
// Input: the command line of go test, build or run. Output: the packages that it names, and those
// that they import. The go command is asked at most once for each.
package golist

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// A Build is what the go command is to build.
type Build struct {
	Go      string   // the path of the go command
	Chdir   []string // its -C flag, if there is one
	Command string   // test, build or run
	Args    []string
	Watch   []string // patterns of more packages whose accesses to memory are watched
	Roots   []string // the folders of the user's modules

	named, all answer
}

// An answer of the go command's.
type answer struct {
	asked bool
	list  []Package
	err   error
}

// A Package is what go list says of one.
type Package struct {
	Dir, ImportPath, Name string
	Standard              bool
	Module                *Module // nil for the standard library
	// it is made anew for the test of that package
	ForTest                                      string
	GoFiles, CgoFiles, TestGoFiles, XTestGoFiles []string
}

// A Module is what go list says of the module of a package.
type Module struct{ Main bool }

// Main reports whether the package is of a module that is being worked on: the main module, or one
// of a workspace's.
func (p *Package) Main() bool { return p.Module != nil && p.Module.Main }

// Own lists the files of the package itself, with those of its internal test.
func (p *Package) Own() []string { return slices.Concat(p.GoFiles, p.CgoFiles, p.TestGoFiles) }

// Words are the packages, or Go files, that the command line names: "." if there are none.
func (b *Build) Words() []string {
	_, words := split(b.Command, b.Args)
	return words
}

// Folders are those of the user's modules or, if the command line names files, theirs.
func (b *Build) Folders() []string {
	dir, err := b.Dir()
	if err != nil {
		return b.Roots
	}
	var dirs []string
	for _, w := range b.Words() {
		if !strings.HasSuffix(w, ".go") {
			continue
		}
		if !filepath.IsAbs(w) {
			w = filepath.Join(dir, w)
		}
		if d := filepath.Dir(w); !slices.Contains(dirs, d) {
			dirs = append(dirs, d)
		}
	}
	if len(dirs) > 0 {
		return dirs
	}
	return b.Roots
}

// Named lists the packages on the command line, without looking for what they import.
func (b *Build) Named() ([]Package, error) {
	return b.named.ask(b, "-find")
}

// All lists all packages of the build, those that are made anew for tests among them.
func (b *Build) All() ([]Package, error) {
	if b.Command == "test" {
		return b.all.ask(b, "-deps", "-test")
	}
	return b.all.ask(b, "-deps")
}

// Watched lists the packages of All that the patterns of -watch match, each once.
func (b *Build) Watched() ([]Package, error) {
	if len(b.Watch) == 0 {
		return nil, nil
	}
	return b.Matching(b.Watch...)
}

// Matching lists the packages of All that patterns are about, each once.
func (b *Build) Matching(patterns ...string) (list []Package, err error) {
	all, err := b.All()
	if err != nil {
		return nil, err
	}
	dir, err := b.Dir()
	if err != nil {
		return nil, err
	}
	for _, p := range all {
		if p.ForTest == "" && !strings.HasSuffix(p.ImportPath, ".test") &&
			slices.ContainsFunc(patterns,
				func(pattern string) bool { return p.match(pattern, dir) }) {
			list = append(list, p)
		}
	}
	return list, nil
}

func (a *answer) ask(b *Build, how ...string) ([]Package, error) {
	if !a.asked {
		a.asked = true
		a.list, a.err = b.ask(how)
	}
	return a.list, a.err
}

// A Refusal is what the go command says of a build that it refuses as a whole: without a go.mod,
// for instance.
type Refusal struct {
	Text string
	Code int // the go command's exit code
}

func (r *Refusal) Error() string { return r.Text }

// ask runs go list with those flags of the build that decide which files belong to it.
func (b *Build) ask(how []string) ([]Package, error) {
	flags, words := split(b.Command, b.Args)
	args := append([]string{"list"}, b.Chdir...)
	args = append(args, "-e",
		"-json=Dir,ImportPath,Name,Standard,Module,ForTest,GoFiles,CgoFiles,TestGoFiles,"+
			"XTestGoFiles")
	cmd := exec.Command(b.Go, slices.Concat(args, how, flags, []string{"--"}, words)...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		var exit *exec.ExitError
		text := strings.TrimSpace(stderr.String())
		if text != "" && errors.As(err, &exit) {
			return nil, &Refusal{text, exit.ExitCode()}
		}
		return nil, fmt.Errorf("running go list: %w", err)
	}
	var list []Package
	for dec := json.NewDecoder(bytes.NewReader(out)); ; {
		var p Package
		if err := dec.Decode(&p); err == io.EOF {
			return list, nil
		} else if err != nil {
			return nil, fmt.Errorf("reading the output of go list: %w", err)
		}
		if b.Command != "test" {
			p.TestGoFiles, p.XTestGoFiles = nil, nil
		}
		list = append(list, p)
	}
}
