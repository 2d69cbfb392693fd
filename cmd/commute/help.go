// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package main

import (
	"fmt"
	"os"
	"strings"

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
		{"test", "run tests, as go test does, and fail those in which a violation is found", testHelp, goCommand("test")},
		{"run", "build and run a program, as go run does", runHelp, goCommand("run")},
		{"build", "build a program that watches itself, as go build does", buildHelp, goCommand("build")},
		{"analyze", "check recorded traces: commute's, and RAPID's formats", analyzeHelp(), analyzeTraces},
		{"trace", "show, convert, validate, make and cut traces", traceHelp, traces},
		{"bench", "repeat the papers' experiments: what the checks cost", benchHelp, bench},
		{"spec", "show and check specifications", specHelp, spec},
		{"explain", "say what a kind of finding means, and how to mend it", explainHelp, explainKind},
		{"toolexec", "what the go command runs: go test -toolexec=\"commute toolexec\"", toolexecHelp, runToolexec},
		{"version", "print the version of commute", versionHelp, printVersion},
		{"help", "print this text, or that of a command", "", help},
	}
}

const testHelp = `usage: commute test [-datarace] [-atomic PATTERN] [-spec FILE] [-strict] [-trace FOLDER] [build and test flags] [packages] [-args ...]

Takes every flag of go test but -race, -msan, -asan, -toolexec and -trace. The exit code is
go test's: 1 if a test fails, and a test in which a violation is found does;
2 if commute cannot work here. At the end a line on standard error says what was watched. The first run builds the standard library anew.

	-spec FILE
		specifications of types, in a .ecl file; or the import path of a package
		whose specifications come with commute, to apply them to any version.
		The flag may be given more than once, and to run and build too.
	-datarace
		find data races too, in the packages on the command line and in package
		testing; for run and build as well. The reports are in the format of
		go test -race. It needs no cgo.
	-atomic PATTERN
		take functions for atomic, as //atomic above them does, without a change of
		the source. A pattern is held against their names as stack traces have them,
		and * stands for any text: 'bank.(*Account).*'. Of a
		package its own name is enough. Of main, init and tests, only what a pattern without
		a * names is meant. "exported" is all exported functions and methods of the
		packages on the command line, but for those in _test.go files; function
		literals have no names. //commute:notatomic above a function goes before.
		The flag may be given more than once, and to run and build too.
	-strict
		exit with code 2 if nothing was watched, or if there is code that is marked as
		atomic and none of it was run. Results of go's test cache don't count: tests are run
		anew. For run as well.
	-trace FOLDER
		record what each test binary does, in a file in that folder, for commute
		analyze. Memory is watched for it, as with -datarace. For run as well.
	-trace_last N
		keep only the end of each trace: the last N megabytes, and the definitions that
		they need, however long the program runs.
	-trace_limit N
		end each trace after N megabytes.
	-watch PATTERN
		with -datarace or -trace, or where code is marked as atomic: watch the memory accesses
		of these packages too; "all" is the standard library and all else. The flag
		may be given more than once.
`

const runHelp = `usage: commute run [build flags] package [arguments]

A program in which something is found exits with code 66, of which go run makes
"exit status 66" and a code of 1, as it does under -race.
`

const buildHelp = `usage: commute build [build flags] [packages]

The program watches itself when it runs, and exits with code 66 if it finds something.
`

const toolexecHelp = `usage: go build|test|run -toolexec="commute toolexec" ...

The go command runs it with the path of a tool and the tool's arguments.
`

// optionsHelp is a topic, not a command: the environment variable is read by
// the program that is watched.
const optionsHelp = `The environment variable COMMUTE holds options for a program that is watched,
separated by spaces:

	level=LEVEL           what is reported: violations, races (the default) or all
	exitcode=N            exit code of a program with findings (66)
	halt_on_error=1       end the program at the first report
	log_path=PATH         write reports to PATH.pid, or to stdout or stderr (the default)
	strip_path_prefix=P   leave P off file names
	suppressions=FILE     keep silent what a line of FILE matches
	trace=FOLDER          write a trace into FOLDER, where memory is watched (see -trace)
	trace_limit_mb=N      of so many megabytes at most: the beginning
	trace_last_mb=N       of the last so many megabytes, and the definitions that they need
	stats=1               tell at the end what was watched, and how many transactions were checked
	atexit_sleep_ms=N     with -datarace, wait so long at the end for goroutines that go on (1000)
`

const versionHelp = `usage: commute version
`

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

func help(args []string, _ toolexec.Config) int {
	if len(args) == 0 || args[0] == "help" {
		fmt.Print(usage())
		return 0
	}
	if args[0] == "options" {
		fmt.Print(optionsHelp)
		return 0
	}
	for _, c := range commands {
		if c.name == args[0] {
			fmt.Print(c.long)
			return 0
		}
	}
	fmt.Fprintf(os.Stderr, "commute: unknown command %q\n\n%s", args[0], commandTable())
	return toolexec.ExitUsage
}
