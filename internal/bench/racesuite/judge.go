// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package main

import (
	"bytes"
	"regexp"
	"slices"
	"strings"
)

const (
	runLine       = "=== RUN   "
	dataRace      = "WARNING: DATA RACE"
	commutativity = "WARNING: COMMUTATIVITY RACE"
	checkThenAct  = "WARNING: CHECK-THEN-ACT RACE"
	concurrentMap = "fatal error: concurrent map"
	allComplete   = "ALL TESTS COMPLETE" // printed by the testdata's TestMain
)

// An end is how a function ended.
type end byte

const (
	unended end = iota // no line says
	passed
	failed
	skipped
	crashed
	timedOut
	notRun
)

func (e end) String() string {
	return [...]string{"did not end", "passed", "failed", "skipped", "crashed", "timed out",
		"was not run"}[e]
}

var ends = map[string]end{"PASS": passed, "FAIL": failed, "SKIP": skipped}

// A result has the output of one run of a function.
type result struct {
	name          string
	reports       int // of data races
	commutativity int // reports of the other kind
	mapCrash      bool
	end           end
}

// reported says whether there was a report of a race. Package runtime reports some by a crash.
func (r *result) reported() bool { return r.reports > 0 || r.mapCrash }

// racy says whether the function has a race, by its name.
func racy(name string) bool { return strings.HasPrefix(name, "TestRace") }

// judged says whether the function's name says what it has.
func judged(name string) bool { return racy(name) || strings.HasPrefix(name, "TestNoRace") }

// failing says whether the race detector is known to be wrong about the function.
func failing(name string) bool { return strings.Contains(name, "Failing") }

// A judgement is the meaning of a result.
type judgement byte

const (
	right judgement = iota
	wrong
	undecided
)

// judge holds the result against the name, as runtime/race's own test does. A report counts,
// however the function ends. Without a report, a function that didn't run to its end has no
// judgement.
func (r *result) judge() judgement {
	if !r.reported() && r.end != passed && r.end != failed {
		return undecided
	}
	if racy(r.name) == r.reported() {
		return right
	}
	return wrong
}

// note is a remark on what is odd about the result besides the judgement, or nothing.
func (r *result) note() string {
	switch {
	case r.mapCrash:
		return "the runtime found a concurrent use of a map, and ended the process"
	case r.end == failed && r.reports == 0 && r.commutativity > 0:
		return "failed without a data race, for a commutativity race"
	case r.end == failed && r.reports == 0:
		return "failed without a report"
	case r.end == passed && r.reports > 0:
		return "passed in spite of a report"
	case r.end != passed && r.end != failed:
		return r.end.String()
	}
	return ""
}

// endLine is that of a test or of one of its subtests, which may follow what the test printed on
// the same line.
var endLine = regexp.MustCompile(`--- (PASS|FAIL|SKIP): (Test\S+) \(`)

// frameLine is a line of a stack that is in a test function.
var frameLine = regexp.MustCompile(`^  \S*\.(Test(?:No)?Race\w*)[.(]`)

// parse reads the output of a test binary with -test.v: a result for every function that was begun,
// in order. All output until the next function begins belongs to the function, but for reports
// whose stacks name another one. Goroutines may go on when their function is over. The last
// function has crashed if not all tests are complete.
func parse(out []byte) []result {
	var results []result
	open := false // in a report that may be another's
	for text := range bytes.Lines(out) {
		line := string(bytes.TrimRight(text, "\r\n"))
		if m := frameLine.FindStringSubmatch(line); m != nil && open {
			open = false
			last := &results[len(results)-1]
			if i := slices.IndexFunc(results,
				func(r result) bool { return r.name == m[1] }); i >= 0 && last.name != m[1] {
				last.reports--
				results[i].reports++
			}
		}
		open = len(results) > 0 && (open || strings.Contains(line, dataRace)) &&
			!strings.HasPrefix(line, "=====")
		if name, ok := begins(line); ok {
			if len(results) == 0 || results[len(results)-1].name != name {
				results = append(results, result{name: name})
			}
			continue
		}
		if len(results) > 0 {
			results[len(results)-1].read(line)
		}
	}
	if len(results) > 0 && !bytes.Contains(out, []byte(allComplete)) {
		results[len(results)-1].end = crashed
	}
	return results
}

// begins returns the name of the test that a line says has begun; a subtest is part of its test.
func begins(line string) (name string, ok bool) {
	_, name, ok = strings.Cut(line, runLine)
	name, _, _ = strings.Cut(name, "/")
	return name, ok && strings.HasPrefix(name, "Test")
}

// read adds a line that was printed during the function.
func (r *result) read(line string) {
	switch {
	case strings.Contains(line, dataRace):
		r.reports++
	case strings.Contains(line, commutativity), strings.Contains(line, checkThenAct):
		r.commutativity++
	case strings.Contains(line, concurrentMap):
		r.mapCrash = true
	}
	if m := endLine.FindStringSubmatch(line); m != nil && m[2] == r.name {
		r.end = ends[m[1]]
	}
}

var (
	topLine = regexp.MustCompile(`(?m)^--- (PASS|FAIL|SKIP): (\S+) \(`)
	logLine = regexp.MustCompile(`(?m)^    (\S+\.go:\d+: .*)$`)
)

// A testResult is the result of a test of package testing.
type testResult struct {
	verdict string // PASS, FAIL, SKIP
	message string // the last that it logged
}

// parseTests reads what go test -v printed. A message of a test is in front of the line that tells
// its result.
func parseTests(out []byte) map[string]testResult {
	results := make(map[string]testResult)
	start := 0
	for _, m := range topLine.FindAllSubmatchIndex(out, -1) {
		r := testResult{verdict: string(out[m[2]:m[3]])}
		if logs := logLine.FindAllSubmatch(out[start:m[0]], -1); len(logs) > 0 &&
			r.verdict != "PASS" {
			r.message = string(logs[len(logs)-1][1])
		}
		results[string(out[m[4]:m[5]])] = r
		start = m[1]
	}
	return results
}

// An outcome is the result of one package's tests.
type outcome struct {
	verdict       string // ok, FAIL, timeout, crash, no build, no tests
	failed        []string
	dataRaces     int
	commutativity int
}

var (
	failLine  = regexp.MustCompile(`(?m)^ *--- FAIL: (\S+)`)
	noBuild   = regexp.MustCompile(`(?m)^FAIL.*\[(build|setup) failed\]$`)
	noTests   = regexp.MustCompile(`(?m)\[no test files\]$`)
	testLimit = regexp.MustCompile(`(?m)^panic: test timed out`)
	okLine    = regexp.MustCompile(`(?m)^ok  \t`)
	badLine   = regexp.MustCompile(`(?m)^FAIL\t`)
	lastLine  = regexp.MustCompile(`(?m)^(PASS|FAIL)$`) // of a test binary that runs to its end
)

// parsePackage reads the output of go test for one package.
func parsePackage(out []byte, late bool) outcome {
	o := outcome{
		dataRaces: bytes.Count(out, []byte(dataRace)),
		commutativity: bytes.Count(out, []byte(commutativity)) +
			bytes.Count(out, []byte(checkThenAct)),
	}
	for _, m := range failLine.FindAllSubmatch(out, -1) {
		o.failed = append(o.failed, string(m[1]))
	}
	bad := badLine.FindIndex(out)
	switch {
	case late || testLimit.Match(out):
		o.verdict = "timeout"
	case noBuild.Match(out):
		o.verdict = "no build"
	case bad == nil && okLine.Match(out):
		o.verdict = "ok"
	case bad == nil && noTests.Match(out):
		o.verdict = "no tests"
	case bad != nil && !lastLine.Match(out[:bad[0]]):
		o.verdict = "crash"
	default:
		o.verdict = "FAIL"
	}
	return o
}
