// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package golist

import (
	"slices"
	"strings"
)

// boolean are the flags of go build and go test that take no value of their own: what follows is a
// package. A test compares them with the go command's help, and valued as well.
var boolean = []string{
	"a", "artifacts", "asan", "benchmem", "buildvcs", "c", "cover", "failfast", "fullpath", "json",
	"linkshared", "modcacherw",
	"msan", "n", "race", "short", "trimpath", "v", "work", "x",
}

// valued are the others.
var valued = []string{
	"C", "asmflags", "bench", "benchtime", "blockprofile", "blockprofilerate", "buildmode",
	"compiler", "count", "covermode",
	"coverpkg", "coverprofile", "cpu", "cpuprofile", "exec", "fuzz", "fuzzminimizetime", "fuzztime",
	"gccgoflags", "gcflags",
	"installsuffix", "ldflags", "list", "memprofile", "memprofilerate", "mod", "modfile",
	"mutexprofile", "mutexprofilefraction",
	"o", "outputdir", "overlay", "p", "parallel", "pgo", "pkgdir", "run", "shuffle", "skip", "tags",
	"timeout", "toolexec",
	"trace", "vet",
}

// choosing are the flags that decide which files a package has, and which packages there are.
var choosing = []string{"compiler", "installsuffix", "mod", "modfile", "overlay", "tags"}

// Flags lists the flags of go build and go test, sorted by whether they take a value.
func Flags() []string { return slices.Concat(boolean, valued) }

// TakesValue reports whether what follows a flag of the go command's is its value. What it doesn't
// know is taken for a flag of the test binary's, of which nothing is known.
func TakesValue(name string) bool {
	return slices.Contains(valued,
		strings.TrimPrefix(name, "test."))
}
