// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

// Package comments checks the texts for commute in the user's own packages before a build:
// //commute: comments, //atomic and //ecl: specifications, in Go files and in .ecl files. All that
// can be said without types is said at once. Most programs have none, and should not wait. Their
// files are searched for the words. The go command is asked for the packages of the build only if a
// mistake seems likely.
//
// Input: a build. Output: errors with their places, sorted.
package comments

import (
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/commutego/commute/analyzer/annotation"
	"github.com/commutego/commute/analyzer/directive"
	"github.com/commutego/commute/analyzer/transaction"
)

// TestPackage is the package whose function Atomic runs another one as a transaction.
const TestPackage = "github.com/commutego/commute/commutetest"

// Mentions are the files of the user's modules that may have something for commute.
type Mentions struct {
	Dirs   []string // the folders with such files, sorted
	Atomic []string // the Go files with what may be //atomic, or a call of Atomic, sorted
}

// Scan looks through the Go files and the .ecl files below some folders.
func Scan(roots []string) Mentions {
	var m Mentions
	var lock sync.Mutex
	names := make(chan string, 256)
	var wg sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		wg.Go(func() {
			for name := range names {
				atomic, any := mentions(name)
				lock.Lock()
				if any {
					m.Dirs = append(m.Dirs, filepath.Dir(name))
				}
				if atomic {
					m.Atomic = append(m.Atomic, name)
				}
				lock.Unlock()
			}
		})
	}
	for _, root := range roots {
		filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			if err != nil {
				return nil // what cannot be read is nothing to compile either
			}
			switch name := d.Name(); {
			case d.IsDir() && path != root &&
				(name[0] == '.' || name[0] == '_' || name == "node_modules" || name == "vendor"):
				return fs.SkipDir
			case !d.IsDir() && (strings.HasSuffix(name, ".go") || strings.HasSuffix(name, ".ecl")):
				names <- path
			}
			return nil
		})
	}
	close(names)
	wg.Wait()
	slices.Sort(m.Dirs)
	m.Dirs = slices.Compact(m.Dirs)
	slices.Sort(m.Atomic)
	return m
}

// mentions reports whether a file may have comments for commute, and whether it may have code that
// is to be atomic.
func mentions(name string) (atomic, any bool) {
	if filepath.Ext(name) == ".ecl" {
		return false, true
	}
	data, err := os.ReadFile(name)
	if err != nil {
		return false, false
	}
	text := string(data)
	marked := transaction.Mentioned(text)
	atomic = marked || strings.Contains(text, TestPackage)
	return atomic, marked || directive.Mentioned(text) || annotation.Mentioned(text)
}
