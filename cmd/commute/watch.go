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
	"github.com/commutego/commute/internal/toolchain/golist"
	"github.com/commutego/commute/internal/toolchain/target"
	"github.com/commutego/commute/internal/toolchain/toolexec"
)

// watch has accesses to memory watched, for data races or for transactions. That concerns the
// packages on the command line, package testing, and the packages of -watch. Patterns of -atomic
// are handed on, and the packages of exported have their exported functions marked. All but those
// of the standard library are compiled with the flags of every, too.
//
// It returns flags for the go command, to be put before args, and args without -gcflags. The user's
// -gcflags are among the flags: of all that match a package only the last one counts.
func watch(own setting, marked bool, exported []golist.Package, build *golist.Build,
	env *goenv.Env, every []string) (flags, rest []string, err error) {
	name, args := build.Command, build.Args
	if !own.datarace && !marked && own.trace == "" {
		if list, err := build.Watched(); err == nil && len(own.watch) > 0 && len(list) == 0 {
			return nil, nil, fmt.Errorf("-watch %s: no package of this build is called so",
				strings.Join(own.watch, " -watch "))
		}
		if len(own.watch) > 0 {
			return nil, nil,
				errors.New("-watch says whose accesses to memory are watched; it needs " +
					"-datarace, -trace, or code that is marked as atomic")
		}
		if err := checkRecordable(name, args); err != nil {
			return nil, nil, err
		}
		return nil, args, os.Unsetenv(toolexec.MemoryVariable) // commute may test itself
	}
	// what the packages on the command line are compiled with, those of -watch, and testing
	var named, others, tests []string
	switch p := target.Current(env.GOVERSION); {
	case p.CompilerRace():
		if err := os.Setenv(toolexec.MemoryVariable, "1"); err != nil {
			return nil, nil, err
		}
		tests = watchFlags(own, marked)
		named, others = slices.Concat(tests, every), slices.Concat(tests, every)
	case own.datarace:
		return nil, nil,
			fmt.Errorf("-datarace needs the compiler's -race, which does not exist for %s: drop "+
				"the flag", p)
	case own.trace != "":
		return nil, nil,
			fmt.Errorf("-trace needs the compiler's -race, which does not exist for %s: drop the "+
				"flag", p)
	default:
		fmt.Fprintf(os.Stderr, "commute: code that is marked as atomic is not checked on %s, "+
			"which lacks the compiler's -race\n", p)
		return nil, args, nil
	}
	namedAtomic, othersAtomic := atomicFlags(own.atomic)
	named, others = append(named, namedAtomic...), append(others, othersAtomic...)
	flags, rest = compilerFlags(name, args, env, named, func(onLine, all string) (list []string) {
		// A goroutine that logs after the end of its test races with that in package testing.
		list = append(list, gcflags("testing=", all, tests))
		if marked {
			// Taking an element out depends on the goroutine that put it in, by accesses in these
			// packages.
			for _, pkg := range []string{"container/list", "container/heap", "container/ring"} {
				list = append(list, gcflags(pkg+"=", all, tests))
			}
		}
		for _, pattern := range own.watch {
			list = append(list, gcflags(pattern+"=", all, others))
		}
		more, e := exportedFlags(exported, build, compilation{onLine, named},
			compilation{all, others})
		err = e
		return append(list, more...)
	})
	return flags, rest, err
}

// watchFlags are the flags for a package whose accesses to memory are watched. All of them are
// announced where more is made of them than reports of data races.
func watchFlags(own setting, marked bool) []string {
	if marked || own.trace != "" || own.predict || own.explore != nil {
		return []string{"-" + command.Watch}
	}
	return []string{"-" + command.Watch, "-" + command.Once}
}

// gcflags is a flag for the go command, with flags for the compiler.
func gcflags(pattern, given string, more []string) string {
	return "-gcflags=" + pattern + strings.TrimSpace(given+" "+strings.Join(more, " "))
}

// compilerFlags adds flags to the user's own -gcflags, which are taken out of args. These are more,
// for the packages on the command line, and those that others returns. The arguments of others are
// what these packages and all packages are given.
func compilerFlags(name string, args []string, env *goenv.Env, more []string,
	others func(named, all string) []string) (flags, rest []string) {
	given, rest := takeFlag("gcflags", name, args)
	var inherited []string
	for _, word := range strings.Fields(env.GOFLAGS) {
		if v, ok := strings.CutPrefix(strings.TrimLeft(strings.Trim(word, "'\""), "-"),
			"gcflags="); ok {
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
			patterns = append(patterns, gcflags("", v, more))
		}
	}
	for _, v := range given {
		flags = append(flags, "-gcflags="+v)
	}
	flags = append(flags, gcflags("", named, more))
	return slices.Concat(flags, others(named, all), patterns), rest
}

// splitGcflags splits the value of a -gcflags flag as the go command does.
func splitGcflags(v string) (pattern, flags string) {
	if strings.HasPrefix(v, "-") || !strings.Contains(v, "=") {
		return "", v
	}
	pattern, flags, _ = strings.Cut(v, "=")
	return pattern, flags
}

// takeFlag takes a flag of the go command's that has a value out of args, which are for the command
// of a name.
func takeFlag(taken, name string, args []string) (values, rest []string) {
	for i := 0; i < len(args); i++ {
		arg := args[i]
		if arg == "-args" || arg == "--args" || name == "run" && !strings.HasPrefix(arg, "-") {
			return values, append(rest, args[i:]...)
		}
		bare := strings.TrimPrefix(strings.TrimPrefix(arg, "-"), "-")
		flag, value, hasValue := strings.Cut(bare, "=")
		if !strings.HasPrefix(arg, "-") || flag != taken {
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
