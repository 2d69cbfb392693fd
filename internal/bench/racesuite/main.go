// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

// Command racesuite judges the detection of data races by Go's own tests of it. From the root of
// the repository:
//
//	go run ./internal/bench/racesuite [-suite detector] [-tool commute,race] [-runs N]
//		[-cpu 1,2,8] [-run regexp] [-min percent]
//	go run ./internal/bench/racesuite -suite testing [-tool commute,race] [-run regexp]
//	go run ./internal/bench/racesuite -suite std [-tool commute,race] [-packages patterns]
//
// # Terms
//
//	suite      detector: GOROOT/src/runtime/race/testdata; in functions that are called TestRace
//	           a race must be reported, and none in those that are called TestNoRace
//	           testing: package testing's tests of how a race fails a test
//	           std: all tests of packages of the standard library, which has no races
//	tool       commute, or race: go test -race, by which the suites themselves can be checked
//	miss       a TestRace function that ran to its end without a report
//	alarm      a report in a TestNoRace function
//	failing    of a function: the race detector is known to be wrong about it
//
// The exit status is 0 if there was no false alarm and enough races were found (detector). For
// testing, all chosen tests have to pass. For std, only packages may fail that also fail under go
// test. The exit status is 1 if not, and 2 if the suite can't be run. The tool race needs cgo and a
// C compiler.
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"
)

var (
	suite = flag.String("suite", "detector", "what to run: detector, testing or std")
	with  = flag.String("tool", "", "the tools to run it under: commute, race or both (default: "+
		"commute; with -suite testing: race,commute)")
	binary = flag.String("commute", "",
		"the commute command to use (default: build ./cmd/commute)")
	keep    = flag.String("keep", "", "a folder in which to keep what the tests print")
	timeout = flag.Duration("timeout", 0,
		"the limit for a function (detector; default 1m) or for the tests of a package (default "+
			"10m)")
	chosen = flag.String("run", ".", "the functions to run (detector, testing)")
	runs   = flag.Int("runs", 1, "how often to run with each -cpu (detector)")
	cpu    = flag.String("cpu", "1",
		"values of GOMAXPROCS (detector); Go's own test has 1, as some functions rely on an order")
	minimum = flag.Float64("min", 95, "how many percent of the races must be found (detector)")
	pattern = flag.String("watch", "all",
		"packages besides those tested whose accesses commute watches; -race watches all")
	enabled = flag.Bool("enabled", true,
		"under commute, compile the tests with race.Enabled true (testing)")
	packages = flag.String("packages", strings.Join(concurrent, ","),
		"patterns of go list, separated by commas (std)")
)

func main() {
	flag.Parse()
	ok, err := run()
	if err != nil {
		fmt.Fprintln(os.Stderr, "racesuite:", err)
		os.Exit(2)
	}
	if !ok {
		os.Exit(1)
	}
}

// run runs the suite in a temporary folder and says whether all is as it must be.
func run() (bool, error) {
	suites := map[string]struct {
		run     func(dir string, tools []tool) (bool, error)
		tools   string
		timeout time.Duration
	}{
		"detector": {detectorSuite, "commute", time.Minute},
		"testing":  {testingSuite, "race,commute", 10 * time.Minute},
		"std":      {stdSuite, "commute", 10 * time.Minute},
	}
	s, ok := suites[*suite]
	if !ok {
		return false, fmt.Errorf("-suite %s: want detector, testing or std", *suite)
	}
	if flag.NArg() > 0 {
		return false, fmt.Errorf("%s: no arguments are taken, only flags", flag.Arg(0))
	}
	if _, err := regexp.Compile(*chosen); err != nil {
		return false, fmt.Errorf("-run %s: %w", *chosen, err)
	}
	if *runs < 1 {
		return false, fmt.Errorf("-runs %d: want at least 1", *runs)
	}
	if *with == "" {
		*with = s.tools
	}
	if *timeout == 0 {
		*timeout = s.timeout
	}
	dir, err := os.MkdirTemp("", "commute-racesuite")
	if err != nil {
		return false, err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	tools, err := newTools(dir, strings.Split(*with, ","))
	if err != nil {
		return false, err
	}
	return s.run(dir, tools)
}

// cpus are the values of -cpu.
func cpus() ([]int, error) {
	var values []int
	for s := range strings.SplitSeq(*cpu, ",") {
		n, err := strconv.Atoi(s)
		if err != nil || n < 1 {
			return nil, fmt.Errorf("-cpu %s: want numbers of processors, separated by commas", *cpu)
		}
		values = append(values, n)
	}
	return values, nil
}

// save keeps what was printed, if that is asked for.
func save(name string, out []byte) error {
	if *keep == "" {
		return nil
	}
	if err := os.MkdirAll(*keep, 0o777); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(*keep, name+".txt"), out, 0o666)
}
