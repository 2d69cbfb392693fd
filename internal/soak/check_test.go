// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package main

import (
	"fmt"
	"go/parser"
	"go/token"
	"slices"
	"strings"
	"testing"

	"github.com/commutego/commute/internal/soak/machine"
	"github.com/commutego/commute/internal/soak/plan"
)

// text is a report of two accesses as commute prints it.
func text(kind, first, second string) string {
	return fmt.Sprintf("%sWARNING: %s\nWrite at 0x1 by goroutine 9:\n  main.%s()\n      "+
		"/x/program.go:1 +0x1\n  main.f()\n      /x/program.go:2 +0x1\n\n"+
		"Previous read at 0x1 by main goroutine:\n  main.%s()\n      /x/program.go:3 "+
		"+0x1\n\nGoroutine 9 (running) created at:\n  main.g()\n      /x/y.go:3 +0x1\n%s",
		ruler, kind, first, second, ruler)
}

// broke is a report of a transaction.
func broke(name string) string {
	return ruler + "WARNING: ATOMICITY VIOLATION\nmain." + name +
		", marked as atomic at /x/program.go:3, is not: goroutine 10 was interfered with by " +
		"goroutine 9\n" + ruler
}

// right is the output of a run in which all that is certain is reported, and nothing else.
func right(m machineBuild, plans []*plan.Plan) outcome {
	o := outcome{}
	oracle := newOracle(m, plans)
	for _, p := range plans {
		for _, pair := range p.Pairs() {
			if kind, ok := oracle.seen(p.Vars[p.Ops[pair.First].Var].Type); ok &&
				pair.Verdict == plan.Unordered {
				o.stderr += text(kind, functionName(p, pair.Second), functionName(p, pair.First))
				o.status = foundStatus
			}
		}
		for i := range p.Ops {
			if p.Ops[i].Action == plan.Split && m.build.memory {
				o.stderr += broke(functionName(p, i))
				o.status = foundStatus
			}
		}
		o.stdout += machine.Line(p) + "\n"
	}
	if o.status != 0 {
		o.stderr += "commute: found 3 data races\ncommute: found 1 commutativity race\n  sync.Map m\n   " +
			" x.go:1: lost update, 1 time\n"
	}
	return o
}

func whats(mistakes []mistake) (all []string) {
	for _, m := range mistakes {
		all = append(all, m.what)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// TestJudge gives outputs that are right, and then wrong in one way each.
func TestJudge(t *testing.T) {
	plain, calls, memory := builds("commute")
	for _, b := range []build{plain, calls, memory} {
		m := machineBuild{build: b}
		plans := plan.Batch(7, 12, plan.Options{}, false)
		if got, c := judge(m, plans, right(m, plans)); len(got) != 0 || c.found != c.unordered ||
			b.calls == (c.found == 0) {
			t.Errorf("%s: %v of a run that is right; %+v", b.name, got, c)
		}
	}
	m := machineBuild{build: memory}
	plans := plan.Batch(7, 12, plan.Options{}, false)
	good := right(m, plans)
	first, second := orderedPair(plans)
	all := strings.SplitAfter(good.stderr, ruler)
	for want, o := range map[string]outcome{
		"false alarm": {good.stdout, good.stderr + text(dataRace, first, second),
			good.status, false},
		"report of something else": {good.stdout, good.stderr + text(dataRace, "init", "main"),
			good.status, false},
		"miss": {good.stdout, "", 0, false},
		"stderr": {good.stdout, good.stderr + "fatal error: x\n", good.status,
			false},
		"exit status": {good.stdout, good.stderr, 2, false},
		"stdout": {strings.Replace(good.stdout, " 0 wrong", " 1 wrong", 1),
			good.stderr, good.status, false},
		"deadlock": {good.stdout, good.stderr, good.status, true},
	} {
		if got, _ := judge(m, plans, o); !slices.Equal(whats(got), []string{want}) {
			t.Errorf("%v, want %s", whats(got), want)
		}
	}
	// Without the report of one variable or transaction, there is one miss.
	misses := 0
	for i := 0; i+1 < len(all)-1; i += 2 {
		o := good
		o.stderr = strings.Join(all[:i], "") + strings.Join(all[i+2:], "")
		got, _ := judge(m, plans, o)
		if len(got) > 1 {
			t.Fatalf("without one report: %v", got)
		}
		misses += len(got)
	}
	if misses == 0 {
		t.Error("no report is missed")
	}
}

// orderedPair are two accesses to memory that are ordered.
func orderedPair(plans []*plan.Plan) (first, second string) {
	for _, p := range plans {
		for _, pair := range p.Pairs() {
			if v := p.Vars[p.Ops[pair.First].Var]; pair.Verdict == plan.Ordered &&
				v.Type != plan.MapKey && !v.Type.Narrow() {
				return functionName(p, pair.Second), functionName(p, pair.First)
			}
		}
	}
	panic("all accesses race")
}

// TestSource wants source that parses, with a line for each access.
func TestSource(t *testing.T) {
	for seed := range uint64(5) {
		plans := plan.Batch(seed, 1000, plan.Options{}, false)
		text, places := programSource(seed, plans, true)
		if _, err := parser.ParseFile(token.NewFileSet(), "program.go", text, 0); err != nil {
			t.Fatal(err)
		}
		if _, err := parser.ParseFile(token.NewFileSet(), "program.go", sitesSource(true),
			0); err != nil {
			t.Fatal(err)
		}
		want := 0
		for _, p := range plans {
			for i := range p.Ops {
				if p.Ops[i].Access() {
					want++
				}
			}
		}
		if len(places) != want {
			t.Errorf("%d lines of %d accesses", len(places), want)
		}
		lines := strings.Split(string(text), "\n")
		for number, at := range places {
			var n int
			if _, err := fmt.Sscan(number, &n); err != nil ||
				!strings.Contains(lines[n-2], fmt.Sprintf("Begin(%d)", at.op)) {
				t.Fatalf("line %s is not of operation %d: %s", number, at.op, lines[n-2])
			}
		}
	}
}

func TestLevels(t *testing.T) {
	for _, test := range []struct {
		samples []int // MB
		want    bool
	}{
		{[]int{40, 50, 60, 61, 60, 62, 60, 61, 63, 62}, true},
		{[]int{40, 50, 60, 70, 80, 90, 100, 110, 120, 130}, false},
		{[]int{20, 20, 20, 20, 20, 20, 20, 20, 20, 40}, false},
		{[]int{20, 20}, false},
		// What was kept of the iterators of iter.Pull, and a process that levels off.
		{[]int{28, 43, 59, 71, 78, 86, 95, 103, 118, 128}, false},
		{[]int{31, 35, 41, 39, 39, 41, 41, 41, 42, 42}, true},
	} {
		for i := range test.samples {
			test.samples[i] <<= 10
		}
		if got := levels(test.samples); got != test.want {
			t.Errorf("%v: %v", megabytes(test.samples), got)
		}
	}
}
