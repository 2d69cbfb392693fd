// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package explore

import (
	"slices"
	"time"

	engine "github.com/commutego/commute/internal/engine/explore"
)

// A round is some batches whose runs are chosen by what the rounds before have shown. So it makes
// no difference how many of the batches run at once.

const (
	// abreast is how many batches a round has.
	abreast = 4
	// drawnFirst is how many runs are drawn before the search goes on, after its first part.
	drawnFirst = DefaultRuns * 2 / 3
)

func (e *exploration) explore() error {
	first, err := e.round([][]job{{{seed: Seed{Policy: engine.First}}}})
	if err != nil {
		return err
	}
	if quiet, err := e.putAside(); err != nil {
		return err
	} else if quiet != nil {
		first = []run{*quiet}
	}
	if e.over() {
		return nil
	}
	e.search = newSearch(e.plan.Shard, e.firstPart())
	if len(first) == 1 {
		e.search.first(first[0])
	} else {
		e.search.first(run{})
	}
	for !e.over() && !e.search.exhausted() {
		list := e.choose()
		if len(list) == 0 {
			if e.plan.policies(engine.Forced) && e.search.left() {
				continue // schedules are being predicted
			}
			break
		}
		if _, err := e.round(list); err != nil {
			return err
		}
	}
	if e.Failure == nil && e.plan.policies(engine.Forced) {
		e.Switches = e.search.complete()
	}
	return nil
}

// over reports whether the plan ends.
func (e *exploration) over() bool {
	return e.Failure != nil && !e.plan.All || e.plan.Runs > 0 && e.Runs >= e.plan.Runs ||
		e.plan.Time > 0 && e.Runs > 0 && time.Since(e.start) > e.plan.Time
}

// size is how many runs a batch has: fewer if they would take longer than there is time.
func (e *exploration) size() int {
	if e.single {
		return 1
	}
	if e.plan.Time == 0 {
		return together
	}
	spent := time.Since(e.start)
	left := e.plan.Time - spent
	return min(together, max(1, int(left*time.Duration(e.Runs)/max(1, spent))))
}

// firstPart is how many runs the search has at first, a third of all; 0 for any number.
func (e *exploration) firstPart() int {
	if e.plan.Runs == 0 {
		return 0
	}
	return max(1, e.plan.Runs/3)
}

// choose is the next round. It is empty if nothing is left to run.
func (e *exploration) choose() (list [][]job) {
	left := e.plan.Runs - e.Runs
	for len(list) < abreast && (left > 0 || e.plan.Runs == 0) {
		size := e.size()
		if e.plan.Runs > 0 {
			size = min(size, left)
		}
		jobs := e.batch(size)
		if len(jobs) == 0 {
			break
		}
		left -= len(jobs)
		list = append(list, jobs)
	}
	return list
}

// batch chooses up to n runs that share a process.
func (e *exploration) batch(n int) (list []job) {
	if len(e.again) > 0 {
		n = min(n, len(e.again))
		list, e.again = e.again[:n], e.again[n:]
		return list
	}
	searches := e.plan.policies(engine.Forced) && e.search.left()
	draws := e.stale < idle && e.plan.draws()
	if searches && (!draws || e.turn()) {
		if part := e.firstPart(); part > e.forced && draws {
			n = min(n, part-e.forced)
		}
		list = e.search.next(n, e.wants)
		e.forced += len(list)
		if len(list) > 0 || e.search.left() || e.search.running() {
			return list // none if the round has to be over before there are more
		}
	}
	if draws && !(e.early() && e.search.waits()) {
		list = e.draw(n)
	}
	return list // none if the search is to go on first, by what this round shows
}

// turn reports whether it is the search's turn: up to a third of the plan, and after some runs that
// are drawn each other time.
func (e *exploration) turn() bool {
	return e.early() || e.drew >= drawnFirst && e.forced-e.firstPart() <= e.drew-drawnFirst
}

// early reports whether the search has not had its first part.
func (e *exploration) early() bool {
	part := e.firstPart()
	return e.plan.policies(engine.Forced) && (e.forced < part ||
		part == 0 && time.Since(e.start) < e.plan.Time/3)
}

// draw draws n runs. Some are to have an order of operations that is missing.
func (e *exploration) draw(n int) (list []job) {
	rotation := e.plan.rotation()
	missing := e.missing()
	for len(list) < n {
		i := e.drawn
		e.drawn++
		if !e.plan.Shard.has(i) {
			continue
		}
		s := drawn(e.plan.Base, e.test, i)
		s.Policy = rotation[i%len(rotation)]
		if s.Policy == engine.Pair {
			if len(missing) == 0 {
				s.Policy = e.plan.instead(i)
			} else {
				s.Forces = []engine.Force{missing[e.aimed%len(missing)]}
				e.aimed++
			}
		}
		list = append(list, job{seed: s})
	}
	e.drew += n
	return list
}

// missing are the orders that are missing, as policy Pair takes them: it holds who comes to the
// first place until another one was at the second.
func (e *exploration) missing() (list []engine.Force) {
	for _, o := range e.Cover.Missing() {
		list = append(list, engine.Force{Decision: e.sites[o.After], Choice: e.sites[o.Before]})
	}
	return list
}

// wants reports whether the other order is missing.
func (e *exploration) wants(o order) bool { return !e.Cover.orders[o.reverse()] }

// note notes what a batch has shown, whose first runs are of no job.
func (e *exploration) note(b *batch, jobs []job, before int) {
	for op, short := range b.shorts() {
		e.sites[op] = short
	}
	for i, r := range b.runs {
		if i -= before; i < 0 {
			continue
		}
		e.Runs++
		e.Arrivals += r.arrivals
		fresh := r.ended && !e.seen[r.hash]
		if fresh {
			e.seen[r.hash] = true
		}
		for _, o := range r.orders {
			fresh = e.Cover.Add(o.Order) || fresh
		}
		switch {
		case jobs[i].forced && !(b.failed && i+before == b.last()):
			e.search.note(jobs[i], r)
		case jobs[i].forced:
			e.search.lose(jobs[i])
		case fresh:
			e.stale = 0
		default:
			e.stale++
		}
	}
	e.noLook = e.noLook || b.failed && before > 0 && len(b.runs) <= before
	ran := max(0, len(b.runs)-before)
	if len(b.runs) == 0 {
		e.Runs++ // the process has not come so far
		ran = 1
		e.lose(jobs[:1])
	}
	if rest := jobs[min(ran, len(jobs)):]; b.failed && e.plan.All {
		e.again = slices.Concat(rest, e.again)
	} else {
		e.lose(rest)
	}
}

// lose notes that runs are not made.
func (e *exploration) lose(jobs []job) {
	for _, j := range jobs {
		if j.forced {
			e.search.lose(j)
		}
	}
}
