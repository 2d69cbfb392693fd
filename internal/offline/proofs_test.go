// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package offline

import (
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/commutego/commute/internal/trace/tracefile"
	"github.com/commutego/commute/report"
)

// runText checks a trace in a text format, with all findings.
func runText(t *testing.T, text, check string) (*Result, *tracefile.File, error) {
	t.Helper()
	name := filepath.Join(t.TempDir(), "x.std")
	if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	f, err := tracefile.Open(name, "")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	list, err := Named(strings.Split(check, ","))
	if err != nil {
		t.Fatal(err)
	}
	var count atomic.Uint64
	r, err := Run(f, Options{Checks: list, All: true}, &count)
	return r, f, err
}

// twice is a transaction with two sections of a lock, over and over, and another thread's section.
var twice = strings.Repeat("A|begin|1\nA|acq(L)|2\nA|r(x)|3\nA|rel(L)|4\nA|acq(L)|5\nA|w(x)|6\n"+
	"A|rel(L)|7\nA|end|8\nB|acq(L)|9\nB|w(x)|10\nB|rel(L)|11\n", 5)

// TestProofs wants one finding for what happens over and over, and all of it to be counted.
func TestProofs(t *testing.T) {
	r, f, err := runText(t, twice, "forest-conflict,block,reduction")
	if err != nil {
		t.Fatal(err)
	}
	for i := range r.Checks {
		c := &r.Checks[i]
		if p := c.Proofs; p.Alarms != 5 || p.Proven+p.GaveUp > 0 {
			t.Errorf("%s: %+v, want 5 alarms", c.Name, *c.Proofs)
		}
		list := c.Reports(f)
		if len(list) != 1 || list[0].Nodes[0].To.At != "4" || list[0].Nodes[1].From.At != "5" {
			t.Errorf("%s finds %+v, want that the lock is let go at 4 and taken at 5", c.Name, list)
		}
	}
}

// TestProofsRefuse wants no proof where locks may be other things than mutexes.
func TestProofsRefuse(t *testing.T) {
	f, err := tracefile.Open("testdata/recorded.txt", "")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	list, _ := Named([]string{"forest-conflict"})
	var count atomic.Uint64
	if _, err := Run(f, Options{Checks: list}, &count); err == nil {
		t.Error("a recorded trace is taken, whose locks are not all mutexes")
	}
	if r, err := Run(f, Options{Checks: list}, &count); r.Trace(f, 0, err).Error == "" {
		t.Error("a refused trace has no error in JSON")
	}
	no := false
	std, err := tracefile.Open("../../testdata/docs/traces/deposit.std", "")
	if err != nil {
		t.Fatal(err)
	}
	defer std.Close()
	if _, err := Run(std, Options{Checks: list, Mutexes: &no}, &count); err == nil {
		t.Error("a trace is taken whose locks are said not to be mutexes")
	}
}

// TestDeadlocks wants one finding for a cycle of three threads, of which two do the same.
func TestDeadlocks(t *testing.T) {
	one := "|acq(L)|1\n%|acq(M)|2\n%|rel(M)|3\n%|rel(L)|4\n"
	two := "|acq(M)|5\n%|acq(L)|6\n%|rel(L)|7\n%|rel(M)|8\n"
	text := ""
	for thread, does := range map[string]string{"A": one, "B": two, "C": two} {
		text += strings.ReplaceAll("%"+does, "%", thread)
	}
	r, f, err := runText(t, text, "goodlock")
	if err != nil {
		t.Fatal(err)
	}
	list := r.Checks[0].Reports(f)
	if len(list) != 1 || list[0].Kind != report.Deadlock || len(list[0].Nodes) != 2 ||
		!strings.Contains(list[0].Text(), "A holds L from 1") {
		t.Errorf("%d findings, want one: %+v", len(list), list)
	}
}
