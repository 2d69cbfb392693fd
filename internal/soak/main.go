// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

// Command soak runs concurrent programs for which it knows the reports, watched by commute. It
// prints where commute reports too much or too little, or breaks a program. From the root of the
// repository:
//
//	go run ./internal/soak [-for 10m] [-n 0] [-seed N] [-mode machine,source,memory] [-keep DIR]
//
// The programs follow plans (see package plan). Goroutines are started in all ways that Go has.
// They access variables, and are ordered by locks, channels, atomics, timers, contexts, files and
// so on. The modes:
//
//   - machine: one program, built once with each of commute build, commute build -datarace and go
//     build, executes some fifty plans in a run, at one to eight processors. This is the quick way
//     to many plans.
//   - source: plans become Go source, two hundred in a program, in other shapes: generic functions,
//     methods, closures, deferred calls, range over functions.
//   - memory: the machine executes plans in which there is nothing to report, again and again in
//     one process, whose memory must stop growing.
//
// No two accesses may be reported that are ordered. Each variable must be reported of which two
// accesses are certainly not ordered. The program must not crash, must end before the deadline and
// with the right exit status, and compute the right values. At a failure, the round is made as
// small as is cheap. All that belongs to it is kept in a folder, and the command ends with 1.
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
	length = flag.Duration("for", 10*time.Minute, "how long to run")
	runs   = flag.Int("n", 0, "how many runs of programs at most; 0: any number")
	seed   = flag.Uint64("seed", uint64(time.Now().UnixNano())%1_000_000,
		"the first seed; others follow")
	mode = flag.String("mode", "machine,source,memory", "what to run")
	keep = flag.String("keep", "",
		"where to keep programs that failed, and their output (default: a new temporary folder)")
	work = flag.String("dir", "",
		"where to build; what is there is built on (default: a temporary folder)")
	tool = flag.String("commute", "",
		"the commute command to use (default: build ./cmd/commute)")
	failures = flag.Int("failures", 1, "after how many failures to end")
	deadline = flag.Duration("deadline", 2*time.Minute,
		"the limit for a run of a program, which takes under a second")
)

func main() {
	flag.Parse()
	if flag.NArg() > 0 {
		fmt.Fprintf(os.Stderr, "soak: %s is no flag (see go doc ./internal/soak)\n", flag.Arg(0))
		os.Exit(2)
	}
	s, err := newSoak()
	if err != nil {
		fmt.Fprintln(os.Stderr, "soak:", err)
		os.Exit(2)
	}
	err = s.run()
	if *work == "" {
		_ = os.RemoveAll(s.dir)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "soak:", err)
		os.Exit(2)
	}
	s.summary(os.Stdout)
	if s.failed > 0 {
		os.Exit(1)
	}
}

// A soak is one run of the command.
type soak struct {
	dir     string // for what is built
	tool    string
	modes   []string
	start   time.Time
	machine map[string]machineBuild // by name of the build

	programs, runs, rounds, failed int
	chances                        int // variables on which a race was missed once, and not always
	total                          count
	memory                         []string // what a process of mode memory had, one line each
	told                           time.Time
}

// modes are what a soak does, in the order of its turns.
var modes = []string{"machine", "source", "memory"}

func newSoak() (*soak, error) {
	s := &soak{modes: strings.Split(*mode, ","), start: time.Now(),
		machine: map[string]machineBuild{}}
	for _, m := range s.modes {
		if !slices.Contains(modes, m) {
			return nil, fmt.Errorf("-mode %s: want some of %s", m, strings.Join(modes, ","))
		}
	}
	var err error
	if *work != "" {
		s.dir, err = filepath.Abs(*work)
	} else {
		s.dir, err = os.MkdirTemp("", "commute-soak")
	}
	if err != nil {
		return nil, err
	}
	if *keep == "" {
		*keep = s.dir + "-failed"
	}
	if s.tool = *tool; s.tool == "" {
		s.tool = filepath.Join(s.dir, "commute")
		if out, err := exec.Command("go", "build", "-buildvcs=false", "-o", s.tool,
			"./cmd/commute").CombinedOutput(); err != nil {
			return nil, fmt.Errorf("go build ./cmd/commute: %w\n%s", err, out)
		}
	}
	s.tool, err = filepath.Abs(s.tool)
	return s, err
}

// over reports whether it is time to end.
func (s *soak) over() bool {
	return s.failed >= *failures || *runs > 0 && s.runs >= *runs || time.Since(s.start) > *length
}

// run does what each mode does, in turns.
func (s *soak) run() error {
	for turn := uint64(0); !s.over(); turn++ {
		for _, m := range s.modes {
			if s.over() {
				break
			}
			var err error
			switch m {
			case "machine":
				err = s.machines(*seed + turn)
			case "source":
				err = s.source(*seed + turn)
			case "memory":
				err = s.endure(*seed + turn)
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// progress tells now and then how far it is.
func (s *soak) progress() {
	if time.Since(s.told) > 10*time.Second {
		s.told = time.Now()
		fmt.Fprintf(os.Stderr,
			"soak: %4.0f s: %d runs, %d rounds, %d events, %d of %d pairs found\n",
			time.Since(s.start).Seconds(), s.runs, s.rounds, s.total.events, s.total.found,
			s.total.unordered)
	}
}

func (s *soak) summary(w *os.File) {
	c := s.total
	fmt.Fprintf(w, "%d programs, %d runs, %d rounds, %d events in %.0f s from seed %d\n",
		s.programs, s.runs, s.rounds, c.events, time.Since(s.start).Seconds(), *seed)
	fmt.Fprintf(w, "pairs of accesses: %d ordered; %d certainly not, of %d variables: %d of "+
		"these pairs reported\n",
		c.ordered, c.unordered, c.variables, c.found)
	fmt.Fprintf(w, "variables and transactions missed in one run, and found in another of the "+
		"same round: %d\n", s.chances)
	fmt.Fprintf(w, "transactions that were interfered with: %d\n", c.violations)
	for _, line := range s.memory {
		fmt.Fprintln(w, line)
	}
	if s.failed == 0 {
		fmt.Fprintln(w, "all is well")
		return
	}
	fmt.Fprintf(w, "%d failures, kept in %s\n", s.failed, *keep)
}
