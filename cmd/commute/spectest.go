// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/commutego/commute/internal/option"
	"github.com/commutego/commute/internal/spectest"
	"github.com/commutego/commute/internal/toolchain/toolexec"
)

const specTestUsage = `usage: commute spec test [flags] PACKAGE

Test tries to refute the specifications of a package's types on the package itself: it
calls pairs of methods in both orders, on objects in random states. It looks for them in
the types' doc comments, in the package's .ecl files and among those that come with commute.

`

const specTestEnd = `
Where a formula is wrong, it prints a Go test that fails, and exits with code 1; so it does if
no call of a method returned, for then nothing was tested of it. The table
says of how many cases the formula held, and in how many the calls commuted though it did
not; cases in which a call panicked are none. Objects come from //ecl:new EXPR, else from
NewNAME() or New(), else they are zero values, or, where methods panic on these, come from a
function New... with arguments; parameters have a few values of each type, or those of
//ecl:sample TYPE: EXPR, EXPR.
`

func specTestHelp() string {
	return specTestUsage + option.FlagHelp(nil, "spec test") + specTestEnd
}

// specTest is commute spec test.
func specTest(args []string) int {
	flags := flag.NewFlagSet("spec test", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	var o spectest.Options
	flags.IntVar(&o.Checks, "checks", 1000, "")
	flags.Uint64Var(&o.Seed, "seed", 1, "")
	flags.StringVar(&o.SpecFile, "spec", "", "")
	flags.StringVar(&o.Type, "type", "", "")
	flags.DurationVar(&o.Timeout, "timeout", 5*time.Second, "")
	asJSON := flags.Bool("json", false, "")
	err := parse(flags, args)
	switch {
	case errors.Is(err, flag.ErrHelp):
		fmt.Print(specTestHelp())
		return 0
	case err != nil:
		return misused("%s: %v", flags.Name(), flagError(flags, err))
	case flags.NArg() != 1:
		err = fmt.Errorf("%d packages are named, not one (name its folder, as in ./store, or its "+
			"import path)", flags.NArg())
	case o.Checks < 1:
		err = errors.New("-checks is less than 1")
	case o.Timeout < 10*time.Millisecond:
		err = errors.New("-timeout is less than 10ms")
	}
	if err != nil {
		fmt.Fprintf(os.Stderr, "commute: spec test: %v\n\n%s", err, specTestHelp())
		return toolexec.ExitUsage
	}
	o.Package = flags.Arg(0)
	report, err := spectest.Run(o)
	if err != nil {
		return fail(err)
	}
	if *asJSON {
		e := json.NewEncoder(os.Stdout)
		e.SetEscapeHTML(false)
		e.SetIndent("", "\t")
		if err := e.Encode(report); err != nil {
			return fail(err)
		}
	} else {
		report.Print(os.Stdout)
	}
	if report.Refuted() || report.Untested() {
		return 1
	}
	return 0
}

// ownFlags takes the flags off the command line that package rapid has put there. The go command
// asks its vet tool for its flags, and would take them for commute's.
func ownFlags() {
	flag.CommandLine = flag.NewFlagSet(os.Args[0], flag.ExitOnError)
	flag.CommandLine.Usage = func() { flag.Usage() }
}
