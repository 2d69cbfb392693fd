// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package explore

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/commutego/commute/internal/option"
)

// A Binary is a test binary with the flags that the go command runs it with.
type Binary struct {
	Path string
	Exec []string // the program that runs it, with arguments; empty if there is none
	Dir  string   // where it runs, "" for here
	// Flags are the flags of all its processes, and Args the arguments after them.
	Flags, Args []string
	Run         string // the value of -test.run, "" for all
	Verbose     string // the value of -test.v
	leaksOff    bool   // leaked goroutines fail no run
	// env is what all its processes have in their environment, besides what this one has.
	env []string
}

// ParseBinary reads the command line of a test binary.
func ParseBinary(line []string) (b Binary, err error) {
	if len(line) == 0 {
		return b, errors.New("the go command runs " + ExecWord + " with a test binary")
	}
	// the user's -exec comes before the program, which always has flags
	at := max(1, slices.IndexFunc(line, func(arg string) bool {
		return strings.HasPrefix(arg, "-test.")
	}))
	b.Exec, b.Path, line = line[:at-1:at-1], line[at-1], line[at-1:]
	for i, arg := range line[1:] {
		name, value, _ := strings.Cut(strings.TrimPrefix(arg, "-"), "=")
		if !strings.HasPrefix(arg, "-test.") {
			b.Args = line[1+i:]
			break
		}
		switch strings.TrimPrefix(name, "test.") {
		case "run":
			b.Run = value
		case "v":
			b.Verbose = value
		case "timeout", "count", "failfast":
		default:
			b.Flags = append(b.Flags, arg)
		}
	}
	return b, nil
}

// command is a command that runs the program with arguments.
func (b *Binary) command(ctx context.Context, args ...string) *exec.Cmd {
	words := append(slices.Clip(b.Exec), b.Path)
	cmd := exec.CommandContext(ctx, words[0], append(words[1:], args...)...)
	cmd.Dir = b.Dir
	if len(b.env) > 0 {
		cmd.Env = b.environ()
	}
	return cmd
}

// environ is the environment of its processes.
func (b *Binary) environ() []string { return append(os.Environ(), b.env...) }

// getenv is the value of a variable in that environment, "" if it is not set.
func (b *Binary) getenv(name string) string {
	for _, word := range slices.Backward(b.env) {
		if value, ok := strings.CutPrefix(word, name+"="); ok {
			return value
		}
	}
	return os.Getenv(name)
}

// Tests lists the top-level tests that are to be run.
func (b *Binary) Tests() ([]string, error) {
	top, _ := splitPattern(b.Run)
	if top == "" {
		top = "."
	}
	cmd := b.command(stopped, append([]string{"-test.list=" + top}, b.Args...)...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if stopped.Err() != nil {
		return nil, errStopped
	}
	if err != nil {
		return nil, fmt.Errorf("listing the tests of %s: %w\n%s%s", filepath.Base(b.Path), err, out,
			stderr.Bytes())
	}
	var tests []string
	for line := range strings.Lines(string(out)) {
		if name := strings.TrimSpace(line); strings.HasPrefix(name, "Test") {
			tests = append(tests, name)
		}
	}
	return tests, nil
}

// splitPattern splits what -test.run says at its first slash that is in no brackets.
func splitPattern(pattern string) (top, rest string) {
	brackets, parens := 0, 0
	for i := 0; i < len(pattern); i++ {
		switch pattern[i] {
		case '[':
			brackets++
		case ']':
			brackets = max(0, brackets-1)
		case '(':
			if brackets == 0 {
				parens++
			}
		case ')':
			if brackets == 0 {
				parens--
			}
		case '\\':
			i++
		case '/':
			if brackets == 0 && parens == 0 {
				return pattern[:i], pattern[i:]
			}
		}
	}
	return pattern, ""
}

// environment is that of a process whose runs are told in a file, with a log, and go by seeds; the
// last ones are told what comes from outside. What the program allocates is kept, so that
// collections decide nothing; but not more than a part of the memory.
func (b *Binary) environment(file string, log bool, told []string, seeds ...Seed) []string {
	env := b.environ()
	set := func(name, value string) {
		if b.getenv(name) == "" {
			env = append(env, name+"="+value)
		}
	}
	set("GOGC", "off")
	set("GOMAXPROCS", strconv.Itoa(processors))
	if limit := memory() / 4; limit > 0 {
		set("GOMEMLIMIT", strconv.FormatInt(limit, 10))
	}
	text := file
	if log {
		text += " log"
	}
	for i, s := range seeds {
		text += " " + s.spec()
		if i -= len(seeds) - len(told); i >= 0 {
			text += told[i]
		}
	}
	env = append(env, "COMMUTE_EXPLORE="+text)
	return append(env, option.Variable+"="+
		strings.TrimSpace(b.getenv(option.Variable)+" perturb=0"))
}

// processors is what GOMAXPROCS is, if it is not set: programs ask for it, and package testing runs
// so many tests in parallel. A seed is good on any machine.
const processors = 4

// memory is how many bytes the machine has, 0 if that is not known.
func memory() int64 { return memoryOf("MemTotal:") }

// FreeMemory is the number of bytes of available memory, 0 if that is not known.
func FreeMemory() int64 { return memoryOf("MemAvailable:") }

func memoryOf(name string) int64 {
	text, _ := os.ReadFile("/proc/meminfo")
	for line := range strings.Lines(string(text)) {
		if f := strings.Fields(line); len(f) == 3 && f[0] == name {
			n, _ := strconv.ParseInt(f[1], 10, 64)
			return n << 10
		}
	}
	return 0
}

// A batch is what has become of some runs in one process.
type batch struct {
	told
	seeds  []Seed
	failed bool
	output []byte
	killed bool // it was, as it took too long
}

// last is the index of the run that was the last to begin, -1 for none.
func (b *batch) last() int { return len(b.runs) - 1 }

// batch runs a test by each of some seeds, in one process that ends at the first failure.
func (b *Binary) batch(test string, timeout time.Duration, seeds []Seed) (*batch, error) {
	return b.process(processPlan{test: test, timeout: timeout, seeds: seeds})
}

// A processPlan says what a process runs.
type processPlan struct {
	test    string
	timeout time.Duration // of a run, 0 for none
	most    time.Duration // after which the process is ended, if it is less than what runs may take
	log     bool          // runs are logged
	seeds   []Seed
	// told is what comes from outside in the last of the runs, for each as of tellArrivals.
	told    []string
	options string // of commute's, besides the user's
}

// process is [Binary.batch] with all that can be said.
func (b *Binary) process(p processPlan) (*batch, error) {
	test, timeout, seeds := p.test, p.timeout, p.seeds
	dir, err := os.MkdirTemp("", "commute-explore-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	_, rest := splitPattern(b.Run)
	args := append([]string(nil), b.Flags...)
	args = append(args, "-test.run=^"+test+"$"+rest, "-test.failfast",
		"-test.count="+strconv.Itoa(len(seeds)),
		"-test.timeout="+(timeout*time.Duration(len(seeds))).String())
	ctx, cancel := stopped, context.CancelFunc(func() {})
	limit := timeout * time.Duration(len(seeds))
	if p.most > 0 && (limit == 0 || p.most < limit) {
		limit = p.most
	}
	if limit > 0 {
		ctx, cancel = context.WithTimeout(ctx, limit)
	}
	defer cancel()
	cmd := b.command(ctx, append(args, b.Args...)...)
	cmd.Cancel = func() error { return endProcess(cmd.Process) }
	cmd.WaitDelay = 10 * time.Second
	told := filepath.Join(dir, "told")
	cmd.Env = b.environment(told, p.log, p.told, seeds...)
	if b.leaksOff {
		cmd.Env = append(cmd.Env, leaksVariable+"=off")
	}
	if p.options != "" {
		cmd.Env = append(cmd.Env, option.Variable+"="+strings.TrimSpace(
			b.getenv(option.Variable)+" perturb=0 "+p.options))
	}
	out, err := cmd.CombinedOutput()
	if stopped.Err() != nil {
		return nil, errStopped
	}
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) && ctx.Err() == nil {
		return nil, err
	}
	return &batch{readTold(told, p.log), seeds, err != nil, out, ctx.Err() != nil}, nil
}
