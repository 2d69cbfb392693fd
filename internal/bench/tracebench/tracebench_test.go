// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package tracebench

import (
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/commutego/commute/internal/trace/generate"
)

func TestFit(t *testing.T) {
	slope, r2 := fit([]point{{1, 5}, {2, 7}, {3, 9}, {10, 23}})
	if math.Abs(slope-2) > 1e-9 || math.Abs(r2-1) > 1e-9 {
		t.Errorf("the slope is %v, R² %v, want 2 and 1", slope, r2)
	}
	slope, r2 = fit([]point{{0, 1}, {1, 0}, {2, 1}})
	if math.Abs(slope) > 1e-9 || r2 > 1e-9 {
		t.Errorf("the slope is %v, R² %v, want 0 and 0", slope, r2)
	}
}

// TestProgramsCanBeMade wants each row of the paper's table to be one that can be generated.
func TestProgramsCanBeMade(t *testing.T) {
	for _, p := range slices.Concat(table1Programs, table2Programs) {
		for _, early := range []bool{false, true} {
			for _, most := range []uint64{1000, 20000, 1e6} {
				g := p.params(most, early)
				if g.Events > most || g.Events == 0 {
					t.Errorf("%s has %d events", p.name, g.Events)
				}
				if (g.Violation == 0) != p.atomic || !p.atomic &&
					(g.Violation < g.Events/2) != early {
					t.Errorf("%s, early is %v: a violation at %d of %d",
						p.name, early, g.Violation, g.Events)
				}
				if _, err := generate.New(g); err != nil {
					t.Errorf("%s: %v", p.name, err)
				}
			}
		}
	}
}

func TestTimes(t *testing.T) {
	a, b, late := result{took: time.Second}, result{took: 3 * time.Second},
		result{took: time.Minute, timeout: true}
	for want, got := range map[string]string{
		"3x": a.times(b), "> 60x": a.times(late), "": late.times(a), "5 M/s": a.rate(5e6),
		"timeout": late.rate(5),
	} {
		if got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

// TestPaperCells is of made-up measurements.
func TestPaperCells(t *testing.T) {
	n := map[string]uint64{"events": 1e6, "threads": 14, "locks": 770, "variables": 19000,
		"transactions": 166000}
	results := map[string]result{
		"velodrome": {took: time.Minute, timeout: true},
		"aerodrome": {took: 250 * time.Millisecond}, "frontier": {took: 100 * time.Millisecond},
		"aerodrome-basic": {took: 3 * time.Second},
	}
	lusearch := table1Programs[slices.IndexFunc(table1Programs,
		func(p program) bool { return p.name == "lusearch" })]
	got := strings.Join(lusearch.cells(n, results), " | ")
	want := "lusearch | 1M (2G) | 14 (14) | 770 (772) | 19k (38M) | 166k (306M) | ✗ | TO | 0.25 " +
		"| > 240x | TO | 5.5 | > 6545x | 0.10 | 3.00"
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	results["velodrome"] = result{took: 200 * time.Millisecond}
	fop := table2Programs[2]
	got = strings.Join(fop.cells(n, results)[6:], " | ")
	if want := "✓ | 0.20 | 0.25 | 0.8x | 88.3 | 92.5 | 0.955x | 0.10 | 3.00"; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestCheck(t *testing.T) {
	good := Options{Events: 1000, Operations: 100, Rounds: 1, Timeout: time.Second,
		Tables: []string{"rd2", "speed"}}
	if err := good.Check(); err != nil {
		t.Error(err)
	}
	for want, change := range map[string]func(o *Options){
		`unknown table "table3" (there are speed, table1, table2, length, commitnodes, ` +
			"predicted, recorded, predictive, rd2)": func(o *Options) {
			o.Tables = []string{"rd2", "table3"}
		},
		"-events 10: want at least " +
			"1000": func(o *Options) { o.Events = 10 },
		"-operations 99: want at least " +
			"100": func(o *Options) { o.Operations = 99 },
		"-rounds 0: want at least " +
			"1": func(o *Options) { o.Rounds = 0 },
		"-timeout: want more than " +
			"0": func(o *Options) { o.Timeout = 0 },
	} {
		o := good
		change(&o)
		if err := o.Check(); err == nil || err.Error() != want {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

func TestPicture(t *testing.T) {
	dir := t.TempDir()
	o := Options{Plots: filepath.Join(dir, "some plots"), Home: filepath.Join(dir, "report")}
	if err := os.Mkdir(o.Plots, 0o777); err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	if err := o.picture(&b, "x", "An x", func() []byte { return []byte("<svg/>") }); err != nil {
		t.Fatal(err)
	}
	if got, want := b.String(), "![An x](../some%20plots/x.svg)\n\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if text, err := os.ReadFile(filepath.Join(o.Plots, "x.svg")); err != nil ||
		string(text) != "<svg/>" {
		t.Errorf("%s, %v", text, err)
	}
}
