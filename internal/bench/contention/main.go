// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

// Command contention simulates what calls of one map cost as processors are added, for machines
// that aren't at hand. From the root of the repository:
//
//	go run ./internal/bench/contention [-procs 1,2,4,8,16,32,64] [-calls 20000] [-keys 1024]
//		[-own 90] [-again 30] [-outside 80] [-transfer 60]
//
// Input: the nanoseconds of a call that waits for nothing, within the object's lock (-own) and
// outside of it (-outside), those of a Load in place of -own that its processor remembers (-again),
// and those that a line of a cache takes from one processor to another (-transfer). Output: a table
// with a row for each number of processors. It has for the object with one lock, for the object
// that is divided by key (package commrace), and for one of which processors remember Loads: the
// lines of caches that a call takes from other processors, and the nanoseconds from one call of the
// machine to the next.
//
// The calls are those of testdata/speed's MapMixed: 15 Loads to a Store, of keys that are drawn.
// The caches follow the MESI protocol. A line that another processor has written, or that others
// have and this one writes, is a transfer. What a call touches is in lines.go.
package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
)

func main() {
	if err := mainErr(os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "contention:", err)
		os.Exit(1)
	}
}

func mainErr(args []string, out io.Writer) error {
	fs := flag.NewFlagSet("contention", flag.ContinueOnError)
	procs := fs.String("procs", "1,2,4,8,16,32,64", "numbers of processors, at most 64 each")
	p := params{}
	fs.IntVar(&p.calls, "calls", 20000, "calls of each processor")
	fs.IntVar(&p.keys, "keys", 1024, "keys of the map")
	fs.Int64Var(&p.own, "own", 90, "nanoseconds of a call within the lock")
	fs.Int64Var(&p.again, "again", 30, "nanoseconds of a Load that is remembered, in place of own")
	fs.Int64Var(&p.outside, "outside", 80, "nanoseconds of a call outside of it")
	fs.Int64Var(&p.transfer, "transfer", 60, "nanoseconds that a line takes between processors")
	if err := fs.Parse(args); err != nil {
		return err
	}
	if p.calls < 1 || p.keys < 1 || p.own < 0 || p.again < 0 || p.outside < 0 || p.transfer < 0 {
		return fmt.Errorf("negative or no calls, keys or nanoseconds")
	}
	fmt.Fprintln(out, "| processors | one lock: transfers a call | ns | divided: transfers | ns "+
		"| remembered: transfers | ns |")
	fmt.Fprintln(out, "| --- | --- | --- | --- | --- | --- | --- |")
	for _, field := range strings.Split(*procs, ",") {
		n, err := strconv.Atoi(field)
		if err != nil || n < 1 || n > maxProcs {
			return fmt.Errorf("-procs: %q is no number from 1 to %d", field, maxProcs)
		}
		one, divided := simulate(p, n, 1, false), simulate(p, n, stripes, false)
		again := simulate(p, n, stripes, true)
		fmt.Fprintf(out, "| %d | %.1f | %.1f | %.1f | %.1f | %.1f | %.1f |\n",
			n, one.transfers, one.ns, divided.transfers, divided.ns, again.transfers, again.ns)
	}
	return nil
}
