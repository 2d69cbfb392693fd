// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

// Command commute finds the concurrency bugs that go test -race cannot see.
// It runs the user's own go command with itself as -toolexec.
//
// Input: a subcommand and the go command's arguments. Output: the go
// command's, with findings; the exit code is the go command's, or 2 if commute
// itself is used wrongly or cannot work here.
package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/commutego/commute"
	"github.com/commutego/commute/ecl"
	"github.com/commutego/commute/internal/spectest/environ"
	"github.com/commutego/commute/internal/toolchain/patch"
	"github.com/commutego/commute/internal/toolchain/toolexec"
)

func main() {
	environ.Restore()
	os.Exit(run(os.Args[1:], toolexec.Config{
		Engine:    commute.Engine(),
		Templates: patch.Templates(),
		Specs:     toolexec.Shipped,
	}))
}

// run is main with the parts that it puts into programs.
func run(args []string, config toolexec.Config) int {
	if len(args) > 0 {
		for _, c := range commands {
			if c.name == args[0] {
				return c.run(args[1:], config)
			}
		}
		if isVettool(args) {
			vet()
		}
		if args[0] == "-h" || args[0] == "-help" || args[0] == "--help" {
			return help(nil, config)
		}
		fmt.Fprintf(os.Stderr, "commute: unknown command %q\n\n%s", args[0], commandTable())
		return toolexec.ExitUsage
	}
	fmt.Fprint(os.Stderr, usage())
	return toolexec.ExitUsage
}

// fail prints an error, or each of several on a line of its own. What has a place in a file begins with that.
func fail(err error) int {
	var placed ecl.Errors
	if errors.As(err, &placed) {
		dir, _ := os.Getwd()
		for _, e := range placed {
			if rel, err := filepath.Rel(dir, e.Pos.Filename); err == nil && filepath.IsLocal(rel) {
				e.Pos.Filename = rel
			}
		}
		fmt.Fprintln(os.Stderr, placed)
		return toolexec.ExitUsage
	}
	if list, ok := err.(interface{ Unwrap() []error }); ok {
		for _, err := range list.Unwrap() {
			fail(err)
		}
		return toolexec.ExitUsage
	}
	fmt.Fprintf(os.Stderr, "commute: %v\n", err)
	return toolexec.ExitUsage
}
