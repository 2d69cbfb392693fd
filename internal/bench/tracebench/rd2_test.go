// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package tracebench

import (
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"
)

const twoObjects = `{"printed": "before"}
==================
WARNING: COMMUTATIVITY RACE
  sync.Map of.a (report.go:1)
    not: a pair, 9 times
commute: found 4 commutativity races, 3 of which break a check and act
  sync.Map Store.chunks (/tmp/a folder (x)/store.go:25)
    store.go:89 to store.go:96, and store.go:96 in between: duplicate work, observed, 6 times
    store.go:89 and store.go:96: stale read, 1 time
  sync.Map Store.freed (/tmp/a folder (x)/store.go:30)
    store.go:109 to store.go:112, and store.go:109 in between: duplicate work, predicted, 3 times
    store.go:109 and store.go:112: order-dependent result, 2 times
`

func TestParseFindings(t *testing.T) {
	f := parseFindings("Found 12 data race(s)\n" + twoObjects)
	f.add(parseFindings(twoObjects))
	f.add(parseFindings("")) // nothing was found
	if f.dataRaces != 12 || f.total() != 24 || len(f.objects) != 2 ||
		f.objects["sync.Map Store.chunks"] != 14 || len(f.pairs) != 4 {
		t.Errorf("got %+v", f)
	}
	p := pair{"sync.Map Store.freed", "store.go:109 to store.go:112, and store.go:109 in between",
		"duplicate work"}
	if f.pairs[p] != 6 {
		t.Errorf("%v: %d times, want 6, among %v", p, f.pairs[p], f.pairs)
	}
}

// TestRD2Rows is of made-up measurements.
func TestRD2Rows(t *testing.T) {
	list := make([]*build, builds)
	for i, title := range []string{"plain", "-race", "-datarace", "commute", "recorded"} {
		list[i] = &build{title: title}
	}
	list[raceDetector].missing = `cgo: C compiler "gcc" not found`
	row := func(took ...time.Duration) (outcomes []outcome) {
		for _, d := range took {
			var c outcome
			if d < 0 {
				c.add(sample{timeout: true})
			} else if d > 0 {
				c.add(sample{Nanoseconds: int64(3 * d), Lost: 1})
				c.add(sample{Nanoseconds: int64(d), Again: 2})
			}
			outcomes = append(outcomes, c)
		}
		return outcomes
	}
	outcomes := [][]outcome{row(time.Second, 0, 8*time.Second, 1100*time.Millisecond,
		9*time.Second), row(time.Second, 0, -1, 1*time.Second, 20*time.Second)}
	outcomes[0][calls].findings = parseFindings(twoObjects)
	circuits := []sample{{Circuit: "ComplexConcurrency", Clients: 4},
		{Circuit: "Complex", Clients: 1}}
	var b strings.Builder
	o := Options{Operations: 50000, Rounds: 2}
	if err := o.printRD2(&b, list, circuits, outcomes); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"| ComplexConcurrency | 4 | 50k/s |  | 8x | 1.1x | 9x |  | 0 | 12 (2) | 2.94x | 1784 " +
			"(26) | 4.73x | 200 (2) |\n",
		"| Complex | 1 | 50k/s |  | timeout | 1x | 20x |  |  | 0 (0) | 1.64x | 9 (2) | 1.89x | 0 " +
			"(0) |\n",
		"| geometric mean |  |  |  | 8x | 1.05x | 13.4x |  |  |  | 2.19x |  | 2.99x |  |\n",
		"There is no column -race: cgo: C compiler \"gcc\" not found.\n",
		"- sync.Map Store.chunks: store.go:89 and store.go:96: stale read, 1 time\n- sync.Map",
		"The harm that they did in all runs, watched and not: 7 pages lost, 14 chunks read in " +
			"vain.\n",
		"The best of 2 rounds",
	} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %q in\n%s", want, b.String())
		}
	}
}

// TestInterrupted wants Run to end when its context does, without its temporary files.
func TestInterrupted(t *testing.T) {
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip(err)
	}
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, name := range Tables() {
		err := Run(ctx, io.Discard, Options{Commute: os.Args[0], Tables: []string{name},
			Events: 1000, Operations: 100, Rounds: 1, Timeout: time.Hour, Dir: t.TempDir(),
			Programs: "."})
		if !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v, want %v", name, err, context.Canceled)
		}
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("%v are left, %v", left, err)
	}
}

func TestReason(t *testing.T) {
	failed := errors.New("exit status 1")
	for out, want := range map[string]string{"": "exit status 1", "a\nb\n": "b",
		"\n \n": "exit status 1"} {
		if got := reason([]byte(out), failed); got != want {
			t.Errorf("reason(%q) = %q, want %q", out, got, want)
		}
	}
}
