// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package golist

import (
	"slices"
	"strings"
)

// split returns those flags of a command line that decide which files are built, and the packages,
// or Go files, that it names: "." if there are none. A program's own arguments are neither.
func split(command string, args []string) (flags, words []string) {
	for i := 0; i < len(args); i++ {
		arg := args[i]
		if arg == "-args" || arg == "--args" {
			break
		}
		if !strings.HasPrefix(arg, "-") || arg == "-" {
			words = append(words, arg)
			if command == "run" && !strings.HasSuffix(arg, ".go") {
				break
			}
			continue
		}
		if command == "run" && len(words) > 0 {
			break
		}
		bare := strings.TrimPrefix(strings.TrimPrefix(arg, "-"), "-")
		name, value, hasValue := strings.Cut(bare, "=")
		if !hasValue && !slices.Contains(boolean, strings.TrimPrefix(name, "test.")) &&
			i+1 < len(args) {
			i++
			value = args[i]
		}
		if slices.Contains(choosing, name) {
			flags = append(flags, "-"+name+"="+value)
		}
	}
	if command == "run" {
		// go run takes Go files up to the first argument that is none.
		if i := slices.IndexFunc(words,
			func(w string) bool { return !strings.HasSuffix(w, ".go") }); i > 0 {
			words = words[:i]
		}
	}
	if len(words) == 0 {
		words = []string{"."}
	}
	return flags, words
}

// ArgsFor are the arguments of go test with other packages than those that the command line names.
func (b *Build) ArgsFor(packages []string) []string {
	var flags []string
	for i := 0; i < len(b.Args); i++ {
		arg := b.Args[i]
		if arg == "-args" || arg == "--args" {
			return slices.Concat(flags, packages, b.Args[i:])
		}
		if !strings.HasPrefix(arg, "-") || arg == "-" {
			continue
		}
		flags = append(flags, arg)
		name := strings.TrimPrefix(strings.TrimPrefix(arg, "-"), "-")
		if !strings.Contains(name, "=") && i+1 < len(b.Args) &&
			!slices.Contains(boolean, strings.TrimPrefix(name, "test.")) {
			i++
			flags = append(flags, b.Args[i])
		}
	}
	return slices.Concat(flags, packages)
}
