// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

// Command commute finds the concurrency bugs that go test -race cannot see. It runs the user's own
// go command with itself as -toolexec.
//
// Input: a subcommand and the go command's arguments. Output: the go command's, with findings. The
// exit code is the go command's, or 2 if the command line or the environment is wrong.
//
// # Files
//
//	main, help, version, explain   the subcommands, and the texts about them
//	flags, goflags, gocmd          the command line of test, run and build, and its checks
//	watch, atomic, record          the flags and variables that these give the go command
//	explore, confirm               tests run under explored schedules; findings are confirmed so
//	foreground, counts             the go command runs, and the line about what was watched
//	spec, check, show, spectest    commute spec; specdraft, draft and skeleton: its drafts;
//	specinfer                      what it infers
//	analyze, trace, traceparts     traces
//	vet, vetunit, vetreport        the analyzers as the tool of go vet; vetrun: commute vet,
//	                               fix: commute fix
//	reports, artifacts             findings, written to files
//	silent, total                  suppressed findings, and the list at the end
//	toolexec                       the tool of the go command: see internal/toolchain/toolexec
package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/commutego/commute"
	"github.com/commutego/commute/ecl"
	"github.com/commutego/commute/internal/explore"
	"github.com/commutego/commute/internal/spectest/environ"
	"github.com/commutego/commute/internal/suggest"
	"github.com/commutego/commute/internal/toolchain/golist"
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
				if c.long != "" && wantsHelp(c.name, args[1:]) {
					fmt.Print(c.long)
					return 0
				}
				return c.run(args[1:], config)
			}
		}
		if isVettool(args) {
			vet()
		}
		switch args[0] {
		case runnerWord:
			return runAndPredict(args[1:])
		case explore.ExecWord:
			return exploreTests(args[1:])
		case explore.ConfirmWord:
			return confirmTests(args[1:])
		case "-h", "-help", "--help":
			return help(args[1:], config)
		case "-version", "--version":
			return printVersion(nil, config)
		}
		return unknownCommand(args[0])
	}
	fmt.Fprint(os.Stderr, usage())
	return toolexec.ExitUsage
}

// unknownCommand prints that there is no command of that name, and which ones there are.
func unknownCommand(name string) int {
	var names []string
	for _, c := range commands {
		names = append(names, c.name)
	}
	hint := ""
	if near := suggest.Nearest(name, names); near != "" {
		hint = " (did you mean " + near + "?)"
	}
	for _, f := range flagTable {
		if f.name == name {
			hint = " (it is a flag: commute test -" + name + ")"
		}
	}
	fmt.Fprintf(os.Stderr, "commute: unknown command %q%s\n\n%s", name, hint, commandTable())
	return toolexec.ExitUsage
}

// wantsHelp reports whether the help of a command is asked for. Behind the packages of run and
// behind -args, flags are those of the program.
func wantsHelp(name string, args []string) bool {
	for i, arg := range args {
		switch arg {
		case "-h", "-help", "--help":
			return name == "test" || name == "build" || i == 0 ||
				strings.HasPrefix(args[0], "-") && name == "run"
		case "-args", "--args":
			return false
		}
		if name == "run" && !strings.HasPrefix(arg, "-") || name == "toolexec" {
			return false
		}
	}
	return false
}

// fail prints an error, or each of several on a line of its own. An error with a place in a file
// begins with that. What the go command refuses is said as it has said it. The exit code is the
// greatest of those of all errors.
func fail(err error) int {
	if list, ok := err.(interface{ Unwrap() []error }); ok {
		code := 0
		for _, err := range list.Unwrap() {
			code = max(code, fail(err))
		}
		return code
	}
	var refused *golist.Refusal
	if errors.As(err, &refused) {
		fmt.Fprintln(os.Stderr, refused.Text)
		return refused.Code
	}
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
	fmt.Fprintf(os.Stderr, "commute: %v\n", err)
	return toolexec.ExitUsage
}
