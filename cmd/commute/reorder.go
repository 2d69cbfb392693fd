// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"sync/atomic"

	"github.com/commutego/commute/internal/check/avp"
	"github.com/commutego/commute/internal/event"
	"github.com/commutego/commute/internal/offline"
	"github.com/commutego/commute/internal/trace/tracefile"
)

// avpFlags defines the flags of check avp. The result is for when they are parsed.
func avpFlags(fs *flag.FlagSet) func() (avp.Options, error) {
	window := fs.Int("window", avp.DefaultWindow, "")
	budget := fs.Int("budget", avp.DefaultBudget, "")
	switches := fs.Int("switches", avp.DefaultSwitches, "")
	bound := fs.Bool("bound", false, "")
	tas, static := fs.Bool("tas", true, ""), fs.Bool("static", true, "")
	forest, reduce := fs.Bool("forest", true, ""), fs.Bool("reduce", true, "")
	return func() (o avp.Options, err error) {
		for _, f := range []struct {
			name  string
			value int
		}{{"window", *window}, {"budget", *budget}, {"switches", *switches}} {
			if f.value < 1 || f.value > 1<<30 {
				return o, fmt.Errorf("-%s=%d (want a number from 1 to 2^30)", f.name, f.value)
			}
		}
		return avp.Options{
			Window: *window, Budget: *budget, Switches: *switches, Bound: *bound, NoTAS: !*tas,
			NoStatic: !*static, NoForest: !*forest, NoReduction: !*reduce,
		}, nil
	}
}

// noteGivenUp prints of how many transactions it is not known whether another order breaks them.
func (j *job) noteGivenUp() {
	for _, c := range j.result.Checks {
		if b := c.Blocks; b != nil && b.GaveUp > 0 {
			fmt.Fprintf(os.Stderr, "%s: note: %s gave up %d of %d transactions: it isn't known "+
				"whether another order breaks them (a greater -budget may tell)\n", j.file.Name, c.Name,
				b.GaveUp, b.N)
		}
	}
}

// traceReorder is commute trace reorder.
func traceReorder(args []string) int {
	fs := flagSet("trace reorder", traceHelp())
	format := fs.String("format", "", "")
	witness := fs.Int("witness", 1, "")
	name := fs.String("check", "avp", "")
	var mutexes optionalBool
	fs.Var(&mutexes, "mutexes", "")
	options := avpFlags(fs)
	var out output
	fs.StringVar(&out.to, "to", "", "")
	fs.StringVar(&out.codec, "codec", "s2", "")
	if code, ok := parseFlags(fs, args); !ok {
		return code
	}
	if fs.NArg() != 2 {
		return misused("trace reorder: want the names of two files, IN and OUT")
	}
	predict, err := options()
	if err != nil {
		return misused("trace reorder: %v", err)
	}
	file, err := tracefile.Open(fs.Arg(0), *format)
	if err != nil {
		return bad(err)
	}
	defer file.Close()
	if *name != "avp" && *name != "goodlock" {
		return misused("trace reorder: -check=%s (want avp or goodlock)", *name)
	}
	check, _ := offline.Find(*name)
	o := offline.Options{
		Checks: []offline.Check{check}, All: true, Mutexes: mutexes.value, AVP: predict,
	}
	var count atomic.Uint64
	result, err := offline.Run(file, o, &count)
	if err != nil {
		return bad(err)
	}
	var orders []*avp.Witness
	for i := range result.Checks[0].Findings {
		if w := result.Checks[0].Findings[i].Witness; w != nil {
			orders = append(orders, w)
		}
	}
	if *witness < 1 || *witness > len(orders) {
		return bad(fmt.Errorf("%s: there is no witness %d: check %s predicts %d violations",
			file.Name, *witness, *name, len(orders)))
	}
	rest := orders[*witness-1].Events
	err = out.write(fs.Arg(1), file.Tables(), func(buf []event.Event) ([]event.Event, error) {
		n := 0
		for ; n < len(buf) && n < len(rest); n++ {
			buf[n] = rest[n].Event
		}
		rest = rest[n:]
		if n == 0 {
			return nil, io.EOF
		}
		return buf[:n], nil
	})
	if err != nil {
		return bad(err)
	}
	return 0
}
