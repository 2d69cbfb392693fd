// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

// Command speed compares builds of the benchmarks in testdata/speed: unwatched, with commute, and
// with the race detector. From the root of the repository:
//
//	go run ./internal/bench/speed [-rounds 5] [-benchtime 200ms] [-bench regexp]
//		[-only plain,commute,race] [-dir folder]
//
// A fourth build is datarace, commute's own detection of data races. To compare it with the race
// detector:
//
//	go run ./internal/bench/speed -only plain,datarace,race -bench BenchmarkMem
//
// Below the table then stands the geometric mean of their ratio. internal/bench/racebench compares
// whole programs, and memory.
//
// A fifth build is trace: datarace, which also records a trace, to a temporary file that is
// removed. What recording costs:
//
//	go run ./internal/bench/speed -dir testdata/speed/recording -only datarace,trace
//
// The table then also has how many bytes of the file a step takes, and what is written in a second.
//
// Each benchmark has a process of its own. The builds take turns, benchmark by benchmark, so that a
// change in the machine's speed hits all of them. The table has the median of the rounds and its
// ratio to the unwatched build; "-" where a build doesn't finish a benchmark (its output goes to
// standard error). -race needs cgo and a C compiler.
package main

import (
	"bufio"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/commutego/commute/internal/bench/measure"
	"github.com/commutego/commute/internal/trace/raw"
)

// A build is one way to compile the benchmarks, or to run them.
type build struct {
	name  string
	path  string // of the test binary
	trace string // the folder for traces, if it records any
}

// A result is a benchmark's name and the unit of one of its numbers.
type result struct{ benchmark, unit string }

// A table has every number that was measured, by result and name of the build.
type table struct {
	order   []result
	numbers map[result]map[string][]float64
}

var (
	rounds    = flag.Int("rounds", 5, "how often each benchmark is run with each build")
	benchtime = flag.String("benchtime", "200ms", "how long each run takes, as go test has it")
	bench     = flag.String("bench", ".", "the benchmarks to run")
	only      = flag.String("only", "plain,commute,race", "the builds to compare")
	folder    = flag.String("dir", "testdata/speed", "the folder with the benchmarks")
)

func main() {
	flag.Parse()
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "speed:", err)
		os.Exit(2)
	}
}

// run compiles the benchmarks with each build, and runs them in turns.
func run() error {
	dir, err := os.MkdirTemp("", "commute-speed")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	builds, err := compile(dir, strings.Split(*only, ","))
	if err != nil {
		return err
	}
	names, err := list(builds[0])
	if err != nil {
		return err
	}
	t := &table{numbers: make(map[result]map[string][]float64)}
	for round := range *rounds {
		for _, name := range names {
			for _, b := range builds {
				t.measure(b, name)
			}
		}
		fmt.Fprintf(os.Stderr, "round %d of %d done\n", round+1, *rounds)
	}
	t.print(builds)
	return nil
}

// compile makes the builds in dir, and with them cmd/commute.
func compile(dir string, names []string) ([]build, error) {
	tool := filepath.Join(dir, "commute")
	commands := map[string][]string{
		"plain":    {"go", "test"},
		"commute":  {tool, "test"},
		"datarace": {tool, "test", "-datarace"},
		"trace":    {tool, "test", "-datarace"},
		"race":     {"go", "test", "-race"},
	}
	var builds []build
	built := false
	for _, name := range names {
		command, ok := commands[name]
		if !ok {
			return nil, fmt.Errorf("-only %s: want plain, commute, datarace, trace or race", name)
		}
		if command[0] == tool && !built {
			if err := execute(".", "go", "build", "-buildvcs=false", "-o", tool,
				"./cmd/commute"); err != nil {
				return nil, err
			}
			built = true
		}
		b := build{name: name, path: filepath.Join(dir, name+".test")}
		if name == "trace" {
			b.trace = filepath.Join(dir, "traces")
			if err := os.Mkdir(b.trace, 0o777); err != nil {
				return nil, err
			}
		}
		command = append(command, "-c", "-o", b.path, ".")
		if err := execute(*folder, command[0], command[1:]...); err != nil {
			return nil, err
		}
		builds = append(builds, b)
	}
	return builds, nil
}

func execute(dir, name string, args ...string) error {
	cmd := exec.Command(name, args...)
	cmd.Dir = dir
	cmd.Stdout, cmd.Stderr = os.Stderr, os.Stderr
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("%s %s: %w", name, strings.Join(args, " "), err)
	}
	return nil
}

// list returns the benchmarks that -bench chooses.
func list(b build) ([]string, error) {
	out, err := exec.Command(b.path, "-test.list", *bench).Output()
	if err != nil {
		return nil, fmt.Errorf("%s -test.list %s: %w", b.path, *bench, err)
	}
	var names []string
	for name := range strings.FieldsSeq(string(out)) {
		if strings.HasPrefix(name, "Benchmark") {
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		return nil, fmt.Errorf("no benchmark matches %q", *bench)
	}
	return names, nil
}

// resultLine is what testing prints: name, processors, iterations, then numbers with their units.
var resultLine = regexp.MustCompile(`(?m)^Benchmark(\S+?)(?:-\d+)?\s+\d+\t(.*)$`)

// measure runs one benchmark and keeps its numbers.
func (t *table) measure(b build, name string) {
	cmd := exec.Command(b.path, "-test.run=^$", "-test.bench=^"+name+"$",
		"-test.benchtime="+*benchtime)
	if b.trace != "" {
		cmd.Env = append(cmd.Environ(), "COMMUTE=trace="+b.trace)
	}
	start := time.Now()
	out, err := cmd.CombinedOutput()
	elapsed := time.Since(start)
	if err != nil {
		fmt.Fprintf(os.Stderr, "%s %s: %v\n%s\n", b.name, name, err, out[:min(len(out), 1500)])
	}
	t.read(b.name, string(out))
	if b.trace != "" {
		if err := t.readTraces(b, name, elapsed); err != nil {
			fmt.Fprintf(os.Stderr, "%s %s: %v\n", b.name, name, err)
		}
	}
}

// readTraces keeps the numbers of the trace that a run has recorded, and removes it.
func (t *table) readTraces(b build, name string, elapsed time.Duration) error {
	files, err := filepath.Glob(filepath.Join(b.trace, "*"))
	if err != nil {
		return err
	}
	for _, file := range files {
		size, steps, err := measureTrace(file)
		if err != nil {
			return err
		}
		name := strings.TrimPrefix(name, "Benchmark")
		t.add(result{name, "B/step"}, b.name, float64(size)/float64(max(steps, 1)))
		t.add(result{name, "MB/s"}, b.name, float64(size)/1e6/elapsed.Seconds())
		if err := os.Remove(file); err != nil {
			return err
		}
	}
	return nil
}

// measureTrace returns the length of a trace, and how many steps it has.
func measureTrace(file string) (size, steps int64, err error) {
	f, err := os.Open(file)
	if err != nil {
		return 0, 0, err
	}
	defer func() { _ = f.Close() }()
	r, err := raw.NewReader(bufio.NewReader(f))
	if err != nil {
		return 0, 0, err
	}
	for {
		c, err := r.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			return 0, 0, err
		}
		steps += int64(c.Steps)
	}
	info, err := f.Stat()
	if err != nil {
		return 0, 0, err
	}
	return info.Size(), steps, nil
}

// read keeps the numbers in what a benchmark printed.
func (t *table) read(build, out string) {
	for _, line := range resultLine.FindAllStringSubmatch(out, -1) {
		fields := strings.Fields(line[2])
		for i := 0; i+1 < len(fields); i += 2 {
			if number, err := strconv.ParseFloat(fields[i], 64); err == nil {
				t.add(result{line[1], fields[i+1]}, build, number)
			}
		}
	}
}

func (t *table) add(r result, build string, number float64) {
	if t.numbers[r] == nil {
		t.numbers[r] = make(map[string][]float64)
		t.order = append(t.order, r)
	}
	t.numbers[r][build] = append(t.numbers[r][build], number)
}

func (t *table) print(builds []build) {
	w := tabwriter.NewWriter(os.Stdout, 0, 8, 2, ' ', tabwriter.AlignRight)
	fmt.Fprint(w, "benchmark\tunit\t")
	for i, b := range builds {
		fmt.Fprintf(w, "%s\t", b.name)
		if i > 0 {
			fmt.Fprint(w, "ratio\t")
		}
	}
	fmt.Fprintln(w)
	for _, r := range t.order {
		fmt.Fprintf(w, "%s\t%s\t", r.benchmark, r.unit)
		base := measure.Median(t.numbers[r][builds[0].name])
		for i, b := range builds {
			m := measure.Median(t.numbers[r][b.name])
			fmt.Fprintf(w, "%s\t", number(m))
			if i > 0 {
				fmt.Fprintf(w, "%s\t", ratio(m, base))
			}
		}
		fmt.Fprintln(w)
	}
	_ = w.Flush()
	if mean, n := t.mean("datarace", "race"); n > 0 {
		fmt.Printf("datarace/race: %.2fx, the geometric mean of the ns/op of %d benchmarks\n",
			mean, n)
	}
}

// mean is the geometric mean of the ratios of two builds' times, and the number of benchmarks that
// both have finished.
func (t *table) mean(build, base string) (mean float64, n int) {
	var ratios []float64
	for _, r := range t.order {
		x, y := measure.Median(t.numbers[r][build]), measure.Median(t.numbers[r][base])
		if r.unit == "ns/op" && x > 0 && y > 0 {
			ratios = append(ratios, x/y)
		}
	}
	return measure.GeometricMean(ratios), len(ratios)
}

// number prints three digits, and a dash for nothing measured.
func number(x float64) string {
	switch {
	case x == 0:
		return "-"
	case x < 100:
		return strconv.FormatFloat(x, 'g', 3, 64)
	}
	return strconv.FormatFloat(x, 'f', 0, 64)
}

func ratio(x, base float64) string {
	if x == 0 || base == 0 {
		return "-"
	}
	return fmt.Sprintf("%.2fx", x/base)
}
