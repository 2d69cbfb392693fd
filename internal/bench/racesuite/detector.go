// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package main

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// A detector is the tests of the race detector, compiled with a tool.
type detector struct {
	tool  tool
	dir   string // of the module that has them
	path  string // of the binary
	bare  bool   // package runtime has no RaceDisable
	names []string
}

// detectorSuite runs GOROOT/src/runtime/race/testdata under each tool.
func detectorSuite(dir string, tools []tool) (bool, error) {
	values, err := cpus()
	if err != nil {
		return false, err
	}
	misses, err := parseMisses(knownMisses)
	if err != nil {
		return false, err
	}
	ok := true
	for _, t := range tools {
		d, err := newDetector(filepath.Join(dir, t.name+".module"), t)
		if err != nil {
			return false, err
		}
		known := misses
		if t.name != "commute" {
			known = nil
		}
		for _, name := range slices.Sorted(maps.Keys(known)) {
			if *chosen == "." && !slices.Contains(d.names, name) {
				fmt.Fprintf(os.Stderr, "misses.txt: %s: there is no such function\n", name)
			}
		}
		tally := newTally(t.name, values, known)
		for run := range *runs {
			for _, cpu := range values {
				results, err := d.run(run, cpu)
				if err != nil {
					return false, err
				}
				tally.add(cpu, results)
			}
		}
		tally.print(os.Stdout)
		ok = ok && tally.ok(*minimum)
	}
	return ok, nil
}

// newDetector makes a module in dir of the testdata and compiles it.
func newDetector(dir string, t tool) (*detector, error) {
	out, err := output(".", "go", "env", "GOROOT")
	if err != nil {
		return nil, err
	}
	d := &detector{tool: t, dir: dir, path: filepath.Join(dir, "race.test")}
	if err := d.build(filepath.Join(strings.TrimSpace(string(out)), "src")); err != nil {
		return nil, err
	}
	// The testdata has a race while it is initialized, for which the binary fails even now.
	out, err = watched(dir, environment(1), *timeout, d.path, "-test.list="+*chosen)
	if err != nil {
		return nil, err
	}
	if !strings.Contains(string(out), allComplete) {
		return nil, fmt.Errorf("%s -test.list=%s fails\n%s", d.path, *chosen, tail(out))
	}
	for line := range strings.Lines(string(out)) {
		name := strings.TrimRight(line, "\r\n")
		if strings.HasPrefix(name, "Test") {
			d.names = append(d.names, name)
		}
	}
	if !slices.ContainsFunc(d.names, judged) {
		return nil, fmt.Errorf("-run %s: no function matches", *chosen)
	}
	return d, nil
}

const raceDisable = "runtime.RaceDisable"

// build compiles the testdata of the standard library in src. If that fails it is compiled without
// the one call of runtime.RaceDisable, which exists with the build tag race only.
func (d *detector) build(src string) error {
	for {
		if err := d.copy(src); err != nil {
			return err
		}
		out, err := output(d.dir, d.tool.program, d.tool.command("-c", "-o", d.path, ".")...)
		if err == nil || d.bare || !strings.Contains(string(out), "undefined: "+raceDisable) {
			return err
		}
		fmt.Fprintf(os.Stderr, "%s: the calls of %s, which is undefined, are left out\n",
			d.tool.name, raceDisable)
		d.bare = true
	}
}

var goLine = regexp.MustCompile(`(?m)^go .*$`)

// copy writes the module, in the language of the standard library that is in src.
func (d *detector) copy(src string) error {
	mod, err := os.ReadFile(filepath.Join(src, "go.mod"))
	if err != nil {
		return err
	}
	files, err := filepath.Glob(filepath.Join(src, "runtime/race/testdata/*.go"))
	if err != nil {
		return err
	}
	if len(files) == 0 {
		return fmt.Errorf("no files in %s: the race detector's tests are not in this Go",
			filepath.Join(src, "runtime/race/testdata"))
	}
	texts := map[string]string{"go.mod": fmt.Sprintf("module racesuite\n\n%s\n", goLine.Find(mod))}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		name := filepath.Base(file)
		if !strings.HasSuffix(name, "_test.go") { // a program, which a test runs
			name = filepath.Join("program", name)
		}
		texts[name] = d.adapt(string(text))
	}
	for name, text := range texts {
		name = filepath.Join(d.dir, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			return err
		}
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			return err
		}
	}
	return nil
}

// adapt changes the parts of the testdata that only work inside of GOROOT, or with the go command.
func (d *detector) adapt(text string) string {
	if d.bare {
		text = strings.ReplaceAll(text, raceDisable+"()\n", "\n")
	}
	return strings.NewReplacer(
		"\t\"internal/testenv\"\n", "",
		"testenv.GoToolPath(t)", strconv.Quote(d.tool.program),
		`"run", "-race", "cgo_test_main.go"`, fmt.Sprintf(`"run", %q, "./program"`, d.tool.flag),
		`"internal/synctest"`, `"testing/synctest"`,
		"synctest.Run(func() {", "synctest.Test(t, func(t *testing.T) {",
	).Replace(text)
}

// run runs all functions once. If one ends the process, another process runs the rest.
func (d *detector) run(number, cpu int) ([]result, error) {
	var results []result
	left := d.names
	for process := 0; len(left) > 0; process++ {
		out, err := watched(d.dir, environment(cpu), *timeout, d.path,
			"-test.v", "-test.paniconexit0", "-test.timeout=0",
			"-test.run=^("+strings.Join(left, "|")+")$")
		if err != nil && !errors.Is(err, errTimeout) {
			return nil, err
		}
		name := fmt.Sprintf("detector.%s.cpu%d.run%d.process%d",
			d.tool.name, cpu, number+1, process)
		if err := save(name, out); err != nil {
			return nil, err
		}
		some := parse(out)
		if len(some) == 0 {
			return nil, fmt.Errorf("%s: no test begins\n%s", d.path, tail(out))
		}
		last := &some[len(some)-1]
		if err != nil {
			last.end = timedOut
		}
		ended := last.end == crashed || last.end == timedOut
		results = append(results, some...)
		left = without(left, some)
		if !ended {
			for _, name := range left {
				results = append(results, result{name: name, end: notRun})
			}
			break
		}
	}
	return results, nil
}

// without returns the names that have no result.
func without(names []string, results []result) []string {
	begun := make(map[string]bool)
	for _, r := range results {
		begun[r.name] = true
	}
	return slices.DeleteFunc(slices.Clone(names), func(name string) bool { return begun[name] })
}

// environment is the environment of runtime/race's test, but for GOMAXPROCS. The functions are
// small and use the same memory again and again, so reports that look alike must not be dropped.
func environment(cpu int) []string {
	set := map[string]string{
		"GOMAXPROCS": strconv.Itoa(cpu),
		"GODEBUG":    "",
		"GORACE":     "suppress_equal_stacks=0 suppress_equal_addresses=0",
		"GOWORK":     "off", // for what the tests run
	}
	env := slices.DeleteFunc(os.Environ(), func(variable string) bool {
		name, _, _ := strings.Cut(variable, "=")
		_, ok := set[name]
		return ok
	})
	for _, name := range slices.Sorted(maps.Keys(set)) {
		if set[name] != "" {
			env = append(env, name+"="+set[name])
		}
	}
	return env
}
