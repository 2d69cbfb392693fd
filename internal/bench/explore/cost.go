// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/commutego/commute/internal/bench/measure"
	"github.com/commutego/commute/internal/explore"
)

const (
	// together is how many runs share a process, as they do under exploration; few is how many do
	// if one by plain go takes longer than a second.
	together = 16
	few      = 2
	// longest is how long a process may take. A test that takes longer is left out.
	longest = 40 * time.Second
)

// A way is how a test is run.
type way struct {
	name  string
	build build
	drawn bool // schedules are
}

var ways = []way{{"plain", plain, false}, {"commute", watched, false},
	{"by default", explored, false}, {"drawn", explored, true}}

// A cost is the time of a run, in nanoseconds: of the processor, and on the clock.
type cost struct{ cpu, clock float64 }

// costTable prints what the runs of tests cost.
func costTable(dir, tool string, chosen *regexp.Regexp) error {
	fmt.Println("| tests | number | time of the processor, ms: plain | commute | explored, by " +
		"default | drawn | drawn / commute | on the clock, ms: plain | commute | explored, by default " +
		"| drawn |\n| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |")
	var byDefault, drawn []float64
	for _, m := range modules {
		if !chosen.MatchString(m.name) {
			continue
		}
		costs, n, err := m.measure(dir, tool)
		if err != nil {
			return fmt.Errorf("%s: %w", m.name, err)
		}
		if n == 0 {
			fmt.Fprintf(os.Stderr, "%s: no test passes in all ways\n", m.name)
			continue
		}
		line := fmt.Sprintf("| %s | %d |", m.name, n)
		for _, c := range costs {
			line += " " + milliseconds(c.cpu) + " |"
		}
		line += fmt.Sprintf(" %.2f |", costs[3].cpu/costs[1].cpu)
		for _, c := range costs {
			line += " " + milliseconds(c.clock) + " |"
		}
		fmt.Println(line)
		byDefault = append(byDefault, costs[2].cpu/costs[1].cpu)
		drawn = append(drawn, costs[3].cpu/costs[1].cpu)
	}
	fmt.Printf("| geometric mean: by default %.2f of commute | | | | | | %.2f | | | | |\n",
		measure.GeometricMean(byDefault), measure.GeometricMean(drawn))
	return nil
}

// milliseconds is a time in nanoseconds with three digits.
func milliseconds(ns float64) string {
	return strconv.FormatFloat(ns/1e6, 'g', 3, 64)
}

// measure measures the tests that pass in all ways, and returns the sums of their medians, by the
// ways, and how many they are.
func (m module) measure(dir, tool string) (sums []cost, n int, err error) {
	b, err := m.prepare(dir, tool)
	if err != nil {
		return nil, 0, err
	}
	plainTests := *b
	plainTests.Path = m.path(dir, plain)
	tests, err := plainTests.Tests()
	if err != nil {
		return nil, 0, err
	}
	sums = make([]cost, len(ways))
	for _, test := range tests {
		costs, err := m.measureTest(dir, b.Dir, test)
		if err != nil {
			fmt.Fprintf(os.Stderr, "%s: %s is left out: %v\n", m.name, test, err)
			continue
		}
		n++
		for i, c := range costs {
			sums[i].cpu += c.cpu
			sums[i].clock += c.clock
		}
	}
	return sums, n, nil
}

// path is that of the module's test binary.
func (m module) path(dir string, b build) string {
	name := strings.NewReplacer("/", "-", ", ", "-", " ", "-").Replace(m.name)
	return filepath.Join(dir, fmt.Sprintf("%s.%d.test", name, b))
}

// prepare fetches the module, and compiles its tests in each way.
func (m module) prepare(dir, tool string) (*explore.Binary, error) {
	root := filepath.Join(dir, "src", strings.ReplaceAll(m.module, "/", "_"))
	if _, err := os.Stat(root); err != nil {
		if err := measure.CopyModule(root, m.module); err != nil {
			return nil, err
		}
	}
	folder := filepath.Join(root, m.pkg)
	for _, b := range []build{plain, watched, explored} {
		if err := b.compile(tool, m.path(dir, b), folder); err != nil {
			return nil, err
		}
	}
	return &explore.Binary{Dir: folder, Run: m.tests}, nil
}

// measureTest is what a run of a test costs, by the ways, which take turns.
func (m module) measureTest(dir, folder, test string) (costs []cost, err error) {
	once, err := ways[0].run(dir, m.path(dir, plain), folder, test, 1, true)
	if err != nil {
		return nil, err
	}
	n := together
	if once.clock > float64(time.Second) {
		n = few
	}
	// exploration goes on without the search for leaks, too, if a test leaks goroutines by default
	leaks := true
	if _, err := ways[2].run(dir, m.path(dir, explored), folder, test, 1, true); err != nil {
		leaks = !strings.Contains(err.Error(), "leaked goroutine: ")
	}
	cpu, clock := make([][]float64, len(ways)), make([][]float64, len(ways))
	for range *rounds {
		for i, w := range ways {
			c, err := w.run(dir, m.path(dir, w.build), folder, test, n, leaks)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", w.name, err)
			}
			cpu[i], clock[i] = append(cpu[i], c.cpu), append(clock[i], c.clock)
		}
	}
	for i := range ways {
		costs = append(costs, cost{measure.Median(cpu[i]), measure.Median(clock[i])})
	}
	return costs, nil
}

// run runs a test n times, in one process. Leaks is set to look for leaked goroutines.
func (w way) run(dir, binary, folder, test string, n int, leaks bool) (c cost, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), longest)
	defer cancel()
	cmd := exec.CommandContext(ctx, binary, "-test.run=^"+test+"$", "-test.failfast",
		"-test.paniconexit0", "-test.count="+strconv.Itoa(n))
	cmd.Dir = folder
	if w.build == explored {
		told := filepath.Join(dir, "told")
		if err := os.Remove(told); err != nil && !errors.Is(err, os.ErrNotExist) {
			return c, err
		}
		seeds := explore.RunSeeds(1, test, n)
		if !w.drawn {
			for i := range seeds {
				seeds[i] = seeds[0]
			}
		}
		cmd.Env = explore.Environment(told, seeds...)
		if !leaks {
			cmd.Env = append(cmd.Env, "COMMUTE_EXPLORE_LEAKS=off")
		}
	}
	start := time.Now()
	out, err := cmd.CombinedOutput()
	c.clock = float64(time.Since(start)) / float64(n)
	if err != nil {
		return c, fmt.Errorf("%w\n%.400s", err, out)
	}
	c.cpu = float64(cmd.ProcessState.UserTime()+cmd.ProcessState.SystemTime()) / float64(n)
	return c, nil
}
