// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

// Command replays tells how exact a replay is. It runs each test of packages by the same seeds
// again and again, in processes of their own, and compares the hashes of what has happened. From
// the root of the repository:
//
//	go run ./internal/bench/replays [-n 100] [-policies again,random] [-procs 1,default]
//		[-run regexp] [-skip regexp] [-together] [-timeout 10s] [-base 1] [-commute file]
//		[-v] folder...
//
// A folder is that of a package, in any module. Its tests are compiled as by commute test -explore,
// and run with -short. Findings and leaks of commute fail nothing. Each process makes a run by
// default, and then one for each policy. With -together a run is one of all tests, which takes less
// time: if the hashes of such runs are the same, so is each test in them. If not, none counts as
// the same.
//
// A line for each package says for each GOMAXPROCS how many of its tests have the same hashes in
// all processes. A test that differs follows, with the first operation or choice that does. So do
// tests that take longer than the timeout, which count as none, and those that fail.
package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	engine "github.com/commutego/commute/internal/engine/explore"
	"github.com/commutego/commute/internal/explore"
	"github.com/commutego/commute/internal/toolchain/toolexec"
)

// A bench is what is to be measured.
type bench struct {
	n        int
	policies []engine.Policy
	procs    []string
	run      string
	skip     *regexp.Regexp
	timeout  time.Duration
	base     uint64
	together bool
	verbose  bool
	tool     string // the command, "" to build it
	dir      string // for what is built
	out      io.Writer
}

func main() {
	if err := mainErr(os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "replays:", err)
		os.Exit(1)
	}
}

func mainErr(args []string, out io.Writer) error {
	b := bench{out: out}
	flags := flag.NewFlagSet("replays", flag.ContinueOnError)
	flags.IntVar(&b.n, "n", 100, "processes for each test and GOMAXPROCS")
	policies := flags.String("policies", "again,random", "of the runs after the first")
	procs := flags.String("procs", "1,default", "values of GOMAXPROCS")
	flags.StringVar(&b.run, "run", "", "only tests that match")
	skip := flags.String("skip", "", "no tests that match")
	flags.DurationVar(&b.timeout, "timeout", 10*time.Second, "of a run")
	flags.Uint64Var(&b.base, "base", 1, "other seeds for each number")
	flags.BoolVar(&b.together, "together", false, "a run is one of all tests")
	flags.StringVar(&b.tool, "commute", "", "the command, if it is not to be built")
	flags.BoolVar(&b.verbose, "v", false, "tell of each test")
	if err := flags.Parse(args); err != nil {
		return err
	}
	for word := range strings.SplitSeq(*policies, ",") {
		p, ok := engine.PolicyOf(word)
		if !ok {
			return fmt.Errorf("there is no policy %q", word)
		}
		b.policies = append(b.policies, p)
	}
	b.procs = strings.Split(*procs, ",")
	if *skip != "" {
		re, err := regexp.Compile(*skip)
		if err != nil {
			return err
		}
		b.skip = re
	}
	return b.measure(flags.Args())
}

// measure measures the packages of folders.
func (b *bench) measure(folders []string) (err error) {
	if b.dir, err = os.MkdirTemp("", "commute-replays-"); err != nil {
		return err
	}
	defer os.RemoveAll(b.dir)
	if b.tool == "" {
		b.tool = filepath.Join(b.dir, "commute")
		if err := command(".", "build", "-buildvcs=false", "-o", b.tool, "./cmd/commute"); err != nil {
			return err
		}
	}
	silent := filepath.Join(b.dir, "silent")
	if err := os.WriteFile(silent, []byte("*\n"), 0o666); err != nil {
		return err
	}
	os.Setenv(toolexec.ExploreVariable, "1")
	os.Setenv("COMMUTE", "suppressions="+silent)
	os.Setenv("COMMUTE_EXPLORE_LEAKS", "off")
	for i, folder := range folders {
		if folder, err = filepath.Abs(folder); err != nil {
			return err
		}
		binary := &explore.Binary{Path: filepath.Join(b.dir, fmt.Sprintf("%d.test", i)), Dir: folder,
			Flags: []string{"-test.short"}, Run: b.run}
		if err := command(folder, "test", "-c", "-toolexec="+b.tool+" toolexec", "-o",
			binary.Path, "."); err != nil {
			return err
		}
		if err := b.binary(binary); err != nil {
			return err
		}
		os.Remove(binary.Path)
	}
	return nil
}

// command runs the go command in a folder.
func command(dir string, args ...string) error {
	cmd := exec.Command("go", args...)
	cmd.Dir, cmd.Stderr = dir, os.Stderr
	return cmd.Run()
}

// binary measures the tests of a package.
func (b *bench) binary(binary *explore.Binary) error {
	tests, err := binary.Tests()
	if err != nil {
		return err
	}
	tests = slices.DeleteFunc(tests, func(test string) bool {
		return b.skip != nil && b.skip.MatchString(test)
	})
	weight := 1 // tests that a run is of
	if b.together && len(tests) > 0 {
		weight = len(tests)
		tests = []string{"(" + strings.Join(tests, "|") + ")"}
	}
	var results []string
	var notes strings.Builder
	for _, procs := range b.procs {
		if procs == "default" {
			os.Unsetenv("GOMAXPROCS")
		} else {
			os.Setenv("GOMAXPROCS", procs)
		}
		same, ran := 0, 0
		for _, test := range tests {
			r, err := b.test(binary, test)
			if err != nil {
				return err
			}
			if b.together {
				test = "all"
			}
			b.tell(&notes, test, procs, r)
			if r.Processes > 0 {
				ran += weight
			}
			if r.Processes > 0 && r.Same == r.Processes {
				same += weight
			}
		}
		results = append(results, fmt.Sprintf("%d of %d (GOMAXPROCS=%s)", same, ran, procs))
	}
	_, err = fmt.Fprintf(b.out, "%s: tests the same in %d of %d processes: %s\n%s", binary.Dir, b.n,
		b.n, strings.Join(results, ", "), notes.String())
	return err
}

// tell writes what is to be said of one test.
func (b *bench) tell(notes *strings.Builder, test, procs string, r explore.Repeated) {
	if b.verbose {
		fmt.Fprintf(b.out, "  %s, GOMAXPROCS=%s: %d of %d the same, %d points, %d failed, "+
			"%d arrivals\n", test, procs, r.Same, r.Processes, r.Points, r.Failed, r.Arrivals)
	}
	if r.Killed > 0 {
		fmt.Fprintf(notes, "%s, GOMAXPROCS=%s: takes too long\n", test, procs)
	}
	if r.Failed > 0 {
		fmt.Fprintf(notes, "%s, GOMAXPROCS=%s: fails in %d of %d processes\n", test, procs, r.Failed,
			r.Processes)
	}
	if r.Same < r.Processes {
		fmt.Fprintf(notes, "%s, GOMAXPROCS=%s: %d of %d processes the same, %d arrivals\n%s",
			test, procs, r.Same, r.Processes, r.Arrivals, r.Differ)
	}
}

// test measures one test.
func (b *bench) test(binary *explore.Binary, test string) (explore.Repeated, error) {
	return binary.Repeat(test, explore.Repetition{Processes: b.n, Timeout: b.timeout,
		Seeds: explore.DrawnSeeds(test, b.base, b.policies...)})
}
