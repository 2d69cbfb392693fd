// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package explore

import (
	"fmt"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	engine "github.com/commutego/commute/internal/engine/explore"
	"github.com/commutego/commute/internal/longtest"
	"github.com/commutego/commute/internal/toolchain/target"
)

// needExploring skips a test where schedules are not explored.
func needExploring(t *testing.T) {
	t.Helper()
	switch {
	case testing.Short():
		t.Skip("builds the standard library")
	case !target.Current(runtime.Version()).Explores():
		t.Skip("schedules are not explored here")
	}
}

// tests lists those of a binary whose names begin so.
func tests(t *testing.T, b *Binary, prefix string) (list []string) {
	t.Helper()
	all, err := b.Tests()
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range all {
		if strings.HasPrefix(name, prefix) {
			list = append(list, name)
		}
	}
	if len(list) < 20 {
		t.Fatalf("%s has %d tests %s...", b.Dir, len(list), prefix)
	}
	return list
}

// limits are those of commute test -explore, but for the time: the machine may be busy.
var limits = Plan{Runs: DefaultRuns, Timeout: 10 * time.Minute}

// TestWrongPrograms explores programs that go wrong by a rare schedule. Each fails, with several
// seeds, and fails again by the seed of its report. What is left of the first failure's schedule is
// short; a leak is said to be one.
func TestWrongPrograms(t *testing.T) {
	t.Parallel()
	b := build(t, "explore", "")
	seeds := uint64(2)
	if longtest.Asked() {
		seeds = 20
	}
	list := tests(t, b, "TestWrong")
	for name := range leaks {
		if !slices.Contains(list, name) {
			t.Errorf("there is no %s", name)
		}
	}
	for _, name := range list {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			most := 0
			for base := range seeds {
				plan := limits
				plan.Base = base
				r, err := Explore(b, plan, name)
				if err != nil {
					t.Fatal(err)
				}
				switch {
				case r.Failure == nil:
					t.Errorf("%s does not fail with seed %d", name, base)
				case !r.Failure.Again:
					t.Errorf("%s does not fail again with seed %d by %v", name, base,
						r.Failure.Seeds)
				case strings.Contains(string(r.Failure.Output), "fatal error: ") &&
					!strings.Contains(string(r.Failure.Output), "deadlock"):
					t.Errorf("%s:\n%s", name, r.Failure.Output)
				default:
					most = max(most, r.Failure.Run)
				}
				if base == 0 && r.Failure != nil {
					shrunk(t, b, name, r.Failure)
				}
				if waits := leaks[name]; base == 1 && r.Failure != nil && waits != "" {
					leaked(t, b, name, waits, r.Failure)
				}
			}
			t.Logf("%s fails within %d runs", name, most)
		})
	}
}

// TestDrawnPrograms is TestWrongPrograms by the policies that draw alone: how often does each fail?
func TestDrawnPrograms(t *testing.T) {
	t.Parallel()
	longtest.Need(t, "some thousand processes")
	b := build(t, "explore", "")
	const runs = 200
	policies := []engine.Policy{engine.Random, engine.Again, engine.Tx, engine.Surw, engine.Pos}
	for _, name := range tests(t, b, "TestWrong") {
		line, best := "", 0
		for _, p := range policies {
			failed := 0
			for i := range runs {
				s := drawn(uint64(i), name, 0)
				s.Policy = p
				ran, err := b.batch(name, time.Minute, []Seed{{Policy: engine.First}, s})
				if err != nil {
					t.Fatal(err)
				}
				if ran.failed && ran.last() == 0 { // it fails by default as well
					ran, err = b.batch(name, time.Minute, []Seed{s})
				}
				if err == nil && ran.failed {
					failed++
				}
			}
			line += fmt.Sprintf("%v %d%%  ", p, 100*failed/runs)
			best = max(best, failed)
		}
		t.Logf("%-24s %s", name, line)
		if best == 0 {
			t.Errorf("%s fails by no policy in %d runs", name, runs)
		}
	}
}

// TestRightPrograms explores programs that are right: none fails. Where it may not take long, each
// is explored with one of two seeds.
func TestRightPrograms(t *testing.T) {
	t.Parallel()
	b := build(t, "explore", "")
	seeds, step := uint64(2), uint64(2)
	if longtest.Asked() {
		seeds, step = 8, 1
	}
	for i, name := range tests(t, b, "TestRight") {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			runs := 0
			for base := uint64(i) % step; base < seeds; base += step {
				plan := limits
				plan.Base = base
				r, err := Explore(b, plan, name)
				if err != nil {
					t.Fatal(err)
				}
				runs += r.Runs
				if r.Failure != nil {
					t.Errorf("%s fails by %v:\n%s", name, r.Failure.Seeds, r.Failure.Output)
				}
			}
			t.Logf("%d runs", runs)
		})
	}
}

// TestHashes runs tests by the same seeds again and again: all runs by a seed have the same hash,
// also those that follow others in a process. Those of a test in which something comes from outside
// may differ; of most tests nothing does.
func TestHashes(t *testing.T) {
	times := 3
	if longtest.Asked() {
		times = 100
	}
	for _, c := range []struct {
		module, arch string
		long         bool
	}{
		{"explore", "", false}, {"verdicts", "", true}, {"checkacts", "", true},
		{"unmarked", "", true}, {"inferred", "", true}, {"edges", "", true},
		{"explore", "386", true},
	} {
		if c.long && !longtest.Asked() {
			continue
		}
		t.Run(c.module+c.arch, func(t *testing.T) {
			var env []string
			if c.arch != "" {
				if runtime.GOARCH != "amd64" {
					t.Skip("another port's program can't be run here")
				}
				env = []string{"GOARCH=" + c.arch, "CGO_ENABLED=0"}
			}
			b := build(t, c.module, "", env...)
			all, err := b.Tests()
			if err != nil {
				t.Fatal(err)
			}
			var quiet, ran atomic.Int64
			t.Run("runs", func(t *testing.T) { // it returns when all of these have
				for _, procs := range []string{"", "1"} {
					b := b
					if procs != "" {
						b = b.with("GOMAXPROCS=" + procs)
					}
					for i, name := range all {
						if !strings.HasPrefix(name, "Test") {
							continue
						}
						t.Run(name+procs, func(t *testing.T) {
							t.Parallel()
							ran.Add(1)
							if sameHash(t, b, name, drawn(1, name, i), times, procs) == 0 {
								quiet.Add(1)
							}
						})
					}
				}
			})
			if quiet, ran := quiet.Load(), ran.Load(); 4*quiet < 3*ran {
				t.Errorf("only %d of %d tests have nothing come from outside", quiet, ran)
			}
		})
	}
}

// TestElsewhere explores a test whose runs by one seed differ: the report says where.
func TestElsewhere(t *testing.T) {
	b := build(t, "explore", "")
	b = b.with("EXPLORE_COUNTER=" + filepath.Join(t.TempDir(), "counter"))
	r, err := Explore(b, limits, "TestElsewhere")
	if err != nil {
		t.Fatal(err)
	}
	if r.Failure == nil || r.Failure.Again {
		t.Fatalf("the failure is %+v", r.Failure)
	}
	text := strings.Join(r.Failure.advice("TestElsewhere", limits), "\n")
	where := regexp.MustCompile("are not the same, from here on:\n  run 1, by x1-first:\n(    .*\n)*" +
		`  then 1\.\d( ends|: lock of \d at exact_test.go:\d+)` + "\n" +
		`  then 1\.\d( ends|: lock of \d at exact_test.go:\d+)` + "\n")
	if !where.MatchString(text) {
		t.Errorf("%s", text)
	}
}

// sameHash runs a test by a seed some times, and returns how much came from outside. If something
// did, runs may differ, unless the test sends it itself.
func sameHash(t *testing.T, b *Binary, name string, s Seed, times int,
	procs string) (arrivals int) {
	t.Helper()
	seeds := []Seed{{Policy: engine.First}, s}
	switch name {
	case "TestRightSleepers", "TestRightPool", "TestRightLoopback":
		times = max(times, 8) // those differ in every third run, if at all
	}
	r, err := b.Repeat(name, Repetition{Processes: times, Seeds: seeds, Timeout: time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	// What comes from the program itself is there when it is asked for.
	if r.Same < times && (r.Arrivals == 0 || name == "TestRightLoopback") {
		t.Errorf("%s by %v, GOMAXPROCS=%s: %d of %d processes are the same; %s", name, s, procs,
			r.Same, times, r.Differ)
	}
	return r.Arrivals
}
