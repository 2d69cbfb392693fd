// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package explore

import (
	"time"

	engine "github.com/commutego/commute/internal/engine/explore"
)

const (
	// together is how many runs share a process.
	together = 16
	// idle is the number of drawn runs in a row, none of which was new or had a new order of
	// operations, after which drawing ends.
	idle = 16
)

// A Result has the results of exploring a test.
type Result struct {
	Test      string
	Runs      int // that were made
	Different int // by their hashes
	// Switches is a number of forced switches: all schedules of the shard with at most so many were
	// run.
	Switches int
	Shard    Shard
	Arrivals int        // from outside, in all runs
	Cover    Cover      // orders of operations
	Failure  *Failure   // the first
	More     []*Failure // others that differ from it, and from each other
	Elapsed  time.Duration

	notes []string // where a replayed run has gone another way
	file  string   // of the schedule that was run, "" for none
}

// A Failure is a run that has failed.
type Failure struct {
	Run    int    // its number, from 1
	Seeds  []Seed // by which it fails again: if a process makes these runs, the last one fails
	Again  bool   // it has
	Output []byte
	Killed bool // it took too long
	// Unobserved is the number of further runs in which the finding that was reported as possible
	// did not happen.
	Unobserved int
	// Differ says, in several lines, where two runs by the seeds differ. It is "" if the run has
	// failed again, or if the difference is not known.
	Differ string

	Schedule *Schedule // of the run that fails, nil if that is not known
	kept     string    // where that is
}

// An exploration is that of one test.
type exploration struct {
	binary *Binary
	plan   Plan
	test   string
	start  time.Time
	seen   map[string]bool // hashes
	stale  int             // drawn runs since the last one that had a new hash, or a new order
	search *search
	forced int             // runs of the search that were handed out
	drawn  int             // the number of the next seed that is drawn
	drew   int             // runs that were drawn
	aimed  int             // those of policy Pair
	sites  map[Op]uint32   // by which numbers policy Pair knows operations
	again  []job           // runs that are to be made as others before them have failed
	keys   map[string]bool // of failures
	alone  bool            // batches run one after the other
	single bool            // each run has a process of its own
	noLook bool            // the run by default fails, so that policy Surw can't look at it first
	leak   *Failure        // put aside
	Result
}

// Explore explores one test.
func Explore(b *Binary, plan Plan, test string) (*Result, error) {
	e := &exploration{binary: b, plan: plan, test: test, start: time.Now(),
		seen: make(map[string]bool), sites: make(map[Op]uint32), keys: make(map[string]bool)}
	e.Test, e.Shard = test, plan.Shard
	err := e.explore()
	e.takeBack()
	e.Elapsed = time.Since(e.start)
	e.Different = len(e.seen)
	return &e.Result, err
}

// fail notes that a batch has failed, and looks for a seed by which it does so again.
func (e *exploration) fail(b *batch) error {
	f := &Failure{Run: e.Runs, Output: b.output, Killed: b.killed}
	e.Failure = f
	ran := b.seeds[:max(1, len(b.runs))]
	alone := ran[len(ran)-1:]
	if alone[0].Policy == engine.Surw && !e.single && !e.noLook {
		alone = append([]Seed{{Policy: engine.First}}, alone...)
	}
	for _, seeds := range [][]Seed{alone, ran} {
		again, err := e.remake(b, seeds)
		if err != nil {
			return err
		}
		if again != nil {
			f.Seeds, f.Again, f.Output, f.Killed = seeds, true, again.output, again.killed
			if again, err = e.replacePrediction(f, again); err != nil {
				return err
			}
			if e.plan.Rough {
				return nil
			}
			return e.shrink(f, again)
		}
		if len(ran) == len(alone) {
			break
		}
	}
	f.Seeds = ran
	var err error
	f.Differ, err = e.binary.findDifference(e.test, Repetition{Processes: triedTwice, Seeds: ran,
		Timeout: e.plan.Timeout})
	return err
}

// Replay runs a test by seeds in one process.
func Replay(b *Binary, plan Plan, test string) (*Result, error) {
	seeds, err := ParseSeeds(plan.Replay)
	if err != nil {
		return nil, err
	}
	start := time.Now()
	p := processPlan{test: test, timeout: plan.Timeout, log: true, seeds: seeds}
	keeps := newRecorder(b, plan.Package)
	kept := keeps.find(test, seeds)
	switch {
	case plan.file != nil:
		p.told = []string{tellArrivals(plan.file.Arrivals, false)}
	case kept != nil && kept.build == keeps.build:
		p.told = []string{tellArrivals(kept.arrivals(), !kept.whole)}
	}
	ran, err := b.process(p)
	if err != nil {
		return nil, err
	}
	r := &Result{Test: test, Runs: max(1, len(ran.runs)), Elapsed: time.Since(start)}
	for _, one := range ran.runs {
		r.Arrivals += one.arrivals
	}
	if r.notes, err = notes(b, p, ran, plan, kept, keeps.build); err != nil {
		return nil, err
	}
	if ran.failed {
		r.Failure = &Failure{Run: r.Runs, Seeds: seeds, Again: true, Output: ran.output,
			Killed: ran.killed}
		if last := ran.last(); last == len(seeds)-1 {
			r.Failure.Schedule = scheduleOf(&ran.runs[last], seeds[last])
		}
	}
	return r, nil
}
