// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package explore

import (
	"slices"
	"strings"
	"testing"
	"time"

	engine "github.com/commutego/commute/internal/engine/explore"
	"github.com/commutego/commute/internal/longtest"
)

// TestForesight searches programs, and runs what is predicted: it is the run that was expected.
func TestForesight(t *testing.T) {
	t.Parallel()
	b := build(t, "explore", "")
	all, err := b.Tests()
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range all {
		look := strings.HasPrefix(name, "TestLook")
		if look || longtest.Asked() && strings.HasPrefix(name, "TestRight") {
			most := 16
			if longtest.Asked() {
				most = 1000
			}
			foreseen, runs := foresee(t, b, name, most)
			t.Logf("%s: %d predicted, %d runs", name, foreseen, runs)
			if foreseen == 0 && look {
				t.Errorf("nothing of %s is predicted", name)
			}
		}
	}
}

// foresee searches a program, up to so many runs.
func foresee(t *testing.T, b *Binary, name string, most int) (foreseen, runs int) {
	t.Helper()
	make := func(seeds []Seed) []run {
		runs += len(seeds)
		ran, err := b.batch(name, time.Minute, seeds)
		if err != nil || ran.failed || len(ran.runs) != len(seeds) {
			t.Fatalf("%s by %v: %v %s", name, seeds, err, ran.output)
		}
		return ran.runs
	}
	s := newSearch(Shard{}, 0)
	type prediction struct {
		seed Seed
		run
	}
	var list []prediction
	s.foresaw = func(forces []engine.Force, r run) {
		list = append(list, prediction{Seed{Policy: engine.Forced, Forces: forces}, r})
	}
	s.first(make([]Seed{{Policy: engine.First}})[0])
	for runs < most {
		jobs := s.next(together, func(order) bool { return true })
		if len(jobs) == 0 && s.left() {
			continue // much was predicted
		} else if len(jobs) == 0 {
			break
		}
		var seeds []Seed
		for _, j := range jobs {
			seeds = append(seeds, j.seed)
		}
		for i, r := range make(seeds) {
			s.note(jobs[i], r)
		}
	}
	n := runs
	for some := range slices.Chunk(spread(list, most), together) {
		var seeds []Seed
		for _, p := range some {
			seeds = append(seeds, p.seed)
		}
		for i, r := range make(seeds) {
			p := some[i]
			if r.hash != p.hash || r.prefix != p.prefix || r.decisions != p.decisions ||
				r.points != p.points || !sameChoices(r, p.run) {
				t.Errorf("%s by %v is not the run that was expected", name, p.seed)
			}
		}
	}
	return s.foreseen, n
}

// TestSteps expects steps of programs in which nothing but what goroutines do makes a difference,
// and none of others.
func TestSteps(t *testing.T) {
	t.Parallel()
	b := build(t, "explore", "")
	for name, want := range map[string]bool{
		"TestRightLostUpdate": true, "TestRightCond": true, "TestRightTwice": true,
		"TestRightYield":      true,
		"TestRightSleepOrder": false, "TestRightTicker": false, "TestRightPipe": false,
		"TestRightSpinTime": false, "TestRightCoroutine": false,
	} {
		ran, err := b.batch(name, time.Minute, []Seed{{Policy: engine.First}})
		if err != nil || len(ran.runs) != 1 {
			t.Fatal(err)
		}
		if got := ran.runs[0].steps != nil; got != want {
			t.Errorf("%s: steps are told: %v, want %v", name, got, want)
		}
	}
}
