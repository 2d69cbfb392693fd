// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/commutego/commute/analyzer/annotation"
	"github.com/commutego/commute/ecl"
	"github.com/commutego/commute/internal/toolchain/toolexec"
	"golang.org/x/tools/go/packages"
)

// maxWrong is how many errors of one file are shown.
const maxWrong = 10

// checkSpecs reads .ecl files and prints their errors.
func checkSpecs(files []string) int {
	code := 0
	for _, name := range files {
		if strings.HasSuffix(name, ".go") {
			fmt.Fprintf(os.Stderr,
				"%s is Go source: use go vet -vettool=$(which commute) on its package\n", name)
			code = toolexec.ExitUsage
			continue
		}
		list, err := annotation.Read(name)
		var wrong ecl.Errors
		switch {
		case errors.As(err, &wrong):
		case err != nil:
			return fail(err)
		case len(list) == 0:
			fmt.Fprintf(os.Stderr, "%s:1:1: there is no specification in the file (begin with "+
				"//ecl:type import/path.Name)\n", name)
			code = 1
		default:
			wrong = holdAll(name, list)
		}
		if more := len(wrong) - maxWrong; more > 0 {
			fmt.Fprintf(os.Stderr, "%v\n%s: %s more (mend these first)\n", wrong[:maxWrong], name,
				number(uint64(more), "error"))
			code = 1
		} else if len(wrong) > 0 {
			fmt.Fprintln(os.Stderr, wrong)
			code = 1
		}
	}
	return code
}

// holdAll compiles the specifications of a file and holds them against the types, package by
// package.
func holdAll(file string, list []*ecl.Spec) (errs ecl.Errors) {
	loaded := make(map[string]*packages.Package)
	for _, s := range list {
		if _, err := ecl.Compile(s); err != nil {
			var e *ecl.Error
			if !errors.As(err, &e) {
				e = &ecl.Error{Pos: s.Pos, Text: err.Error()}
			}
			errs = append(errs, e)
			continue
		}
		pattern := s.Path
		if pattern == "" { // the file lies with the package that it is about
			pattern = folderPattern(file)
		}
		pkg, ok := loaded[pattern]
		if !ok {
			var err error
			if pkg, err = load(pattern); err != nil {
				fmt.Fprintf(os.Stderr, "%s: note: %s was not held against its type: %v\n", s.Pos,
					s.TypeName(), err)
			}
			loaded[pattern] = pkg
		}
		if pkg == nil {
			continue
		}
		good, wrong := annotation.Hold(pkg.Syntax, []*ecl.Spec{s})
		for _, s := range good {
			wrong = append(wrong, annotation.Typed(pkg.Types, s)...)
		}
		errs = append(errs, wrong...)
	}
	return errs
}

// folderPattern is the folder of a file, as go list wants it.
func folderPattern(file string) string {
	dir := filepath.ToSlash(filepath.Dir(file))
	if filepath.IsAbs(file) || dir == "." || dir == ".." || strings.HasPrefix(dir, "./") ||
		strings.HasPrefix(dir, "../") {
		return dir
	}
	return "./" + dir
}
