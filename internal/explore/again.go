// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package explore

import (
	"slices"
	"strconv"

	engine "github.com/commutego/commute/internal/engine/explore"
)

// A run that is made again has come from outside what came then, at the same points. So a failure
// that depends on that fails again.

// cameIn is what came from outside in a run.
type cameIn struct {
	list []FileArrival
	cut  bool // there was more
}

// read reads a line of a run that was not logged. Goroutines have no names in it.
func (c *cameIn) read(f []string) {
	if f[0] == "x" {
		c.cut = true
	}
	how, ok := howOf(f[0])
	if !ok || len(f) != 6 {
		return
	}
	var u [5]uint64
	for i, word := range f[1:] {
		v, err := strconv.ParseUint(word, 10, 64)
		if err != nil {
			return
		}
		u[i] = v
	}
	c.list = append(c.list, FileArrival{How: how, Turn: int(u[0]), Point: int(u[1]), Name: u[2],
		Number: int64(u[4])})
}

// outsideIn is what came from outside in a run, logged or not.
func (r *run) outsideIn() cameIn {
	if r.log != nil {
		return cameIn{r.log.arrivals, r.log.cut}
	}
	return r.came
}

// tells is what is told of runs that are made again: of each what came in it, "" if that is not
// known, or if there is no room for it. The last ones come first. It is nil if nothing came.
func tells(runs []run) []string {
	if !slices.ContainsFunc(runs, func(r run) bool { return len(r.outsideIn().list) > 0 }) {
		return nil
	}
	list := make([]string, len(runs))
	room := mostTold
	for i, r := range slices.Backward(runs) {
		if came := r.outsideIn(); r.ended && room > 0 {
			text := tellArrivals(came.list, came.cut)
			if room -= len(text); room > 0 || i == len(runs)-1 {
				list[i] = text
			}
		}
	}
	return list
}

// tells is what is told of the last runs by some seeds, as many as are those of the batch.
func (b *batch) tells(seeds []Seed) []string {
	n := 0
	for n < min(len(b.runs), len(seeds)) &&
		b.seeds[len(b.runs)-1-n].String() == seeds[len(seeds)-1-n].String() {
		n++
	}
	return tells(b.runs[len(b.runs)-n:])
}

// remake makes the last runs of a batch that has failed once more, by their seeds, in a process of
// their own. At first, what comes from outside comes as it did; if that does not fail, as it does.
// It returns nil if that does not fail either.
func (e *exploration) remake(b *batch, seeds []Seed) (*batch, error) {
	list := [][]string{b.tells(seeds), nil}
	if list[0] == nil {
		list = list[1:]
	}
	for _, told := range list {
		ran, err := e.binary.process(processPlan{test: e.test, timeout: e.plan.Timeout, log: true,
			seeds: seeds, told: told})
		if err != nil || ran.failed && (len(ran.runs) == 0 || ran.last() == len(seeds)-1) {
			return ran, err
		}
	}
	return nil, nil
}

// arrivalsUntil is how many arrivals the run has before a decision that another one makes in
// another way, which has the decisions of a list forced. All of them are meant if none is made so.
func (l *runLog) arrivalsUntil(list []anchor) (n int, all bool) {
	made := 0
	for _, s := range l.steps {
		switch {
		case s.kind == outside:
			n++
		case s.kind != chosen || s.usual:
		case made == len(list) || s.anchor != list[made]:
			return n, false
		default:
			made++
		}
	}
	return n, made == len(list)
}

// tells is what is told of a run by a seed, after the runs before it: what came in the schedule, or
// in the best one that was found meanwhile, until the run differs from it. "" tells nothing.
func (s *shrinking) tells(seed Seed) []string {
	text, most := "", 0
	for _, known := range []*Schedule{s.best, s.from} {
		n, all := len(known.log.arrivals), true
		if seed.Policy == engine.Anchored {
			n, all = known.log.arrivalsUntil(seed.anchors)
		} else if seed.Number != known.Number {
			n = 0 // the program draws other numbers
		}
		if n > most {
			text, most = tellArrivals(known.log.arrivals[:n], !all), n
		}
	}
	return append(slices.Clip(s.told), text)
}

// remember keeps the record of a run in which a report was observed, for replays: it is made once
// more for that, with its log.
func (l *look) remember(w *witness, want Report, keeps *recorder) error {
	ran, err := l.binary.process(processPlan{test: l.test, timeout: l.plan.Timeout, log: true,
		seeds: w.b.seeds, told: w.b.tells(w.b.seeds)})
	if err != nil || len(ran.runs) != 1 || want.observedIn(ran.output) == nil {
		return err
	}
	keeps.keep(l.test, w.b.seeds, recordOf(&ran.runs[0], keeps.build, l.binary.here()))
	return nil
}
