// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package tracebench

import (
	"context"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/commutego/commute/internal/bench/tracebench/programs"
	"github.com/commutego/commute/internal/longtest"
)

// TestTrial is of made-up output of commute analyze.
func TestTrial(t *testing.T) {
	p := &programs.Program{Name: "x", Bugs: []string{"Lost"}, Benign: []string{"Seen", "Late"}}
	const found = `{"checks":[{"check":"c","proven":7,"alarms":2,"gave_up":1,
		"blocks":{"n":10,"filtered":4,"found":3,"none":2,"gave_up":1},"findings":[
		{"transactions":[{"name":"example.com/p.(*T).Safe"},{"name":"example.com/p.(*T).Lost"}]},
		{"transactions":[{"name":"p.Seen"},{"name":"p.Late"}]}]}]}`
	const safe = `{"checks":[{"check":"c","findings":[{"transactions":[{"name":"p.Safe"},{}]}]}]}`
	const deadlock = `{"checks":[{"check":"c","gave_up":0,"findings":[{"kind":"deadlock"}]}]}`
	const deadlocks = `{"checks":[{"check":"c","gave_up":1,"findings":[{"kind":"deadlock"}]}]}`
	const refused = `{"error":"a.trace: -check=c: it needs more: locks"}`
	for _, c := range []struct {
		texts                              []string
		cell, proof, outcome, cycles, time string
	}{
		{nil, "0-0-0, 3 missed", "0 / 0 / 0", "0 / 0 / 0 / 0", "0", "0.00 s"},
		{[]string{found}, "1-1-0, 1 missed", "7 / 2 / 1", "4 / 3 / 2 / 1", "0", "0.00 s"},
		{[]string{found, safe, found}, "1-1-1, 1 missed", "14 / 4 / 2", "8 / 6 / 4 / 2", "0",
			"0.00 s"},
		{[]string{deadlock, deadlock}, "0-0-0, 3 missed", "0 / 0 / 0", "0 / 0 / 0 / 0", "2",
			"0.00 s"},
		{[]string{deadlocks, deadlock}, "0-0-0, 3 missed", "0 / 0 / 0", "0 / 0 / 0 / 0",
			"2 or more", "0.00 s"},
		{[]string{refused}, "-", "-", "-", "-", "-"},
	} {
		x := &trial{verdict: verdict{methods: make(map[string]bool)}}
		for _, text := range c.texts {
			if err := x.take(p, []byte(text)); err != nil {
				t.Fatal(err)
			}
		}
		got := []string{x.cell(p), x.proof(), x.outcome(), x.cycles(), x.duration()}
		want := []string{c.cell, c.proof, c.outcome, c.cycles, c.time}
		if !slices.Equal(got, want) {
			t.Errorf("%v: %q, want %q", c.texts, got, want)
		}
		if x.refused != "" && x.refused != "it needs more: locks" {
			t.Errorf("refused: %q", x.refused)
		}
	}
	x := new(trial)
	for _, bad := range []string{"", `{"error":"a.trace:1: no"  ,"checks":[{}]}`, `{"checks":[]}`} {
		if err := x.take(p, []byte(bad)); err == nil {
			t.Errorf("%q is taken", bad)
		}
	}
	late := &trial{result: result{timeout: true}}
	if got := late.cell(p) + late.proof() + late.outcome() + late.cycles() +
		late.duration(); got != "timeout---timeout" {
		t.Errorf("a timeout is %q", got)
	}
}

// TestPrintRecorded wants both tables, and the reason of a refusal once.
func TestPrintRecorded(t *testing.T) {
	var list []*recording
	for _, p := range bothPapers()[:2] {
		r := &recording{program: p, events: 12345, trials: make(map[string]*trial)}
		for _, check := range timedChecks {
			r.trials[check] = &trial{verdict: verdict{methods: map[string]bool{p.Benign[0]: true}}}
		}
		r.trials["block"] = &trial{refused: "no locks"}
		r.trials["reduction"] = &trial{refused: "no locks"}
		list = append(list, r)
	}
	var b strings.Builder
	new(Options).printRecorded(&b, list)
	for _, want := range []string{
		"| elevator | 12.3k | 0 | 0-2-0 | 0-1-0, 1 missed |",
		"| tsp | 12.3k | 0 | 0-2-0 | 0-1-0 | 0-1-0 | 0-1-0 | 0-1-0 | 0-1-0 | 0-1-0 | 0-1-0 | - | - " +
			"|\n",
		"| tsp | 0 | 0 / 0 / 0 | 0 / 0 / 0 | - | - | 0 / 0 / 0 / 0 | 0 |\n",
		"A dash: `block`, `reduction` took none of these traces: no locks.\n",
		"| - | - | 0.00 s | 0.4 | 280k | 162 | 1.7 |\n", "| - | - | 0.00 s | 40.0 | 312M | 4.2 | 5.7 |\n",
	} {
		if strings.Count(b.String(), want) != 1 {
			t.Errorf("%q is not there once:\n%s", want, b.String())
		}
	}
}

// TestBothPapers wants each program once, by names that the folder's have.
func TestBothPapers(t *testing.T) {
	if n := len(bothPapers()); n != 17 {
		t.Errorf("%d programs", n)
	}
	var b strings.Builder
	if err := new(Options).recorded(&b); err != nil || !strings.Contains(b.String(), "-programs") {
		t.Errorf("%q, %v", b.String(), err)
	}
}

// TestRecord builds the programs with commute, records runs of some of them, and has the checks
// that need nothing else find what there is.
func TestRecord(t *testing.T) {
	longtest.Need(t, "builds programs that watch themselves")
	commute := filepath.Join(t.TempDir(), "commute"+exe())
	if out, err := exec.Command("go", "build", "-buildvcs=false", "-o", commute,
		"github.com/commutego/commute/cmd/commute").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	o := &Options{Commute: commute, Programs: "../../../testdata/papers", Dir: t.TempDir(),
		Timeout: 5 * time.Minute, ctx: context.Background()}
	binary, err := o.compilePrograms()
	if err != nil {
		t.Skipf("nothing is watched here: %v", err)
	}
	for _, p := range bothPapers() {
		if p.Name != "account" && p.Name != "sor" {
			continue
		}
		r := &recording{program: p, trials: make(map[string]*trial)}
		if err := o.record(binary, r); err != nil {
			t.Fatal(err)
		}
		if err := o.tryAll(r); err != nil {
			t.Fatal(err)
		}
		if len(r.files) != naturalRuns || r.transactions == 0 {
			t.Errorf("%s: %d runs, %d transactions", p.Name, len(r.files), r.transactions)
		}
		for _, check := range append([]string{"velodrome", "frontier", "avp"}, provers...) {
			got := r.trials[check].report(p)
			if got != map[string]string{"account": "1-0-0", "sor": "0-0-0"}[p.Name] {
				t.Errorf("%s: %s reports %s", p.Name, check, got)
			}
		}
		for _, check := range provers {
			x := r.trials[check]
			n := x.proven + x.alarms + x.unknown
			if n != r.transactions || x.proven == 0 && p.Name == "account" {
				t.Errorf("%s: %s says %s of %d transactions", p.Name, check, x.proof(),
					r.transactions)
			}
		}
	}
}
