// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package tracebench

import (
	"fmt"
	"io"
	"path/filepath"

	"github.com/commutego/commute/internal/bench/tracebench/programs"
	"github.com/commutego/commute/internal/trace"
	"github.com/commutego/commute/internal/trace/tracefile"
)

// Checks of the table of programs: those that prove, what happened, and what could have.
var (
	provers    = []string{"forest-conflict", "forest-view", "block", "reduction"}
	predictors = []string{"velodrome", "avp"}
)

// runs are how many runs a check of one run's events is given, in the column of several.
const runs = 20

// modelled says what the programs are.
const modelled = "The programs are models: Go programs written anew, with the locks and the " +
	"atomic methods of the originals by what is known of them (package programs). The trace is " +
	"of one run in a seeded order, in STD. Barriers are joins and forks. "

// commitNodes is after table 1 of Wang and Stoller.
func (o *Options) commitNodes(w io.Writer) error {
	fmt.Fprintf(w, "## Table 1 of Wang and Stoller: commit nodes\n\n%sMethods that are reported, "+
		"as bugs-benign-false alarms, in the paper and by the checks. Unknown: transactions "+
		"neither proven nor broken by `forest-conflict` and `forest-view`. `velodrome` has what "+
		"happened, `avp` what is predicted, of the same run; and in %d short runs.\n\n", modelled,
		runs)
	header(w, "program", "events", "transactions", "paper: commit node", "reduction", "block",
		"forest-conflict", "forest-view", "block", "reduction", "unknown", "velodrome", "avp",
		"velodrome, runs", "avp, runs")
	var files []string
	var found []map[string]verdict
	for _, p := range programs.CommitNodes {
		r := o.grow(p)
		verdicts := judgeAll(p, r, append(provers[:len(provers):len(provers)], predictors...))
		row(w, o.methodCells(p, r, verdicts)...)
		file, err := o.save(p.Name, r)
		if err != nil {
			return err
		}
		files, found = append(files, file), append(found, verdicts)
	}
	fmt.Fprint(w, "\nSeconds: the paper's include the run, on a processor of 1 GHz; ours are the "+
		"processor's for the trace, reading included.\n\n")
	header(w, append([]string{"program", "paper: commit node", "reduction", "block"},
		append(provers[:len(provers):len(provers)], predictors...)...)...)
	for i, p := range programs.CommitNodes {
		cells := []string{p.Name, p.Paper.CommitTime, p.Paper.ReduceTime, p.Paper.BlockTime}
		for _, check := range append(provers[:len(provers):len(provers)], predictors...) {
			v := found[i][check]
			took, err := o.all(check, files[i], len(v.methods) > 0)
			if err != nil {
				return err
			}
			cells = append(cells, took.seconds())
		}
		row(w, cells...)
	}
	fmt.Fprintln(w)
	return nil
}

// methodCells are what is reported of a program.
func (o *Options) methodCells(p *programs.Program, r *programs.Run,
	verdicts map[string]verdict) []string {
	conflict, view := verdicts["forest-conflict"], verdicts["forest-view"]
	cells := []string{p.Name, short(float64(len(r.Events))),
		short(float64(conflict.proven + conflict.alarms + conflict.unknown)), p.Paper.CommitNode,
		p.Paper.Reduction, p.Paper.Block}
	for _, check := range provers {
		v := verdicts[check]
		cells = append(cells, v.report(p))
	}
	cells = append(cells, fmt.Sprintf("%d, %d", conflict.unknown, view.unknown))
	for _, check := range predictors {
		v := verdicts[check]
		cells = append(cells, v.report(p))
	}
	for _, check := range predictors {
		v := judgeRuns(check, p, complete(p))
		cells = append(cells, v.report(p))
	}
	return cells
}

// judgeAll is what each check says of a run.
func judgeAll(p *programs.Program, r *programs.Run, checks []string) map[string]verdict {
	verdicts := make(map[string]verdict)
	for _, check := range checks {
		verdicts[check] = judge(check, p, r)
	}
	return verdicts
}

// judgeRuns is the methods that a check reports in several short runs. It makes no more of these
// than it takes to report what enough says.
func judgeRuns(check string, p *programs.Program, enough func(verdict) bool) (all verdict) {
	all.methods = make(map[string]bool)
	for seed := uint64(0); seed < runs && !enough(all); seed++ {
		v := judge(check, p, p.Run(seed, 2))
		for name := range v.methods {
			all.methods[name] = true
		}
	}
	return all
}

// complete reports whether a check has reported all methods of a program that some order breaks.
func complete(p *programs.Program) func(verdict) bool {
	return func(v verdict) bool { return p.Broken() > 0 && len(v.methods) >= p.Broken() }
}

// grow is a run of a program with a hundredth of the events that are asked for, or more.
func (o *Options) grow(p *programs.Program) *programs.Run {
	for work := 2; ; work *= 2 {
		r := p.Run(1, work)
		if uint64(len(r.Events)) >= o.Events/100 {
			return r
		}
	}
}

// all is as analyze, of a check that goes on after its first finding.
func (o *Options) all(check, file string, violation bool) (result, error) {
	want := 0
	if violation {
		want = 1
	}
	return o.run(want, o.Commute, "analyze", "-all", "-check", check, file)
}

// save writes a run as a trace in STD.
func (o *Options) save(name string, r *programs.Run) (file string, err error) {
	file = filepath.Join(o.Dir, name+".std")
	out, err := tracefile.Create(file, tracefile.STD, 0, trace.NewTables())
	if err != nil {
		return "", err
	}
	if err := out.Write(r.Events); err != nil {
		return "", err
	}
	return file, out.Close()
}
