// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

// Command racebench compares the costs of commute's detection of data races and of the race
// detector, in time and in memory. The programs are benchmarks of the standard library, of
// well-known modules, and of large heaps. From the root of the repository:
//
//	go run ./internal/bench/racebench [-rounds 5] [-bench regexp] [-commute path] [-dir folder]
//		[-only plain,datarace,datarace-all,race]
//
// The build datarace watches the benchmark's own package, as commute test -datarace does;
// datarace-all watches every package, with -watch all, as the race detector does. There is also
// commute, which watches no memory.
//
// A benchmark makes the same number of operations in every build, and each run has a process of its
// own. The builds take turns, benchmark by benchmark, so that a change in the machine's speed hits
// all of them. The tables have the first build's median, the other builds' ratios to it, and those
// of datarace to race. A ratio is the median of the rounds' ratios. Time is that of an operation
// or, where a package's tests are run, that of all processors: such tests sleep. Memory is the
// largest that was resident. The last line of each table is the geometric mean of its ratios, and
// of how many if a row has none.
//
// The table of processor time has that of all processors for the whole process, its start
// included, and the least of the rounds in place of medians: so the other work of a busy machine
// changes little.
//
// A run that fails is reported on standard error, and has no number. The command then exits with 1.
// -race needs cgo and a C compiler.
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/commutego/commute/internal/bench/measure"
)

var (
	rounds = flag.Int("rounds", 5, "how often each benchmark is run with each build")
	bench  = flag.String("bench", ".", "the benchmarks to run, by the names that -list prints")
	only   = flag.String("only", "plain,datarace,datarace-all,race", "the builds to compare")
	binary = flag.String("commute", "",
		"the commute command to use (default: build ./cmd/commute)")
	folder = flag.String("dir", "", "where to keep copies of modules and test binaries (default: "+
		"a temporary folder)")
	listing = flag.Bool("list", false, "print the benchmarks and end")
)

// errFailed says that there are tables, but that a run has failed.
var errFailed = errors.New("not every run succeeded")

func main() {
	flag.Parse()
	switch err := run(); {
	case errors.Is(err, errFailed):
		fmt.Fprintln(os.Stderr, "racebench:", err)
		os.Exit(1)
	case err != nil:
		fmt.Fprintln(os.Stderr, "racebench:", err)
		os.Exit(2)
	}
}

// run compiles the chosen benchmarks, runs them in turns, and prints the tables.
func run() error {
	chosen, err := choose(*bench)
	if err != nil {
		return err
	}
	if *listing {
		for _, c := range chosen {
			fmt.Println(c.name())
		}
		return nil
	}
	dir, remove, err := workingFolder()
	if err != nil {
		return err
	}
	defer remove()
	builds, err := newBuilds(dir, strings.Split(*only, ","))
	if err != nil {
		return err
	}
	if err := compile(dir, chosen, builds); err != nil {
		return err
	}
	times, peaks := newTable("time", builds, duration), newTable("peak memory", builds, megabytes)
	processor := newTable("processor time", builds, duration)
	processor.least = true
	var failed error
	for round := range *rounds {
		for _, c := range chosen {
			for _, b := range builds {
				s, err := c.measure(dir, b)
				if err != nil {
					fmt.Fprintf(os.Stderr, "%s: %s: %v\n", b.name, c.name(), err)
					failed = errFailed
				}
				times.add(c.name(), round, b.name, s.time)
				processor.add(c.name(), round, b.name, s.processor)
				peaks.add(c.name(), round, b.name, s.peak)
			}
		}
		fmt.Fprintf(os.Stderr, "round %d of %d done\n", round+1, *rounds)
	}
	for i, t := range []*table{times, processor, peaks} {
		if i > 0 {
			fmt.Println()
		}
		t.print(os.Stdout)
	}
	return failed
}

// choose returns the cases whose names the pattern matches.
func choose(pattern string) ([]benchmark, error) {
	re, err := regexp.Compile(pattern)
	if err != nil {
		return nil, err
	}
	var chosen []benchmark
	for i := range targets {
		for _, c := range targets[i].benchmarks {
			c.target = &targets[i]
			if re.MatchString(c.name()) {
				chosen = append(chosen, c)
			}
		}
	}
	if len(chosen) == 0 {
		return nil, fmt.Errorf("no benchmark matches %q; -list prints them", pattern)
	}
	return chosen, nil
}

// workingFolder is the one of the flag, or a new one that is to be removed.
func workingFolder() (dir string, remove func(), err error) {
	if *folder != "" {
		dir, err = filepath.Abs(*folder)
		return dir, func() {}, errors.Join(err, os.MkdirAll(dir, 0o777))
	}
	dir, err = os.MkdirTemp("", "commute-racebench")
	return dir, func() { _ = os.RemoveAll(dir) }, err
}

// prepare finds the folder of the target's package, and copies its module if it has one.
func (t *target) prepare(dir string) error {
	from := t.folder
	if t.module != "" {
		from = filepath.Join(dir, "src", strings.ReplaceAll(t.module, "/", "_"))
		if _, err := os.Stat(from); err != nil {
			if err := measure.CopyModule(from, t.module); err != nil {
				return err
			}
		}
	}
	out, err := output(from, "go", "list", "-f", "{{.ImportPath}}\t{{.Dir}}", t.pkg)
	if err != nil {
		return err
	}
	t.path, t.dir, _ = strings.Cut(strings.TrimSpace(out), "\t")
	return nil
}
