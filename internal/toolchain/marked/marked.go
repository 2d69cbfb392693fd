// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

// Package marked finds out, before a build, whether it will have code that is marked as atomic: only then do
// accesses to memory have to be watched. Most programs mark nothing, and should not wait for the answer; so the
// files of the user's modules are looked through for the word first, and only if one has an annotation is the
// go command asked which files the build is made of.
//
// Input: the command line of go test, build or run. Output: whether there are annotations, and which
// patterns match nothing.
package marked

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/commutego/commute/analyzer/transaction"
)

// A Build is what the go command is to build.
type Build struct {
	Go      string   // the path of the go command
	Chdir   []string // its -C flag, if there is one
	Command string   // test, build or run
	Args    []string
	Watch   []string // patterns of more packages
	Roots   []string // the folders of the user's modules
}

// Annotated reports whether a package on the command line, or its tests, or one that is watched, has
// annotations, be they right or wrong. Where the go command cannot say which packages these are, it is
// left to it to complain when it builds.
func (b *Build) Annotated() bool {
	_, words := split(b.Command, b.Args)
	files := slices.ContainsFunc(words, func(w string) bool { return strings.HasSuffix(w, ".go") })
	if !files && !anyAnnotated(b.Roots) {
		return false
	}
	list, err := b.list()
	return err == nil && slices.ContainsFunc(list, func(p listed) bool {
		return !p.Standard && slices.ContainsFunc(append(p.own(), p.XTestGoFiles...), func(name string) bool {
			return annotated(filepath.Join(p.Dir, name))
		})
	})
}

// Unmatched returns the patterns that match no function of these packages, and the name of a function as an
// example of what they could match.
func (b *Build) Unmatched(patterns []string) (unmatched []string, example string, err error) {
	list, err := b.list()
	if err != nil {
		return nil, "", err
	}
	matched := make(map[string]bool)
	for _, p := range list {
		path := p.ImportPath
		if p.Name == "main" {
			path = "main"
		}
		for path, names := range map[string][]string{path: p.own(), p.ImportPath + "_test": p.XTestGoFiles} {
			fset := token.NewFileSet()
			var files []*ast.File
			for _, name := range names {
				if f, _ := parser.ParseFile(fset, filepath.Join(p.Dir, name), nil, parser.ParseComments|parser.SkipObjectResolution); f != nil {
					files = append(files, f)
				}
			}
			_, used := transaction.Matched(patterns, path, fset, files)
			for _, u := range used {
				matched[u] = true
			}
			if marks, _ := transaction.Matched([]string{transaction.Exported}, path, fset, files); example == "" && len(marks) > 0 {
				example = marks[0].Name
			}
		}
	}
	return slices.DeleteFunc(slices.Clone(patterns), func(p string) bool { return matched[p] }), example, nil
}

// A listed package is what go list says of one.
type listed struct {
	Dir, ImportPath, Name                        string
	Standard                                     bool
	GoFiles, CgoFiles, TestGoFiles, XTestGoFiles []string
}

// own lists the files of the package itself, with those of its internal test.
func (p *listed) own() []string { return slices.Concat(p.GoFiles, p.CgoFiles, p.TestGoFiles) }

// list asks the go command for the packages. It does not look for what they import.
func (b *Build) list() ([]listed, error) {
	flags, words := split(b.Command, b.Args)
	args := append([]string{"list"}, b.Chdir...)
	args = append(args, "-e", "-find", "-json=Dir,ImportPath,Name,Standard,GoFiles,CgoFiles,TestGoFiles,XTestGoFiles")
	cmd := exec.Command(b.Go, slices.Concat(args, flags, []string{"--"}, words, b.Watch)...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		if text := strings.TrimSpace(stderr.String()); text != "" {
			return nil, errors.New(text)
		}
		return nil, fmt.Errorf("running go list: %w", err)
	}
	var list []listed
	for dec := json.NewDecoder(bytes.NewReader(out)); ; {
		var p listed
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

// annotated reports whether a file has annotations.
func annotated(name string) bool {
	text, err := os.ReadFile(name)
	if err != nil || !transaction.Mentioned(string(text)) {
		return false
	}
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, name, text, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return false
	}
	found, problems := transaction.Find("", fset, []*ast.File{file})
	return len(found.Marks)+len(problems) > 0
}

// anyAnnotated reports whether a Go file below one of the folders has annotations.
func anyAnnotated(roots []string) bool {
	var found atomic.Bool
	names := make(chan string, 256)
	var wg sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		wg.Go(func() {
			for name := range names {
				if !found.Load() && annotated(name) {
					found.Store(true)
				}
			}
		})
	}
	for _, root := range roots {
		filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			if err != nil {
				return nil // what cannot be read is nothing to compile either
			}
			switch name := d.Name(); {
			case found.Load():
				return fs.SkipAll
			case d.IsDir() && path != root && (name[0] == '.' || name[0] == '_' || name == "node_modules" || name == "vendor"):
				return fs.SkipDir
			case !d.IsDir() && strings.HasSuffix(name, ".go"):
				names <- path
			}
			return nil
		})
	}
	close(names)
	wg.Wait()
	return found.Load()
}
