// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"

	"github.com/commutego/commute/internal/option"
	"github.com/commutego/commute/internal/toolchain/toolexec"
)

const fixUsage = `usage: commute fix [-diff] [flags] [packages]

Mends what commute vet finds, where one step can take the place of two: it writes the source files.
A single goroutine can't tell the difference. -diff prints the changes and writes nothing. Without
-checkact and -splitlock both look for what to mend. The flags of go vet that say which packages are
built, as -tags and -C, are taken, too. It is go vet -fix with commute as its tool. What has no fix
is counted: commute vet -checkact -splitlock shows it.

`

const fixEnd = `
The exit code is 0 if all is well, 1 if a package doesn't build, or if -diff prints a change, and 2
if the command line is wrong.
`

func fixHelp() string { return fixUsage + option.FlagHelp(nil, "commute fix", "fix") + fixEnd }

// fixPackages is commute fix.
func fixPackages(args []string, _ toolexec.Config) int {
	rest, err := fixArgs(args)
	if err != nil {
		return misused("fix: %v", err)
	}
	self, err := os.Executable()
	if err != nil {
		return fail(err)
	}
	var chdir []string
	if n := chdirArgs(rest); n > 0 {
		chdir, rest = rest[:n], rest[n:]
	}
	cmd := exec.Command("go", slices.Concat([]string{"vet"}, chdir,
		[]string{"-fix", "-vettool=" + self}, rest)...)
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	err = cmd.Run()
	diff := hasFlag("diff", rest, "")
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		if diff {
			tellUnfixed(chdir, rest, true)
		}
		return vetCode(exit)
	} else if err != nil {
		return fail(err)
	}
	tellUnfixed(chdir, rest, diff)
	return 0
}

// tellUnfixed says how many findings are not mended. With diff, nothing has been written, and those
// that have a fix are on standard output. Where packages don't build, go has said so before.
func tellUnfixed(chdir, args []string, diff bool) {
	args = slices.DeleteFunc(slices.Clone(args), func(arg string) bool {
		name, _, _ := cutFlag(arg)
		return name == "diff"
	})
	findings, code, err := new(vetRun).run(slices.Concat(chdir, args), io.Discard)
	if err != nil || code != 0 {
		return
	}
	n := 0
	for _, f := range findings {
		if !diff || len(f.Fixes) == 0 {
			n++
		}
	}
	what := "findings have"
	if n == 1 {
		what = "finding has"
	}
	if n > 0 {
		fmt.Fprintf(os.Stderr, "commute: fix: %d %s no fix (commute vet -checkact -splitlock shows "+
			"what is left)\n", n, what)
	}
}

// fixArgs are the arguments of commute fix for go vet: where no lint that suggests fixes is asked
// for, all of those are.
func fixArgs(args []string) (rest []string, err error) {
	for _, arg := range args {
		switch name, _, _ := cutFlag(arg); name {
		case "fix", "json", "vettool", "c", "report", "suppressions", "reduction":
			return nil, fmt.Errorf("-%s can't be given: fix changes files, or prints changes "+
				"with -diff, and reports nothing (commute vet does)", name)
		default:
			if near := misspelt(name, "fix"); near != "" {
				return nil, fmt.Errorf("unknown flag -%s (did you mean -%s?)", name, near)
			}
		}
	}
	if slices.ContainsFunc(args, func(arg string) bool {
		name, option, _ := flagParts(arg)
		return option == "" && (name == "checkact" || name == "splitlock")
	}) {
		return args, nil
	}
	n := chdirArgs(args)
	return slices.Concat(args[:n], []string{"-checkact", "-splitlock"}, args[n:]), nil
}
