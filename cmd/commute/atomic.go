// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package main

import (
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/commutego/commute/analyzer/transaction"
	"github.com/commutego/commute/internal/toolchain/command"
	"github.com/commutego/commute/internal/toolchain/golist"
	"github.com/commutego/commute/internal/toolchain/marked"
)

// marks reports whether a build has code that is marked as atomic, and which packages
// "exported:PATTERN" is about. A pattern that marks nothing is an error. Mentioned are the files
// that may have annotations.
func marks(own setting, build *golist.Build, mentioned []string) (is bool,
	exported []golist.Package, err error) {
	if len(own.atomic) == 0 {
		return marked.Annotated(build, mentioned), nil, nil
	}
	m, err := marked.Match(build, own.atomic)
	if err != nil {
		return false, nil, err
	}
	if n := len(m.Waiting); n > 0 {
		fmt.Fprintf(os.Stderr,
			"commute: -atomic exported marks %s and leaves out %s that wait%s for others: %s\n",
			functions(m.Marked), functions(n), map[bool]string{true: "s"}[n == 1], few(m.Waiting))
	}
	return true, m.Packages, nil
}

func functions(n int) string {
	if n == 1 {
		return "1 function"
	}
	return fmt.Sprint(n, " functions")
}

// few lists the first names of a list.
func few(names []string) string {
	const most = 4
	if len(names) <= most {
		return strings.Join(names, ", ")
	}
	return strings.Join(names[:most], ", ") + ", ..."
}

// atomicFlags are the compiler's flags for patterns: those for the packages on the command line,
// and those for others.
func atomicFlags(patterns []string) (named, others []string) {
	for _, pattern := range patterns {
		f := "-" + command.Atomic + "=" + pattern
		switch {
		case strings.HasPrefix(pattern, transaction.ExportedOf):
		case pattern == transaction.Exported:
			named = append(named, f)
		default:
			named, others = append(named, f), append(others, f)
		}
	}
	return named, others
}

// A compilation is flags for the compiler: those that the user gives, and commute's.
type compilation struct {
	given string
	more  []string
}

// exportedFlags are flags for the go command, by which the exported functions of packages are
// marked. Named are those for the packages on the command line, others those for all others.
func exportedFlags(exported []golist.Package, build *golist.Build,
	named, others compilation) (list []string, err error) {
	onLine, err := build.Named()
	if err != nil {
		return nil, err
	}
	mark := "-" + command.Atomic + "=" + transaction.Exported
	for _, p := range exported {
		with := others
		if slices.ContainsFunc(onLine,
			func(n golist.Package) bool { return n.ImportPath == p.ImportPath }) {
			with = named
		}
		if !slices.Contains(with.more, mark) {
			with.more = append(slices.Clone(with.more), mark)
		}
		list = append(list, gcflags(p.ImportPath+"=", with.given, with.more))
	}
	return list, nil
}
