// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package tracebench

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"time"

	"github.com/commutego/commute/internal/bench/measure"
)

// A queries is a row of the paper's table 2: queries a second, races, and how many of those are
// distinct.
type queries struct {
	uninstrumented, fasttrack, rd2 float64
	fasttrackRaces, rd2Races       string
}

var table2 = map[string]queries{
	"ComplexConcurrency":                            {2011, 685, 425, "1784 (26)", "200 (2)"},
	"ComplexConcurrency (alternate query distrib.)": {1610, 601, 457, "1121 (24)", "171 (2)"},
	"QueryCentricConcurrency":                       {1666, 599, 605, "209 (4)", "0 (0)"},
	"InsertCentricConcurrency":                      {1912, 622, 622, "1551 (25)", "22 (2)"},
	"Complex":                                       {1874, 1143, 989, "9 (2)", "0 (0)"},
	"NestedLists":                                   {1893, 1086, 807, "202 (2)", "0 (0)"},
}

// An outcome has the figures of all rounds of one circuit with one build.
type outcome struct {
	best     time.Duration // 0 if there was none
	timeout  bool
	findings findings
	lost     int
	again    uint64
}

func (c *outcome) add(s sample) {
	if s.timeout {
		c.timeout = true
		return
	}
	if took := time.Duration(s.Nanoseconds); c.best == 0 || took < c.best {
		c.best = took
	}
	c.findings.add(s.findings)
	c.lost += s.Lost
	c.again += s.Again
}

// rd2 is the analogue of RD2's table 2.
func (o *Options) rd2(w io.Writer) error {
	dir, err := os.MkdirTemp("", "commute-store")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	list, err := o.compileStore(dir)
	if err != nil {
		return err
	}
	circuits, err := o.circuits(list[plain])
	if err != nil {
		return err
	}
	outcomes := make([][]outcome, len(circuits))
	for i := range outcomes {
		outcomes[i] = make([]outcome, len(list))
	}
	for range o.Rounds {
		for i, c := range circuits {
			for j, b := range list {
				if b.binary == "" {
					continue
				}
				s, err := o.runStore(b, c.Circuit)
				if err != nil {
					return err
				}
				outcomes[i][j].add(s)
			}
		}
	}
	return o.printRD2(w, list, circuits, outcomes)
}

// printRD2 writes the table, the findings, and the plot.
func (o *Options) printRD2(w io.Writer, list []*build, circuits []sample,
	outcomes [][]outcome) error {
	fmt.Fprint(w, "## Table 2 of Commutativity Race Detection, in Go\n\n")
	fmt.Fprintf(w, "A key-value store over sync.Map stands for H2, with its two faults. %d "+
		"operations of each circuit, by clients that work at the same\n"+
		"time. Plain is operations a second; the others are how many times as long the operations "+
		"take: with the race detector (-race), with commute's\n"+
		"checks of calls and of memory (-datarace), with that of calls alone (commute), and with "+
		"all that is seen written to a trace (recorded).\n"+
		"The best of %s, in which the builds take turns. Races are counted over all rounds: those "+
		"of\n"+
		"calls as total (distinct objects), as in the paper. FASTTRACK and RD2 are the paper's "+
		"own figures.\n\n",
		o.Operations, plural(o.Rounds, "round"))
	header(w, "circuit", "clients", "plain", "-race", "-datarace", "commute", "recorded",
		"data races: -race", "-datarace",
		"races of calls", "FASTTRACK", "its races", "RD2", "its races")
	ratios := make([][]float64, len(list))
	bars := make([]bars, 0, len(circuits))
	for i, c := range circuits {
		group := o.rd2Row(w, c, outcomes[i], ratios)
		bars = append(bars, group)
	}
	cells := []string{"geometric mean", "", ""}
	for _, r := range ratios[raceDetector:] {
		cells = append(cells, times(measure.GeometricMean(r)))
	}
	row(w, append(cells, "", "", "",
		times(ratioMean(circuits, func(q queries) float64 { return q.fasttrack })), "",
		times(ratioMean(circuits, func(q queries) float64 { return q.rd2 })), "")...)
	fmt.Fprintln(w)
	for _, b := range list {
		if b.missing != "" {
			fmt.Fprintf(w, "There is no column %s: %s.\n\n", b.title, b.missing)
		}
	}
	printFound(w, outcomes)
	return o.picture(w, "rd2", "What checking costs the store", func() []byte {
		return plotBars("time, as a multiple of plain", []string{"-race", "-datarace", "commute",
			"recorded"}, bars)
	})
}

// rd2Row writes a circuit's row, and adds its ratios to those of each build.
func (o *Options) rd2Row(w io.Writer, c sample, outcomes []outcome, ratios [][]float64) bars {
	base := outcomes[plain].best.Seconds()
	cells := []string{c.Circuit, fmt.Sprint(c.Clients), outcomes[plain].rate(o.Operations)}
	group := bars{name: c.Circuit}
	for j := raceDetector; j < builds; j++ {
		ratio := 0.0
		switch {
		case outcomes[j].timeout:
			cells = append(cells, "timeout")
		case outcomes[j].best > 0 && base > 0:
			ratio = outcomes[j].best.Seconds() / base
			ratios[j] = append(ratios[j], ratio)
			cells = append(cells, times(ratio))
		default:
			cells = append(cells, "")
		}
		group.values = append(group.values, ratio)
	}
	for _, j := range []int{raceDetector, dataRace} {
		races := ""
		if outcomes[j].best > 0 {
			races = fmt.Sprint(outcomes[j].findings.dataRaces)
		}
		cells = append(cells, races)
	}
	found := &outcomes[calls].findings
	q := table2[c.Circuit]
	row(w, append(cells, fmt.Sprintf("%d (%d)", found.total(), len(found.objects)),
		times(q.uninstrumented/q.fasttrack), q.fasttrackRaces,
		times(q.uninstrumented/q.rd2), q.rd2Races)...)
	return group
}

// rate is operations a second.
func (c *outcome) rate(operations uint64) string {
	switch {
	case c.timeout:
		return "timeout"
	case c.best == 0:
		return ""
	}
	return short(float64(operations)/c.best.Seconds()) + "/s"
}

func ratioMean(circuits []sample, of func(queries) float64) float64 {
	var list []float64
	for _, c := range circuits {
		if q, ok := table2[c.Circuit]; ok {
			list = append(list, q.uninstrumented/of(q))
		}
	}
	return measure.GeometricMean(list)
}

// printFound lists the races of calls, and the harm that they did.
func printFound(w io.Writer, outcomes [][]outcome) {
	var all findings
	lost, again := 0, uint64(0)
	for _, c := range outcomes {
		all.add(c[calls].findings)
		for _, one := range c {
			lost += one.lost
			again += one.again
		}
	}
	fmt.Fprintf(w, "Races of calls that commute found:\n\n")
	for _, p := range slices.SortedFunc(maps.Keys(all.pairs), func(a, b pair) int {
		return cmp.Or(cmp.Compare(a.object, b.object), cmp.Compare(a.calls, b.calls),
			cmp.Compare(a.effect, b.effect))
	}) {
		fmt.Fprintf(w, "- %s: %s: %s, %s\n", p.object, p.calls, p.effect,
			plural(all.pairs[p], "time"))
	}
	if len(all.pairs) == 0 {
		fmt.Fprintln(w, "- none")
	}
	fmt.Fprintf(w, "\nThe harm that they did in all runs, watched and not: %s lost, %s read in "+
		"vain.\n\n", plural(lost, "page"), plural(int(again), "chunk"))
}
