// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

// Command stdexplore explores the schedules of the standard library's own tests, and compares the
// verdicts with those of go test. From the root of the repository:
//
//	go run ./internal/bench/stdexplore [-runs N] [-seed N] [-p N] [-leaks] [-timeout D] [packages]
//
// Packages are patterns of go list; without any they are those that have to do with concurrency.
// Tests are run with -short. A line for each package says how many tests and runs there were. A
// test differs if it fails when it is explored, and passes under go test. These follow with the
// first lines of what they print.
//
// Input: an installed Go, and the source of commute. Output: text. The exit status is 0 if no test
// differs, 1 if some do, and 2 if the packages can't be tested.
package main

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

var (
	runs    = flag.Int("runs", 20, "how many runs each test has")
	seed    = flag.Int("seed", 1, "other numbers draw other schedules")
	procs   = flag.Int("p", 0, "how many test binaries run at once (default: as commute has it)")
	leaks   = flag.Bool("leaks", false, "leaked goroutines fail a test")
	binary  = flag.String("commute", "", "the commute command to use (default: build ./cmd/commute)")
	timeout = flag.Duration("timeout", time.Minute, "the limit for a run, in the program's time")
	chosen  = flag.String("run", ".", "the tests to run")
	keep    = flag.String("keep", "", "a folder for what the tests print, as they do")
)

// concurrent are the packages that are explored by default.
var concurrent = []string{
	"sync", "sync/atomic", "context", "internal/sync", "internal/singleflight",
	"iter", "io", "io/fs", "testing/synctest", "time", "os/signal", "os/exec", "os", "net",
	"net/textproto", "net/http/httptest", "net/http", "net/http/httputil", "net/rpc",
	"net/rpc/jsonrpc", "database/sql", "log", "log/slog", "expvar", "encoding/json", "encoding/gob",
	"bytes", "bufio", "strings", "container/...", "unique", "weak", "maps", "slices", "testing",
	"runtime/debug", "runtime/pprof", "runtime/trace"}

func main() {
	flag.Parse()
	differ, err := run(flag.Args())
	switch {
	case err != nil:
		fmt.Fprintln(os.Stderr, "stdexplore:", err)
		os.Exit(2)
	case differ:
		os.Exit(1)
	}
}

func run(patterns []string) (differ bool, err error) {
	if len(patterns) == 0 {
		patterns = concurrent
	}
	dir, err := os.MkdirTemp("", "commute-stdexplore-")
	if err != nil {
		return false, err
	}
	defer os.RemoveAll(dir)
	if *binary == "" {
		*binary = filepath.Join(dir, "commute")
		if out, err := exec.Command("go", "build", "-buildvcs=false", "-o", *binary, "./cmd/commute").
			CombinedOutput(); err != nil {
			return false, fmt.Errorf("go build ./cmd/commute: %w\n%s", err, out)
		}
	}
	out, err := exec.Command("go", append([]string{"list"}, patterns...)...).Output()
	if err != nil {
		return false, fmt.Errorf("go list: %w", err)
	}
	for pkg := range strings.FieldsSeq(string(out)) {
		r, err := compare(pkg)
		if err != nil {
			return differ, err
		}
		fmt.Print(r)
		differ = differ || len(r.differ) > 0 || r.broken != ""
	}
	return differ, nil
}

// A result is what has become of a package's tests.
type result struct {
	pkg    string
	tests  int
	told   string // what commute says of all of them
	took   time.Duration
	plain  []string // tests that fail under go test
	differ []string // others that fail when they are explored, with what they print
	broken string   // why there are no verdicts
}

func (r *result) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%-24s %4d tests  %s  %.0fs\n", r.pkg, r.tests, r.told, r.took.Seconds())
	for _, name := range r.plain {
		fmt.Fprintf(&b, "    %s fails under go test\n", name)
	}
	for _, text := range r.differ {
		for line := range strings.Lines(text) {
			b.WriteString("    " + line)
		}
	}
	if r.broken != "" {
		b.WriteString("    " + r.broken + "\n")
	}
	return b.String()
}

// compare tests a package in both ways.
func compare(pkg string) (*result, error) {
	r := &result{pkg: pkg}
	start := time.Now()
	plain, err := output("go", "test", "-short", "-count=1", "-v", "-run="+*chosen, pkg)
	if err != nil {
		return nil, err
	}
	fails := make(map[string]bool)
	for _, v := range verdicts(plain) {
		if !v.passed {
			fails[v.test] = true
			r.plain = append(r.plain, v.test)
		}
	}
	args := []string{"test", "-short", "-v", fmt.Sprintf("-explore=%d", *runs),
		fmt.Sprintf("-explore_seed=%d", *seed), fmt.Sprintf("-timeout=%v", *timeout),
		"-run=" + *chosen}
	if !*leaks {
		args = append(args, "-explore_leaks=off")
	}
	if *procs > 0 {
		args = append(args, fmt.Sprintf("-p=%d", *procs))
	}
	cmd := exec.Command(*binary, append(args, pkg)...)
	var printed bytes.Buffer
	cmd.Stdout = &printed
	if *keep != "" {
		f, err := os.Create(filepath.Join(*keep, strings.ReplaceAll(pkg, "/", "_")+".log"))
		if err != nil {
			return nil, err
		}
		defer f.Close()
		cmd.Stdout = io.MultiWriter(&printed, f)
	}
	cmd.Stderr = cmd.Stdout
	if err := passes(cmd.Run()); err != nil {
		return nil, err
	}
	explored := printed.Bytes()
	list := verdicts(explored)
	r.tests = len(list)
	for _, v := range list {
		if !v.passed && !fails[v.test] {
			r.differ = append(r.differ, v.text)
		}
	}
	for line := range strings.Lines(string(explored)) {
		if text, ok := strings.CutPrefix(line, "commute: explored "); ok {
			_, r.told, _ = strings.Cut(strings.TrimSpace(text), ": ")
		}
	}
	if !bytes.Contains(explored, []byte("\nok  \t")) && !bytes.Contains(explored,
		[]byte("\nFAIL\t"+pkg)) && !bytes.Contains(explored, []byte("[no test files]")) {
		r.broken = "it is not built: " + string(explored[:min(len(explored), 1000)])
	}
	r.took = time.Since(start)
	return r, nil
}

// output is what a command prints, whatever its exit status is.
func output(name string, args ...string) ([]byte, error) {
	out, err := exec.Command(name, args...).CombinedOutput()
	return out, passes(err)
}

// passes is an error of running a command, unless that is its exit status.
func passes(err error) error {
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return nil
	}
	return err
}

// A verdict is that of a test at the top.
type verdict struct {
	test   string
	passed bool
	text   string // its line, and the first of those that follow
}

// mostLines is how many lines of a failure are kept.
const mostLines = 12

// verdicts reads what a test binary prints with -v.
func verdicts(out []byte) (list []verdict) {
	following := 0
	for line := range strings.Lines(string(out)) {
		word, rest, _ := strings.Cut(line, ": ")
		name, _, ok := strings.Cut(rest, " (")
		switch {
		case ok && (word == "--- PASS" || word == "--- FAIL" || word == "--- SKIP"):
			list = append(list, verdict{name, word != "--- FAIL", line})
			following = mostLines
		case following > 0 && strings.HasPrefix(line, " "):
			following--
			list[len(list)-1].text += line
		default:
			following = 0
		}
	}
	return list
}
