// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/commutego/commute/internal/bench/tracebench"
	"github.com/commutego/commute/internal/option"
	"github.com/commutego/commute/internal/toolchain/toolexec"
)

const benchUsage = `usage: commute bench papers [flags]

Repeats the experiments of the papers, and prints tables in Markdown. Traces are generated; the
store is built with the go command, and comes with commute.

`

const benchTables = `		speed     each check of traces on traces of several shapes
		table1    AeroDrome beside Velodrome, after table 1 of AeroDrome's paper: traces with
		          its numbers of threads, locks, variables and transactions, scaled
		table2    the same after its table 2, of violations that come early
		length    time against the length of a trace, with a straight line through it
		commitnodes  each check of atomicity on models of the programs of Wang and Stoller's
		          table 1, beside what that has of each
		predicted  check avp on models of the programs of Sinha, Malik, Wang and Gupta
		recorded  the checks of atomicity on recorded runs of both papers' programs, in Go,
		          which -programs names
		predictive  the checks that predict and prove, on traces of each shape
		rd2       a key-value store under load, after table 2 of RD2's paper: plain, with
		          -race, and with commute's checks of memory and of calls
`

func benchHelp() string {
	return benchUsage + option.FlagHelp(map[string]string{"table": benchTables}, "bench papers")
}

// bench is commute bench.
func bench(args []string, _ toolexec.Config) int {
	if len(args) == 0 || args[0] != "papers" {
		fmt.Fprint(os.Stderr, benchHelp())
		return toolexec.ExitUsage
	}
	fs := flagSet("bench papers", benchHelp())
	events, operations := count(1000000), count(10000)
	o := tracebench.Options{}
	list := fs.String("table", "", "")
	out := fs.String("o", "", "")
	fs.StringVar(&o.Plots, "dir", "", "")
	fs.Var(&events, "events", "")
	fs.Var(&operations, "operations", "")
	fs.IntVar(&o.Rounds, "rounds", 3, "")
	fs.DurationVar(&o.Timeout, "timeout", time.Minute, "")
	fs.StringVar(&o.Rapid, "rapid", "", "")
	fs.StringVar(&o.Programs, "programs", "", "")
	fs.StringVar(&o.Traces, "traces", "", "")
	if code, ok := parseFlags(fs, args[1:]); !ok {
		return code
	}
	if fs.NArg() > 0 {
		return misused("bench papers: takes flags only, not %s", fs.Arg(0))
	}
	o.Events, o.Operations = uint64(events), uint64(operations)
	if *list != "" {
		o.Tables = strings.Split(*list, ",")
	}
	if err := o.Check(); err != nil {
		return misused("bench papers: %v", err)
	}
	if err := benchPapers(o, *out); err != nil {
		return fail(err)
	}
	return 0
}

// benchPapers makes the folders and the file that are asked for, and measures.
func benchPapers(o tracebench.Options, out string) (err error) {
	if o.Commute, err = os.Executable(); err != nil {
		return err
	}
	if o.Dir = o.Plots; o.Dir == "" {
		if o.Dir, err = os.MkdirTemp("", "commute"); err != nil {
			return err
		}
		defer os.RemoveAll(o.Dir)
	} else if err := os.MkdirAll(o.Dir, 0o777); err != nil {
		return err
	}
	w := os.Stdout
	if out != "" {
		if w, err = os.Create(out); err != nil {
			return err
		}
		o.Home = filepath.Dir(out)
		defer func() { err = errors.Join(err, w.Close()) }()
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	return tracebench.Run(ctx, w, o)
}
