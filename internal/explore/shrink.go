// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package explore

import (
	"fmt"
	"slices"
	"time"

	engine "github.com/commutego/commute/internal/engine/explore"
)

// shrinkRuns is how many runs shrinking a schedule takes at most, each in a process of its own.
const shrinkRuns = 60

// shrinkTime is how long it takes at most. It is longer in tests that a busy machine may hold up.
var shrinkTime = 10 * time.Second

// mostForces is the number of decisions up to which a schedule is shrunk: more don't fit into an
// environment variable.
const mostForces = 8000

// A Schedule describes a run: the default one, except for some forced switches.
type Schedule struct {
	Policy engine.Policy // that has drawn it
	Number uint64        // for what the program draws
	Forces []engine.Force
	From   int // the number of forced switches before it was shrunk
	Points int
	Hash   string
	log    *runLog
	output []byte // of its process
}

// scheduleOf is the schedule of a run that was logged, nil if not all is known of it.
func scheduleOf(r *run, s Seed) *Schedule {
	if !r.ended || r.log == nil || r.log.cut {
		return nil
	}
	forces := r.log.forces()
	return &Schedule{Policy: s.Policy, Number: s.Number, Forces: forces, From: len(forces),
		Points: r.points, Hash: r.hash, log: r.log}
}

// seed is the shortest by which a run goes so.
func (s *Schedule) seed() Seed {
	if len(s.Forces) == 0 && s.Number == 0 {
		return Seed{Policy: engine.First}
	}
	return Seed{Policy: engine.Forced, Number: s.Number, Forces: s.Forces}
}

// line says in one how much is forced.
func (s *Schedule) line() string {
	text := fmt.Sprintf("schedule: %s of %s", countSwitches(len(s.Forces)), count(s.Points, "point"))
	if s.From > len(s.Forces) {
		text += fmt.Sprintf(" (shrunk from %d)", s.From)
	}
	return text
}

func countSwitches(n int) string {
	if n == 1 {
		return "1 forced switch"
	}
	return fmt.Sprintf("%d forced switches", n)
}

// A shrinking is the search for a shorter schedule of a failure.
type shrinking struct {
	*exploration
	before  []Seed   // of other runs that it needs before it
	told    []string // of what came from outside in these
	from    *Schedule
	best    *Schedule     // that fails
	same    string        // the key of the failure
	until   time.Time     // when it ends
	longest time.Duration // that a run has taken
}

// shrink looks for fewer forced decisions by which the test fails in the same way. The batch has
// failed so, with its runs logged, in its last one. Other runs that this needs before it stay.
func (e *exploration) shrink(f *Failure, failed *batch) error {
	if len(failed.runs) == 0 || failed.killed {
		return nil
	}
	last := failed.last()
	f.Schedule = scheduleOf(&failed.runs[last], failed.seeds[last])
	if f.Schedule == nil || len(f.Schedule.Forces) > mostForces {
		return nil
	}
	s := &shrinking{exploration: e, before: failed.seeds[:last], told: tells(failed.runs[:last]),
		from: f.Schedule, best: f.Schedule, same: failureKey(e.test, failed.output),
		until: time.Now().Add(shrinkTime)}
	if last == 1 && failed.seeds[1].Policy == engine.Surw {
		s.before, s.told = nil, nil // its decisions are known now
	}
	if failed.runs[last].random == 0 {
		s.from.Number = 0
	}
	if err := s.search(); err != nil {
		return err
	}
	best := s.best
	// once more by its numbers, and without those that the program draws if that does as well
	for _, number := range []uint64{0, s.from.Number} {
		got, err := s.try((&Schedule{Number: number, Forces: best.Forces}).seed())
		if err != nil {
			return err
		}
		if got != nil && len(got.Forces) <= len(best.Forces) {
			f.Schedule, f.Output = got, got.output
			f.Seeds = slices.Concat(s.before, []Seed{got.seed()})
			return nil
		}
	}
	return nil
}

// left is the time that is left.
func (s *shrinking) left() time.Duration { return time.Until(s.until) }

// search looks for the best schedule.
func (s *shrinking) search() error {
	// two runs are for what is left
	shorter := shrinker{most: shrinkRuns - 2,
		over: func() bool { return s.left() <= 2*s.longest },
		fails: func(anchors []anchor) ([]anchor, bool, error) {
			got, err := s.try(Seed{Policy: engine.Anchored, Number: s.from.Number,
				anchors: anchors})
			if got == nil || err != nil {
				return nil, false, err
			}
			effective := got.log.anchors()
			if len(effective) < len(s.best.Forces) {
				s.best = got
			}
			return effective, true, nil
		}}
	_, err := shorter.shrink(s.from.log.anchors())
	return err
}

// try makes a run. It is nil if that doesn't fail in the same way.
func (s *shrinking) try(seed Seed) (*Schedule, error) {
	if s.left() <= 0 {
		return nil, nil
	}
	start := time.Now()
	ran, err := s.binary.process(processPlan{test: s.test, timeout: s.plan.Timeout,
		most: s.left(), log: true, seeds: slices.Concat(s.before, []Seed{seed}),
		told: s.tells(seed)})
	s.longest = max(s.longest, time.Since(start))
	if err != nil || !ran.failed || ran.killed || ran.last() != len(s.before) ||
		failureKey(s.test, ran.output) != s.same {
		return nil, err
	}
	got := scheduleOf(&ran.runs[ran.last()], seed)
	if got != nil {
		got.Policy, got.From, got.output = s.from.Policy, s.from.From, ran.output
	}
	return got, nil
}

// A shrinker makes a list of forced decisions shorter.
type shrinker struct {
	// fails runs a test with decisions forced. It reports whether it fails as is wanted, and
	// returns those that were made, and were not the default.
	fails func([]anchor) (effective []anchor, same bool, err error)
	over  func() bool // there is no time left
	most  int         // runs
	runs  int         // that were made
	tried map[string]bool
	best  []anchor
}

// spent reports whether there are no more runs.
func (s *shrinker) spent() bool { return s.runs >= s.most || s.over() }

// try makes a run with decisions forced, unless that was done before. If it fails, and with fewer
// forced, these are the best.
func (s *shrinker) try(list []anchor) (better bool, err error) {
	if s.spent() {
		return false, nil
	}
	key := anchorText(list)
	if s.tried[key] {
		return false, nil
	}
	s.tried[key] = true
	s.runs++
	effective, same, err := s.fails(list)
	if err != nil || !same || len(effective) >= len(s.best) {
		return false, err
	}
	s.best = effective
	return true, nil
}

// shrink returns a part of a list by which the test still fails: with as many runs as that takes,
// one of which no element can be left out, nor two. That is ddmin, by Zeller and Hildebrandt, and a
// pass over pairs. It may end in a part of some elements though one or two of those left out would
// do; so these are tried as well.
func (s *shrinker) shrink(list []anchor) ([]anchor, error) {
	s.best, s.tried = list, map[string]bool{anchorText(list): true}
	if _, err := s.try(nil); err != nil || len(s.best) == 0 {
		return s.best, err
	}
	for better := true; better && len(s.best) > 1 && !s.spent(); {
		err := s.ddmin()
		if err == nil && len(s.best) > 1 {
			better, err = s.single(list)
		}
		if err == nil && len(s.best) > 1 && !better && !s.spent() {
			better, err = s.pairs()
		}
		if err == nil && len(s.best) > 2 && !better && !s.spent() {
			better, err = s.double(list)
		}
		if err != nil {
			return s.best, err
		}
	}
	return s.best, nil
}

// single tries each element alone.
func (s *shrinker) single(list []anchor) (better bool, err error) {
	for _, a := range slices.Concat(s.best, list) {
		if better, err := s.try([]anchor{a}); better || err != nil {
			return better, err
		}
	}
	return false, nil
}

// double tries each two elements without the others.
func (s *shrinker) double(list []anchor) (better bool, err error) {
	for i := range list {
		for j := range i {
			if better, err := s.try([]anchor{list[j], list[i]}); better || err != nil || s.spent() {
				return better, err
			}
		}
	}
	return false, nil
}

// pairs tries to leave two elements out.
func (s *shrinker) pairs() (better bool, err error) {
	list := s.best
	for i := range list {
		for j := range i {
			some := slices.Concat(list[:j], list[j+1:i], list[i+1:])
			if better, err := s.try(some); better || err != nil {
				return better, err
			}
		}
	}
	return false, nil
}

func (s *shrinker) ddmin() error {
	for n := 2; len(s.best) > 1; {
		better, err := s.parts(n)
		switch {
		case err != nil:
			return err
		case better:
			n = max(2, min(n-1, len(s.best)))
		case n >= len(s.best) || s.spent():
			return nil
		default:
			n = min(2*n, len(s.best))
		}
	}
	return nil
}

// parts tries each of n parts of the list, and what is left without each.
func (s *shrinker) parts(n int) (better bool, err error) {
	list := s.best
	for _, without := range []bool{false, true} {
		for i := range n {
			from, to := i*len(list)/n, (i+1)*len(list)/n
			some := list[from:to]
			if without {
				some = slices.Concat(list[:from], list[to:])
			}
			if better, err = s.try(some); better || err != nil {
				return better, err
			}
		}
	}
	return false, nil
}
