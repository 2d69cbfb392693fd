// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/commutego/commute/internal/bench/measure"
)

const timeout = 10 * time.Minute // of one run

// A build is a way to compile tests: a command, to which -c and so on are added.
type build struct {
	name    string
	command []string
}

// A sample has the figures of one run.
type sample struct {
	time      float64 // nanoseconds
	processor float64 // nanoseconds of all processors, for the whole process
	peak      float64 // bytes
}

// newBuilds returns the builds of the given names, and makes the commute command if one of them
// needs it.
func newBuilds(dir string, names []string) ([]build, error) {
	tool := filepath.Join(dir, "commute")
	commands := map[string][]string{
		"plain":        {"go", "test"},
		"commute":      {tool, "test"},
		"datarace":     {tool, "test", "-datarace"},
		"datarace-all": {tool, "test", "-datarace", "-watch", "all"},
		"race":         {"go", "test", "-race"},
	}
	var builds []build
	wanted := false
	for _, name := range names {
		command, ok := commands[name]
		if !ok {
			return nil,
				fmt.Errorf("-only %s: want plain, commute, datarace, datarace-all or race", name)
		}
		wanted = wanted || command[0] == tool
		builds = append(builds, build{name, command})
	}
	if !wanted {
		return builds, nil
	}
	if *binary == "" {
		_, err := output(".", "go", "build", "-buildvcs=false", "-o", tool, "./cmd/commute")
		return builds, err
	}
	given, err := filepath.Abs(*binary) // the commands run in other folders
	if err != nil {
		return nil, err
	}
	for _, b := range builds {
		if b.command[0] == tool {
			b.command[0] = given
		}
	}
	return builds, nil
}

// compile prepares the targets of the benchmarks and makes each one's test binaries.
func compile(dir string, chosen []benchmark, builds []build) error {
	done := make(map[*target]bool)
	for _, c := range chosen {
		t := c.target
		if done[t] {
			continue
		}
		done[t] = true
		if err := t.prepare(dir); err != nil {
			return fmt.Errorf("%s: %w", t.name, err)
		}
		for _, b := range builds {
			fmt.Fprintf(os.Stderr, "compiling %s: %s\n", t.name, b.name)
			args := append(b.command[1:len(b.command):len(b.command)], "-c",
				"-o", t.binary(dir, b), t.path)
			if _, err := output(t.dir, b.command[0], args...); err != nil {
				return fmt.Errorf("%s: %s: %w", t.name, b.name, err)
			}
		}
	}
	return nil
}

// output runs a command in a folder and returns its standard output.
func output(dir, name string, args ...string) (string, error) {
	cmd := exec.Command(name, args...)
	cmd.Dir = dir
	var stdout, stderr strings.Builder
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("%s %s: %w\n%s%s", name, strings.Join(args, " "), err,
			stdout.String(), stderr.String())
	}
	return stdout.String(), nil
}

func (t *target) binary(dir string, b build) string {
	return filepath.Join(dir, strings.ReplaceAll(t.name, "/", "-")+"."+b.name+".test")
}

// args are the test binary's arguments.
func (b benchmark) args() []string {
	if b.tests != "" {
		return []string{"-test.paniconexit0",
			"-test.run=" + b.tests, fmt.Sprintf("-test.count=%d", b.times)}
	}
	parts := strings.Split("Benchmark"+b.label, "/")
	for i, part := range parts {
		parts[i] = "^" + regexp.QuoteMeta(part) + "$"
	}
	return []string{"-test.run=^$", "-test.bench=" + strings.Join(parts, "/"),
		fmt.Sprintf("-test.benchtime=%dx", b.times)}
}

// measure makes one run. The output goes to files: this process must stay small, as the system
// counts its memory in that of the processes that it starts.
func (b benchmark) measure(dir string, with build) (sample, error) {
	ctx, cancel := context.WithTimeout(context.Background(), timeout)
	defer cancel()
	cmd := exec.CommandContext(ctx, b.target.binary(dir, with), b.args()...)
	cmd.Dir = b.target.dir
	// the race detector waits a second at the end
	cmd.Env = append(cmd.Environ(), "GORACE=atexit_sleep_ms=0")
	stdout, err := os.Create(filepath.Join(dir, "stdout.txt"))
	if err != nil {
		return sample{}, err
	}
	defer func() { _ = stdout.Close() }()
	stderr, err := os.Create(filepath.Join(dir, "stderr.txt"))
	if err != nil {
		return sample{}, err
	}
	defer func() { _ = stderr.Close() }()
	cmd.Stdout, cmd.Stderr = stdout, stderr
	if err := cmd.Run(); err != nil {
		return sample{}, fmt.Errorf("%w\n%s%s", err, tail(stdout.Name()), tail(stderr.Name()))
	}
	s := sample{
		processor: float64(cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()),
		peak:      float64(measure.Peak(cmd.ProcessState)),
	}
	if b.tests != "" {
		s.time = s.processor
		return s, nil
	}
	s.time, err = nanoseconds(tail(stdout.Name()))
	return s, err
}

// tail is the end of a file.
func tail(path string) string {
	text, _ := os.ReadFile(path)
	return string(text[max(0, len(text)-2000):])
}

var resultLine = regexp.MustCompile(`(?m)^Benchmark\S+\s+\d+\s+([0-9.]+) ns/op`)

// nanoseconds reads the one result that a benchmark must print.
func nanoseconds(out string) (float64, error) {
	results := resultLine.FindAllStringSubmatch(out, -1)
	if len(results) != 1 {
		return 0, fmt.Errorf("%d results, want 1:\n%s", len(results), out)
	}
	return strconv.ParseFloat(results[0][1], 64)
}
