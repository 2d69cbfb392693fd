// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package explore

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	engine "github.com/commutego/commute/internal/engine/explore"
)

// found is what an exploration has found, without times and addresses.
func found(r *Result) string {
	text := fmt.Sprintf("%s %v\n%s", r.line(), r.Switches, r.Cover.Format())
	if r.Failure != nil {
		for _, f := range append([]*Failure{r.Failure}, r.More...) {
			text += fmt.Sprintf("run %d fails by %v, again: %v\n", f.Run, f.Seeds, f.Again)
		}
	}
	return text
}

// TestParallel explores tests with one process at a time, and with several: all is the same.
func TestParallel(t *testing.T) {
	t.Parallel()
	b := build(t, "explore", "")
	for _, name := range []string{"TestWrongLimit", "TestWrongABA", "TestWrongLockOrder",
		"TestRightCond", "TestRightTicker", "TestRightStaleCache"} {
		want := ""
		for _, procs := range []int{1, 4} {
			plan := limits
			plan.Runs, plan.Procs, plan.Told, plan.All = 120, procs, t.TempDir(), true
			r, err := Explore(b, plan, name)
			if err != nil {
				t.Fatal(err)
			}
			got := found(r)
			if want == "" {
				want = got
			}
			if got != want {
				t.Errorf("with %d processes:\n%s\nwith one:\n%s", procs, got, want)
			}
		}
		t.Log(want)
	}
}

// TestDeeper explores a small test: all schedules with two forced switches are run, and with three
// if there is room.
func TestDeeper(t *testing.T) {
	t.Parallel()
	b := build(t, "explore", "")
	for runs, switches := range map[int]int{6: 0, 12: 1, 100: 2, 400: mostSwitches} {
		plan := limits
		plan.Runs, plan.Policies = runs, "forced"
		r, err := Explore(b, plan, "TestRightABA")
		if err != nil || r.Failure != nil {
			t.Fatal(err, r.Failure)
		}
		t.Log(r.line())
		if r.Switches != switches || r.Switches < mostSwitches && r.Runs != runs {
			t.Errorf("of %d runs, complete up to %d", r.Runs, r.Switches)
		}
	}
}

// TestDraw expects shards to draw other runs, and policies to be those that are asked for. Policy
// Pair aims at orders that are missing.
func TestDraw(t *testing.T) {
	a, b := Op{"Lock", "m/a.go:1"}, Op{"Lock", "m/a.go:2"}
	draw := func(plan Plan) (seeds []Seed) {
		e := &exploration{plan: plan, test: "TestX", sites: map[Op]uint32{a: 7, b: 9}}
		e.Cover.Add(Order{a, b})
		for _, j := range e.draw(24) {
			seeds = append(seeds, j.seed)
		}
		return seeds
	}
	all := draw(Plan{})
	pairs := 0
	for _, s := range all {
		if s.Policy == engine.Pair {
			pairs++
			if !reflect.DeepEqual(s.Forces, []engine.Force{{Decision: 7, Choice: 9}}) {
				t.Errorf("%v does not hold who is at %v until another one was at %v", s, a, b)
			}
		}
	}
	if pairs != len(all)/4 {
		t.Errorf("%d of %d seeds aim at an order", pairs, len(all))
	}
	drawn := make(map[string]int)
	for i := range 3 {
		for _, s := range draw(Plan{Shard: Shard{i + 1, 3}}) {
			drawn[s.String()]++
		}
	}
	for _, s := range all {
		if drawn[s.String()] != 1 {
			t.Errorf("%v is drawn by %d shards", s, drawn[s.String()])
		}
	}
	for _, s := range draw(Plan{Policies: "again,forced,tx"}) {
		if s.Policy != engine.Again && s.Policy != engine.Tx {
			t.Error(s)
		}
	}
	if new(Plan).policies(engine.Anchored) == false || (&Plan{Policies: "forced"}).draws() {
		t.Error("policies are others")
	}
}

// TestPolicies reads what -explore_policy says.
func TestPolicies(t *testing.T) {
	var p Plan
	if err := p.ParsePolicies("tx,forced"); err != nil || !slices.Equal(p.given(),
		[]engine.Policy{engine.Tx, engine.Forced}) {
		t.Error(err, p.given())
	}
	for _, value := range []string{"", "again,", "first", "anchored", "tx,tx", "x"} {
		if err := p.ParsePolicies(value); err == nil || strings.Contains(err.Error(), "\n") {
			t.Errorf("%q: %v", value, err)
		}
	}
}

// TestSlots takes slots: as many as there are.
func TestSlots(t *testing.T) {
	p := Plan{Told: t.TempDir(), Procs: 2}
	ctx, cancel := context.WithCancel(context.Background())
	first, err := p.slot(ctx)
	if err != nil {
		t.Fatal(err)
	}
	second, err := p.slot(ctx)
	if err != nil {
		t.Fatal(err)
	}
	got := make(chan error)
	go func() {
		free, err := p.slot(ctx)
		if err == nil {
			free()
		}
		got <- err
	}()
	second()
	if err := <-got; err != nil {
		t.Error(err)
	}
	second, err = p.slot(ctx)
	if err != nil {
		t.Fatal(err)
	}
	cancel()
	if _, err := p.slot(ctx); err == nil {
		t.Error("there are 3 slots")
	}
	first()
	second()
}

// TestSerial expects a test that fails only beside itself to pass.
func TestSerial(t *testing.T) {
	b := build(t, "explore", "")
	plan := limits
	plan.Procs, plan.Told = 4, t.TempDir()
	b = b.with("COMMUTE_EXPLORE_ALONE=" + t.TempDir())
	r, err := Explore(b, plan, "TestRightAlone")
	if err != nil || r.Failure != nil {
		t.Fatalf("%v %s", err, r.Failure.Output)
	}
	if r.Runs < 30 {
		t.Errorf("%d runs", r.Runs)
	}
}

// TestFirstPart has a search whose runs with one forced switch are few. Nothing is drawn before it
// has had its part of the runs, with two forced switches, too; and then something is.
func TestFirstPart(t *testing.T) {
	e := &exploration{plan: Plan{Runs: DefaultRuns}, test: "TestX"}
	e.search = newSearch(Shard{}, e.firstPart())
	simple := func(forces []engine.Force) run { // four decisions between two
		r := run{ended: true, hash: fmt.Sprint(forces), decisions: 4, forced: len(forces)}
		last := 0
		if n := len(forces); n > 0 {
			last = int(forces[n-1].Decision)
			r.prefix = "before " + fmt.Sprint(forces)
		}
		for i := last; i < r.decisions; i++ {
			forces := append(slices.Clone(forces), engine.Force{Decision: uint32(i + 1), Choice: 1})
			r.choices = append(r.choices, choice{2, 0, false, "before " + fmt.Sprint(forces)})
		}
		return r
	}
	e.Runs++
	e.search.first(simple(nil))
	var switches []int
	drew := 0
	for drew == 0 && e.Runs < DefaultRuns {
		for _, jobs := range e.choose() {
			for _, j := range jobs {
				e.Runs++
				if !j.forced {
					drew++
				} else if drew == 0 {
					switches = append(switches, len(j.seed.Forces))
				}
			}
			for _, j := range jobs {
				if j.forced {
					e.search.note(j, simple(j.seed.Forces))
				}
			}
		}
	}
	// of 4 decisions all ways to choose one, two and three: 4, 6 and 4
	if want := []int{1, 1, 1, 1, 2, 2, 2, 2, 2, 2, 3, 3, 3, 3}; !slices.Equal(switches, want) ||
		drew == 0 {
		t.Errorf("%v, and then %d drawn; want %v", switches, drew, want)
	}
}
