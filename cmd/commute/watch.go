// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package main

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/commutego/commute/internal/toolchain/command"
	"github.com/commutego/commute/internal/toolchain/goenv"
	"github.com/commutego/commute/internal/toolchain/target"
	"github.com/commutego/commute/internal/toolchain/toolexec"
)

// watch has accesses to memory watched: those of the packages on the command line, of package testing, and of those
// that -watch names. It returns flags for the go command, to be put before args, and args without -gcflags: they are among
// the former, for of all that match a package only the last counts.
func watch(own setting, name string, args []string, env *goenv.Env) (flags, rest []string, err error) {
	if !own.datarace {
		if len(own.watch) > 0 {
			return nil, nil, errors.New("-watch says whose accesses to memory are watched; it needs -datarace")
		}
		return nil, args, nil
	}
	if p := target.Current(); !compilerHasRace(p) {
		return nil, nil, fmt.Errorf("-datarace needs the compiler's -race, which does not exist for %s/%s: drop the flag", p.GOOS, p.GOARCH)
	}
	if err := os.Setenv(toolexec.MemoryVariable, "1"); err != nil {
		return nil, nil, err
	}
	given, rest := takeGcflags(name, args)
	var inherited []string
	for _, word := range strings.Fields(env.GOFLAGS) {
		if v, ok := strings.CutPrefix(strings.TrimLeft(strings.Trim(word, "'\""), "-"), "gcflags="); ok {
			inherited = append(inherited, v)
		}
	}
	named, all := "", ""  // what the packages on the command line are compiled with, and others
	var patterns []string // what some are
	for _, v := range append(inherited, given...) {
		switch pattern, f := splitGcflags(v); pattern {
		case "all":
			named, all = f, f
		case "":
			named = f
		default:
			patterns = append(patterns, "-gcflags="+v+" -"+command.Watch)
		}
	}
	for _, v := range given {
		flags = append(flags, "-gcflags="+v)
	}
	flags = append(flags, "-gcflags="+strings.TrimSpace(named+" -"+command.Watch))
	// A goroutine that logs after the end of its test races with that in package testing.
	for _, pattern := range append([]string{"testing"}, own.watch...) {
		flags = append(flags, "-gcflags="+pattern+"="+strings.TrimSpace(all+" -"+command.Watch))
	}
	return append(flags, patterns...), rest, nil
}

// splitGcflags splits the value of a -gcflags flag as the go command does.
func splitGcflags(v string) (pattern, flags string) {
	if strings.HasPrefix(v, "-") || !strings.Contains(v, "=") {
		return "", v
	}
	pattern, flags, _ = strings.Cut(v, "=")
	return pattern, flags
}

// takeGcflags takes the -gcflags flags out of args.
func takeGcflags(name string, args []string) (values, rest []string) {
	for i := 0; i < len(args); i++ {
		arg := args[i]
		if arg == "-args" || arg == "--args" || name == "run" && !strings.HasPrefix(arg, "-") {
			return values, append(rest, args[i:]...)
		}
		flag, value, hasValue := strings.Cut(strings.TrimPrefix(strings.TrimPrefix(arg, "-"), "-"), "=")
		if !strings.HasPrefix(arg, "-") || flag != "gcflags" {
			rest = append(rest, arg)
			continue
		}
		if !hasValue && i+1 < len(args) {
			i++
			value = args[i]
		}
		values = append(values, value)
	}
	return values, rest
}

// compilerHasRace reports whether the compiler can instrument accesses to memory for a platform.
func compilerHasRace(p target.Platform) bool {
	return slices.Contains([]string{
		"linux/amd64", "linux/arm64", "linux/loong64", "linux/ppc64le", "linux/riscv64", "linux/s390x",
		"darwin/amd64", "darwin/arm64", "freebsd/amd64", "netbsd/amd64", "windows/amd64",
	}, p.GOOS+"/"+p.GOARCH)
}
