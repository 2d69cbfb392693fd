// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/commutego/commute/internal/option"
	"github.com/commutego/commute/internal/toolchain/toolexec"
)

// A subcommand is one word after "commute".
type subcommand struct {
	name  string
	short string
	long  string // what "help" adds
	run   func(args []string, config toolexec.Config) int
}

var commands []subcommand

func init() { // not a literal: help refers to commands
	commands = []subcommand{
		{"test", "run tests, as go test does, and fail those in which a violation is found",
			testHelp + flagHelp("test") + testHelpEnd, goCommand("test")},
		{"run", "build and run a program, as go run does",
			runHelp + flagHelp("run"), goCommand("run")},
		{"build", "build a program that watches itself, as go build does",
			buildHelp + option.FlagHelp(nil, "build"), goCommand("build")},
		{"analyze", "check recorded traces: commute's, and RAPID's formats", analyzeHelp(),
			analyzeTraces},
		{"vet", "find bugs without a run, as go vet with commute as its tool", vetHelp(),
			vetPackages},
		{"fix", "mend what vet finds in the source, where one step can stand for two", fixHelp(),
			fixPackages},
		{"trace", "show, convert, validate, make and cut traces", traceHelp(), traces},
		{"cover", "show and merge what commute test -conc_cover or -explore has covered", coverHelp,
			cover},
		{"bench", "repeat the papers' experiments: what the checks cost", benchHelp(), bench},
		{"spec", "show and check specifications", specHelp, spec},
		{"explain", "say what a kind of finding means, and how to mend it", explainHelp,
			explainKind},
		{"toolexec", "what the go command runs: go test -toolexec=\"commute toolexec\"",
			toolexecHelp + option.FlagHelp(nil, "toolexec") + toolexecHelpEnd, runToolexec},
		{"version", "print the version of commute", versionHelp, printVersion},
		{"help", "print this text, or that of a command", "", help},
	}
}

const testHelp = `usage: commute test [-datarace] [-atomic PATTERN] [-spec FILE] [-strict] [-trace FOLDER]
                    [build and test flags] [packages] [-args ...]

Takes every flag of go test but -race, -msan, -asan, -toolexec and -trace. The exit code is go
test's: 1 if a test fails, and a test in which a violation is found does; 2 if commute cannot work
here. At the end a line on standard error says what was watched. The first run builds the standard
library anew.

`

const testHelpEnd = `
All other flags are go test's: see go help test, go help testflag and go help build.
`

const runHelp = `usage: commute run [flags] [build flags] package [arguments]

A program in which something is found exits with code 66, of which go run makes
"exit status 66" and a code of 1, as it does under -race.

`

const buildHelp = `usage: commute build [flags] [build flags] [packages]

The program watches itself when it runs, and exits with code 66 if it finds something.

`

const toolexecHelp = `usage: go build|test|run -toolexec="commute toolexec [flags]" ...

The go command runs it with the path of a tool and the tool's arguments. For editors and
programs that run go test themselves; commute test checks more before it builds. With -datarace
or -atomic, memory is watched in all packages of the main module or workspace, and in package
testing.

`

const toolexecHelpEnd = `
Other values of these flags, and another text of FILE, make the go command build all packages
anew. Options of the programs that are run are in the environment variable COMMUTE (see commute
help options); commute test has more flags.

Without flags calls are watched, and code that is marked as atomic is named on stderr, for
it is not checked.
`

// optionsHelp is a topic, not a command: the environment variable is read by
// the program that is watched.
const optionsHelp = `The environment variable COMMUTE holds options for a program that is watched,
separated by spaces:

`

const optionsHelpEnd = `
In a value, %20 is a space and %25 a percent sign. Paths are relative to the folder in which
commute test or run is called, and commute test and run refuse what is wrong, with exit code 2,
before anything is built. A program that is run by itself says so on stderr, and goes on without
the option.
`

const versionHelp = `usage: commute version
`

// usage is the text of commute help.
func usage() string {
	return `Commute finds the concurrency bugs that go test -race cannot see.

Usage:

	commute <command> [arguments]

Examples:

	commute test ./...
	commute run ./cmd/server -listen :8080

` + commandTable() + `
"commute help <command>" says more, and "commute help options" what a program that is
watched can be told. As a vet tool, commute checks its own comments:

	go vet -vettool=$(which commute) ./...
`
}

func commandTable() string {
	var b strings.Builder
	b.WriteString("Commands:\n\n")
	for _, c := range commands {
		fmt.Fprintf(&b, "\t%-10s%s\n", c.name, c.short)
	}
	return b.String()
}

// help is commute help, with a command or topic.
func help(args []string, _ toolexec.Config) int {
	if len(args) == 0 || slices.Contains([]string{"help", "-h", "-help", "--help"}, args[0]) {
		fmt.Print(usage())
		return 0
	}
	if args[0] == "options" {
		fmt.Print(optionsHelp + option.Help() + optionsHelpEnd)
		return 0
	}
	for _, c := range commands {
		if c.name == args[0] {
			fmt.Print(c.long)
			return 0
		}
	}
	return unknownCommand(args[0])
}
