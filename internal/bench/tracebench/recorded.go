// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package tracebench

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/commutego/commute/internal/bench/tracebench/programs"
	"github.com/commutego/commute/report"
)

// Runs of the programs in Go, of table recorded.
const (
	naturalRuns = 5
	naturalWork = 3
)

// recordedChecks are the columns of table recorded: the checks that report methods.
var recordedChecks = append([]string{"velodrome", "frontier", "aerodrome", "predictions", "avp"},
	provers...)

// timedChecks are those of which the time is taken: goodlock, too, which reports deadlocks.
var timedChecks = append(recordedChecks[:len(recordedChecks):len(recordedChecks)], "goodlock")

// A trial is what a check says of all runs of a program.
type trial struct {
	verdict
	result
	became    report.Blocks // of avp
	deadlocks int
	partial   bool   // it says that there may be more
	refused   string // why the check takes no recorded traces; "" if it does
}

// A recording is runs of a program that were recorded, and what the checks say of them.
type recording struct {
	program              *programs.Program
	files                []string
	events, transactions uint64
	trials               map[string]*trial
	rapid                [2]string // what RAPID's AeroDrome says of them, and how long it takes
}

// recorded has the checks look at runs of real programs, which commute records.
func (o *Options) recorded(w io.Writer) error {
	fmt.Fprint(w, "## Recorded runs of both papers' programs\n\n")
	if o.Programs == "" {
		fmt.Fprint(w, "Not measured: the programs are in folder testdata/papers of commute's "+
			"repository, which -programs names.\n\n")
		return nil
	}
	binary, err := o.compilePrograms()
	if err != nil {
		return err
	}
	var list []*recording
	for _, p := range bothPapers() {
		r := &recording{program: p, trials: make(map[string]*trial)}
		if err := o.record(binary, r); err != nil {
			return err
		}
		if err := o.tryAll(r); err != nil {
			return err
		}
		list = append(list, r)
	}
	o.printRecorded(w, list)
	return nil
}

// bothPapers are the programs, those that are in both papers once. Of tsp, SetBest isn't broken for
// commute: it looks again under its lock.
func bothPapers() (list []*programs.Program) {
	for _, p := range programs.CommitNodes {
		q := *p
		if q.Name == "tsp" {
			q.Benign = []string{"Solve"}
		}
		list = append(list, &q)
	}
	for _, p := range programs.Predicted {
		if !slices.ContainsFunc(list, func(q *programs.Program) bool {
			return strings.EqualFold(p.Name, q.Name)
		}) {
			list = append(list, p)
		}
	}
	return list
}

// compilePrograms builds the programs, so that they watch themselves.
func (o *Options) compilePrograms() (binary string, err error) {
	binary, err = filepath.Abs(filepath.Join(o.Dir, "papers.test"+exe()))
	if err != nil {
		return "", err
	}
	cmd := exec.CommandContext(o.ctx, o.Commute, "test", "-c", "-o", binary, ".")
	cmd.Dir = o.Programs
	cmd.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=")
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("-programs %s: %s: %w\n%s", o.Programs, strings.Join(cmd.Args, " "),
			err, out)
	}
	return binary, nil
}

// record has a program run several times, and record what it does.
func (o *Options) record(binary string, r *recording) error {
	for seed := 1; seed <= naturalRuns; seed++ {
		dir := filepath.Join(o.Dir, fmt.Sprintf("%s-%d", r.program.Name, seed))
		if err := os.RemoveAll(dir); err != nil {
			return err
		}
		if err := os.MkdirAll(dir, 0o777); err != nil {
			return err
		}
		cmd := exec.CommandContext(o.ctx, binary, "-test.run=^TestRecord$",
			"-program="+r.program.Name, fmt.Sprintf("-seed=%d", seed),
			fmt.Sprintf("-work=%d", naturalWork))
		cmd.Env = append(os.Environ(), "COMMUTE=atexit_sleep_ms=0 trace="+dir)
		out, err := cmd.CombinedOutput()
		var failed *exec.ExitError // something was found, most likely
		if err != nil && !errors.As(err, &failed) {
			return err
		}
		files, err := filepath.Glob(filepath.Join(dir, "*.trace"))
		if err != nil || len(files) != 1 {
			return fmt.Errorf("%s recorded %d traces: %v\n%s", strings.Join(cmd.Args, " "),
				len(files), err, out)
		}
		n, err := o.metainfo(files[0])
		if err != nil {
			return err
		}
		r.files = append(r.files, files[0])
		r.events += n["events"]
		r.transactions += n["transactions"]
	}
	return nil
}

// tryAll has all checks look at a program's runs.
func (o *Options) tryAll(r *recording) error {
	for _, check := range timedChecks {
		t := &trial{verdict: verdict{methods: make(map[string]bool)}}
		r.trials[check] = t
		for _, file := range r.files {
			x, err := o.execute([]int{0, 1, 2}, o.Commute, "analyze", "-json", "-all", "-check",
				check, file)
			if err != nil {
				return err
			}
			t.took += x.took
			if t.timeout = t.timeout || x.timeout; x.timeout {
				continue
			}
			if err := t.take(r.program, x.stdout); err != nil {
				return fmt.Errorf("commute analyze -json -all -check %s %s: %w", check, file, err)
			}
		}
	}
	if o.Rapid == "" {
		return nil
	}
	return o.tryRapid(r)
}

// take takes what a check says of one run, in JSON.
func (t *trial) take(p *programs.Program, text []byte) error {
	var x report.Trace
	if err := json.Unmarshal(text, &x); err != nil {
		return fmt.Errorf("%w\n%s", err, text)
	}
	switch {
	case x.Error != "" && len(x.Checks) == 0:
		t.refused = reasonOf(x.Error)
		return nil
	case x.Error != "" || len(x.Checks) != 1:
		return fmt.Errorf("%d checks, %s", len(x.Checks), x.Error)
	}
	c := &x.Checks[0]
	for _, f := range c.Findings {
		var names []string
		for i := range f.Transactions {
			if name := f.Transactions[i].Name; name != "" {
				names = append(names, name[strings.LastIndexByte(name, '.')+1:])
			}
		}
		if len(names) > 0 {
			t.methods[culprit(p, names)] = true
		}
	}
	t.count(c)
	return nil
}

// count adds what a check counts in a trace.
func (t *trial) count(c *report.Check) {
	for i := range c.Findings {
		if c.Findings[i].Kind == report.Deadlock {
			t.deadlocks++
		}
	}
	if c.Proven != nil && c.Alarms != nil && c.GaveUp != nil {
		t.proven += *c.Proven
		t.alarms += *c.Alarms
		t.unknown += *c.GaveUp
	}
	if c.Proven == nil && c.GaveUp != nil && *c.GaveUp > 0 {
		t.partial = true
	}
	if c.Blocks != nil {
		t.became.Add(c.Blocks)
	}
}

// culprit is the method of a cycle that is reported: the first that some order breaks, or else the
// first of all.
func culprit(p *programs.Program, names []string) string {
	if i := slices.IndexFunc(names, p.Breaks); i >= 0 {
		return names[i]
	}
	return names[0]
}

// reasonOf is the reason in an error of a trace, without the trace's name and the check's.
func reasonOf(text string) string {
	if _, rest, ok := strings.Cut(text, "-check="); ok {
		if _, why, ok := strings.Cut(rest, ": "); ok {
			return why
		}
	}
	return text
}
