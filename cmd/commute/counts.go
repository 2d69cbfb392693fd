// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/commutego/commute/report"
)

// countsVariable names the folder in which watched processes write what they have watched: one file
// each, which is empty until the process ends. Package runtime of this module writes them.
const countsVariable = "COMMUTE_COUNTS"

// reportsEnding is the end of the name of the file with a process's reports, which is there if it
// has made any.
const reportsEnding = ".reports"

// Counts are what the processes of one run have watched.
type counts struct {
	programs     map[string]bool // their paths: one for each package that was tested
	types        map[string]bool
	calls        uint64
	transactions uint64 // that are marked
	paired       uint64 // runs of functions that check and act in two critical sections
	locks        uint64
	silent       int // processes that have ended without a word

	// deadlocks are the potential deadlocks that fail nothing, one line each, in order, and
	// foundIn the programs that each was found in.
	deadlocks []string
	leaks     []string // likewise, the places where leaked goroutines wait
	foundIn   map[string][]string
	warned    map[string]bool // the fingerprints of those, but for what fails in another process

	finders map[string]bool // the names of programs in which something was found

	// reported are the marked functions, with their marks, of which a violation was reported.
	reported map[string]bool
	untraced bool // a trace was wanted, and could not be written to its end

	findings   []*report.Finding // that the processes have reported
	artifacts  []artifact        // of tests with which something was found
	suppressed map[string]bool   // the lines of the suppressions that hold for a finding
}

func newCounts() *counts {
	return &counts{programs: make(map[string]bool), types: make(map[string]bool),
		finders:  make(map[string]bool),
		reported: make(map[string]bool), suppressed: make(map[string]bool)}
}

// readCounts reads the files of all processes.
func readCounts(dir string) (*counts, error) {
	c, fails := newCounts(), make(map[failing]bool)
	reported := make(map[string][]*report.Finding)
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), concPrefix) {
			continue
		}
		text, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			return nil, err
		}
		if process, ok := strings.CutSuffix(e.Name(), reportsEnding); ok {
			list := report.Parse(text)
			c.findings = append(c.findings, list...)
			reported[process] = list
			continue
		}
		if process, ok := strings.CutSuffix(e.Name(), artifactsEnding); ok {
			c.addArtifacts(string(text), filepath.Join(dir, process+reportsEnding))
			continue
		}
		c.add(string(text))
		for kind, line := range map[report.Kind]string{report.Deadlock: "\nfound deadlock ",
			report.LeakedGoroutine: "\nfound leak "} {
			fails[failing{e.Name(), kind}] = strings.Contains(string(text), line)
		}
	}
	c.warn(reported, fails)
	return c, nil
}

// A failing is a kind of findings that are warnings elsewhere, in a process that fails by them.
type failing struct {
	process string
	kind    report.Kind
}

// mayWarn reports whether findings of a kind may be warnings.
func mayWarn(k report.Kind) bool { return k == report.Deadlock || k == report.LeakedGoroutine }

// warn finds out which of the findings of some processes are warnings: potential deadlocks and
// leaked goroutines, where no process fails by them. A process that has crashed has not said
// whether it would.
func (c *counts) warn(reported map[string][]*report.Finding, fails map[failing]bool) {
	c.warned = make(map[string]bool)
	for _, fail := range []bool{false, true} { // what fails comes last
		for process, list := range reported {
			for _, f := range list {
				if mayWarn(f.Kind) && fails[failing{process, f.Kind}] == fail {
					c.warned[f.Fingerprint()] = !fail
				}
			}
		}
	}
}

// add adds the file of one process. A file without its last line was not written completely, and
// doesn't count.
func (c *counts) add(text string) {
	text, complete := strings.CutSuffix(text, "end\n")
	if !complete {
		c.silent++
		return
	}
	program := ""
	numbers := map[string]*uint64{"calls": &c.calls, "transactions": &c.transactions,
		"paired": &c.paired, "locks": &c.locks}
	for line := range strings.Lines(text) {
		name, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		switch name {
		case "program":
			c.programs[value] = true
			program = strings.TrimSuffix(filepath.Base(value), ".exe")
		case "type":
			c.types[value] = true
		case "reported":
			c.reported[value] = true
		case "suppressed":
			c.suppressed[value] = true
		case "untraced":
			c.untraced = true
		case "deadlock":
			c.warning(&c.deadlocks, value, program)
		case "leak":
			c.warning(&c.leaks, value, program)
		case "found":
			c.finders[strings.TrimSuffix(program, ".test")] = true
		default:
			if sum := numbers[name]; sum != nil {
				n, _ := strconv.ParseUint(value, 10, 64)
				*sum += n
			}
		}
	}
}

// warning adds a line about a potential deadlock or a leaked goroutine that was found in a program.
// It ends with how often that was. Several programs may find the same.
func (c *counts) warning(list *[]string, line, program string) {
	if i := strings.LastIndex(line, ", "); i >= 0 {
		line = line[:i]
	}
	if c.foundIn == nil {
		c.foundIn = make(map[string][]string)
	}
	in, known := c.foundIn[line]
	if !known {
		*list = append(*list, line)
	}
	if !slices.Contains(in, program) {
		c.foundIn[line] = append(in, program)
	}
}

// A ran is a run of the go command, as far as the meaning of the counts depends on it.
type ran struct {
	test     bool // go test, not go run
	ok       bool // with exit code 0
	memory   bool // accesses to memory are watched for data races
	marked   bool // there is code that is marked as atomic
	tests    int  // packages that have test files; -1 if that isn't known
	cachable bool // results may come from go's test cache
	wrapped  bool // other programs run those of the tests: -exec
	explored bool // by many schedules: processes that crash are reported as failures
}

// verdict is a line about what was watched, "" if there is none. refused is the reason why -strict
// refuses the run, "" if it doesn't.
func (c *counts) verdict(r ran) (line, refused string) {
	n := len(c.programs)
	if n == 0 {
		return c.noProcess(r)
	}
	var subject string
	if r.test {
		subject = number(uint64(n), "package") + ": "
	}
	transactions := c.transactions + c.paired
	watched := fmt.Sprintf("watched %s of %s, %s", number(c.calls, "call"),
		number(uint64(len(c.types)), "type"), number(transactions, "transaction"))
	if r.memory || r.marked {
		watched += ", " + number(c.locks, "lock")
	}
	switch {
	case r.marked && c.transactions == 0:
		refused = "no code that is marked as atomic was run"
		watched += "; " + refused
	case !r.memory && c.calls == 0 && transactions == 0 && c.silent == 0:
		refused = "nothing was watched"
		watched = "nothing was watched: 0 calls of 0 types (see commute spec draft, -datarace, " +
			"//commute:atomic)"
	}
	if r.explored && !r.memory && !r.marked && c.calls == 0 && transactions == 0 {
		return "", refused // schedules were explored: that is what the run is for
	}
	return subject + watched + c.notes(r), refused
}

// warnings are lines about what was found and fails nothing. The go command doesn't show what tests
// print that pass.
func (c *counts) warnings() (lines []string) {
	for _, k := range []struct {
		list               []string
		before, what, flag string
	}{{c.deadlocks, "", "potential deadlock", "deadlock"},
		{c.leaks, "leaked goroutines at ", "place", "leaks"}} {
		if len(k.list) == 0 {
			continue
		}
		lines = append(lines, fmt.Sprintf("warning: %s%s; nothing fails by that (-v shows "+
			"reports, -%s=fail makes tests fail)", k.before, number(uint64(len(k.list)), k.what),
			k.flag))
		for i, line := range k.list {
			if k.flag == "leaks" && i == maxListed {
				lines = append(lines, fmt.Sprintf("%d more", len(k.list)-i))
				break
			}
			in := c.foundIn[line]
			slices.Sort(in)
			lines = append(lines, line+", in "+strings.Join(in, ", "))
		}
	}
	return lines
}

// noProcess is the verdict if no process has written anything.
func (c *counts) noProcess(r ran) (line, refused string) {
	switch {
	case c.silent > 0 && r.explored:
		return "", ""
	case c.silent > 0:
		return "nothing is known of what was watched: " + c.unfinished(), ""
	case r.ok && r.test && r.tests == 0:
		return "", "nothing was watched" // go has said that there are no tests
	case r.ok && r.wrapped && (!r.test || r.tests > 0):
		return "nothing is known of what was watched: no process has said it (-exec has to pass " +
			"on the environment, and to run here)", "nothing was watched"
	case !r.ok || !r.test || r.tests <= 0:
		return "", "" // the build failed: go has said so
	case r.cachable:
		return fmt.Sprintf("nothing was run: %s of go's test cache (-count=1 runs the tests)",
			results(r.tests)), "nothing was watched"
	}
	return "", ""
}

// notes say what is not in the counts.
func (c *counts) notes(r ran) (s string) {
	if c.silent > 0 && !r.explored {
		s += "; " + c.unfinished()
	}
	if n := r.tests - len(c.programs); r.test && r.ok && r.cachable && n > 0 {
		s += fmt.Sprintf("; %s of go's test cache not counted (-count=1 runs them)", results(n))
	}
	return s
}

// unfinished says that there are processes which have not written what they watched.
func (c *counts) unfinished() string {
	if c.silent == 1 {
		return "1 process ended before it could say (a crash, or it was killed)"
	}
	return fmt.Sprintf("%d processes ended before they could say (crashes, or they were killed)",
		c.silent)
}

func results(n int) string { return number(uint64(n), "result") }

// number is a number of things.
func number(n uint64, what string) string {
	if n != 1 {
		what += "s"
	}
	return fmt.Sprintf("%d %s", n, what)
}
