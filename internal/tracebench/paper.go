// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package tracebench

import (
	"fmt"
	"io"
	"os"

	"github.com/commutego/commute/trace/generate"
)

// A program is a row of table 1: what its trace consists of.
type program struct {
	name         string
	events       float64
	threads      uint32
	locks        uint32
	vars         float64
	transactions float64
}

var programs = []program{
	{"avrora", 2.4e9, 7, 7, 1.079e6, 498e6},
	{"elevator", 280e3, 5, 50, 725, 22.6e3},
	{"hedc", 9.8e3, 7, 13, 1694, 84},
	{"luindex", 570e6, 3, 65, 2.5e6, 86e6},
	{"lusearch", 2.0e9, 14, 772, 38e6, 306e6},
	{"moldyn", 1.7e9, 4, 1, 121e3, 1.4e6},
	{"montecarlo", 494e6, 4, 1, 30.5e6, 812e3},
	{"pmd", 367e6, 13, 223, 12.9e6, 81e6},
	{"raytracer", 2.8e9, 4, 1, 12.6e6, 277e6},
	{"sor", 608e6, 4, 2, 1e6, 637e3},
	{"sunflow", 16.8e6, 16, 9, 1.2e6, 2.5e6},
	{"tsp", 312e6, 9, 2, 181e6, 9},
	{"xalan", 1.0e9, 13, 8624, 31e6, 214e6},
}

// params is a trace with the program's numbers. If it has more events than there may be, events, variables and transactions are
// scaled alike.
func (p *program) params(most uint64) generate.Params {
	scale := min(1, float64(most)/p.events)
	return generate.Params{
		Shape: "locked", Events: uint64(p.events * scale), Threads: p.threads, Locks: p.locks,
		Vars: max(uint32(p.vars*scale), p.locks), Length: max(uint64(p.events/p.transactions), 5),
	}
}

// paperTable is table 1 over generated traces.
func paperTable(w io.Writer, o Options) error {
	fmt.Fprintf(w, "Traces with the numbers of AeroDrome's table 1 (without philo, which has no transaction), all under locks, scaled to at\n"+
		"most %d events. A transaction has at least 5 events. Time is that of the processor.\n\n", o.Events)
	header(w, "program", "events", "threads", "locks", "variables", "events a transaction", "AeroDrome", "as printed", "Velodrome", "frontier",
		"as printed by optimised")
	for _, p := range programs {
		g := p.params(o.Events)
		file, err := o.gen(g, "trace")
		if err != nil {
			return err
		}
		cells := []string{p.name, fmt.Sprint(g.Events), fmt.Sprint(g.Threads), fmt.Sprint(g.Locks), fmt.Sprint(g.Vars), fmt.Sprint(g.Length)}
		results := make(map[string]result)
		for _, check := range []string{"aerodrome", "aerodrome-basic", "velodrome", "frontier"} {
			r, err := o.analyze(check, file)
			if err != nil {
				return err
			}
			results[check] = r
			cells = append(cells, r.seconds())
		}
		row(w, append(cells, results["aerodrome"].times(results["aerodrome-basic"]))...)
	}
	fmt.Fprintln(w)
	return nil
}

// lengths is time against the number of events, with a straight line through it.
func lengths(w io.Writer, o Options) error {
	checks := []string{"frontier", "aerodrome", "velodrome", "fasttrack"}
	fmt.Fprint(w, "Time against length, shape locked, from the binary format.\n\n")
	header(w, append([]string{"events"}, checks...)...)
	points := make([][]point, len(checks))
	for part := uint64(1); part <= 10; part++ {
		n := o.Events * part / 10
		file, err := o.gen(generate.Params{Shape: "locked", Events: max(n, 1)}, "trace")
		if err != nil {
			return err
		}
		cells := []string{fmt.Sprint(n)}
		for i, check := range checks {
			r, err := o.analyze(check, file)
			if err != nil {
				return err
			}
			points[i] = append(points[i], point{float64(n), r.took.Seconds()})
			cells = append(cells, r.seconds()+", "+r.memory())
		}
		row(w, cells...)
	}
	fmt.Fprintln(w)
	for i, check := range checks {
		slope, r2 := fit(points[i])
		fmt.Fprintf(w, "- %s: %.1f ns an event, R² %.4f\n", check, slope*1e9, r2)
	}
	if o.Plot == "" {
		return nil
	}
	fmt.Fprintf(w, "\nThe plot is %s.\n", o.Plot)
	return os.WriteFile(o.Plot, plot(checks, points), 0o666)
}
