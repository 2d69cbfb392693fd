// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package explore

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	engine "github.com/commutego/commute/internal/engine/explore"
)

// A report may say that something could happen. Here runs are made until it does: first those that
// the report's stacks ask for (directed.go); then up to two thirds are of the search (search.go),
// which begins where an object is used once more or a transaction is open, as there another
// goroutine can come between; the others are drawn. Each has a process, since a run that has
// reported a prediction fails, and ends its process.

// A witness is a run in which a finding was observed.
type witness struct {
	Seed Seed
	Run  int    // of those made
	Text []byte // what is reported then
	b    *batch // with the run
}

// A look is the search for runs in which findings are observed.
type look struct {
	binary *Binary
	plan   Plan
	test   string
	want   []Report
	any    bool // one of them is enough
	start  time.Time
	runs   int
	found  []*witness // for each that is wanted; nil until then
}

// observe looks for runs of a test, as far as the plan goes.
func (l *look) observe() error {
	l.start = time.Now()
	l.found = make([]*witness, len(l.want))
	first, err := l.run(Seed{Policy: engine.First})
	if err != nil {
		return err
	}
	most := l.plan.Runs
	if most == 0 {
		most = DefaultRuns
	}
	forced := newSearch(Shard{}, most*2/3)
	if len(first.runs) > 0 {
		forced.first(first.runs[0])
	}
	for _, seed := range l.aimed(first, most/4+1) {
		if err := l.try(seed, forced); err != nil || l.over() {
			return err
		}
	}
	for n := 0; n < most*2/3 && forced.left() && !l.over(); {
		for _, j := range forced.next(1, func(order) bool { return false }) {
			n++
			if err := l.search(j, forced); err != nil {
				return err
			}
		}
	}
	for i := 0; !l.over() && forced.levels[1].some; i++ {
		s := drawn(l.plan.Base, l.test, i)
		if s.Policy == engine.Surw { // it needs a run before, which would fail
			s.Policy = engine.Random
		}
		if _, err := l.run(s); err != nil {
			return err
		}
	}
	return nil
}

// try makes a run by a seed. If it is one of a search, that need not make it any more.
func (l *look) try(seed Seed, s *search) error {
	if j, ok := s.pick(seed); ok {
		return l.search(j, s)
	}
	_, err := l.run(seed)
	return err
}

// search makes a run of a search.
func (l *look) search(j job, s *search) error {
	b, err := l.run(j.seed)
	if err != nil {
		return err
	}
	if len(b.runs) == 1 {
		s.note(j, b.runs[0])
	} else {
		s.lose(j)
	}
	return nil
}

// aimed are up to n runs with a forced switch, and up to n of policy Pair, that the reports ask for
// by what the run by default has shown.
func (l *look) aimed(first *batch, n int) []Seed {
	var forced, pairs []Seed
	if len(first.runs) == 0 || first.runs[0].log == nil {
		return nil
	}
	for _, r := range l.want {
		f, p := r.directed(&first.runs[0], l.plan.Base, l.test)
		forced, pairs = append(forced, f...), append(pairs, p...)
	}
	return slices.Concat(spread(forced, n), spread(pairs, n))
}

// over reports whether the search is.
func (l *look) over() bool {
	n := 0
	for _, w := range l.found {
		if w != nil {
			n++
		}
	}
	return n == len(l.want) || l.any && n > 0 || l.plan.Runs > 0 && l.runs >= l.plan.Runs ||
		l.plan.Time > 0 && time.Since(l.start) > l.plan.Time
}

// run makes a run, and looks what is observed in it.
func (l *look) run(s Seed) (*batch, error) {
	b, err := l.binary.process(processPlan{test: l.test, timeout: l.plan.Timeout,
		log: l.runs == 0, seeds: []Seed{s}})
	if err != nil {
		return nil, err
	}
	l.runs++
	for i, r := range l.want {
		if l.found[i] == nil {
			if text := r.observedIn(b.output); text != nil {
				l.found[i] = &witness{s, l.runs, text, b}
			}
		}
	}
	return b, nil
}

// replacePrediction has a failure that is only reported as possible make way for one that was
// observed, if a third of the budget has one. The batch has failed so. It returns the batch that
// has failed in the end.
func (e *exploration) replacePrediction(f *Failure, failed *batch) (*batch, error) {
	want := unconfirmed(Reports(failed.output))
	if len(want) == 0 {
		return failed, nil
	}
	itself, err := e.failsItself(failed)
	if err != nil || itself {
		return failed, err
	}
	plan := e.plan
	if plan.Runs > 0 {
		plan.Runs = max(8, plan.Runs/3)
	}
	plan.Time /= 3
	l := look{binary: e.binary, plan: plan, test: e.test, want: want, any: true}
	if err := l.observe(); err != nil {
		return nil, err
	}
	e.Runs += l.runs
	for _, w := range l.found {
		if w == nil {
			continue
		}
		again, err := e.remake(w.b, w.b.seeds)
		if err != nil || again == nil {
			return failed, err // it does not happen again
		}
		e.keys[failureKey(e.test, again.output)] = true
		f.Run, f.Seeds, f.Output, f.Killed = e.Runs, again.seeds, again.output, again.killed
		return again, nil
	}
	f.Unobserved = l.runs
	return failed, nil
}

// failsItself reports whether a batch fails without commute's reports, too.
func (e *exploration) failsItself(b *batch) (bool, error) {
	dir, err := os.MkdirTemp("", "commute-explore-")
	if err != nil {
		return false, err
	}
	defer os.RemoveAll(dir)
	all := filepath.Join(dir, "all")
	if err := os.WriteFile(all, []byte("*\n"), 0o600); err != nil {
		return false, err
	}
	silent, err := e.binary.process(processPlan{test: e.test, timeout: e.plan.Timeout,
		seeds: b.seeds, told: b.tells(b.seeds),
		options: "suppressions=" + strings.ReplaceAll(all, " ", "%20")})
	if err != nil {
		return false, err
	}
	return silent.failed, nil
}
