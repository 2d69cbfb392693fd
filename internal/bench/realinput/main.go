// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

// Command realinput runs the tests of well-known modules and of the standard library unwatched,
// with commute and with the race detector, and compares. From the root of the repository:
//
//	go run ./internal/bench/realinput [-only name,...] [-with plain,commute,race]
//		[-commute path] [-dir folder] [-timeout 10m] [-marked]
//
// There are more builds. Build datarace is commute test -datarace, and datarace-all watches all
// packages. Build atomic is commute test -atomic with the functions that the target names.
//
// It fetches the modules, at fixed versions, through the module proxy, and copies them. It compiles
// each package's tests with each of the builds, and runs the test binaries in the packages'
// folders. Tests in a module that is not ours may fail unwatched: what counts is a difference.
// Everything that a run prints is kept in the folder, a file per package and build:
// <target>/<package>.<build>.txt. -race needs cgo and a C compiler.
package main

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

var (
	only   = flag.String("only", "", "the targets to run (default: all)")
	with   = flag.String("with", "plain,commute,race", "the builds to compare")
	binary = flag.String("commute", "",
		"the commute command to use (default: build ./cmd/commute)")
	dir = flag.String("dir", "", "where to keep copies, binaries and output (default: a new "+
		"temporary folder)")
	timeout = flag.Duration("timeout", 10*time.Minute,
		"the limit for compiling, and for running, one package's tests")
	marked = flag.Bool("marked", false,
		"leave out packages for which build atomic has nothing to mark")
	listing = flag.Bool("list", false, "print the targets and end")
)

func main() {
	flag.Parse()
	if *listing {
		for _, t := range targets {
			what := strings.TrimSpace(t.module + " " + strings.Join(t.packages, " "))
			fmt.Printf("%-15s%s\n", t.name, what)
		}
		return
	}
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "realinput:", err)
		os.Exit(2)
	}
}

// run prepares the chosen targets and runs the tests of their packages with each build.
func run() error {
	chosen, err := choose(*only)
	if err != nil {
		return err
	}
	if *dir == "" {
		if *dir, err = os.MkdirTemp("", "commute-realinput"); err != nil {
			return err
		}
	}
	if *dir, err = filepath.Abs(*dir); err != nil {
		return err
	}
	builds, err := newBuilds(strings.Split(*with, ","))
	if err != nil {
		return err
	}
	report := newReport(builds)
	for _, t := range chosen {
		packages, err := t.prepare()
		if err != nil {
			fmt.Fprintf(os.Stderr, "realinput: %s: %v\n", t.name, err)
			report.failed++
			continue
		}
		for _, p := range packages {
			if *marked && len(p.marks()) == 0 {
				continue
			}
			report.add(p, builds)
		}
	}
	report.print()
	fmt.Printf("output is in %s\n", *dir)
	if report.failed > 0 {
		return fmt.Errorf("%d targets could not be prepared", report.failed)
	}
	return nil
}

// choose returns the targets of the given names.
func choose(names string) ([]target, error) {
	if names == "" {
		return targets, nil
	}
	var chosen []target
	for name := range strings.SplitSeq(names, ",") {
		i := slices.IndexFunc(targets, func(t target) bool { return t.name == name })
		if i < 0 {
			return nil, fmt.Errorf("-only %s: no such target; -list prints them", name)
		}
		chosen = append(chosen, targets[i])
	}
	return chosen, nil
}

// newBuilds returns the commands that compile tests, by name of the build, in the order of the
// names.
func newBuilds(names []string) ([]build, error) {
	ours := func(name string) bool { return name != "plain" && name != "race" }
	tool, err := commuteTool(slices.ContainsFunc(names, ours))
	if err != nil {
		return nil, err
	}
	commands := map[string][]string{
		"plain":        {"go", "test"},
		"commute":      {tool, "test"},
		"datarace":     {tool, "test", "-datarace"},
		"datarace-all": {tool, "test", "-datarace", "-watch", "all"},
		"atomic":       {tool, "test"},
		"race":         {"go", "test", "-race"},
	}
	var builds []build
	for _, name := range names {
		command, ok := commands[name]
		if !ok {
			return nil, fmt.Errorf("-with %s: want plain, commute, datarace, datarace-all, atomic "+
				"or race", name)
		}
		builds = append(builds, build{name, command})
	}
	return builds, nil
}

// commuteTool returns the path of the commute command: the one of the flag, or, if it is wanted,
// one built now.
func commuteTool(wanted bool) (string, error) {
	if !wanted {
		return "", nil
	}
	if *binary != "" {
		return filepath.Abs(*binary) // the commands run in other folders
	}
	tool := filepath.Join(*dir, "commute")
	if out, err := exec.Command("go", "build", "-buildvcs=false", "-o", tool,
		"./cmd/commute").CombinedOutput(); err != nil {
		return "", fmt.Errorf("go build ./cmd/commute: %w\n%s", err, out)
	}
	return tool, nil
}
