// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

// Command explore measures the exploration of schedules: how soon it finds mistakes, whether it has
// false alarms, and what it costs. From the root of the repository:
//
//	go run ./internal/bench/explore [-table wrong,right,cost] [-run regexp] [-seeds 20]
//		[-runs 10000] [-rounds 5] [-commute path] [-dir folder]
//
// Table wrong has the programs of testdata/explore that go wrong by a rare schedule. Each is
// explored with some seeds, and each run is one round of the program: at which run is it found, by
// a report or by the failure of its test; and at which run is there harm, where commute reports
// nothing? The same by one forced switch alone. The last columns say how many forced switches are
// left of a harmful schedule when it was shrunk.
//
// Table right has the programs that are right. Each is explored until it has had so many runs, by
// the search and by all policies in turn. A failure is a false alarm, and the command exits with 1.
//
// Table cost has tests of well-known modules: time of the processor and on the clock of one run,
// without the build, by plain go, by commute test, by exploration with the default schedule, and
// with schedules that are drawn. A figure is the median of some rounds, in which the builds take
// turns.
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/commutego/commute/internal/toolchain/toolexec"
)

var (
	tables = flag.String("table", "wrong,right,cost", "the tables to print")
	run    = flag.String("run", ".", "the programs, or the modules, by their names")
	seeds  = flag.Int("seeds", 20, "with how many seeds each wrong program is explored")
	runs   = flag.Int("runs", 10_000, "how many runs each right program has")
	rounds = flag.Int("rounds", 5, "how often the tests of each module are run with each build")
	binary = flag.String("commute", "",
		"the commute command to use (default: build ./cmd/commute)")
	folder = flag.String("dir", "", "where to keep copies of modules and test binaries (default: "+
		"a temporary folder)")
)

// errFailed says that there are tables, but that something in them is not as it must be.
var errFailed = errors.New("not all is as it must be")

func main() {
	flag.Parse()
	switch err := bench(); {
	case errors.Is(err, errFailed):
		fmt.Fprintln(os.Stderr, "explore:", err)
		os.Exit(1)
	case err != nil:
		fmt.Fprintln(os.Stderr, "explore:", err)
		os.Exit(2)
	}
}

// bench prints the tables that are asked for.
func bench() error {
	chosen, err := regexp.Compile(*run)
	if err != nil {
		return err
	}
	dir, remove, err := workingFolder()
	if err != nil {
		return err
	}
	defer remove()
	tool, err := buildTool(dir)
	if err != nil {
		return err
	}
	var failed error
	for i, name := range strings.Split(*tables, ",") {
		print := map[string]func(string, string, *regexp.Regexp) error{
			"wrong": wrongTable, "right": rightTable, "cost": costTable}[name]
		if print == nil {
			return fmt.Errorf("-table %s: want wrong, right or cost", name)
		}
		if i > 0 {
			fmt.Println()
		}
		err := print(dir, tool, chosen)
		if err != nil && !errors.Is(err, errFailed) {
			return err
		}
		failed = errors.Join(failed, err)
	}
	return failed
}

// workingFolder is the one of the flag, or a new one that is to be removed.
func workingFolder() (dir string, remove func(), err error) {
	if *folder != "" {
		dir, err = filepath.Abs(*folder)
		return dir, func() {}, errors.Join(err, os.MkdirAll(dir, 0o777))
	}
	dir, err = os.MkdirTemp("", "commute-bench")
	return dir, func() { _ = os.RemoveAll(dir) }, err
}

// buildTool is the path of the command.
func buildTool(dir string) (string, error) {
	if *binary != "" {
		return filepath.Abs(*binary)
	}
	tool := filepath.Join(dir, "commute")
	return tool, command(".", nil, "go", "build", "-buildvcs=false", "-o", tool, "./cmd/commute")
}

// command runs a command in a folder, with more variables in its environment.
func command(dir string, env []string, name string, args ...string) error {
	cmd := exec.Command(name, args...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), env...)
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%s %s: %w\n%s", name, strings.Join(args, " "), err, out)
	}
	return nil
}

// A build is a way to compile the tests of a package.
type build int

const (
	plain    build = iota // by go test
	watched               // by commute test
	explored              // by commute test -explore
)

// compile makes the test binary of the package in a folder.
func (b build) compile(tool, out, dir string) error {
	args := []string{"test", "-c", "-o", out}
	switch b {
	case plain:
		return command(dir, nil, "go", append(args, ".")...)
	case watched:
		return command(dir, nil, tool, append(args, ".")...)
	}
	return command(dir, []string{toolexec.ExploreVariable + "=1"}, "go",
		append(args, "-toolexec="+tool+" toolexec", ".")...)
}
