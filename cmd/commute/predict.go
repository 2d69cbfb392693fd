// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/commutego/commute/internal/option"
	"github.com/commutego/commute/internal/toolchain/goenv"
	"github.com/commutego/commute/internal/toolchain/target"
)

// With -predict, the go command has this program run each program that it would run itself: by its
// flag -exec. That records what the program does, and looks at it when the program has ended
// (predictrun.go). So a test binary in which something is predicted fails, for the go command, too.
//
// Its folder has one file for each program that was run: what became of it.

// A forecast is what -predict needs while the go command runs.
type forecast struct {
	dir  string // its folder
	exec string // the value of the go command's -exec
}

// checkPredict says why nothing can be predicted here.
func (c *goCall) checkPredict() error {
	if !c.own.predict {
		return nil
	}
	if !c.marked {
		return errors.New("-predict is about code that is marked as atomic, and none is " +
			"(//commute:atomic above a function, or -atomic)")
	}
	if p := target.Current(c.env.GOVERSION); !p.CompilerRace() {
		return fmt.Errorf("-predict needs the compiler's -race, which does not exist for %s: "+
			"drop the flag", p)
	}
	list, _ := option.Parse(os.Getenv(option.Variable))
	if slices.ContainsFunc(list, func(s option.Setting) bool { return s.Name == "trace_last_mb" }) {
		return fmt.Errorf("-predict looks at a trace from its beginning: take trace_last_mb out "+
			"of %s", option.Variable)
	}
	return nil
}

// takeExec takes the user's -exec out of args. It is what the go command would run programs by.
func takeExec(name string, args []string, env *goenv.Env) (value string, rest []string) {
	given, rest := takeFlag("exec", name, args)
	if len(given) > 0 {
		return given[len(given)-1], rest
	}
	for _, word := range strings.Fields(env.GOFLAGS) {
		word = strings.TrimLeft(strings.Trim(word, "'\""), "-")
		if v, ok := strings.CutPrefix(word, "exec="); ok {
			value = v
		}
	}
	p := target.Current(env.GOVERSION)
	if value == "" && (p.GOOS != runtime.GOOS || p.GOARCH != runtime.GOARCH) {
		path, err := exec.LookPath(fmt.Sprintf("go_%s_%s_exec", p.GOOS, p.GOARCH))
		if quoted, e := quote(path); err == nil && e == nil {
			value = quoted
		}
	}
	return value, rest
}

// predict makes the folder of -predict. It returns nil if nothing is to be predicted.
func (s *session) predict() (*forecast, error) {
	if !s.own.predict {
		return nil, nil
	}
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	list, _ := option.Parse(os.Getenv(option.Variable))
	// Traces that are kept are moved, so they are written on the same disk.
	dir, err := os.MkdirTemp(traceFolder(list), ".commute-predict-")
	if err != nil {
		return nil, err
	}
	f := &forecast{dir: dir}
	words := []string{self, runnerWord, s.build.Command, dir}
	for i := range words {
		if words[i], err = quote(words[i]); err != nil {
			f.remove()
			return nil, err
		}
	}
	f.exec = strings.TrimSpace(strings.Join(words, " ") + " " + s.exec)
	return f, nil
}

// traceFolder is the folder that traces are to be kept in, "" if there is none.
func traceFolder(list []option.Setting) (dir string) {
	for _, s := range list {
		if s.Name == "trace" {
			dir = s.Value
		}
	}
	return dir
}

// remove removes the folder. Traces that were to be kept, and whose program was not waited for, go
// where they belong.
func (f *forecast) remove() {
	if f == nil {
		return
	}
	list, _ := option.Parse(os.Getenv(option.Variable))
	if keep := traceFolder(list); keep != "" {
		left, _ := filepath.Glob(filepath.Join(f.dir, "*", "*.trace"))
		for _, name := range left {
			os.Rename(name, filepath.Join(keep, filepath.Base(name)))
		}
	}
	os.RemoveAll(f.dir)
}

// finish removes the folder when all programs have ended, and says in a line what was predicted and
// what was not looked at. The error is why something could not be looked at.
func (f *forecast) finish() error {
	if f == nil {
		return nil
	}
	var all predictions
	names, err := filepath.Glob(filepath.Join(f.dir, "*"+predictedSuffix))
	for _, name := range names {
		text, e := os.ReadFile(name)
		err = errors.Join(err, e)
		all.add(string(text))
	}
	f.remove()
	if line := all.String(); line != "" {
		fmt.Fprintf(os.Stderr, "commute: -predict: %s\n", line)
	}
	if all.failed != "" {
		err = errors.New(all.failed)
	}
	return err
}

// Predictions are what -predict has made of one program, or of several.
type predictions struct {
	found             int
	gaveUp, all       uint64 // transactions
	limited, programs int    // programs of which not all was recorded; all programs
	failed            string // why something was not looked at, in one line
	megabytes         int    // what is recorded of a program
}

const predictedSuffix = ".predicted"

// diskFull is why a program was not looked at, as a rule.
const diskFull = "what a program did could not be recorded to its end (is the disk full?)"

// text is it as a file has it.
func (o *predictions) text() string {
	return fmt.Sprintf("%d %d %d %d %d %d\n%s", o.found, o.gaveUp, o.all, o.limited, o.programs,
		o.megabytes, o.failed)
}

// add adds that of a file. One that could not be written is empty.
func (o *predictions) add(text string) {
	x := predictions{failed: diskFull}
	if numbers, failed, whole := strings.Cut(text, "\n"); whole {
		x.failed = failed
		fmt.Sscan(numbers, &x.found, &x.gaveUp, &x.all, &x.limited, &x.programs, &x.megabytes)
	}
	o.found += x.found
	o.gaveUp += x.gaveUp
	o.all += x.all
	o.limited += x.limited
	o.programs += x.programs
	o.megabytes = max(o.megabytes, x.megabytes)
	if o.failed == "" {
		o.failed = x.failed
	}
}

// String is a line, "" if there is nothing to be said.
func (o *predictions) String() string {
	var parts []string
	if o.found > 0 {
		parts = append(parts, number(uint64(o.found), "violation")+" predicted")
	}
	if o.gaveUp > 0 {
		parts = append(parts, fmt.Sprintf("of %s %d given up: it isn't known whether another order "+
			"breaks them", number(o.all, "transaction"), o.gaveUp))
	}
	if o.limited > 0 {
		parts = append(parts, fmt.Sprintf("of %s only the first %d MB looked at (-trace_limit=N)",
			number(uint64(o.limited), "program"), o.megabytes))
	}
	return strings.Join(parts, "; ")
}
