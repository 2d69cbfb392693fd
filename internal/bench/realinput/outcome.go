// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/commutego/commute/internal/bench/measure"
)

// A build is a way to compile tests: a command, to which -c and so on are added.
type build struct {
	name    string
	command []string
}

// An outcome is the result of one package's tests in one build.
type outcome struct {
	verdict string // ok, FAIL (and how many tests), timeout, crash, no build
	reports int
	failed  map[string]bool // the tests that failed
	totals  [2]int          // transactions, and their conflicts
	elapsed time.Duration
	peak    int64 // of resident memory, in bytes; 0: not known
}

var (
	// reportLine begins a finding, of ours or of the race detector.
	reportLine = regexp.MustCompile(`(?m)^WARNING: [A-Z -]+$`)
	// totals is what option stats makes the engine print at the end.
	totals = regexp.MustCompile(`(?m)^commute: (\d+) transactions?, ` +
		`(\d+) conflicts? with others$`)
	failLine = regexp.MustCompile(`(?m)^ *--- FAIL: (\S+)`)
)

// run compiles the package's tests and runs them.
func (b build) run(p pkg) outcome {
	name := strings.ReplaceAll(p.path, "/", "_")
	binary := filepath.Join(*dir, p.target.name, name+"."+b.name+".test")
	log := filepath.Join(*dir, p.target.name, name+"."+b.name+".txt")
	defer func() { _ = os.Remove(binary) }()
	args := slices.Clone(b.command[1:])
	if b.name == "atomic" {
		if len(p.marks()) == 0 {
			return outcome{verdict: "-"}
		}
		for _, pattern := range p.marks() {
			args = append(args, "-atomic", pattern)
		}
	}
	args = append(args, "-c", "-o", binary, p.path)
	out, _, err := execute(p.dir, b.command[0], args...)
	if err != nil {
		_ = os.WriteFile(log, out, 0o666)
		return outcome{verdict: "no build"}
	}
	args = []string{"-test.paniconexit0", fmt.Sprintf("-test.timeout=%v", *timeout),
		fmt.Sprintf("-test.short=%v", p.target.short)}
	if p.target.skip != "" {
		args = append(args, "-test.skip="+p.target.skip)
	}
	start := time.Now()
	out, state, err := execute(p.dir, binary, args...)
	o := outcome{elapsed: time.Since(start), peak: measure.Peak(state),
		failed: make(map[string]bool)}
	_ = os.WriteFile(log, out, 0o666)
	o.judge(out, err)
	return o
}

// judge reads the output of the tests.
func (o *outcome) judge(out []byte, err error) {
	if m := totals.FindSubmatch(out); m != nil {
		for i := range o.totals {
			o.totals[i], _ = strconv.Atoi(string(m[i+1]))
		}
	}
	o.reports = len(reportLine.FindAll(out, -1))
	for _, m := range failLine.FindAllSubmatch(out, -1) {
		o.failed[string(m[1])] = true
	}
	switch {
	case err == nil:
		o.verdict = "ok"
	case bytes.Contains(out, []byte("panic: test timed out")) ||
		bytes.Contains(out, []byte(killed)):
		o.verdict = "timeout"
	case len(o.failed) > 0:
		o.verdict = fmt.Sprintf("FAIL %d", len(o.failed))
	default:
		o.verdict = "crash"
	}
}

const killed = "\nkilled by realinput: the time is over\n"

// execute runs a command with the time limit, and a little more, and returns what it printed.
func execute(dir, name string, args ...string) ([]byte, *os.ProcessState, error) {
	ctx, cancel := context.WithTimeout(context.Background(), *timeout+10*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir = dir
	// the race detector waits a second at the end
	cmd.Env = append(cmd.Environ(), "GORACE=atexit_sleep_ms=0", "COMMUTE=atexit_sleep_ms=0 stats=1")
	cmd.WaitDelay = 5 * time.Second
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	err := cmd.Run()
	if ctx.Err() != nil {
		out.WriteString(killed)
	}
	return out.Bytes(), cmd.ProcessState, err
}
