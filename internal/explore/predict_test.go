// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package explore

import (
	"math/rand"
	"slices"
	"testing"

	engine "github.com/commutego/commute/internal/engine/explore"
	"github.com/commutego/commute/internal/longtest"
)

// control makes the runs.
var control engine.Control

// outcomes are those of all schedules of a program with at most so many forced switches, with the
// schedule of each that was found first. It tries everything.
func (p program) outcomes(most int, room *int) map[string]Seed {
	found := make(map[string]Seed)
	var try func(forces []engine.Force)
	try = func(forces []engine.Force) {
		if *room--; *room < 0 {
			return
		}
		seed := Seed{Policy: engine.Forced, Forces: forces}
		if len(forces) == 0 {
			seed = Seed{Policy: engine.First}
		}
		r, outcome := p.execute(&control, seed.spec())
		if _, ok := found[outcome]; !ok {
			found[outcome] = seed
		}
		if len(forces) == most {
			return
		}
		last := r.decisions - len(r.choices)
		for i, c := range r.choices {
			for n := range c.candidates {
				if n != c.usual {
					try(append(slices.Clone(forces), engine.Force{
						Decision: uint32(last + i + 1), Choice: uint32(n)}))
				}
			}
		}
	}
	try(nil)
	return found
}

// TestPredictions searches small programs, and expects all outcomes that they have by schedules
// with so many forced switches among those of the runs that were made. Each schedule that was
// predicted is run as well: it is the run that was expected, with the outcome of the run by which
// it was.
func TestPredictions(t *testing.T) {
	programs := 150
	if longtest.Asked() {
		programs = 100_000
	}
	made, foreseen, all, full := 0, 0, 0, 0
	for seed := range programs {
		r := rand.New(rand.NewSource(int64(seed)))
		p := randomProgram(r, 2+r.Intn(3))
		most := 1 + r.Intn(mostSwitches)
		room := 3000
		want := p.outcomes(most, &room)
		if room < 0 {
			continue // there are too many
		}
		full++
		got := make(map[string]bool)
		of := make(map[*steps]string)
		s := newSearch(Shard{}, 0)
		check := func(forces []engine.Force, predicted run) {
			foreseen++
			real, outcome := p.execute(&control,
				Seed{Policy: engine.Forced, Forces: forces}.spec())
			if real.hash != predicted.hash || real.prefix != predicted.prefix ||
				real.decisions != predicted.decisions || !sameChoices(real, predicted) ||
				outcome != of[predicted.steps] {
				t.Fatalf("program %d %+v, %v: %+v %s is run, want %+v %s", seed, p, forces, real,
					outcome, predicted, of[predicted.steps])
			}
		}
		s.foresaw = check
		runs := 0
		run := func(seed Seed) run {
			runs++
			r, outcome := p.execute(&control, seed.spec())
			got[outcome] = true
			if r.steps != nil {
				of[r.steps] = outcome
			}
			return r
		}
		s.first(run(Seed{Policy: engine.First}))
		var open []job
		for s.complete() < most {
			open = append(open, s.next(1+r.Intn(3), func(order) bool { return false })...)
			if len(open) == 0 && s.left() {
				continue // much was predicted
			} else if len(open) == 0 {
				break
			}
			i := r.Intn(len(open))
			j := open[i]
			open = slices.Delete(open, i, i+1)
			s.note(j, run(j.seed))
		}
		if s.complete() < most {
			t.Fatalf("program %d %+v: complete up to %d", seed, p, s.complete())
		}
		for outcome, by := range want {
			if !got[outcome] {
				t.Fatalf("program %d %+v: %s, by %v, is missing", seed, p, outcome, by)
			}
		}
		made += runs
		all += len(want)
	}
	if foreseen < made/4 || all < 2*full {
		t.Error("too little is predicted, or there is too little to find")
	}
	t.Logf("%d programs, %d outcomes, %d runs, %d predicted", full, all, made, foreseen)
}

func sameChoices(a, b run) bool {
	return slices.EqualFunc(a.choices, b.choices, func(c, d choice) bool {
		return c.candidates == d.candidates && c.usual == d.usual && c.hash == d.hash
	})
}

// TestParseSteps cuts and changes what a run has told: it is read, or refused.
func TestParseSteps(t *testing.T) {
	refused, taken := 0, 0
	for seed := range int64(300) {
		r := rand.New(rand.NewSource(seed))
		p := randomProgram(r, 4)
		_, words, _ := p.told(&control, "first-0")
		if len(words) == 0 {
			continue // it waits for ever
		}
		for range 20 {
			list := slices.Clone(words)
			i := r.Intn(len(list))
			switch r.Intn(3) {
			case 0:
				list = slices.Delete(list, i, i+1)
			case 1:
				list[i] = list[r.Intn(len(list))]
			default:
				list[i] = list[i][:1+r.Intn(len(list[i]))]
			}
			if s := parseSteps(list); s == nil {
				refused++
			} else {
				taken++
				(&run{steps: s}).predict(nil)
			}
		}
	}
	if refused < 1000 || taken < 1000 {
		t.Errorf("%d are refused, and %d are not", refused, taken)
	}
}
