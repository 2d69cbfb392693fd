// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package main

import (
	"fmt"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

// fake makes this test's binary one of the race detector's tests.
const fake = "COMMUTE_RACESUITE_FAKE"

func TestMain(m *testing.M) {
	if os.Getenv(fake) != "" {
		fakeTests()
		return
	}
	os.Exit(m.Run())
}

var fakeNames = []string{"TestNoRaceA", "TestRaceCrash", "TestRaceB", "TestNoRaceHang",
	"TestNoRaceAfter", "TestRaceUnknown"}

// fakeTests prints what tests do that pass, race, crash and hang.
func fakeTests() {
	run := regexp.MustCompile(strings.TrimPrefix(os.Args[len(os.Args)-1], "-test.run="))
	for _, name := range fakeNames[:5] {
		if !run.MatchString(name) {
			continue
		}
		fmt.Println(runLine + name)
		switch name {
		case "TestRaceCrash":
			os.Exit(2)
		case "TestRaceB":
			fmt.Fprintln(os.Stderr, dataRace)
			fmt.Printf("--- FAIL: %s (0.00s)\n", name)
		case "TestNoRaceHang":
			time.Sleep(time.Hour)
		default:
			fmt.Printf("--- PASS: %s (0.00s)\n", name)
		}
	}
	fmt.Println(allComplete)
}

// TestRun wants a result for every function, whatever the others do to the process.
func TestRun(t *testing.T) {
	t.Setenv(fake, "1")
	defer func(old time.Duration) { *timeout = old }(*timeout)
	*timeout = 10 * time.Second // only what hangs takes that long
	path, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	d := &detector{tool: plain, dir: t.TempDir(), path: path, names: fakeNames}
	got, err := d.run(0, 1)
	want := []result{
		{name: "TestNoRaceA", end: passed},
		{name: "TestRaceCrash", end: crashed},
		{name: "TestRaceB", reports: 1, end: failed},
		{name: "TestNoRaceHang", end: timedOut},
		{name: "TestNoRaceAfter", end: passed},
		{name: "TestRaceUnknown", end: notRun},
	}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, %v\nwant %+v", got, err, want)
	}
}

func TestEnvironment(t *testing.T) {
	t.Setenv("GOMAXPROCS", "64")
	t.Setenv("GORACE", "halt_on_error=1")
	t.Setenv("GODEBUG", "x=1")
	t.Setenv("COMMUTE", "kept=1")
	var got []string
	for _, variable := range environment(8) {
		if name, _, _ := strings.Cut(variable, "="); slices.Contains([]string{"GOMAXPROCS",
			"GORACE", "GODEBUG", "COMMUTE"}, name) {
			got = append(got, variable)
		}
	}
	want := []string{"COMMUTE=kept=1", "GOMAXPROCS=8",
		"GORACE=suppress_equal_stacks=0 suppress_equal_addresses=0"}
	slices.Sort(got)
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestAdapt(t *testing.T) {
	const text = `import (
	"internal/testenv"
	"internal/synctest"
)
	cmd := exec.Command(testenv.GoToolPath(t), "run", "-race", "cgo_test_main.go")
	synctest.Run(func() {
			runtime.RaceDisable()
`
	const want = `import (
	"testing/synctest"
)
	cmd := exec.Command("/bin/commute", "run", "-datarace", "./program")
	synctest.Test(t, func(t *testing.T) {
			
`
	d := &detector{tool: tool{"commute", "/bin/commute", "-datarace"}, bare: true}
	if got := d.adapt(text); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestTestsAbout(t *testing.T) {
	const text = `package x

import "internal/race"

func TestPlain(t *testing.T)     {}
func TestRaceName(t *testing.T)  {}
func TestDeepRace(t *testing.T)  {}
func TestAsks(t *testing.T)      { _ = race.Enabled }
func BenchmarkRacy(b *testing.B) { _ = race.Enabled }
func doRace()                    {}
`
	got, err := testsAbout("x_test.go", []byte(text))
	if want := []string{"TestRaceName", "TestDeepRace", "TestAsks"}; err != nil ||
		!slices.Equal(got, want) {
		t.Errorf("%v, %v, want %v", got, err, want)
	}
}
