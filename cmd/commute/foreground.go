// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package main

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/commutego/commute/internal/child"
	"github.com/commutego/commute/internal/explore"
	"github.com/commutego/commute/internal/toolchain/golist"
	"github.com/commutego/commute/internal/toolchain/target"
	"github.com/commutego/commute/internal/toolchain/toolexec"
	"github.com/commutego/commute/report"
)

// A session is one call of the go command, and the report after it.
type session struct {
	argv   []string
	build  *golist.Build
	own    setting
	marked bool // there is code that is marked as atomic
	flags  string
	exec   string // the user's -exec, if that is taken out for -predict

	release string // of Go

	replayable []explore.Replayable // schedules by which explored tests have failed
}

// run runs the go command. It takes the place of this process if nothing is to be reported at the
// end.
func (s *session) run() (int, error) {
	if !s.watchesRuns() {
		return s.runUnwatched()
	}
	dir, err := os.MkdirTemp("", "commute-counts-")
	if err != nil {
		return 0, err
	}
	defer os.RemoveAll(dir)
	o, err := s.runWatched(dir)
	if err != nil {
		return 0, err
	}
	c, err := readCounts(dir)
	os.RemoveAll(dir) // there may be no return
	if err != nil {
		fmt.Fprintf(os.Stderr, "commute: what was watched is not known: %v\n", err)
		child.Exit(o.state)
	}
	r := ran{test: s.build.Command == "test", ok: o.state.Success(), memory: s.own.datarace ||
		s.own.trace != "", marked: s.marked,
		tests: -1, cachable: s.cachable(), wrapped: s.has("exec"), explored: s.own.explore != nil}
	// else it makes no difference, and need not be waited for
	if c.silent+len(c.programs) == 0 || r.cachable || s.own.silent.any() {
		r.tests = <-o.tests
	}
	if code, err := s.tell(c, r); code != 0 || err != nil {
		return code, err
	}
	if code, err := o.code(); code != 0 || err != nil {
		return code, err
	}
	child.Exit(o.state)
	return 0, nil // not reached
}

// runUnwatched runs the go command where it runs no programs that could say what they watched.
func (s *session) runUnwatched() (int, error) {
	switch p := target.Current(""); {
	case s.own.strict:
		return 0, errors.New("-strict is about what runs, and this command line runs nothing " +
			"that could say what it watched: drop the flag")
	case len(s.own.reports) > 0 && !p.Files():
		return 0, fmt.Errorf("-report needs files that programs for %s don't write: drop the "+
			"flag", p)
	case len(s.own.reports) > 0:
		return 0, errors.New("-report is about what runs, and this command line runs nothing " +
			"that could be reported: drop the flag")
	case s.own.concCover != "":
		return 0, errors.New("-conc_cover is about what runs, and this command line runs " +
			"nothing that writes a profile: drop the flag")
	}
	os.Unsetenv(countsVariable)
	if s.own.explore != nil {
		return s.explored()
	}
	return toolexec.Replace(s.argv)
}

// A runResult is how a run of the go command has ended, and what else was asked of it.
type runResult struct {
	state       *os.ProcessState
	tests       <-chan int // how many packages have tests, when that is known
	keptPass    bool       // the kept schedules have passed
	unmet       error      // why the schedules have not covered what they should
	unprofiled  error      // why there is no profile for -conc_cover
	unpredicted error      // why -predict has failed
}

// runWatched runs the go command. Programs write what they have watched to files in dir.
func (s *session) runWatched(dir string) (o runResult, err error) {
	kept, err := s.keptTests()
	if err != nil {
		return o, err
	}
	if err := os.Setenv(countsVariable, dir); err != nil {
		return o, err
	}
	if err := s.own.wantConcCover(dir); err != nil {
		return o, err
	}
	predicts, err := s.predict()
	if err != nil {
		return o, err
	}
	argv := s.argv
	if predicts != nil {
		at := 2 + len(s.build.Chdir)
		argv = slices.Insert(slices.Clone(argv), at, "-exec="+predicts.exec)
	}
	o.tests = s.countTests() // not beside keptTests, which lists packages as well
	explored, err := s.tellExplored(dir)
	if err != nil {
		predicts.remove()
		return o, err
	}
	if o.state, err = child.Run(argv); err != nil {
		predicts.remove()
		return o, err
	}
	line, unmet := explored()
	o.unmet = unmet
	for said := range strings.Lines(line) {
		fmt.Fprintf(os.Stderr, "commute: %s\n", strings.TrimSuffix(said, "\n"))
	}
	if o.keptPass, err = kept.run(s); err != nil {
		return o, err
	}
	o.unpredicted = predicts.finish()
	o.unprofiled = s.own.finishConc(dir)
	return o, nil
}

// code is the exit code that goes before that of the go command, 0 if there is none.
func (o *runResult) code() (int, error) {
	if code := unmetCode(o.unmet, o.state.Success()); code != 0 {
		return code, nil
	}
	switch {
	case o.unprofiled != nil:
		return 0, o.unprofiled
	case o.unpredicted != nil:
		return 0, fmt.Errorf("-predict: %w", o.unpredicted)
	case o.state.Success() && !o.keptPass:
		return 1, nil
	}
	return 0, nil
}

// tell says what was found and watched, and writes it where flags ask for that. The code is not 0
// if a flag refuses the run.
func (s *session) tell(c *counts, r ran) (code int, err error) {
	say := func(line string) { fmt.Fprintf(os.Stderr, "commute: %s\n", line) }
	for i, line := range c.warnings() {
		if i == 0 {
			say(line)
		} else {
			fmt.Fprintf(os.Stderr, "  %s\n", line)
		}
	}
	findings := report.Merge(c.findings)
	if total := c.total(findings); total != "" && r.test {
		say(total)
		for _, line := range c.list(findings) {
			fmt.Fprintf(os.Stderr, "  %s\n", line)
		}
	}
	if line := logged(findings); line != "" {
		say(line)
	}
	line, refused := c.verdict(r)
	if line != "" {
		say(line)
	}
	complete := c.silent == 0 && r.tests <= len(c.programs) && !s.partial()
	for _, line := range s.own.silent.unused(c.suppressed, complete) {
		say(line)
	}
	failures := explore.Attach(findings, s.replayable)
	unwritten := errors.Join(writeReports(s.own.reports, findings, failures), c.writeArtifacts())
	if s.own.update {
		line, err := s.own.silent.update(findings, complete)
		if err != nil {
			return 0, errors.Join(unwritten, err)
		}
		say(line)
	}
	if s.own.strict && refused != "" && r.ok {
		say("-strict: " + refused)
		return toolexec.ExitUsage, unwritten
	}
	return 0, unwritten
}

// unmetCode is the exit code where -explore_cover or -explore_cover_min is not met, 0 if it is. A
// run that fails has a code of its own, which goes before a percentage.
func unmetCode(unmet error, ok bool) int {
	few := uncovered("")
	isFew := errors.As(unmet, &few)
	if unmet == nil || !ok && isFew {
		return 0
	}
	fmt.Fprintf(os.Stderr, "commute: %v\n", unmet)
	switch {
	case isFew:
		return exitUncovered
	case ok:
		return toolexec.ExitUsage // what was covered is lost
	}
	return 0
}

// watchesRuns reports whether programs are run that can write what they watched.
func (s *session) watchesRuns() bool {
	if !target.Current("").Files() || s.has("n") {
		return false
	}
	switch s.build.Command {
	case "run":
		return true
	case "test":
		return !slices.ContainsFunc([]string{"c", "list", "test.list", "h", "help"}, s.has)
	}
	return false
}

func (s *session) has(flag string) bool { return hasFlag(flag, s.build.Args, s.flags) }

// partial reports whether the command line leaves tests out.
func (s *session) partial() bool {
	return s.build.Command == "test" &&
		slices.ContainsFunc([]string{"run", "skip", "short", "fuzz"}, s.has)
}

// cachable reports whether go test may show results of earlier runs. It keeps those of packages
// that are named, unless some flag prevents it; these are the usual ones.
func (s *session) cachable() bool {
	return s.build.Command == "test" && s.build.NamesPackages() &&
		!slices.ContainsFunc([]string{"count", "bench", "fuzz", "exec", "cpuprofile", "memprofile",
			"trace", "blockprofile", "mutexprofile"}, s.has)
}

// countTests finds out, while the tests run, how many packages have tests: -1 if the go command
// cannot say that.
func (s *session) countTests() <-chan int {
	n := make(chan int, 1)
	go func() { n <- s.build.Tests() }()
	return n
}
