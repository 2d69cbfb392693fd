// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/commutego/commute/internal/toolchain/toolexec"
	"github.com/commutego/commute/internal/tracebench"
)

const benchHelp = `usage: commute bench papers [-events N] [-timeout D] [-rapid CLASSPATH] [-dir DIR]

Measures the checks of recorded traces, after the papers: each check on traces of several
shapes; AeroDrome as printed and optimised beside Velodrome, on traces with the numbers of AeroDrome's
table 1, scaled; and time against length. The traces are generated. Tables in Markdown are printed.

	-events N
		the greatest number of events of a trace (1000000).
	-timeout D
		for one measurement (1m0s).
	-rapid CLASSPATH
		measure RAPID's AeroDrome beside, on the same files: where its classes are, and
		the libraries that it needs.
	-dir DIR
		keep the traces and a plot, length.svg, there; otherwise they are removed.
`

func bench(args []string, _ toolexec.Config) int {
	if len(args) == 0 || args[0] != "papers" {
		fmt.Fprint(os.Stderr, benchHelp)
		return toolexec.ExitUsage
	}
	fs := flagSet("bench papers", benchHelp)
	events := count(1000000)
	o := tracebench.Options{}
	fs.Var(&events, "events", "")
	fs.DurationVar(&o.Timeout, "timeout", time.Minute, "")
	fs.StringVar(&o.Rapid, "rapid", "", "")
	fs.StringVar(&o.Dir, "dir", "", "")
	if code, ok := parseFlags(fs, args[1:]); !ok {
		return code
	}
	if fs.NArg() > 0 || events < 10 {
		return misused("bench papers: takes flags only, and at least 10 events")
	}
	o.Events = uint64(events)
	var err error
	if o.Commute, err = os.Executable(); err != nil {
		return fail(err)
	}
	if o.Dir == "" {
		if o.Dir, err = os.MkdirTemp("", "commute"); err != nil {
			return fail(err)
		}
		defer os.RemoveAll(o.Dir)
	} else {
		o.Plot = filepath.Join(o.Dir, "length.svg")
		if err := os.MkdirAll(o.Dir, 0o777); err != nil {
			return fail(err)
		}
	}
	if err := tracebench.Run(os.Stdout, o); err != nil {
		return fail(err)
	}
	return 0
}
