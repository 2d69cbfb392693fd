// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package tracebench

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/commutego/commute/internal/bench/tracebench/programs"
	"github.com/commutego/commute/report"
)

// A mode is one in which check avp is measured.
type mode struct {
	name  string
	flags []string
}

// modes are those of table I of Sinha and others, as far as their text says what they are: there,
// blocks that the static check doesn't pass are searched. The last one is the check's own.
var modes = []mode{
	{"no TAS", []string{"-tas=false", "-forest=false"}},
	{"TAS, no static check", []string{"-static=false", "-forest=false"}},
	{"TAS, 5 switches", []string{"-bound", "-switches=5", "-forest=false"}},
	{"TAS, no bound", []string{"-forest=false"}},
	{"all filters", nil},
}

// modesWork is how often the work is done in a run of the modes: the search of it can end.
const modesWork = 2

// predicted is after what Sinha and others say of their programs.
func (o *Options) predicted(w io.Writer) error {
	fmt.Fprintf(w, "## Programs of Sinha, Malik, Wang and Gupta: predicted violations\n\n%sWhat "+
		"became of the blocks, of `avp`. Reported are methods, as bugs-benign-false alarms, in "+
		"that run and in %d short ones.\n\n", modelled, runs)
	header(w, "program", "the paper's text", "events", "blocks", "filtered", "found", "none",
		"gave up", "broken methods", "reported", "reported, runs")
	var names []string
	var files [][]string
	for _, p := range programs.Predicted {
		r := o.grow(p)
		v, several := judge("avp", p, r), judgeRuns("avp", p, complete(p))
		var list []string
		for seed := range uint64(naturalRuns) {
			file, err := o.save(fmt.Sprintf("%s-%d", p.Name, seed+1), p.Run(seed+1, modesWork))
			if err != nil {
				return err
			}
			list = append(list, file)
		}
		names, files = append(names, p.Name), append(files, list)
		n := &v.blocks
		row(w, p.Name, p.Text, short(float64(len(r.Events))), fmt.Sprint(n.All),
			share(n.Filtered, n.All), fmt.Sprint(n.Found), fmt.Sprint(n.None),
			fmt.Sprint(n.GaveUp), fmt.Sprint(p.Broken()), v.report(p), several.report(p))
	}
	fmt.Fprintln(w)
	fmt.Fprintf(w, "In the modes of the paper, on %d short runs of each model. The budget is that "+
		"of a window, and a run has one. The paper's table I is not in the text that "+
		"there is. In all, the static check passes 81.75%% of its blocks, the mean TAS is 23.88%% "+
		"of the trace, 23 violations are found in 26 traces, and less than 1%% of the blocks end "+
		"in a timeout, of ten minutes each.\n\n", naturalRuns)
	if err := o.printModes(w, names, files); err != nil {
		return err
	}
	if o.Programs == "" {
		return nil
	}
	fmt.Fprintf(w, "The same of %d recorded runs of each program in Go:\n\n", naturalRuns)
	return o.recordedModes(w)
}

// recordedModes is the modes on recorded runs of the programs.
func (o *Options) recordedModes(w io.Writer) error {
	binary, err := o.compilePrograms()
	if err != nil {
		return err
	}
	var names []string
	var files [][]string
	for _, p := range bothPapers() {
		if !slices.ContainsFunc(programs.Predicted, func(q *programs.Program) bool {
			return strings.EqualFold(p.Name, q.Name)
		}) {
			continue
		}
		r := &recording{program: p}
		if err := o.record(binary, r); err != nil {
			return err
		}
		names, files = append(names, p.Name), append(files, r.files)
	}
	return o.printModes(w, names, files)
}

// printModes prints a row for each program and mode, and one for each mode of all programs.
func (o *Options) printModes(w io.Writer, names []string, files [][]string) error {
	header(w, "program", "mode", "blocks", "passed by the static check", "filtered in all",
		"mean TAS", "found", "none", "gave up", "states", "seconds")
	sums := make([]trial, len(modes))
	for i, name := range names {
		for k, m := range modes {
			var t trial
			for _, file := range files[i] {
				if err := o.tryMode(&t, m, file); err != nil {
					return err
				}
			}
			row(w, t.modeCells(name, m.name)...)
			sums[k].became.Add(&t.became)
			sums[k].took += t.took
			sums[k].timeout = sums[k].timeout || t.timeout
		}
	}
	for k, m := range modes {
		row(w, sums[k].modeCells("all", m.name)...)
	}
	fmt.Fprintln(w)
	return nil
}

// tryMode adds what avp says of a trace in a mode. Of several runs the quickest one counts.
func (o *Options) tryMode(t *trial, m mode, file string) error {
	var best *trial
	for range o.Rounds {
		args := append([]string{"analyze", "-json", "-all", "-check", "avp"}, m.flags...)
		x, err := o.execute([]int{0, 1}, o.Commute, append(args, file)...)
		if err != nil {
			return err
		}
		u := &measured{}
		u.result = x.result
		if !x.timeout {
			if err := u.read(x.stdout); err != nil {
				return fmt.Errorf("%s %s: %w", strings.Join(args, " "), file, err)
			}
		}
		if best == nil || u.less(&measured{trial: *best}) {
			best = &u.trial
		}
	}
	t.became.Add(&best.became)
	t.took += best.took
	t.timeout = t.timeout || best.timeout
	return nil
}

// modeCells are what became of the blocks.
func (t *trial) modeCells(program, mode string) []string {
	n := &t.became
	return []string{program, mode, fmt.Sprint(n.N), share(n.Static+n.StaticTAS, n.N),
		share(n.Filtered, n.N), segment(n), fmt.Sprint(n.Found), fmt.Sprint(n.None),
		fmt.Sprint(n.GaveUp), fmt.Sprint(n.States), t.seconds()}
}

// segment is the mean size of trace atomicity segments, as a share of what was looked at.
func segment(n *report.Blocks) string {
	if n.TAS == 0 {
		return ""
	}
	return fmt.Sprintf("%.1f%%", 100*float64(n.TASSteps)/float64(n.WindowSteps))
}

func share(part, all uint64) string {
	return fmt.Sprintf("%.1f%%", 100*float64(part)/float64(max(all, 1)))
}
