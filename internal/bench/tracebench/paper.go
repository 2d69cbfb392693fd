// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package tracebench

import (
	"encoding/json"
	"fmt"
	"io"
	"os/exec"
	"time"

	"github.com/commutego/commute/internal/trace/generate"
)

// A program is a row of the paper's tables: what its trace consisted of, and what the paper
// measured.
type program struct {
	name         string
	events       float64
	threads      uint32
	locks        uint32
	vars         float64
	transactions float64
	atomic       bool
	velodrome    float64 // seconds; 0: the timeout of ten hours
	aerodrome    float64
}

var table1Programs = []program{
	{"avrora", 2.4e9, 7, 7, 1.079e6, 498e6, false, 0, 1.5},
	{"elevator", 280e3, 5, 50, 725, 22.6e3, true, 162, 1.7},
	{"hedc", 9.8e3, 7, 13, 1694, 84, false, 0.07, 0.06},
	{"luindex", 570e6, 3, 65, 2.5e6, 86e6, false, 581, 674},
	{"lusearch", 2.0e9, 14, 772, 38e6, 306e6, false, 0, 5.5},
	{"moldyn", 1.7e9, 4, 1, 121e3, 1.4e6, false, 0, 54.9},
	{"montecarlo", 494e6, 4, 1, 30.5e6, 812e3, false, 0, 0.75},
	{"pmd", 367e6, 13, 223, 12.9e6, 81e6, false, 3.1, 3.8},
	{"raytracer", 2.8e9, 4, 1, 12.6e6, 277e6, true, 0, 3340},
	{"sor", 608e6, 4, 2, 1e6, 637e3, false, 6.9, 9.6},
	{"sunflow", 16.8e6, 16, 9, 1.2e6, 2.5e6, false, 67.9, 0.65},
	{"tsp", 312e6, 9, 2, 181e6, 9, false, 4.2, 5.7},
	{"xalan", 1.0e9, 13, 8624, 31e6, 214e6, false, 1.6, 2.0},
}

var table2Programs = []program{
	{"batik", 186e6, 7, 1916, 4.9e6, 15e6, false, 52.7, 65.5},
	{"crypt", 126e6, 7, 1, 9e6, 50, false, 92.1, 104},
	{"fop", 96e6, 1, 115, 5e6, 25e6, true, 88.3, 92.5},
	{"lufact", 135e6, 4, 1, 252e3, 642e6, false, 2.4, 2.9},
	{"series", 40e6, 4, 1, 20e3, 20e6, false, 61.0, 15.3},
	{"sparsesematmult", 726e6, 4, 1, 1.6e6, 25, false, 1210, 1197},
	{"tomcat", 726e6, 4, 1, 1.6e6, 25, false, 3.4, 4.5},
}

// tenHours is the paper's timeout, in seconds.
const tenHours = 36000

// printedTimeout is for AeroDrome as printed, which is slow where there are many variables.
const printedTimeout = 10 * time.Second

// few is a number of transactions that isn't scaled down.
const few = 100

// grows says whether Velodrome's graph has grown in the paper's trace: where Velodrome took more
// than ten times as long. The paper gives that as the reason, and a few nodes as that of all
// others.
func (p *program) grows() bool { return p.velodrome == 0 || p.velodrome > 10*p.aerodrome }

// scale is by what the program's events, variables and transactions are scaled if there may be so
// many events.
func (p *program) scale(most uint64) float64 { return min(1, float64(most)/p.events) }

// params is a trace with the program's numbers, scaled. A violation comes last, or early, with the
// first hundredth of the events.
func (p *program) params(most uint64, early bool) generate.Params {
	scale := p.scale(most)
	events := p.events * scale
	g := generate.Params{
		Shape: "locked", Events: uint64(events), Threads: p.threads, Locks: p.locks,
		Vars:   max(uint32(p.vars*scale), p.locks),
		Length: max(uint64(events/max(p.transactions*scale, min(p.transactions, few))), 5),
	}
	if p.grows() {
		// it can't be had with less
		g.Shape, g.Vars, g.Threads = "long", max(g.Vars, p.locks+10), max(p.threads, 5)
	}
	switch {
	case p.atomic:
	case early:
		g.Violation = max(g.Events/100, 5)
	default:
		g.Violation = g.Events - 4
	}
	return g
}

func (o *Options) table1(w io.Writer) error {
	fmt.Fprint(w, "## Table 1 of AeroDrome: violations come late\n\n")
	return o.paperTable(w, "table1", table1Programs, false,
		"Without philo, which has no transaction. What violates serializability is among a "+
			"trace's\n"+
			"last five events. Where the paper has Velodrome take more than ten times as long as "+
			"AeroDrome, two transactions last\n"+
			"from the trace's beginning to its end (shape long, which takes five threads), so "+
			"that Velodrome's graph grows, which is the reason that the paper gives; "+
			"elsewhere the\n"+
			"shape is locked.")
}

func (o *Options) table2(w io.Writer) error {
	fmt.Fprint(w, "## Table 2 of AeroDrome: violations come early\n\n")
	return o.paperTable(w, "table2", table2Programs, true,
		"What violates serializability comes after a hundredth of the events, and the checks end "+
			"there.")
}

// paperTable is one of the paper's tables over generated traces.
func (o *Options) paperTable(w io.Writer, name string, programs []program, early bool,
	about string) error {
	fmt.Fprintf(w, "Generated traces with the numbers of the paper's, which are in parentheses: "+
		"all scaled alike to at most %d events, but for transactions of\n"+
		"which there are less than %d, and none has less than 5 events. Numbers are those that "+
		"check metainfo counts. Time is the processor's, in seconds; TO: more\n"+
		"than %v by the clock (AeroDrome as printed: %v), in the paper 10 hours. %s\n\n", o.Events,
		few, o.Timeout, min(o.Timeout, printedTimeout), about)
	header(w, "program", "events", "threads", "locks", "variables", "transactions", "atomic?",
		"Velodrome", "AeroDrome", "speed-up",
		"the paper's: Velodrome", "AeroDrome", "speed-up", "frontier", "AeroDrome as printed")
	var dots []dots
	for i := range programs {
		p := &programs[i]
		results, cells, err := o.paperRow(p, p.params(o.Events, early))
		if err != nil {
			return err
		}
		row(w, cells...)
		dots = append(dots, newDots(p.name, results["velodrome"], results["aerodrome"],
			results["frontier"]))
	}
	fmt.Fprintln(w)
	return o.picture(w, name, "AeroDrome beside Velodrome, "+name, func() []byte {
		return plotDots("seconds of processor time (logarithmic; hollow: ended at the timeout)",
			[]string{"Velodrome", "AeroDrome", "frontier"}, dots)
	})
}

// paperRow measures the checks on a program's trace.
func (o *Options) paperRow(p *program, g generate.Params) (results map[string]result,
	cells []string, err error) {
	file, err := o.gen(g, "trace")
	if err != nil {
		return nil, nil, err
	}
	n, err := o.metainfo(file)
	if err != nil {
		return nil, nil, err
	}
	results = make(map[string]result)
	for _, check := range []string{"velodrome", "aerodrome", "frontier", "aerodrome-basic"} {
		with := *o
		if check == "aerodrome-basic" {
			with.Timeout = min(o.Timeout, printedTimeout)
		}
		if results[check], err = with.analyze(check, file, !p.atomic); err != nil {
			return nil, nil, err
		}
	}
	return results, p.cells(n, results), nil
}

// cells are the program's row.
func (p *program) cells(n map[string]uint64, results map[string]result) []string {
	verdict, theirs, ratio := "✗", "TO", "> "+times(tenHours/p.aerodrome)
	if p.atomic {
		verdict = "✓"
	}
	if p.velodrome > 0 {
		theirs, ratio = fmt.Sprint(p.velodrome), times(p.velodrome/p.aerodrome)
	}
	both := func(n uint64, of float64) string {
		return fmt.Sprintf("%s (%s)", short(float64(n)), short(of))
	}
	velodrome, aerodrome := results["velodrome"], results["aerodrome"]
	return []string{
		p.name, both(n["events"], p.events), both(n["threads"], float64(p.threads)),
		both(n["locks"], float64(p.locks)),
		both(n["variables"], p.vars), both(n["transactions"], p.transactions), verdict,
		velodrome.orTO(), aerodrome.orTO(), aerodrome.times(velodrome), theirs,
		fmt.Sprint(p.aerodrome), ratio,
		results["frontier"].orTO(), results["aerodrome-basic"].orTO(),
	}
}

// orTO is seconds, as the paper has them.
func (r result) orTO() string {
	if r.timeout {
		return "TO"
	}
	return fmt.Sprintf("%.2f", r.took.Seconds())
}

// metainfo is what the check of that name counts.
func (o *Options) metainfo(file string) (map[string]uint64, error) {
	out, err := exec.CommandContext(o.ctx, o.Commute, "analyze",
		"-check", "metainfo", "-json", file).Output()
	if err != nil {
		return nil, fmt.Errorf("commute analyze -check metainfo %s: %w", file, err)
	}
	var answer struct {
		Checks []struct{ Metainfo map[string]uint64 }
	}
	if err := json.Unmarshal(out, &answer); err != nil || len(answer.Checks) != 1 {
		return nil, fmt.Errorf("commute analyze -check metainfo %s: %w\n%s", file, err, out)
	}
	return answer.Checks[0].Metainfo, nil
}
