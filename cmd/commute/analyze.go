// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"text/tabwriter"
	"time"

	"github.com/commutego/commute/internal/format"
	"github.com/commutego/commute/internal/offline"
	"github.com/commutego/commute/internal/option"
	"github.com/commutego/commute/internal/silence"
	"github.com/commutego/commute/internal/toolchain/toolexec"
	"github.com/commutego/commute/internal/trace/tracefile"
	"github.com/commutego/commute/report"
)

const analyzeUsage = `usage: commute analyze [flags] FILE...

Checks recorded traces: commute's own, and RAPID's STD and RoadRunner texts, gzipped or not. The
format is found out from the content; FILE may be - for standard input. Several files are read at
once, as there are processors. What is found in a trace that commute recorded is reported as commute
test does, with stacks; races of calls come in the order of what can go wrong, the worst first.

`

const analyzeEnd = `
The exit code is 0 if nothing is found, 1 if something is, and 2 if a trace cannot be read or
is not well-formed. What was found before the trace went wrong is printed.
`

func analyzeHelp() string {
	var b strings.Builder
	for _, c := range offline.Checks {
		fmt.Fprintf(&b, "\t\t%-16s%s\n", c.Name, c.Short)
	}
	checks := map[string]string{"check": b.String()}
	return analyzeUsage + option.FlagHelp(checks, "analyze") + analyzeEnd
}

// analyzeTraces is commute analyze.
func analyzeTraces(args []string, _ toolexec.Config) int {
	fs := flagSet("analyze", analyzeHelp())
	list := fs.String("check", "", "")
	all := fs.Bool("all", false, "")
	level := fs.String("level", "updates", "")
	suppressions := fs.String("suppressions", "", "")
	asJSON := fs.Bool("json", false, "")
	var outputs []format.Output
	fs.Func("report", "", func(value string) error {
		o, err := format.Parse(value)
		outputs = append(outputs, o)
		return err
	})
	form := fs.String("format", "", "")
	var mutexes optionalBool
	fs.Var(&mutexes, "mutexes", "")
	options := avpFlags(fs)
	if code, ok := parseFlags(fs, args); !ok {
		return code
	}
	predict, err := options()
	if err != nil {
		return misused("analyze: %v", err)
	}
	var checks []offline.Check
	if *list != "" {
		var err error
		if checks, err = offline.Named(strings.Split(*list, ",")); err != nil {
			return fail(err)
		}
	}
	if offline.Levels[*level] == 0 {
		return misused("analyze: unknown level %q (there are violations, updates, races, all)",
			*level)
	}
	if fs.NArg() == 0 {
		fs.Usage()
		return toolexec.ExitUsage
	}
	o := offline.Options{Checks: checks, All: *all, Mutexes: mutexes.value,
		Level: offline.Levels[*level], AVP: predict}
	a := &traceRun{form: *form, asJSON: *asJSON, outputs: outputs}
	if *suppressions != "" {
		file, err := readSilence(*suppressions)
		if err != nil {
			return misused("analyze: -suppressions: %v (see docs/options.md)", err)
		}
		known := silent{files: []*silence.File{file}, now: time.Now()}
		for _, line := range known.expired() {
			fmt.Fprintf(os.Stderr, "commute: %s\n", line)
		}
		o.Rules = offline.ParseRules(file.Rules(known.now))
		a.hidden = func(f *report.Finding) bool {
			return len(file.Match(known.now, silence.Texts(f))) > 0
		}
	}
	return a.files(fs.Args(), o)
}

// A job is a file that is analyzed.
type job struct {
	name   string
	file   *tracefile.File
	result *offline.Result
	took   time.Duration
	err    error
	count  atomic.Uint64
	open   chan struct{} // closed when file can be looked at
	done   chan struct{}
}

// A traceRun is what is done with what is found in files.
type traceRun struct {
	form    string // the format of the files, "" where their contents tell
	asJSON  bool
	outputs []format.Output
	hidden  func(*report.Finding) bool // what is not reported; may be nil
}

// files analyzes files, as many at once as there are processors, and prints the findings in their
// order. What is found in all of them is written to outputs.
func (a *traceRun) files(names []string, o offline.Options) int {
	first := !o.All
	if a.hidden != nil {
		o.All = true // the first finding may be hidden
	}
	running := make(chan struct{}, runtime.GOMAXPROCS(0))
	jobs := make([]*job, len(names))
	for i, name := range names {
		jobs[i] = &job{name: name, open: make(chan struct{}), done: make(chan struct{})}
	}
	go func() {
		for _, j := range jobs {
			running <- struct{}{}
			j.file, j.err = tracefile.Open(j.name, a.form)
			close(j.open)
			go func() {
				defer func() { close(j.done); <-running }()
				if j.err != nil {
					return
				}
				start := time.Now()
				j.result, j.err = offline.Run(j.file, o, &j.count)
				j.took = time.Since(start)
				j.hide(a.hidden, first)
				j.file.Close()
			}()
		}
	}()
	code := 0
	var findings []*report.Finding
	for _, j := range jobs {
		j.wait()
		found := j.print(a.asJSON)
		if len(a.outputs) > 0 && j.result != nil {
			findings = append(findings, j.findings()...)
		}
		switch {
		case j.err != nil:
			fmt.Fprintf(os.Stderr, "%v\n", j.err)
			code = toolexec.ExitUsage
		case found && code == 0:
			code = 1
		}
	}
	if err := writeReports(a.outputs, report.Merge(findings), nil); err != nil {
		return fail(err)
	}
	return code
}

// hide takes out findings that are not to be reported; first says that only the first finding of a
// check is.
func (j *job) hide(hidden func(*report.Finding) bool, first bool) {
	if hidden == nil || j.result == nil {
		return
	}
	for i := range j.result.Checks {
		c := &j.result.Checks[i]
		c.Findings = slices.DeleteFunc(c.Findings, func(f offline.Finding) bool {
			return hidden(f.Report(j.file, c.Name))
		})
		if first && len(c.Findings) > 1 {
			c.Findings = c.Findings[:1]
		}
	}
}

// findings are those of all checks.
func (j *job) findings() (list []*report.Finding) {
	for _, c := range j.result.Checks {
		c.EachReport(j.file, func(r *report.Finding) {
			r.Describe()
			list = append(list, r)
		})
	}
	return list
}

// print prints the findings and reports whether there are any.
func (j *job) print(asJSON bool) (found bool) {
	if j.result == nil {
		return false
	}
	for _, c := range j.result.Checks {
		found = found || len(c.Findings) > 0
	}
	j.noteGivenUp()
	if asJSON {
		j.printJSON()
		return found
	}
	gaveUp := false
	for _, c := range j.result.Checks {
		c.EachReport(j.file, func(r *report.Finding) { fmt.Print(r.Text()) })
		if p := c.Proofs; p != nil && j.err == nil && c.Data {
			fmt.Printf("%s: %s: of %d transactions %d are proven, %d are not serializable in "+
				"some order, %d are unknown\n", j.file.Name, c.Name, p.Proven+p.Alarms+p.GaveUp,
				p.Proven, p.Alarms, p.GaveUp)
			printMarks(os.Stdout, p.Marks)
		}
		if c.GaveUp != nil && *c.GaveUp {
			fmt.Printf("%s: %s: there may be more cycles: the search gave up\n", j.file.Name, c.Name)
		}
		if c.MetaInfo != nil && j.err == nil {
			printMetaInfo(os.Stdout, c.MetaInfo)
		}
		gaveUp = gaveUp || c.Blocks != nil && c.Blocks.GaveUp > 0
	}
	cut, steps := j.file.Cut()
	if cut > 0 || steps > 0 {
		fmt.Fprintf(os.Stderr, "%s: note: the trace was cut off; its last %d bytes and %d steps "+
			"are left out\n", j.file.Name, cut, steps)
	}
	if j.err == nil {
		verdict := "ok  "
		switch {
		case found:
			verdict = "FAIL"
		case gaveUp, cut > 0, steps > 0: // not all was looked at
			verdict = "?   "
		}
		fmt.Printf("%s\t%s\t%d events\t%.3fs\t(%s)\n", verdict, j.file.Name, j.result.Events,
			j.took.Seconds(), j.checked())
	}
	return found
}

// checked names the checks that had something to check.
func (j *job) checked() string {
	var names []string
	for _, c := range j.result.Checks {
		if c.Data {
			names = append(names, c.Name)
		}
	}
	if names == nil {
		return "nothing to check"
	}
	return strings.Join(names, ", ")
}

func printMetaInfo(w io.Writer, m *offline.MetaInfo) {
	t := tabwriter.NewWriter(w, 0, 8, 2, ' ', tabwriter.AlignRight)
	row := func(name string, n uint64) { fmt.Fprintf(t, "%d\t %s\t\n", n, name) }
	for _, c := range m.Columns() {
		row(c.Name, c.N)
	}
	t.Flush()
}

// printMarks prints what is known of each mark, and what a proof is.
func printMarks(w io.Writer, marks []report.Mark) {
	if len(marks) == 0 {
		return
	}
	t := tabwriter.NewWriter(w, 0, 8, 2, ' ', 0)
	proven := false
	for _, m := range marks {
		proven = proven || m.Proven > 0
		fmt.Fprintf(t, "%s\t%s\t%d of %d proven\t%s", m.At, m.Name, m.Proven, m.Transactions,
			m.Verdict)
		if m.Why != "" {
			fmt.Fprintf(t, " (%s)", m.Why)
		}
		fmt.Fprintln(t)
	}
	t.Flush()
	if proven {
		fmt.Fprintln(w, "Proven is what these steps do, in every order that locks, go statements "+
			"and WaitGroups allow; other inputs may lead to other steps.")
	}
}

func (j *job) printJSON() {
	result := j.result.Trace(j.file, j.took, j.err)
	if err := json.NewEncoder(os.Stdout).Encode(result); err != nil {
		fmt.Fprintf(os.Stderr, "commute: %v\n", err)
	}
}

// wait waits until the job is done. On a terminal it shows the progress meanwhile.
func (j *job) wait() {
	if !terminal(os.Stderr) {
		<-j.done
		return
	}
	tick := time.NewTicker(200 * time.Millisecond)
	defer tick.Stop()
	start, shown := time.Now(), false
	for {
		select {
		case <-j.done:
			if shown {
				fmt.Fprint(os.Stderr, "\r\x1b[K")
			}
			return
		case <-tick.C:
			<-j.open
			shown = true
			fmt.Fprintf(os.Stderr, "\r\x1b[K%s", j.progress(time.Since(start)))
		}
	}
}

// progress is a line about the progress of the job.
func (j *job) progress(took time.Duration) string {
	n := j.count.Load()
	line := fmt.Sprintf("%s: %.1fM events, %.1fM/s", j.name, float64(n)/1e6,
		float64(n)/1e6/took.Seconds())
	if f := j.file; n > 0 && f != nil && f.Size > 0 && f.Done() > 0 {
		part := float64(f.Done()) / float64(f.Size)
		left := time.Duration(float64(took) * (1 - part) / part)
		line += fmt.Sprintf(", %.0f%%, %v left", 100*part, left.Round(time.Second))
	}
	return line
}

// terminal reports whether a file is a terminal.
func terminal(f *os.File) bool {
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0 && os.Getenv("TERM") != "dumb"
}
