// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package explore

import (
	"slices"
	"time"

	engine "github.com/commutego/commute/internal/engine/explore"
)

const (
	// together is how many runs share a process.
	together = 16
	// idle is the number of runs in a row, none of which was new, after which drawing ends.
	idle = 16
)

// A Result is what has become of a test.
type Result struct {
	Test      string
	Runs      int // that were made
	Different int // by their hashes
	// Switches is set if each schedule with at most one forced switch was run.
	Switches bool
	Arrivals int // from outside, in all runs
	Failure  *Failure
	Elapsed  time.Duration

	notes []string // where a replayed run has gone another way
	file  string   // of the schedule that was run, "" for none
}

// A Failure is a run that has failed.
type Failure struct {
	Run    int    // its number, from 1
	Seeds  []Seed // by which it fails again: of the runs in one process, the last one fails
	Again  bool   // it has
	Output []byte
	Killed bool // it took too long

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
	stale  int             // runs since the last new one
	Result
}

// Explore explores one test.
func Explore(b *Binary, plan Plan, test string) (*Result, error) {
	e := &exploration{binary: b, plan: plan, test: test, start: time.Now(),
		seen: make(map[string]bool)}
	e.Test = test
	err := e.explore()
	e.Elapsed = time.Since(e.start)
	e.Different = len(e.seen)
	return &e.Result, err
}

// over reports whether the plan ends.
func (e *exploration) over() bool {
	return e.Failure != nil || e.plan.Runs > 0 && e.Runs >= e.plan.Runs ||
		e.plan.Time > 0 && e.Runs > 0 && time.Since(e.start) > e.plan.Time
}

// size is how many runs the next batch has: fewer if they would take longer than there is time.
func (e *exploration) size() int {
	if e.plan.Time == 0 {
		return together
	}
	spent := time.Since(e.start)
	left := e.plan.Time - spent
	return min(together, max(1, int(left*time.Duration(e.Runs)/max(1, spent))))
}

func (e *exploration) explore() error {
	first, err := e.runs(nil, []Seed{{Policy: engine.First}})
	if err != nil || e.over() {
		return err
	}
	if len(first.runs) == 1 && first.runs[0].decisions == 0 {
		e.Switches = true // there is one schedule
		return nil
	}
	if err := e.forced(first.choices, first.runs); err != nil {
		return err
	}
	for i := 0; !e.over() && e.stale < idle; {
		var seeds []Seed
		size := e.size()
		if e.plan.Runs > 0 {
			size = min(size, e.plan.Runs-e.Runs)
		}
		for len(seeds) < size {
			seeds = append(seeds, drawn(e.plan.Base, e.test, i))
			i++
		}
		// policy Surw looks at a run by default
		if _, err := e.runs([]Seed{{Policy: engine.First}}, seeds); err != nil {
			return err
		}
	}
	return nil
}

// forced makes the runs with one decision forced.
func (e *exploration) forced(choices []choice, first []run) error {
	var hot, cold []Seed
	for i, c := range choices {
		for n := 1; n < c.candidates; n++ {
			s := Seed{Policy: engine.Forced,
				Forces: []engine.Force{{Decision: uint32(i + 1), Choice: uint32(n)}}}
			if c.hot {
				hot = append(hot, s)
			} else {
				cold = append(cold, s)
			}
		}
	}
	all := slices.Concat(hot, cold)
	room := len(all)
	if e.plan.Runs > 0 {
		room = min(room, max(1, e.plan.Runs/3))
	}
	complete := room == len(all) && len(first) == 1 && first[0].decisions == len(choices)
	chosen := append(spread(hot, room), spread(cold, room-min(room, len(hot)))...)
	until := e.start.Add(e.plan.Time / 3)
	for len(chosen) > 0 && !e.over() {
		if e.plan.Time > 0 && time.Now().After(until) {
			return nil
		}
		seeds := chosen[:min(e.size(), len(chosen))]
		chosen = chosen[len(seeds):]
		b, err := e.runs(nil, seeds)
		if err != nil {
			return err
		}
		for i, r := range b.runs {
			complete = complete && i < len(seeds) && asFirst(r, seeds[i], choices)
		}
		complete = complete && len(b.runs) == len(seeds)
	}
	e.Switches = complete && e.Failure == nil
	return nil
}

// asFirst reports whether a run has come to its forced decision as the first run has.
func asFirst(r run, s Seed, choices []choice) bool {
	return r.ended && r.forced == 1 && r.prefix == choices[s.Forces[0].Decision-1].hash
}

// spread takes n elements of a list, evenly.
func spread(list []Seed, n int) (some []Seed) {
	if n >= len(list) {
		return list
	}
	for i := range n {
		some = append(some, list[i*len(list)/n])
	}
	return some
}

// runs makes a batch of runs. The seeds before are of runs that don't count.
func (e *exploration) runs(before, seeds []Seed) (*batch, error) {
	b, err := e.binary.batch(e.test, e.plan.Timeout, slices.Concat(before, seeds))
	if err != nil {
		return nil, err
	}
	for i, r := range b.runs {
		if i < len(before) {
			continue
		}
		e.Runs++
		e.Arrivals += r.arrivals
		if e.stale++; r.ended && !e.seen[r.hash] {
			e.seen[r.hash] = true
			e.stale = 0
		}
	}
	if len(b.runs) == 0 {
		e.Runs++ // the process has not come so far
	}
	if b.failed {
		return b, e.fail(b)
	}
	return b, nil
}

// fail notes that a batch has failed, and looks for a seed by which it does so again.
func (e *exploration) fail(b *batch) error {
	f := &Failure{Run: e.Runs, Output: b.output, Killed: b.killed}
	e.Failure = f
	ran := b.seeds[:max(1, len(b.runs))]
	alone := ran[len(ran)-1:]
	if alone[0].Policy == engine.Surw {
		alone = append([]Seed{{Policy: engine.First}}, alone...)
	}
	for _, seeds := range [][]Seed{alone, ran} {
		again, err := e.binary.process(processPlan{test: e.test, timeout: e.plan.Timeout,
			log: true, seeds: seeds})
		if err != nil {
			return err
		}
		if again.failed && (len(again.runs) == 0 || again.last() == len(seeds)-1) {
			f.Seeds, f.Again, f.Output, f.Killed = seeds, true, again.output, again.killed
			return e.shrink(f, again)
		}
		if len(ran) == len(alone) {
			break
		}
	}
	f.Seeds = ran
	return nil
}

// Replay runs a test by seeds in one process.
func Replay(b *Binary, plan Plan, test string) (*Result, error) {
	seeds, err := ParseSeeds(plan.Replay)
	if err != nil {
		return nil, err
	}
	start := time.Now()
	ran, err := b.process(processPlan{test: test, timeout: plan.Timeout, log: true, seeds: seeds})
	if err != nil {
		return nil, err
	}
	r := &Result{Test: test, Runs: max(1, len(ran.runs)), Elapsed: time.Since(start)}
	for _, one := range ran.runs {
		r.Arrivals += one.arrivals
	}
	r.notes = notes(ran, plan, b.here())
	if ran.failed {
		r.Failure = &Failure{Run: r.Runs, Seeds: seeds, Again: true, Output: ran.output,
			Killed: ran.killed}
		if last := ran.last(); last == len(seeds)-1 {
			r.Failure.Schedule = scheduleOf(&ran.runs[last], seeds[last])
		}
	}
	return r, nil
}
