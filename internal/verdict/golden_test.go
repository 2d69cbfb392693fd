// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package verdict

import (
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/commutego/commute/internal/longtest"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// goldens are tests of testdata/transactions, whose reports are in files of testdata.
var goldens = map[string]string{
	"TestRaceDeposit":          "memory",
	"TestRaceNumbers":          "readlock",
	"TestRaceLoadThenStore":    "syncmap",
	"TestRaceTwoSyncMaps":      "twomaps",
	"TestRaceLockOnly":         "locks",
	"TestRaceHandOff":          "channel",
	"TestRaceKeeper":           "select",
	"TestRaceSemaphore":        "semaphore",
	"TestRaceCondition":        "condition",
	"TestRaceStartAndWait":     "gostatement",
	"TestRaceConfig":           "atomics",
	"TestRaceCompareLoop":      "compare",
	"TestRaceSnapshot":         "twoatomics",
	"TestRaceOtherRunning":     "running",
	"TestRaceTwoOthersRunning": "three",
	"TestRaceNested":           "nested",
	"TestRaceBlock":            "block",
	"TestRaceRound":            "loop",
	"TestRaceLiteral":          "literal",
	"TestRaceType":             "type",
	"TestRaceIterator":         "iterator",
	"TestRaceTwice":            "map",
	"TestRacePredictedMove":    "predicted",
	"TestRacePredictedTotal":   "predictedread",
}

// deadlockGoldens are those of testdata/deadlocks.
var deadlockGoldens = map[string]string{
	"TestRaceTransfer":     "deadlock",
	"TestRaceRing":         "deadlockring",
	"TestRaceGateOfOne":    "deadlockgate",
	"TestRaceGlobal":       "deadlockglobal",
	"TestRaceRepeatedRead": "deadlockread",
}

// TestDeadlockGolden is TestGolden for potential deadlocks.
func TestDeadlockGolden(t *testing.T) {
	longtest.Same(t)
	t.Parallel()
	golden(t, "deadlocks", "deadlock=fail ", deadlockGoldens)
}

// TestGolden compares whole reports of transactions, as a user sees them, but for addresses, the
// numbers of goroutines, and where Go's own code is.
func TestGolden(t *testing.T) {
	longtest.Same(t)
	t.Parallel()
	golden(t, "transactions", "", goldens)
}

// golden compares the reports of tests of a module, by the names of their files, at some options.
func golden(t *testing.T, module, options string, goldens map[string]string) {
	b := build(t, commute(t), module)
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	for test, name := range goldens {
		t.Run(name, func(t *testing.T) {
			t.Parallel() // each waits for a second at its end
			cmd := exec.Command(b.Path, "-test.run=^"+test+"$")
			cmd.Dir = b.Dir
			cmd.Env = append(os.Environ(),
				"COMMUTE="+options+"strip_path_prefix="+root+string(filepath.Separator))
			out, err := cmd.CombinedOutput()
			if err == nil {
				t.Errorf("%s passes", test)
			}
			got := normal(string(out))
			file := filepath.Join("testdata", name+".txt")
			if *update {
				if err := os.WriteFile(file, []byte(got), 0o666); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if got != string(want) {
				t.Errorf("differs from %s (run go test ./internal/verdict -run Golden -update if "+
					"it should):\n%s", file, got)
			}
		})
	}
}

var (
	address = regexp.MustCompile(`0x[0-9a-f]{12,}`)
	goid    = regexp.MustCompile(`([Gg]oroutine |^ {8,})(\d+)`)
	columns = regexp.MustCompile(`(?m)^(  goroutine \S+) +`)
	offset  = regexp.MustCompile(`(:\d+) \+0x[0-9a-f]+`)
	logged  = regexp.MustCompile(`(?m)^(    testing\.go):\d+`)
	took    = regexp.MustCompile(`\(\d+\.\d+s\)`)
	often   = regexp.MustCompile(`(?m)^(    \S+(?: to \S+)?, .*interfered with.*): ` +
		`(?:at least )?\d+ times?$`)
	// Releases name a function literal differently where the function around it is inlined, and in
	// some releases one look-up in a map is made by means of another.
	inlined = regexp.MustCompile(`\.Test\w+(\.[a-z]\w*)\.func\d+\(\)`)
	lookUp  = regexp.MustCompile(`  runtime\.mapaccess2_faststr\(\)\n.*\n` +
		`(  runtime\.mapaccess1_faststr\(\))`)
	inRoot = regexp.MustCompile(`(?m)^      \S+/src/` +
		`((?:sync|testing|runtime|internal)/\S+\.go):\d+`)
)

// normal is a report with names for what is another in each run: addresses are a1, a2, ... in the
// order in which they are met, goroutines g1, g2, ...; of Go's own code, the lines are left out,
// and what releases differ in.
func normal(out string) string {
	names := func(letter string) func(string) string {
		known := make(map[string]string)
		return func(s string) string {
			if known[s] == "" {
				known[s] = letter + strconv.Itoa(len(known)+1)
			}
			return known[s]
		}
	}
	var lines []string
	a, g := names("a"), names("g")
	for line := range strings.Lines(out) {
		line = goid.ReplaceAllStringFunc(line, func(s string) string {
			i := strings.LastIndexByte(s, ' ') + 1
			return s[:i] + g(s[i:])
		})
		lines = append(lines, address.ReplaceAllStringFunc(line, a))
	}
	out = columns.ReplaceAllString(strings.Join(lines, ""), "$1    ")
	out = offset.ReplaceAllString(out, "$1")
	out = inRoot.ReplaceAllString(out, "      GOROOT/src/$1")
	out = inlined.ReplaceAllString(out, "$1.func1()")
	out = lookUp.ReplaceAllString(out, "$1")
	out = logged.ReplaceAllString(out, "$1")
	out = often.ReplaceAllString(out, "$1: n times")
	return took.ReplaceAllString(out, "(0.00s)")
}

// TestNormal has what differs from run to run, and what does not.
func TestNormal(t *testing.T) {
	got := normal("goroutine 17 at 0x00c000012345 +1\n" +
		"  goroutine 17                     goroutine 8\n" +
		"                        8: read at 0x00c000012346  a.go:17\n" +
		"  p.TestA.inner.func3()\n  runtime.mapaccess2_faststr()\n      b.go:2\n  " +
		"runtime.mapaccess1_faststr()\n" +
		"      a.go:17 +0x1f\n      /usr/lib/go/src/sync/mutex.go:65 +0x2\n--- FAIL: T (1.23s)\n" +
		"    a.go:1 to a.go:2, interfered with at a.go:3 by p.f: at least 17 times\n" +
		"    a.go:1, can be interfered with at a.go:3 by p.f: 2 times\n")
	want := "goroutine g1 at a1 +1\n  goroutine g1    goroutine g2\n" +
		"                        g2: read at a2  a.go:17\n" +
		"  p.inner.func1()\n  runtime.mapaccess1_faststr()\n" +
		"      a.go:17\n      GOROOT/src/sync/mutex.go\n--- FAIL: T (0.00s)\n" +
		"    a.go:1 to a.go:2, interfered with at a.go:3 by p.f: n times\n" +
		"    a.go:1, can be interfered with at a.go:3 by p.f: n times\n"
	if got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}
