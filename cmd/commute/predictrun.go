// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package main

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/commutego/commute/internal/child"
	"github.com/commutego/commute/internal/offline"
	"github.com/commutego/commute/internal/option"
	"github.com/commutego/commute/internal/trace/tracefile"
	"github.com/commutego/commute/report"
)

// runnerWord is what the go command calls this program with to run a program: the word, test or
// run, the folder of -predict, the user's -exec, the program and its arguments.
const runnerWord = "run-and-predict"

// recordedMegabytes is how much of what a program does is recorded, unless the user says it or
// keeps the trace.
const recordedMegabytes = 16

// A runner runs a program, and looks at what it has done.
type runner struct {
	test    bool             // the program is a test binary
	options []option.Setting // those of the program
	dir     string           // where it records what it does; "" if it doesn't
	keep    string           // where the trace goes then; "" if it is removed
	out     predictions
	ended   chan os.Signal // signals that are to end this process
}

// runAndPredict is what the go command runs instead of a program.
func runAndPredict(args []string) int {
	if len(args) < 3 {
		return misused("%s is for commute test -predict", runnerWord)
	}
	path, err := exec.LookPath(args[2])
	if err != nil {
		return fail(err)
	}
	r := &runner{test: args[0] == "test", ended: make(chan os.Signal, 1)}
	r.options, _ = option.Parse(os.Getenv(option.Variable))
	r.prepare(args[1])
	child.NotifyEnd(r.ended)
	go endWithParent(os.Getppid())
	state, err := child.Run(append([]string{path}, args[3:]...))
	if err != nil {
		os.RemoveAll(r.dir)
		return fail(err)
	}
	r.look(state)
	if state.ExitCode() == recordingFailed && r.out.failed == "" && !r.hasRoom() {
		r.out.failed = diskFull
	}
	os.RemoveAll(r.dir) // there may be room for the outcome only then
	name := filepath.Join(args[1], strconv.Itoa(os.Getpid())+predictedSuffix)
	if err := os.WriteFile(name, []byte(r.out.text()), 0o666); err != nil {
		os.Truncate(name, 0) // an empty file says that the disk is full
	}
	if state.Success() && r.out.found > 0 {
		return r.exitCode()
	}
	child.Exit(state)
	return 0 // not reached
}

// recordingFailed is the exit code of a program that ended well, but for its trace.
const recordingFailed = 2

// hasRoom reports whether there is room for files on the disk that the program records on.
func (r *runner) hasRoom() bool {
	name := filepath.Join(r.dir, "room")
	err := os.WriteFile(name, make([]byte, 1<<20), 0o666)
	os.Remove(name)
	return err == nil
}

// endWithParent has the program and this process end when the go command has been killed: nobody
// waits for them any more.
func endWithParent(parent int) {
	for parent > 1 && os.Getppid() == parent {
		time.Sleep(time.Second)
	}
	if p, err := os.FindProcess(os.Getpid()); err == nil && parent > 1 {
		p.Signal(syscall.SIGTERM)
	}
}

// prepare has the program record what it does. If that can't be, the program is run nevertheless.
func (r *runner) prepare(dir string) {
	var err error
	if r.dir, err = os.MkdirTemp(dir, "run-"); err != nil {
		r.out.failed = err.Error()
		return
	}
	r.keep = traceFolder(r.options)
	given := slices.DeleteFunc(slices.Clone(r.options), func(s option.Setting) bool {
		return s.Name == "trace"
	})
	given = append(given, option.Setting{Name: "trace", Value: r.dir})
	if r.keep == "" && r.option("trace_limit_mb") == "" {
		r.out.megabytes = recordedMegabytes
		given = append(given, option.Setting{Name: "trace_limit_mb",
			Value: strconv.Itoa(recordedMegabytes)})
	} else {
		r.out.megabytes, _ = strconv.Atoi(r.option("trace_limit_mb"))
	}
	if err := os.Setenv(option.Variable, option.String(given)); err != nil {
		r.out.failed = err.Error()
	}
}

// option is the value of an option of the program, "" if it is not given.
func (r *runner) option(name string) (value string) {
	for _, s := range r.options {
		if s.Name == name {
			value = s.Value
		}
	}
	return value
}

// exitCode is that of a program that ended well, and in which something was predicted.
func (r *runner) exitCode() int {
	code, err := strconv.Atoi(r.option("exitcode"))
	switch {
	case err != nil:
		return 66
	case code == 0 && r.test:
		return 1
	}
	return code
}

// look looks at what was recorded, unless the program or this process was to be ended.
func (r *runner) look(state *os.ProcessState) {
	if r.dir == "" || len(r.ended) > 0 || state.ExitCode() < 0 {
		return
	}
	done := make(chan struct{})
	defer close(done)
	go func() {
		select {
		case <-r.ended:
			os.RemoveAll(r.dir)
			fmt.Fprintln(os.Stderr, "commute: -predict: ended before all was looked at")
			os.Exit(1)
		case <-done:
		}
	}()
	names, err := filepath.Glob(filepath.Join(r.dir, "*.trace"))
	if err != nil {
		r.out.failed = err.Error()
	}
	var told offline.Foretelling
	for _, name := range names {
		found, err := r.analyze(name, &told)
		if err != nil {
			r.out.failed = err.Error()
		}
		r.print(found, name)
		if r.keep != "" {
			err := os.Rename(name, filepath.Join(r.keep, filepath.Base(name)))
			if err != nil {
				r.out.failed = err.Error()
			}
		}
	}
}

// analyze returns what is predicted of a trace.
func (r *runner) analyze(name string, told *offline.Foretelling) ([]*report.Finding, error) {
	f, err := tracefile.Open(name, "")
	if err != nil {
		return nil, err
	}
	defer f.Close()
	checks, err := offline.Named([]string{"avp"})
	if err != nil {
		return nil, err
	}
	o := offline.Options{Checks: checks, All: true, Guarded: true}
	if rules := r.option("suppressions"); rules != "" {
		text, err := os.ReadFile(rules)
		if err != nil {
			return nil, err
		}
		o.Rules = offline.ParseRules(string(text))
	}
	var count atomic.Uint64
	result, err := offline.Run(f, o, &count)
	if err != nil {
		return nil, err
	}
	r.out.programs++
	if limit := int64(r.out.megabytes) << 20; limit > 0 && f.Size > limit {
		r.out.limited++
	}
	if b := result.Checks[0].Blocks; b != nil {
		r.out.gaveUp, r.out.all = r.out.gaveUp+b.GaveUp, r.out.all+b.N
	}
	p := reportedBy(name)
	if p.untraced {
		r.out.failed = diskFull
	}
	return told.Add(result, f, func(name, mark string) bool {
		return p.reported[name+" "+mark]
	}), nil
}

// reportedBy is what a program says of itself that has recorded a trace.
func reportedBy(trace string) *counts {
	c := newCounts()
	words := strings.Split(filepath.Base(trace), ".")
	if dir := os.Getenv(countsVariable); dir != "" && len(words) > 2 {
		text, err := os.ReadFile(filepath.Join(dir, words[len(words)-2]))
		if err == nil {
			c.add(string(text))
		}
	}
	return c
}

// print prints what was predicted to where the program's own reports go.
func (r *runner) print(found []*report.Finding, trace string) {
	if len(found) == 0 {
		return
	}
	out := io.Writer(os.Stderr)
	switch path := r.option("log_path"); path {
	case "", "stderr":
	case "stdout":
		out = os.Stdout
	default:
		words := strings.Split(filepath.Base(trace), ".")
		f, err := os.OpenFile(path+"."+words[len(words)-2],
			os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o666)
		if err != nil {
			r.out.failed = err.Error()
			break
		}
		defer f.Close()
		out = f
	}
	report.Sort(found)
	r.handOn(found)
	for _, x := range found {
		strip(x, r.option("strip_path_prefix"))
		if _, err := io.WriteString(out, x.Text()); err != nil {
			r.out.failed = err.Error()
		}
	}
	r.out.found += len(found)
	fmt.Fprintf(os.Stderr, "commute: predicted %s; this has not happened, and could have\n",
		number(uint64(len(found)), "atomicity violation"))
	if r.test {
		fmt.Println("FAIL") // the test binary has said PASS
	}
}

// strip takes a prefix off the names of files.
func strip(x *report.Finding, prefix string) {
	frames := func(list []report.Frame) {
		for i := range list {
			list[i].File = strings.TrimPrefix(list[i].File, prefix)
		}
	}
	for i := range x.Edges {
		frames(x.Edges[i].From.Stack)
		frames(x.Edges[i].To.Stack)
	}
	for i := range x.Goroutines {
		frames(x.Goroutines[i].Stack)
	}
	for i := range x.Source {
		x.Source[i].At = strings.TrimPrefix(x.Source[i].At, prefix)
	}
	for i := range x.Transactions {
		x.Transactions[i].MarkedAt = strings.TrimPrefix(x.Transactions[i].MarkedAt, prefix)
	}
}

// handOn hands what was predicted on to the command that has started this process.
func (r *runner) handOn(found []*report.Finding) {
	dir := os.Getenv(countsVariable)
	if dir == "" {
		return
	}
	f, err := os.CreateTemp(dir, "predicted-*"+reportsEnding)
	if err != nil {
		r.out.failed = err.Error()
		return
	}
	defer f.Close()
	for _, x := range found {
		if _, err := io.WriteString(f, x.Text()); err != nil {
			r.out.failed = err.Error()
			return
		}
	}
}
