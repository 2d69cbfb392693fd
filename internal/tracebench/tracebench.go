// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

// Package tracebench measures the checks of recorded traces: "commute bench papers".
//
// Input: the commute command, sizes, and, if there is one, a class path of RAPID. Output: tables in Markdown, and a plot in SVG.
// Each measurement is a process of its own, for its peak memory. All use one processor, and those of one row follow each
// other, so that a change in the machine's speed hits all of them.
//
// The tables are those of Mathur and Viswanathan (ASPLOS 2020), section 5, over generated traces: AeroDrome beside Velodrome on
// traces with the numbers of table 1, scaled; and time against length. The traces are conflict serializable, so that
// every check goes to their ends.
package tracebench

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/commutego/commute/internal/measure"
	"github.com/commutego/commute/trace/generate"
)

// Options of [Run].
type Options struct {
	Commute string        // path of the command
	Events  uint64        // of a trace
	Timeout time.Duration // of one measurement
	Rapid   string        // class path of RAPID; "" if it isn't there
	Dir     string        // for the traces
	Plot    string        // file for the plot, "" for none
}

// Run measures, and writes the tables as they come.
func Run(w io.Writer, o Options) error {
	for _, table := range []func(io.Writer, Options) error{speed, paperTable, lengths} {
		if err := table(w, o); err != nil {
			return err
		}
	}
	return nil
}

// A result is what one process took.
type result struct {
	took    time.Duration // of its own processor time
	peak    int64
	timeout bool
}

// gen makes a trace and returns its name.
func (o *Options) gen(p generate.Params, ext string) (string, error) {
	name := filepath.Join(o.Dir, fmt.Sprintf("%s-%d-%d-%d-%d-%d.%s", p.Shape, p.Events, p.Threads, p.Locks, p.Vars, p.Length, ext))
	if _, err := os.Stat(name); err == nil {
		return name, nil
	}
	out, err := exec.Command(o.Commute, "trace", "gen", "-shape", p.Shape, "-events", fmt.Sprint(p.Events),
		"-threads", fmt.Sprint(p.Threads), "-locks", fmt.Sprint(p.Locks), "-vars", fmt.Sprint(p.Vars),
		"-length", fmt.Sprint(p.Length), name).CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("commute trace gen: %w\n%s", err, out)
	}
	return name, nil
}

// analyze runs a check of commute's.
func (o *Options) analyze(check, file string) (result, error) {
	return o.run(o.Commute, "analyze", "-check", check, file)
}

// rapid runs RAPID's class of an algorithm.
func (o *Options) rapid(class, file string) (result, error) {
	return o.run("java", "-XX:+UseSerialGC", "-cp", o.Rapid, class, "-f", "std", "-p", file)
}

func (o *Options) run(name string, args ...string) (r result, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), o.Timeout)
	defer cancel()
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Env = append(os.Environ(), "GOMAXPROCS=1")
	out, err := cmd.CombinedOutput()
	if ctx.Err() != nil {
		return result{timeout: true}, nil
	}
	if err != nil {
		return r, fmt.Errorf("%s: %w\n%s", strings.Join(cmd.Args, " "), err, out)
	}
	return result{took: cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime(), peak: measure.Peak(cmd.ProcessState)}, nil
}

// rate is events a second, in words.
func (r result) rate(events uint64) string {
	if r.timeout {
		return "timeout"
	}
	return fmt.Sprintf("%.3g M/s", float64(events)/1e6/max(r.took.Seconds(), 1e-3))
}

func (r result) seconds() string {
	if r.timeout {
		return "timeout"
	}
	return fmt.Sprintf("%.2f s", r.took.Seconds())
}

func (r result) memory() string {
	if r.timeout {
		return ""
	}
	return fmt.Sprintf("%d MB", r.peak>>20)
}

// times is how many times as long other took, "" if that isn't known.
func (r result) times(other result) string {
	switch {
	case r.timeout:
		return ""
	case other.timeout:
		return "more"
	}
	return fmt.Sprintf("%.3gx", other.took.Seconds()/max(r.took.Seconds(), 1e-3))
}

// A row of a Markdown table.
func row(w io.Writer, cells ...string) {
	fmt.Fprintf(w, "| %s |\n", strings.Join(cells, " | "))
}

func header(w io.Writer, cells ...string) {
	row(w, cells...)
	fmt.Fprintln(w, "|"+strings.Repeat(" --- |", len(cells)))
}

// speed is each check on each shape, from text and from the binary format, beside RAPID's AeroDrome.
func speed(w io.Writer, o Options) error {
	fmt.Fprintf(w, "Events a second of processor time, and peak memory; traces of %d events.\n\n", o.Events)
	header(w, "shape", "check", "from STD", "memory", "from binary", "memory", "RAPID's AeroDrome", "memory", "its time by ours, STD", "binary")
	for _, shape := range []string{"locked", "independent", "variables", "threads"} {
		var files [2]string
		for i, ext := range []string{"std", "trace"} {
			var err error
			if files[i], err = o.gen(generate.Params{Shape: shape, Events: o.Events}, ext); err != nil {
				return err
			}
		}
		var theirs result
		for _, check := range []string{"aerodrome", "frontier", "velodrome"} {
			var ours [2]result
			for i := range files {
				var err error
				if ours[i], err = o.analyze(check, files[i]); err != nil {
					return err
				}
			}
			cells := []string{shape, check, ours[0].rate(o.Events), ours[0].memory(), ours[1].rate(o.Events), ours[1].memory(), "", "", "", ""}
			if o.Rapid != "" && check == "aerodrome" {
				var err error
				if theirs, err = o.rapid("Aerodrome", files[0]); err != nil {
					cells[6] = "failed"
				} else {
					cells = append(cells[:6], theirs.rate(o.Events), theirs.memory(), ours[0].times(theirs), ours[1].times(theirs))
				}
			}
			row(w, cells...)
		}
	}
	fmt.Fprintln(w)
	return nil
}
