// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

// Package tracebench repeats the papers' experiments: "commute bench papers".
//
// Input: the commute command, sizes, and, if there is one, a class path of RAPID. Output: tables in
// Markdown, and plots in SVG. Each measurement is a process of its own, for its peak memory. Those
// of one row follow each other, so that a change in the machine's speed hits all of them.
//
// Tables 1 and 2 of Mathur and Viswanathan (ASPLOS 2020, section 5) are over generated traces with
// their numbers, scaled: AeroDrome beside Velodrome; and there is time against length. These are
// processes that use one processor. It is an error if a check doesn't give the verdict that the
// trace was made for.
//
// Table recorded is over the programs of two more papers, in Go: testdata/papers, which commute
// builds, runs and records.
//
// Table 2 of Dimitrov, Raychev, Vechev and Koskinen (PLDI 2014, section 7) is over a key-value
// store, the program in folder mvstore. It is embedded, built in several ways, and run under load.
package tracebench

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/commutego/commute/internal/bench/measure"
	"github.com/commutego/commute/internal/trace/generate"
)

// Options of [Run].
type Options struct {
	Commute    string        // path of the command
	Tables     []string      // of [Tables], those to print; none for all
	Events     uint64        // of a trace
	Operations uint64        // of a circuit of table rd2
	Rounds     int           // of tables rd2 and predictive
	Timeout    time.Duration // of one measurement
	Rapid      string        // class path of RAPID; "" if it isn't there
	Programs   string        // folder of the programs of table recorded; "" if it isn't there
	Traces     string        // folder of further traces of table predictive; "" for none
	Dir        string        // for the traces
	Plots      string        // folder for the plots, "" for none
	// folder from which the Markdown refers to plots; "" for the current one
	Home string

	ctx context.Context // of Run
}

// A table is a part of the output, with a name to choose it by.
type table struct {
	name  string
	print func(o *Options, w io.Writer) error
}

var tables = []table{
	{"speed", (*Options).speed},
	{"table1", (*Options).table1},
	{"table2", (*Options).table2},
	{"length", (*Options).lengths},
	{"commitnodes", (*Options).commitNodes},
	{"predicted", (*Options).predicted},
	{"recorded", (*Options).recorded},
	{"predictive", (*Options).predictiveSpeed},
	{"rd2", (*Options).rd2},
}

// Tables are the names of all tables, in their order.
func Tables() (names []string) {
	for _, t := range tables {
		names = append(names, t.name)
	}
	return names
}

// Check is an error for options with which [Run] makes no sense.
func (o *Options) Check() error {
	for _, name := range o.Tables {
		if !slices.Contains(Tables(), name) {
			return fmt.Errorf("unknown table %q (there are %s)", name, strings.Join(Tables(), ", "))
		}
	}
	switch {
	case o.Events < 1000:
		return fmt.Errorf("-events %d: want at least 1000", o.Events)
	case o.Operations < 100:
		return fmt.Errorf("-operations %d: want at least 100", o.Operations)
	case o.Rounds < 1:
		return fmt.Errorf("-rounds %d: want at least 1", o.Rounds)
	case o.Timeout <= 0:
		return errors.New("-timeout: want more than 0")
	}
	return nil
}

// Run measures, and writes the tables as they come. It ends what runs when the context is done, and
// removes its own temporary files.
func Run(ctx context.Context, w io.Writer, o Options) error {
	o.ctx = ctx
	for _, t := range tables {
		if len(o.Tables) > 0 && !slices.Contains(o.Tables, t.name) {
			continue
		}
		if err := t.print(&o, w); err != nil {
			return err
		}
	}
	return nil
}

// picture writes a plot into the folder for plots, if there is one, and refers to it.
func (o *Options) picture(w io.Writer, name, title string, plot func() []byte) error {
	if o.Plots == "" {
		return nil
	}
	file := filepath.Join(o.Plots, name+".svg")
	if err := os.WriteFile(file, plot(), 0o666); err != nil {
		return err
	}
	link := file
	if o.Home != "" {
		var err error
		if link, err = relative(o.Home, file); err != nil {
			return err
		}
	}
	fmt.Fprintf(w, "![%s](%s)\n\n", title, strings.ReplaceAll(filepath.ToSlash(link), " ", "%20"))
	return nil
}

// relative is a file's name as seen from a folder.
func relative(folder, file string) (string, error) {
	from, err := filepath.Abs(folder)
	if err != nil {
		return "", err
	}
	to, err := filepath.Abs(file)
	if err != nil {
		return "", err
	}
	return filepath.Rel(from, to)
}

// A result has the time and memory of one process.
type result struct {
	took    time.Duration // of its own processor time
	peak    int64
	timeout bool // it was ended, having taken that
}

// gen makes a trace and returns its name.
func (o *Options) gen(p generate.Params, ext string) (string, error) {
	name := filepath.Join(o.Dir, fmt.Sprintf("%s-%d-%d-%d-%d-%d-%d.%s", p.Shape, p.Events,
		p.Threads, p.Locks, p.Vars, p.Length, p.Violation, ext))
	if _, err := os.Stat(name); err == nil {
		return name, nil
	}
	out, err := exec.CommandContext(o.ctx, o.Commute, "trace", "gen", "-shape", p.Shape, "-events",
		fmt.Sprint(p.Events),
		"-threads", fmt.Sprint(p.Threads), "-locks", fmt.Sprint(p.Locks), "-vars",
		fmt.Sprint(p.Vars),
		"-length", fmt.Sprint(p.Length), "-violation", fmt.Sprint(p.Violation),
		name).CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("commute trace gen: %w\n%s", err, out)
	}
	return name, nil
}

// analyze runs a check of commute's, which must find something, or must not.
func (o *Options) analyze(check, file string, violation bool) (result, error) {
	want := 0
	if violation {
		want = 1
	}
	return o.run(want, o.Commute, "analyze", "-check", check, file)
}

// rapid runs RAPID's class of an algorithm.
func (o *Options) rapid(class, file string) (result, error) {
	return o.run(0, "java", "-XX:+UseSerialGC", "-cp", o.Rapid, class, "-f", "std", "-p", file)
}

// run measures a command, which must end with a code.
func (o *Options) run(code int, name string, args ...string) (r result, err error) {
	out, err := o.execute([]int{code}, name, args...)
	return out.result, err
}

// An execution is a process that has ended.
type execution struct {
	result
	code   int
	stdout []byte
}

// execute runs and measures a command, which must end with one of several codes.
func (o *Options) execute(codes []int, name string, args ...string) (x execution, err error) {
	ctx, cancel := context.WithTimeout(o.ctx, o.Timeout)
	defer cancel()
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Env = append(os.Environ(), "GOMAXPROCS=1")
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err = cmd.Run()
	var exit *exec.ExitError
	switch {
	case o.ctx.Err() != nil:
		return x, o.ctx.Err()
	case ctx.Err() != nil && cmd.ProcessState == nil: // it has not even begun
		x.timeout = true
		return x, nil
	case ctx.Err() != nil:
		x.took, x.timeout = cmd.ProcessState.UserTime()+cmd.ProcessState.SystemTime(), true
		return x, nil
	case err != nil && !errors.As(err, &exit):
		return x, fmt.Errorf("%s: %w", strings.Join(cmd.Args, " "), err)
	}
	x.code, x.stdout = cmd.ProcessState.ExitCode(), stdout.Bytes()
	if !slices.Contains(codes, x.code) {
		return x, fmt.Errorf("%s: exit code %d, want %d\n%s%s", strings.Join(cmd.Args, " "),
			x.code, codes[0], stdout.Bytes(), stderr.Bytes())
	}
	x.took = cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	x.peak = measure.Peak(cmd.ProcessState)
	return x, nil
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

// times is how many times as long other took, or a lower bound if it was ended. It is "" if that
// isn't known.
func (r result) times(other result) string {
	least := max(r.took.Seconds(), 1e-3)
	switch {
	case r.timeout:
		return ""
	case other.timeout:
		return "> " + times(other.took.Seconds()/least)
	}
	return times(other.took.Seconds() / least)
}

// times is a ratio, "" for none.
func times(ratio float64) string {
	if ratio == 0 {
		return ""
	}
	if ratio >= 100 {
		return fmt.Sprintf("%.0fx", ratio)
	}
	return fmt.Sprintf("%.3gx", ratio)
}

func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// A row of a Markdown table.
func row(w io.Writer, cells ...string) {
	fmt.Fprintf(w, "| %s |\n", strings.Join(cells, " | "))
}

func header(w io.Writer, cells ...string) {
	row(w, cells...)
	fmt.Fprintln(w, "|"+strings.Repeat(" --- |", len(cells)))
}

// speed is each check on each shape, from text and from the binary format, beside RAPID's
// AeroDrome.
func (o *Options) speed(w io.Writer) error {
	fmt.Fprintf(w, "## Speed of the checks\n\nEvents a second of processor time, and peak memory; "+
		"traces of %d events.\n\n", o.Events)
	header(w, "shape", "check", "from STD", "memory", "from binary", "memory", "RAPID's AeroDrome",
		"memory", "its time by ours, STD", "binary")
	for _, shape := range []string{"locked", "independent", "variables", "threads"} {
		var files [2]string
		for i, ext := range []string{"std", "trace"} {
			var err error
			if files[i], err = o.gen(generate.Params{Shape: shape, Events: o.Events},
				ext); err != nil {
				return err
			}
		}
		var theirs result
		for _, check := range []string{"aerodrome", "frontier", "velodrome"} {
			var ours [2]result
			for i := range files {
				var err error
				if ours[i], err = o.analyze(check, files[i], false); err != nil {
					return err
				}
			}
			cells := []string{shape, check, ours[0].rate(o.Events), ours[0].memory(),
				ours[1].rate(o.Events), ours[1].memory(), "", "", "", ""}
			if o.Rapid != "" && check == "aerodrome" {
				var err error
				if theirs, err = o.rapid("Aerodrome", files[0]); err != nil {
					cells[6] = "failed"
				} else {
					cells = append(cells[:6], theirs.rate(o.Events), theirs.memory(),
						ours[0].times(theirs), ours[1].times(theirs))
				}
			}
			row(w, cells...)
		}
	}
	fmt.Fprintln(w)
	return nil
}
