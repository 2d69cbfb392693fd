// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package verdict

import (
	"bytes"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/commutego/commute/internal/longtest"
)

// modules are judged with a floor on the number of tests, subtests counted, so that none can pass
// on nothing.
var modules = []struct {
	name  string
	floor int
	flags []string // of the build
	but   string   // a pattern of the tests that are not judged
	long  string   // why it takes long, if it does

	level  string // option level; "" is the default
	option string // another one
	memory bool   // the verdicts are about accesses to memory, which the compiler's -race announces
}{
	{name: "edges", floor: 600, level: "races"},
	{name: "verdicts", floor: 110, level: "races"},
	{name: "annotations", floor: 100, level: "races"},
	{name: "shipped", floor: 220, level: "races", long: buildsModules},
	{name: "atomics", floor: 300, flags: []string{"-spec", "sync/atomic"}, long: buildsLibrary},
	// Some accesses neither the compiler nor the runtime announces.
	{name: "dataraces", floor: 5500, flags: []string{"-datarace", "-watch", "all"},
		but: "^TestRaceUninstrumented$", long: buildsLibrary, memory: true},
	{name: "transactions", floor: 145, memory: true},
	{name: "papers", floor: 69, memory: true},
	{name: "inferred", floor: 29, flags: []string{"-datarace"}, memory: true},
	{name: "inferred", floor: 29},
	{name: "unmarked", floor: 30},
	{name: "unmarked", floor: 30, flags: []string{"-datarace"}, memory: true},
	{name: "composed", floor: 15},
	{name: "checkacts", floor: 61, level: "races"},
	{name: "levels", floor: 29},
	{name: "io", floor: 80},
	{name: "io/process", floor: 4},
	// There the library's locks order, and a signal doesn't.
	{name: "io", floor: 51, flags: []string{"-datarace"}, but: "^TestRace", long: buildsModules,
		memory: true},
	{name: "io/process", floor: 3, flags: []string{"-datarace"}, but: "^TestNoRaceSignal$",
		memory: true},
	{name: "deadlocks", floor: 51, option: "deadlock=fail"},
	{name: "deadlocks", floor: 51, option: "deadlock=fail", flags: []string{"-datarace"}},
	{name: "grpc", floor: 6, long: buildsModules},
}

// waiting is how many processes run at a time, if most of them wait.
const waiting = 8

const (
	runsVariable  = "COMMUTE_VERDICT_RUNS"
	buildsLibrary = "builds the standard library in one more way"
	buildsModules = "builds large modules"
)

// long reports whether tests may take long: if longtest says so, or many runs are asked for.
func long() bool { return longtest.Asked() || os.Getenv(runsVariable) != "" }

func needLong(t *testing.T, why string) {
	t.Helper()
	if !long() {
		longtest.Need(t, why)
	}
}

// runs is how often each test is run in each of the ways.
func runs(t *testing.T) int {
	s := os.Getenv(runsVariable)
	switch {
	case s != "":
	case long():
		return 2
	default:
		return 1
	}
	n, err := strconv.Atoi(s)
	if err != nil || n < 1 {
		t.Fatalf("%s=%s: not a positive number", runsVariable, s)
	}
	return n
}

// rest is runs without the run that "go test ./..." makes, if .ci/run has had that before.
func rest(t *testing.T) int {
	n := runs(t)
	if longtest.Rest() && os.Getenv(runsVariable) == "" {
		n--
	}
	return n
}

// TestCommute builds cmd/commute, and with it the modules; runs all tests of a module in one
// process, under several GOMAXPROCS, and, if that may take long, each in one of its own.
func TestCommute(t *testing.T) {
	t.Parallel()
	tool := commute(t)
	for _, m := range modules {
		t.Run(m.name, func(t *testing.T) {
			t.Parallel()
			if m.long != "" {
				needLong(t, m.long)
			}
			b := build(t, tool, m.name, m.flags...)
			names, err := b.List()
			if err != nil {
				t.Fatal(err)
			}
			if m.name == "dataraces" {
				t.Run("Reports", func(t *testing.T) { reports(t, b) })
			}
			if m.name == "io" && len(m.flags) == 0 {
				t.Run("Connections", func(t *testing.T) { connections(t, b) })
			}
			names = without(names, m.but)
			b.Runs = runs(t)
			if m.long == "" {
				b.Runs = rest(t)
			}
			level := atLevel(m.level)
			if m.option != "" {
				level = []string{"COMMUTE=" + m.option}
			}
			for _, procs := range []string{"1", "2", "8"} {
				b.Env = append([]string{"GOMAXPROCS=" + procs}, level...)
				t.Run("Together"+procs, func(t *testing.T) { judge(t, b, names, m.floor) })
			}
			b.Alone, b.Env = true, level
			b.Runs = (runs(t) + 9) / 10
			if m.memory {
				b.Parallel = waiting // at its end each process waits for a second
			}
			t.Run("Alone", func(t *testing.T) {
				needLong(t, "starts a process for each test")
				judge(t, b, names, m.floor)
			})
		})
	}
}

// connections wants goroutines that share a client to have connections of their own, where it was
// long in use by one of them. The machine may be busy, so one run of several has to show it.
func connections(t *testing.T, b *Binary) {
	const tries = 12
	var out []byte
	for range tries {
		c := *b
		c.Env = []string{"GOMAXPROCS=4", "COMMUTE_CONNECTIONS=1"}
		var err error
		out, err = c.command(t.Context(), "-test.v",
			"-test.run=^TestConnectionEach$").CombinedOutput()
		if err == nil && bytes.Contains(out, []byte("--- PASS: TestConnectionEach")) {
			return
		}
	}
	t.Errorf("in none of %d runs; the last one: %s", tries, out)
}

// without are the names but those that match a pattern, if there is one.
func without(names []string, pattern string) []string {
	if pattern == "" {
		return names
	}
	return slices.DeleteFunc(names, regexp.MustCompile(pattern).MatchString)
}

// atLevel is the environment of a run at a level, "" being the default one.
func atLevel(level string) []string {
	if level == "" {
		return nil
	}
	return []string{"COMMUTE=level=" + level}
}

// twins are the tests of testdata/checkacts in which a check and act is only broken by the same
// check of another goroutine. At level=violations it is reported if it is observed or predicted.
var twins = []string{"TestRaceGetAfterGet", "TestRaceIncrementBetween", "TestRaceIncrementAfter",
	"TestRaceAddAfter", "TestRaceFillBetween", "TestRaceFillAfter",
	"TestRaceThroughBetweenThrough", "TestRaceThroughAfterThrough"}

// TestLevels runs testdata/levels at each level. The names of tests say what is reported.
func TestLevels(t *testing.T) {
	longtest.Same(t)
	t.Parallel()
	b := build(t, commute(t), "levels")
	names, err := b.List()
	if err != nil {
		t.Fatal(err)
	}
	for level, want := range map[string]func(name string, race bool) bool{
		"races": func(name string, race bool) bool {
			// What writes between the looks is not the function's own.
			return race || strings.Contains(name, "Read") || name == "TestNoRaceAgainBetween"
		},
		"all": func(name string, race bool) bool {
			return race || strings.Contains(name, "Read") || strings.Contains(name, "Again") ||
				name == "TestNoRaceLoadOrStoreLoad" || name == "TestNoRaceLoadOrStoreTwice"
		},
	} {
		b.Env = []string{"COMMUTE=level=" + level}
		results := resultLine.FindAllSubmatch(b.run(names), -1)
		for _, m := range results {
			found, name := string(m[1]) == "FAIL", string(m[2])
			if found != want(name, strings.HasPrefix(name, "TestRace")) {
				t.Errorf("level %s: %s: %s", level, name, m[1])
			}
		}
		if len(results) != len(names) {
			t.Errorf("level %s: %d results of %d tests", level, len(results), len(names))
		}
	}
	// One bug is one finding, whatever the level.
	for _, level := range []string{"updates", "all"} {
		b.Env = []string{"COMMUTE=level=" + level}
		if out := b.run([]string{"TestRaceOneBug"}); !bytes.Contains(out,
			[]byte("commute: found 1 commutativity race, which breaks a check and act\n")) {
			t.Errorf("level %s:\n%s", level, out)
		}
	}
	// At the default level a line counts what is not reported.
	b.Env = nil
	if out := b.run([]string{"TestNoRaceReadStore", "TestNoRaceReadRange"}); !bytes.Contains(out,
		[]byte("commute: not reported: 2 pairs of calls of which one reads while the other "+
			"writes (level=races reports them)\n")) {
		t.Errorf("%s", out)
	}
}

// TestViolationsLevel runs testdata/checkacts at level=violations.
func TestViolationsLevel(t *testing.T) {
	t.Parallel()
	b := build(t, commute(t), "checkacts")
	for range rest(t) {
		violations(t, b)
	}
}

// TestAllLevel runs tests of testdata/unmarked at level=all, which alone reports what is computed
// twice, and two variables that are set one by one.
func TestAllLevel(t *testing.T) {
	longtest.Same(t)
	t.Parallel()
	b := build(t, commute(t), "unmarked")
	b.Env = []string{"COMMUTE=level=all"}
	want := map[string]string{
		"TestNoRaceComputedBetween": "FAIL", "TestNoRaceComputedAfter": "PASS",
		"TestNoRaceTornBetween": "FAIL", "TestNoRaceTornAfter": "FAIL",
		"TestNoRaceTornTold": "PASS", "TestNoRaceWholeAfter": "PASS",
		"TestNoRaceAtomicGuardedAfter": "FAIL", "TestNoRaceAtomicGuardedTold": "PASS",
		"TestNoRaceHalfSeenBusyAfter": "PASS", "TestNoRaceEntryGoingAfter": "PASS",
	}
	out := b.run(slices.Sorted(maps.Keys(want)))
	results := resultLine.FindAllSubmatch(out, -1)
	for _, m := range results {
		if name := string(m[2]); string(m[1]) != want[name] {
			t.Errorf("%s: %s, want %s", name, m[1], want[name])
		}
	}
	if len(results) != len(want) || t.Failed() {
		t.Fatalf("%s", out)
	}
}

// violations wants every race reported at level=violations that breaks a check and act, observed or
// predicted, and no other race of calls.
func violations(t *testing.T, b *Binary) {
	t.Helper()
	names, err := b.List()
	if err != nil {
		t.Fatal(err)
	}
	b.Env = []string{"COMMUTE=level=violations"}
	out := b.run(names)
	results := resultLine.FindAllSubmatch(out, -1)
	for _, m := range results {
		found, name := string(m[1]) == "FAIL", string(m[2])
		plain := strings.HasPrefix(name, "TestRacePlain") || slices.Contains(twins, name)
		if found != (strings.HasPrefix(name, "TestRace") && !plain) {
			t.Errorf("%s: %s", name, m[1])
		}
	}
	if len(results) != len(names) {
		t.Errorf("%d results of %d tests", len(results), len(names))
	}
	if bytes.Contains(out, []byte(reportLine)) {
		t.Error("a race is reported that breaks no check and act")
	}
	if t.Failed() {
		t.Fatalf("%s", out)
	}
}

// reports looks at what is printed of two data races: where the memory is from, and that one is
// found which is made after the end of all tests.
func reports(t *testing.T, b *Binary) {
	for test, want := range map[string]string{
		"TestRaceHome": `(?m)^Location: heap block of 32 bytes at 0x[0-9a-f]{12}, ` +
			`allocated at:\n  \S*/dataraces\.newRecord\(\)\n`,
		"TestLeft": `(?m)^PASS\n==================\n` +
			`WARNING: DATA RACE\nWrite at (?s:.*)^commute: found 1 data race\n`,
	} {
		cmd := b.command(t.Context(), "-test.run=^"+test+"$")
		cmd.Env = append(cmd.Env, "COMMUTE_DATARACES_LEFT=1")
		out, err := cmd.CombinedOutput()
		if err == nil || !regexp.MustCompile(want).Match(out) {
			t.Errorf("%s ends with %v and prints\n%s\nwant an error, and %s", test, err, out, want)
		}
	}
}

func judge(t *testing.T, b *Binary, names []string, floor int) {
	table := b.Judge(names)
	var out bytes.Buffer
	table.Print(&out)
	t.Logf("%d runs of each:\n%s", b.Runs, out.Bytes())
	if table.Alarms()+table.Misses()+len(table.Failures) > 0 {
		t.Fail()
	}
	if len(table.Counts) < floor {
		t.Errorf("%d tests, want at least %d", len(table.Counts), floor)
	}
}

func exe() string {
	if runtime.GOOS == "windows" {
		return ".exe"
	}
	return ""
}

// TestAdd judges written output: each kind of error is counted, parents and skipped tests are not,
// and a test without a result is a failure.
func TestAdd(t *testing.T) {
	table := &Table{Counts: make(map[string]*Count)}
	table.add([]string{"TestRaceA", "TestNoRaceB", "TestRaceC", "TestRaceLost"}, []byte(`
=== RUN   TestRaceA
--- FAIL: TestRaceA (0.00s)
    --- FAIL: TestRaceA/x (0.00s)
    --- PASS: TestRaceA/y (0.00s)
--- FAIL: TestNoRaceB (0.00s)
--- SKIP: TestRaceC (0.00s)
--- FAIL: TestOther (0.00s)
`))
	var out bytes.Buffer
	table.Print(&out)
	want := "3 tests, 3 runs: 1 false alarms, 1 misses, 1 processes failed\n"
	if !strings.HasSuffix(out.String(), want) {
		t.Errorf("got\n%swant the end\n%s", out.Bytes(), want)
	}
	for _, line := range []string{"TestNoRaceB  1     1", "TestRaceA/y  1     0",
		"no result for TestRaceLost"} {
		if !strings.Contains(out.String(), line) {
			t.Errorf("got\n%swant %q in it", out.Bytes(), line)
		}
	}
}

// TestRaceDetectorAgrees judges testdata/edges itself: with a plain variable in place of a map, the
// race detector must give the verdicts, but for those of which the module says that it may not. It
// misses one race in a thousand, where both accesses come at the same moment, so a miss counts if
// it is one every time.
func TestRaceDetectorAgrees(t *testing.T) {
	needLong(t, buildsLibrary)
	dir, err := filepath.Abs("../../testdata/edges")
	if err != nil {
		t.Fatal(err)
	}
	b := &Binary{Path: filepath.Join(t.TempDir(), "edges.test"+exe()), Dir: dir, Runs: 3,
		Timeout: 5 * time.Minute}
	cmd := exec.Command("go", "test", "-race", "-tags=memory", "-c", "-o", b.Path, ".")
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Skipf("no race detector here: %v\n%s", err, out)
	}
	names, err := b.List()
	if err != nil {
		t.Fatal(err)
	}
	b.Env = []string{"GORACE=suppress_equal_stacks=0 suppress_equal_addresses=0 history_size=7",
		"COMMUTE_EDGES_DIFFER=1"}
	differ := string(b.run(nil))
	table := b.Judge(names)
	for name, c := range table.Counts {
		if known := strings.Contains(differ, "differs: "+name+" "); (c.Alarms > 0 ||
			c.Quiet == c.Runs) && !known {
			t.Errorf("%s: %d false alarms, %d misses", name, c.Alarms, c.Quiet)
		}
	}
	if len(table.Failures) > 0 || len(table.Counts) < modules[0].floor {
		t.Errorf("%d tests, failures: %s", len(table.Counts), table.Failures)
	}
}
