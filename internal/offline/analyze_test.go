// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package offline

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/commutego/commute/internal/event"
	"github.com/commutego/commute/internal/trace"
	"github.com/commutego/commute/internal/trace/generate"
	"github.com/commutego/commute/internal/trace/spec"
	"github.com/commutego/commute/internal/trace/tracefile"
	"github.com/commutego/commute/internal/trace/tracegen"
)

// write writes a trace to a file.
func write(name string, tables *trace.Tables, events []event.Event) error {
	w, err := tracefile.Create(name, "", spec.S2, tables)
	if err != nil {
		return err
	}
	if err := w.Write(events); err != nil {
		w.Discard()
		return err
	}
	return w.Close()
}

// found is the indices of the events at which each check of a file finds something.
func found(
	name string, mutexes bool, checks []Check, all bool,
) (map[string][]uint64, uint64, error) {
	f, err := tracefile.Open(name, "")
	if err != nil {
		return nil, 0, err
	}
	defer f.Close()
	if !mutexes {
		checks = slices.DeleteFunc(slices.Clone(checks), func(c Check) bool {
			return c.needsMutexes()
		})
	}
	var count atomic.Uint64
	r, err := Run(f, Options{Checks: checks, All: all, Mutexes: &mutexes}, &count)
	if err != nil {
		return nil, 0, err
	}
	at := make(map[string][]uint64)
	for _, c := range r.Checks {
		for _, f := range c.Findings {
			at[c.Name] = append(at[c.Name], f.At.Index)
		}
	}
	return at, r.Events, nil
}

// TestFilesAgree runs all checks over random traces in files of each format. It wants them to
// find the same from any file: what the graph of all transactions and the definition of races
// say.
func TestFilesAgree(t *testing.T) {
	dir := t.TempDir()
	kinds := make(map[string]int)
	tracegen.Each(t, 150, func(tr tracegen.Trace) error {
		std := true // STD can say it
		for _, e := range tr.Events {
			std = std && e.Op != event.Touch && e.Op != event.ReleaseMerge
		}
		tables := trace.NewTables()
		tables.Relation, tables.Mutexes = tr.Relation, tr.Mutexes
		names := []string{"x.trace", "x.txt", "x.trace.gz"}
		if std {
			names = append(names, "x.std", "x.rr", "x.std.gz")
		}
		graph, basic, races, calls := expected(tr)
		for _, name := range names {
			kinds[name]++
			name = filepath.Join(dir, name)
			if err := write(name, tables, tr.Events); err != nil {
				return err
			}
			at, n, err := found(name, tr.Mutexes, Checks, true)
			if err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
			want := map[string][]uint64{
				"frontier": graph, "velodrome": graph, "aerodrome": basic, "aerodrome-basic": basic,
				"hb": races, "commute": calls,
			}
			for check, list := range want {
				if fmt.Sprint(at[check]) != fmt.Sprint(list) {
					return fmt.Errorf("%s: %s finds %v, want %v", name, check, at[check], list)
				}
			}
			if len(at["fasttrack"]) > len(races) || len(at["fasttrack"]) == 0 && len(races) > 0 {
				return fmt.Errorf("%s: fasttrack finds %v, hb %v", name, at["fasttrack"], races)
			}
			if (len(at["transactions"]) > 0) != (len(graph) > 0) {
				return fmt.Errorf("%s: transactions finds %v, frontier %v", name,
					at["transactions"], graph)
			}
			if n != uint64(len(tr.Events)) {
				return fmt.Errorf("%s: %d events of %d", name, n, len(tr.Events))
			}
			// Without -all, each check stops at its first finding.
			at, _, err = found(name, tr.Mutexes, Checks, false)
			for check, list := range want {
				if fmt.Sprint(at[check]) != fmt.Sprint(list[:min(1, len(list))]) || err != nil {
					return fmt.Errorf("%s: %s first finds %v, want the first of %v (%v)", name,
						check, at[check], list, err)
				}
			}
			if len(at["transactions"]) != min(1, len(graph)) {
				return fmt.Errorf("%s: transactions first finds %v", name, at["transactions"])
			}
		}
		return nil
	})
	if kinds["x.std"] == 0 || kinds["x.trace"] < 10 {
		t.Errorf("traces by format: %v", kinds)
	}
}

// expected is the results of slow oracles. They are the events at which a transaction is first
// shown to be in a cycle, and the event at which AeroDrome declares the first violation. They are
// also the accesses and touches that are in a race.
func expected(tr tracegen.Trace) (graph, basic, races, calls []uint64) {
	o := tracegen.NewOracle(tr.Relation)
	check, _ := Find("aerodrome-basic")
	c := check.fresh(tr.Relation)
	for i := range tr.Events {
		if o.Event(&tr.Events[i]) {
			graph = append(graph, uint64(i))
		}
	}
	c.take(tr.Events, true, func(f Finding) { basic = append(basic, f.At.Index) })
	for i, with := range tracegen.Races(tr) {
		switch {
		case len(with) == 0:
		case tr.Events[i].Op == event.Touch:
			calls = append(calls, uint64(i))
		default:
			races = append(races, uint64(i))
		}
	}
	return graph, basic, races, calls
}

// TestReportsResolve wants the cycle of a report to be one: each edge leads to the transaction
// that the next one leaves.
func TestReportsResolve(t *testing.T) {
	name := makeFile(t, "late.std", generate.Params{Shape: "late", Events: 20000, Seed: 3})
	f, err := tracefile.Open(name, "")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	check, _ := Find("velodrome")
	var count atomic.Uint64
	r, err := Run(f, Options{Checks: []Check{check}}, &count)
	if err != nil || len(r.Checks[0].Findings) != 1 {
		t.Fatalf("%+v, %v", r, err)
	}
	f.Name = "x"
	report := r.Checks[0].Findings[0].Report(f, "y")
	if len(report.Edges) != 2 || report.Edges[0].From.Thread != "T7" ||
		report.Edges[0].To.Thread != "T8" ||
		report.Edges[1].To.Number != report.At.Number || report.At.Number != 19999 {
		t.Errorf("%+v", report)
	}
	if text := report.Text(); !strings.HasPrefix(text,
		"x:19999: y: atomicity violation: T7: transaction 1 (from event 19996, at 19995)") {
		t.Error(text)
	}
}

// TestErrorAfterFinding wants what was found before a trace went wrong.
func TestErrorAfterFinding(t *testing.T) {
	name := filepath.Join(t.TempDir(), "x.std")
	text := "T1|begin|1\nT1|r(x)|2\nT2|w(x)|3\nT1|w(x)|4\nT1|rel(l)|5\n"
	if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	f, err := tracefile.Open(name, "")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var count atomic.Uint64
	r, err := Run(f, Options{Checks: Checks, All: true}, &count)
	var wrong *trace.Error
	if !errors.As(err, &wrong) || wrong.Line != 5 ||
		!strings.HasPrefix(err.Error(), name+":5:1: T1: release l: the thread doesn't hold") {
		t.Errorf("got %v", err)
	}
	if r.Events != 4 || len(r.Checks[0].Findings) != 1 {
		t.Errorf("%d events, %v", r.Events, r.Checks[0].Findings)
	}
}

// TestMemoryIsFlat wants a longer trace of the same threads, locks and variables to take no more
// memory.
func TestMemoryIsFlat(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes a second")
	}
	allocated := func(events uint64) uint64 {
		name := makeFile(t, "x.std", generate.Params{Shape: "threads", Events: events, Seed: 1})
		f, err := tracefile.Open(name, "")
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		buf := make([]event.Event, 4096)
		f.Validate(nil)
		c := Checks[0].fresh(nil)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		for {
			n, err := f.Read(buf)
			if err == io.EOF {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
			c.take(buf[:n], false, nil)
		}
		runtime.ReadMemStats(&after)
		return after.TotalAlloc - before.TotalAlloc
	}
	// All that was allocated, garbage too: frontier and the reader keep nothing of an event.
	short, long := allocated(200000), allocated(2000000)
	t.Logf("%d bytes for 200000 events, %d for ten times as many", short, long)
	if short < 10000 || long > short+short/2 {
		t.Errorf("%d bytes are allocated for 200000 events, %d for ten times as many", short, long)
	}
}
