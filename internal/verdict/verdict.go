// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

// Package verdict judges a detector by tests whose names say what it must find: TestRaceX must fail
// and TestNoRaceX must pass, every time.
//
// Input: a compiled test binary. Output: for each test a count of false alarms (a NoRace that
// failed) and of misses (a Race that passed). The two are never added up. Subtests have the verdict
// of the test they belong to; tests with neither name are not judged.
//
// The package's own test builds cmd/commute and judges it by the modules of testdata:
//
//	go test ./internal/verdict                                  # one run of what takes minutes
//	COMMUTE_TEST_LONG=1 go test -timeout 1h ./internal/verdict  # a few runs of all
//	COMMUTE_VERDICT_RUNS=200 go test -timeout 2h -v ./internal/verdict
//
// With -ports, it runs some of the modules on other ports as well, which .ci/ports prepares.
package verdict

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"sort"
	"strings"
	"sync"
	"text/tabwriter"
	"time"
)

// A Binary is a compiled test binary and the ways in which to run it.
type Binary struct {
	Path string
	Dir  string   // where to run it
	Env  []string // added to the environment
	Exec []string // the program that runs it, with its arguments, where the system can't itself

	Runs     int           // how often each test is run
	Alone    bool          // a process for every test, instead of one for all
	Parallel int           // processes at a time
	Timeout  time.Duration // of a process
}

// A Count has the verdicts of one test.
type Count struct {
	Name                string
	Runs, Alarms, Quiet int // Alarms: false alarms; Quiet: misses
}

// A Table has a Count for every test (with subtests: for every subtest) that was judged, by name.
type Table struct {
	Counts map[string]*Count
	// processes that ended before all their tests had a result, with their output's end
	Failures []string
}

var (
	resultLine = regexp.MustCompile(`(?m)^ *--- (PASS|FAIL|SKIP): (\S+)`)
	judged     = regexp.MustCompile(`^Test(No)?Race`)
)

// List returns the names of the tests in the binary that can be judged.
func (b *Binary) List() ([]string, error) {
	out, err := b.command(context.Background(), "-test.list=.").Output()
	if err != nil {
		return nil, fmt.Errorf("%s -test.list: %w", b.Path, err)
	}
	var names []string
	for name := range strings.FieldsSeq(string(out)) {
		if judged.MatchString(name) {
			names = append(names, name)
		}
	}
	return names, nil
}

// command runs the binary with arguments. Tests that run themselves once more have to do it by Exec
// as well.
func (b *Binary) command(ctx context.Context, args ...string) *exec.Cmd {
	argv := append(append(slices.Clone(b.Exec), b.Path), args...)
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.Dir = b.Dir
	cmd.Env = append(os.Environ(), b.Env...)
	if len(b.Exec) > 0 {
		cmd.Env = append(cmd.Env, "COMMUTE_EXEC="+strings.Join(b.Exec, " "))
	}
	return cmd
}

// Judge runs the tests and counts.
func (b *Binary) Judge(names []string) *Table {
	groups := [][]string{names}
	if b.Alone {
		groups = nil
		for _, name := range names {
			groups = append(groups, []string{name})
		}
	}
	t := &Table{Counts: make(map[string]*Count)}
	var mu sync.Mutex
	var all sync.WaitGroup
	slots := make(chan struct{}, max(1, b.Parallel))
	for range b.Runs {
		for _, group := range groups {
			slots <- struct{}{}
			all.Go(func() {
				defer func() { <-slots }()
				out := b.run(group)
				mu.Lock()
				defer mu.Unlock()
				t.add(group, out)
			})
		}
	}
	all.Wait()
	return t
}

// run is the output of a process that runs the named tests.
func (b *Binary) run(names []string) []byte {
	ctx, cancel := context.WithTimeout(context.Background(), b.Timeout)
	defer cancel()
	cmd := b.command(ctx, "-test.v", "-test.run=^("+strings.Join(names, "|")+")$")
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Run(); err != nil && ctx.Err() != nil {
		fmt.Fprintf(&out, "\nkilled after %v\n", b.Timeout)
	}
	return out.Bytes()
}

// add counts the results in a process's output, from which none of the names may be missing.
func (t *Table) add(names []string, out []byte) {
	results := make(map[string]string)
	parents := make(map[string]bool)
	for _, m := range resultLine.FindAllSubmatch(out, -1) {
		name := string(m[2])
		results[name] = string(m[1])
		for i := range name {
			if name[i] == '/' {
				parents[name[:i]] = true
			}
		}
	}
	for _, name := range names {
		if results[name] == "" {
			t.Failures = append(t.Failures, fmt.Sprintf("no result for %s; the output ends:\n%s",
				name, tail(out)))
			break
		}
	}
	for name, result := range results {
		if judged.MatchString(name) && !parents[name] && result != "SKIP" {
			t.count(name, result == "FAIL")
		}
	}
}

func (t *Table) count(name string, failed bool) {
	c := t.Counts[name]
	if c == nil {
		c = &Count{Name: name}
		t.Counts[name] = c
	}
	c.Runs++
	switch race := strings.HasPrefix(name, "TestRace"); {
	case race && !failed:
		c.Quiet++
	case !race && failed:
		c.Alarms++
	}
}

func tail(out []byte) []byte {
	const length = 2000
	if len(out) > length {
		out = out[len(out)-length:]
	}
	return out
}

// Alarms is the number of runs of a NoRace that failed.
func (t *Table) Alarms() (n int) {
	for _, c := range t.Counts {
		n += c.Alarms
	}
	return n
}

// Misses is the number of runs of a Race that passed.
func (t *Table) Misses() (n int) {
	for _, c := range t.Counts {
		n += c.Quiet
	}
	return n
}

// Print writes a line for every test with a wrong verdict, and a last line with the sums.
func (t *Table) Print(w io.Writer) {
	var wrong []*Count
	runs := 0
	for _, c := range t.Counts {
		runs += c.Runs
		if c.Alarms+c.Quiet > 0 {
			wrong = append(wrong, c)
		}
	}
	sort.Slice(wrong, func(i, j int) bool { return wrong[i].Name < wrong[j].Name })
	tw := tabwriter.NewWriter(w, 0, 8, 2, ' ', 0)
	if len(wrong) > 0 {
		fmt.Fprintln(tw, "test\truns\tfalse alarms\tmisses")
	}
	for _, c := range wrong {
		fmt.Fprintf(tw, "%s\t%d\t%d\t%d\n", c.Name, c.Runs, c.Alarms, c.Quiet)
	}
	_ = tw.Flush()
	for _, failure := range t.Failures {
		fmt.Fprintln(w, failure)
	}
	fmt.Fprintf(w, "%d tests, %d runs: %d false alarms, %d misses, %d processes failed\n",
		len(t.Counts), runs, t.Alarms(), t.Misses(), len(t.Failures))
}
