// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package explore

import (
	"slices"

	engine "github.com/commutego/commute/internal/engine/explore"
)

const (
	// mostSwitches is how many decisions a search forces in one run.
	mostSwitches = 3
	// mostKept is how many schedules a search keeps that are to be run. It takes 40 bytes for each.
	mostKept = 1 << 21
)

// A node is a schedule of a search: that of another run up to a decision, with another choice than
// the default there, and by default after it.
type node struct {
	parent   int32 // the index of the other run
	decision uint32
	choice   uint32
	hot      bool
	hash     string // of the other run before the decision
}

// taken reports whether what is in a list was taken out.
func (n node) taken() bool { return n.decision == 0 }

// A search goes through the schedules with at most so many forced switches, in order of how many
// there are. Of those with one more it knows when the run without the last of them was made: it has
// told which decisions followed.
//
// Each schedule with at most n forced switches is run once. A schedule is what is chosen at each
// decision; a forced switch is a choice that is not the default.
//
// A schedule that another run predicts counts as run: see foresight.
type search struct {
	shard  Shard
	runs   [][]engine.Force // those that were made, the one by default first
	levels [mostSwitches + 1]level
	aims   []aim
	seen   map[string]bool // hashes
	room   int             // how many schedules will be run, as far as that is known; 0: all
	kept   int             // schedules that are to be run
	draws  bool            // the program draws numbers, so a schedule is not all there is to a run
	foresight
}

// An aim is a schedule by which two operations come in another order.
type aim struct {
	node  node
	order order
}

// A level has the schedules with one number of forced switches.
type level struct {
	hot, cold []node
	queue     []node // both, in the order in which they are run, once the level has begun
	begun     bool
	some      bool // there are schedules, in all shards
	open      int  // handed out, and not noted
	missing   bool // some of them are not known, or were not run as they should have been
}

// A job is a run that is to be made.
type job struct {
	seed   Seed
	node   node // of the search, if it is forced
	forced bool
}

func newSearch(shard Shard, room int) *search {
	return &search{shard: shard, room: room, seen: make(map[string]bool)}
}

// first begins a search with the run by default.
func (s *search) first(r run) { s.extend(nil, r) }

// extend notes a run with its forced decisions, and the schedules that have one more.
func (s *search) extend(forces []engine.Force, r run) {
	s.learn(r)
	if len(forces) == mostSwitches {
		return
	}
	s.draws = s.draws || r.random > 0
	next, last := &s.levels[len(forces)+1], 0
	if len(forces) > 0 {
		last = int(forces[len(forces)-1].Decision)
	}
	if !r.ended || r.arrivals > 0 || last+len(r.choices) != r.decisions {
		next.missing = true
	}
	if s.seen[r.hash] {
		return // it is a run that was made before, and what follows was found then
	}
	s.seen[r.hash] = true
	parent := int32(len(s.runs))
	s.runs = append(s.runs, forces)
	count := -1
	for i, c := range r.choices {
		for n := range c.candidates {
			if n == c.usual {
				continue
			}
			next.some = true
			if count++; len(forces) == 0 && !s.shard.has(count) {
				continue
			}
			if s.kept++; s.kept > mostKept {
				s.kept--
				next.missing = true
				return
			}
			next.add(node{parent, uint32(last + i + 1), uint32(n), c.hot, c.hash})
		}
	}
	s.aim(parent, last, r)
}

func (l *level) add(n node) {
	switch {
	case l.begun:
		l.queue = append(l.queue, n)
	case n.hot:
		l.hot = append(l.hot, n)
	default:
		l.cold = append(l.cold, n)
	}
}

// aim notes the schedules that have two operations of the run in the other order.
func (s *search) aim(parent int32, last int, r run) {
	for _, o := range r.orders {
		i := o.decision - last - 1
		if i < 0 || i >= len(r.choices) || o.choice == r.choices[i].usual {
			continue
		}
		c := r.choices[i]
		s.aims = append(s.aims, aim{node{parent, uint32(o.decision), uint32(o.choice), c.hot, c.hash},
			o})
	}
}

// begin puts the schedules of a level in order: hot ones first, and evenly if there is not room
// for all.
func (l *level) begin(room int) {
	l.begun = true
	l.hot, l.cold = slices.DeleteFunc(l.hot, node.taken), slices.DeleteFunc(l.cold, node.taken)
	if room <= 0 || room >= len(l.hot)+len(l.cold) {
		l.queue = slices.Concat(l.hot, l.cold)
	} else {
		hot, coldest := spread(l.hot, room), spread(l.cold, room-min(room, len(l.hot)))
		l.queue = slices.Concat(hot, coldest, without(l.hot, hot), without(l.cold, coldest))
	}
	l.hot, l.cold = nil, nil
}

// spread takes n elements of a list, evenly.
func spread[T any](list []T, n int) (some []T) {
	if n >= len(list) {
		return list
	}
	for i := range n {
		some = append(some, list[i*len(list)/n])
	}
	return some
}

// without is a list without some of its elements, which are in the same order.
func without(list, some []node) (rest []node) {
	for _, n := range list {
		if len(some) > 0 && some[0] == n {
			some = some[1:]
		} else {
			rest = append(rest, n)
		}
	}
	return rest
}

// next takes up to n schedules. It takes none of a level before all of the levels below were run,
// but for those that have two operations in another order, if that is wanted. These are run even if
// another run predicts them: it need not have shown that order at a decision.
func (s *search) next(n int, wanted func(order) bool) (list []job) {
	for ; len(list) < n && len(s.aims) > 0; s.aims = s.aims[1:] {
		a := s.aims[0]
		if l := s.level(a.node); wanted(a.order) && l.takeOut(a.node) {
			list = append(list, s.hand(l, a.node))
		}
	}
	for i := 1; i <= mostSwitches && len(list) < n; i++ {
		l := &s.levels[i]
		if !l.begun {
			l.begin(s.room)
		}
		list = s.take(l, list, n)
		if len(l.queue) > 0 || l.open > 0 || l.missing {
			break
		}
	}
	return list
}

// take takes schedules of a level from its queue, until there are n in the list. Those that may be
// predicted by what is handed out stay in it.
func (s *search) take(l *level, list []job, n int) []job {
	queue, at, later := l.queue, 0, 0
	last := s.foreseen + mostForeseen
	for ; len(list) < n && at < len(queue) && later < mostLater && s.foreseen < last; at++ {
		switch o := queue[at]; {
		case o.taken():
		case s.near(o):
			queue[later] = o
			later++
		case !s.foresee(o):
			list = append(list, s.hand(l, o))
		}
	}
	copy(queue[at-later:at], queue[:later])
	l.queue = queue[at-later:]
	return list
}

// pick takes the schedule with one forced switch that a seed has. It reports whether that was to be
// run.
func (s *search) pick(seed Seed) (j job, ok bool) {
	if seed.Policy != engine.Forced || seed.Number != 0 || len(seed.Forces) != 1 {
		return j, false
	}
	l, f := &s.levels[1], seed.Forces[0]
	for _, list := range [...][]node{l.hot, l.cold, l.queue} {
		for _, n := range list {
			if !n.taken() && n.decision == f.Decision && n.choice == f.Choice {
				return s.hand(l, n), l.takeOut(n)
			}
		}
	}
	return j, false
}

// level is the level of a schedule.
func (s *search) level(n node) *level { return &s.levels[len(s.runs[n.parent])+1] }

// takeOut takes a schedule out of a level. It reports whether it was there.
func (l *level) takeOut(n node) bool {
	for _, list := range [...][]node{l.hot, l.cold, l.queue} {
		if i := slices.Index(list, n); i >= 0 {
			list[i].decision = 0
			return true
		}
	}
	return false
}

// hand hands out the run of a schedule.
func (s *search) hand(l *level, n node) job {
	l.open++
	s.kept--
	s.handOut(n)
	forces := append(slices.Clone(s.runs[n.parent]), engine.Force{Decision: n.decision,
		Choice: n.choice})
	return job{seed: Seed{Policy: engine.Forced, Forces: forces}, node: n, forced: true}
}

// note notes what has become of a run.
func (s *search) note(j job, r run) {
	l := s.level(j.node)
	l.open--
	s.comeBack(j.node)
	if !r.ended || r.forced != len(j.seed.Forces) || r.prefix != j.node.hash || r.arrivals > 0 {
		l.missing = true // it is another run
		return
	}
	s.extend(j.seed.Forces, r)
}

// lose notes that a run was not made.
func (s *search) lose(j job) {
	l := s.level(j.node)
	l.open--
	s.comeBack(j.node)
	l.missing = true
}

// running reports whether schedules are being run.
func (s *search) running() bool { return len(s.out) > 0 }

// left reports whether there are schedules to run.
func (s *search) left() bool {
	for i := 1; i <= mostSwitches; i++ {
		l := &s.levels[i]
		if l.left() {
			return true
		}
		if l.open > 0 || l.missing {
			break
		}
	}
	return false
}

// waits reports whether there may be more schedules to run, when runs that were handed out are
// over.
func (s *search) waits() bool {
	for i := 1; i < mostSwitches; i++ {
		l := &s.levels[i]
		if l.open > 0 || l.missing || l.left() {
			return l.open > 0 && !l.missing
		}
	}
	return false
}

// left reports whether schedules of a level are to be run.
func (l *level) left() bool {
	for _, list := range [...][]node{l.hot, l.cold, l.queue} {
		for _, n := range list {
			if !n.taken() {
				return true
			}
		}
	}
	return false
}

// complete is up to how many forced switches all schedules were run, of the shard.
func (s *search) complete() (n int) {
	for n < mostSwitches {
		l := &s.levels[n+1]
		if l.missing || l.open > 0 || l.left() {
			break
		}
		n++
	}
	return n
}

// exhausted reports whether all schedules were run, and nothing else makes a difference.
func (s *search) exhausted() bool {
	return s.complete() == mostSwitches && !s.levels[mostSwitches].some && !s.draws &&
		!s.shard.split()
}
