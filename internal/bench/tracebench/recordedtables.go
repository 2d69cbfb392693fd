// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package tracebench

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/commutego/commute/internal/bench/tracebench/programs"
)

// cell is the methods that are reported, and how many of those that some order breaks are not.
func (t *trial) cell(p *programs.Program) string {
	switch {
	case t.refused != "":
		return "-"
	case t.timeout:
		return "timeout"
	}
	missed := p.Broken()
	for name := range t.methods {
		if p.Breaks(name) {
			missed--
		}
	}
	if missed == 0 {
		return t.report(p)
	}
	return fmt.Sprintf("%s, %d missed", t.report(p), missed)
}

// proof is how many transactions were proven, are broken by some order, and are unknown.
func (t *trial) proof() string {
	if t.refused != "" || t.timeout {
		return "-"
	}
	return fmt.Sprintf("%d / %d / %d", t.proven, t.alarms, t.unknown)
}

// outcome is what became of the transactions, of avp.
func (t *trial) outcome() string {
	if t.refused != "" || t.timeout {
		return "-"
	}
	n := &t.became
	return fmt.Sprintf("%d / %d / %d / %d", n.Filtered, n.Found, n.None, n.GaveUp)
}

// cycles is how many deadlocks are told.
func (t *trial) cycles() string {
	switch {
	case t.refused != "" || t.timeout:
		return "-"
	case t.partial:
		return fmt.Sprintf("%d or more", t.deadlocks)
	}
	return fmt.Sprint(t.deadlocks)
}

func (t *trial) duration() string {
	if t.refused != "" {
		return "-"
	}
	return t.seconds()
}

// printRecorded prints what was found, and how long it took, beside what papers have.
func (o *Options) printRecorded(w io.Writer, list []*recording) {
	fmt.Fprintf(w, "The programs are written anew in Go. Each was run %d times as it goes, on "+
		"all processors, and recorded by commute. Methods that are reported in any of these "+
		"runs, as bugs-benign-false alarms; missed are those that some order breaks. `frontier` and "+
		"`aerodrome` name one transaction of a cycle, which may be another than the broken one; "+
		"`aerodrome` stops at the first.\n\n", naturalRuns)
	header(w, append([]string{"program", "events", "transactions", "paper: commit node"},
		recordedChecks...)...)
	refused := make(map[string][]string)
	for _, r := range list {
		cells := []string{r.program.Name, short(float64(r.events)),
			short(float64(r.transactions)), r.program.Paper.CommitNode}
		for _, check := range recordedChecks {
			cells = append(cells, r.trials[check].cell(r.program))
		}
		for _, check := range timedChecks {
			t, name := r.trials[check], "`"+check+"`"
			if t.refused != "" && !slices.Contains(refused[t.refused], name) {
				refused[t.refused] = append(refused[t.refused], name)
			}
		}
		row(w, cells...)
	}
	fmt.Fprintln(w)
	for _, why := range slices.Sorted(maps.Keys(refused)) {
		fmt.Fprintf(w, "A dash: %s took none of these traces: %s.\n\n",
			strings.Join(refused[why], ", "), why)
	}
	o.printRecordedProofs(w, list)
	o.printRecordedTimes(w, list)
}

// printRecordedProofs prints what became of the transactions.
func (o *Options) printRecordedProofs(w io.Writer, list []*recording) {
	fmt.Fprintf(w, "Transactions of these runs: proven / potential / unknown; of `avp` filtered / "+
		"found / none / gave up; and the deadlocks that `goodlock` tells, of each run.\n\n")
	columns := append([]string{"program", "transactions"}, provers...)
	header(w, append(columns, "avp", "goodlock")...)
	for _, r := range list {
		cells := []string{r.program.Name, short(float64(r.transactions))}
		for _, check := range provers {
			cells = append(cells, r.trials[check].proof())
		}
		row(w, append(cells, r.trials["avp"].outcome(), r.trials["goodlock"].cycles())...)
	}
	fmt.Fprintln(w)
}

func (o *Options) printRecordedTimes(w io.Writer, list []*recording) {
	fmt.Fprintf(w, "Seconds of the processor for all %d traces of a program, reading included; "+
		"and what the papers have. Commit node: Wang and Stoller's, the run included, on a "+
		"processor of 1 GHz. Velodrome and AeroDrome: those of AeroDrome's paper, by RAPID, of "+
		"its traces of these programs (TO: ten hours).\n\n", naturalRuns)
	columns := append([]string{"program"}, timedChecks...)
	columns = append(columns, "paper: commit node", "its events", "Velodrome", "AeroDrome")
	if o.Rapid != "" {
		columns = append(columns, "RAPID's AeroDrome, here", "seconds")
	}
	header(w, columns...)
	for _, r := range list {
		cells := []string{r.program.Name}
		for _, check := range timedChecks {
			cells = append(cells, r.trials[check].duration())
		}
		cells = append(cells, r.program.Paper.CommitTime)
		cells = append(cells, rapidCells(r.program.Name)...)
		if o.Rapid != "" {
			cells = append(cells, r.rapid[:]...)
		}
		row(w, cells...)
	}
	fmt.Fprintln(w)
}

// rapidCells is what AeroDrome's paper has of a program: events, and seconds.
func rapidCells(name string) []string {
	for _, p := range table1Programs {
		if p.name == name {
			velodrome := "TO"
			if p.velodrome > 0 {
				velodrome = fmt.Sprint(p.velodrome)
			}
			return []string{short(p.events), velodrome, fmt.Sprint(p.aerodrome)}
		}
	}
	return []string{"", "", ""}
}
