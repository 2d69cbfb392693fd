// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package explore

import (
	"flag"
	"math/rand"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	engine "github.com/commutego/commute/internal/engine/explore"
)

var update = flag.Bool("update", false, "write the expected diagrams anew")

// drawnSeeds are the schedules of testdata/diagrams.txt.
var drawnSeeds = []struct{ test, seed string }{
	{"TestWrongPublication", "6.1"}, {"TestWrongLimit", "6.1-11.1-13.1"}, {"TestWrongNumber", "6.1"},
	{"TestWrongABA", "7.1"}, {"TestWrongOnce", "7.1"}, {"TestWrongSnapshot", "4.1-6.1"},
	{"TestWrongReferences", "5.1-7.1"}, {"TestWrongSyncMap", "5.1"}, {"TestWrongLostUpdate", "6.1"},
	{"TestWrongCheckThenAct", "6.1"}, {"TestWrongTornPair", "6.1"}, {"TestWrongLockOrder", "6.1"},
	{"TestWrongUpgrade", "6.1"}, {"TestWrongReadTwice", "6.1"}, {"TestWrongOverdraft", "6.1"},
	{"TestWrongStaleCache", "6.1"}, {"TestWrongLostWakeup", "7.1"}, {"TestWrongCond", "6.1"},
	{"TestWrongWaitGroup", ""}, {"TestWrongDoubleClose", "6.1"}, {"TestWrongSendClosed", "6.1"},
	{"TestWrongDropped", "6.1"}, {"TestWrongLength", "6.1"}, {"TestWrongSleepOrder", ""},
	{"TestWrongRescue", "1.1"},
}

// TestDiagrams replays failures of the wrong programs, and compares the diagrams.
func TestDiagrams(t *testing.T) {
	t.Parallel()
	b := build(t, "explore", "")
	var text strings.Builder
	for _, d := range drawnSeeds {
		seed := "x1-first"
		if d.seed != "" {
			seed = "x1-forced-" + d.seed
		}
		r, err := Replay(b, Plan{Replay: seed, Timeout: limits.Timeout}, d.test)
		if err != nil || r.Failure == nil || r.Failure.Schedule == nil {
			t.Errorf("%s does not fail by %s: %v", d.test, seed, err)
			continue
		}
		text.WriteString(d.test + "\n")
		for _, row := range r.Failure.Schedule.diagram() {
			text.WriteString("  " + row + "\n")
		}
	}
	file := filepath.Join("testdata", "diagrams.txt")
	if *update {
		if err := os.WriteFile(file, []byte(text.String()), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil || text.String() != string(want) {
		t.Errorf("%v; with -update they are written anew:\n%s", err, text.String())
	}
}

// TestDiagramLimits draws random runs: no diagram has too many rows or columns, nor a line that is
// too long, and each forced switch has its row where there is room.
func TestDiagramLimits(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	for range 500 {
		l, switches := randomLog(r)
		rows := (&Schedule{log: l}).diagram()
		if len(rows) > diagramRows+2 {
			t.Fatalf("%d rows", len(rows))
		}
		marks := 0
		for _, row := range rows {
			if len(row) > diagramWidth {
				t.Fatalf("%d columns: %s", len(row), row)
			}
			if strings.HasPrefix(strings.TrimLeft(row, " "), "> ") {
				marks++
			}
		}
		if switches > 0 && marks == 0 || switches <= 2 && marks < switches {
			t.Fatalf("%d of %d switches:\n%s", marks, switches, strings.Join(rows, "\n"))
		}
	}
}

// randomLog is the log of a made-up run of goroutines, with some forced switches between them.
func randomLog(r *rand.Rand) (l *runLog, switches int) {
	l = new(runLog)
	n := 2 + r.Intn(3)
	current := "1"
	for d := range 5 + r.Intn(60) {
		at := place{file: "/no/such/file_test.go", line: 1 + r.Intn(99)}
		l.steps = append(l.steps, step{kind: about, name: current, op: engine.Lock,
			object: r.Intn(6), at: at})
		next, usual := current, true
		if r.Intn(20) == 0 {
			for next == current {
				next = strconv.Itoa(1 + r.Intn(n))
			}
			usual = false
			switches++
		}
		l.steps = append(l.steps, step{kind: chosen, from: current, name: next, decision: d + 1,
			of: n, usual: usual})
		current = next
	}
	return l, switches
}

// TestDiagramWaits tells a goroutine that waits in its operation from one that waits later, as for
// input.
func TestDiagramWaits(t *testing.T) {
	lock, other := place{file: "/no/such.go", line: 7}, place{file: "/no/such.go", line: 9}
	for _, at := range []place{lock, other, {}} {
		l := &runLog{steps: []step{
			{kind: about, name: "1", op: engine.Lock, object: 1, at: lock},
			{kind: chosen, from: "1", name: "2", decision: 1, choice: 1, of: 2},
			{kind: about, name: "2", op: engine.Lock, object: 1, at: lock},
			{kind: chosen, from: "2", name: "2", decision: 2, of: 2, usual: true},
			{kind: parked, name: "2", at: at},
			{kind: chosen, name: "1", usual: true},
		}}
		rows := strings.Join((&Schedule{log: l}).diagram(), "\n")
		if got := strings.Contains(rows, "(waits)"); got != (at == lock) {
			t.Errorf("parked at %v:\n%s", at, rows)
		}
	}
}
