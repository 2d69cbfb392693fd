// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package avp

import (
	"slices"

	"github.com/commutego/commute/internal/check/frontier"
	"github.com/commutego/commute/internal/check/reorder"
)

// A window is one that is being judged.
type window struct {
	*reorder.Segment
	result     *Result
	options    Options
	budget     int // of states
	minimizing int // states that are left to have few switches in witnesses
	effort     int // of steps that patterns make
	cutter     *reorder.Cutter
	groups     map[[4]uint32]int  // tries that failed, by the places of a candidate
	told       map[[3]uint32]bool // what was found, by places
	passed     map[int32]bool     // transactions that filters have passed, by their first steps
	limit      reorder.Cut        // how far the search of all steps goes; nil: to their end
	open       []int32            // transactions of which nothing is known, by their first steps
}

// Limits that keep a window from taking long. What is beyond them is given up.
const (
	near     = 100 // so many steps around a transaction are looked at first
	wide     = 2000
	share    = 200 // the part of the budget that is for one transaction of a large window
	tries    = 3   // how often a candidate of the same places fails until it isn't tried again
	perState = 20  // steps that patterns may make for each state of the budget
)

// Judge judges the transactions that belong to a window. The result depends only on the window and
// the options; the window doesn't change.
func (w *Window) Judge(o Options) *Result {
	o = o.withDefaults()
	p := w.Piece
	if p.Recorded {
		p = new(*p)
		p.Steps = slices.Clone(p.Steps)
		p.Settle()
	}
	x := &window{
		Segment: reorder.NewSegment(p, w.Relation), result: new(Result), options: o,
		budget: o.Budget, minimizing: o.Budget / minimizing, effort: perState * o.Budget,
		cutter: reorder.NewCutter(p), groups: make(map[[4]uint32]int),
		told: make(map[[3]uint32]bool), passed: make(map[int32]bool),
	}
	x.filter(w.Piece.First + uint64(w.Own))
	if !w.Beyond {
		// Else threads do very much between two places of synchronization, and not all of it is
		// known. Filters need no accesses of before: without them, more orders are possible.
		x.look()
	}
	x.result.Counts.GaveUp += uint64(len(x.open))
	return x.result
}

// look looks at the transactions that are open.
func (w *window) look() {
	for _, pass := range []func(){w.observed, w.patterns, w.searches} {
		if len(w.open) > 0 {
			pass()
		}
	}
}

// filter passes transactions that begin before an event, and opens the others.
func (w *window) filter(end uint64) {
	f := newFilter(w.Segment, &w.options)
	for i := w.Piece.Before; i < len(w.Steps) && w.Index(int32(i)) < end; i++ {
		if w.Steps[i].Op != reorder.Begin {
			continue
		}
		w.result.Counts.All++
		if f.safe(int32(i)) {
			w.result.Counts.Filtered++
			w.passed[int32(i)] = true
		} else {
			w.open = append(w.open, int32(i))
		}
	}
	w.result.Counts.Add(&f.counts)
	if !w.options.NoTAS && len(w.open) > 0 && len(w.Steps) <= wide {
		w.limit = f.limit(w.closing())
	}
}

// closing are the transactions that may close a cycle: all but those that filters passed, by their
// first steps. Some belong to other windows.
func (w *window) closing() (list []int32) {
	for i := range w.Steps {
		if w.Steps[i].Op == reorder.Begin && !w.passed[int32(i)] {
			list = append(list, int32(i))
		}
	}
	return list
}

// observed tells of the transactions that are not serializable as they were.
func (w *window) observed() {
	f := frontier.New(w.Relation)
	j := newJudge(w.Segment)
	order := make([]int32, 0, len(w.Steps))
	for i := range int32(len(w.Steps)) {
		order = append(order, i)
		e := j.neutral(i)
		if !f.Event(&e) {
			continue
		}
		if begin := int32(f.Violation().First); slices.Contains(w.open, begin) {
			w.tell(w.Segment, order, begin, cycleOf(w.Segment, order, begin))
		}
	}
}

// patterns tries the pattern for the transactions that are open, in ever wider pieces around them.
func (w *window) patterns() {
	for _, around := range []int{near, wide, len(w.Steps)} {
		for _, begin := range slices.Clone(w.open) {
			if w.effort <= 0 {
				return
			}
			if slices.Contains(w.open, begin) {
				w.pattern(begin, around)
			}
		}
		if around >= len(w.Steps) {
			return
		}
	}
}

// piece is what is around a transaction, and the step there with which it begins.
func (w *window) piece(begin int32, around int) (s *reorder.Segment, at int32) {
	t, end := w.Thread[begin], int(begin)
	for _, i := range w.Of[t][w.Pos[begin]:] {
		if w.Start[i] != w.Pos[begin] {
			break
		}
		end = int(i)
	}
	lo, hi := int(begin)-around, min(end+around, len(w.Steps))
	if lo <= w.Piece.Before && hi == len(w.Steps) {
		return w.Segment, begin
	}
	lo = max(lo, w.Piece.Before)
	p := w.cutter.Cut(lo, hi)
	return reorder.NewSegment(p, w.Relation), int32(int(begin) - lo + p.Before)
}

func (w *window) pattern(begin int32, around int) {
	s, at := w.piece(begin, around)
	w.effort -= len(s.Steps)
	p := newPattern(s)
	var last [4]uint32
	order, cycle := p.find(at, func(c candidate) bool {
		w.effort -= p.steps
		p.steps = 0
		last = [4]uint32{
			s.Events[at].Pos, s.Events[c.step].Pos, s.Events[c.other].Pos, uint32(around),
		}
		w.groups[last]++
		return w.effort <= 0 || w.groups[last] > tries
	})
	w.effort -= p.steps
	if cycle != nil {
		w.groups[last] = 0
		w.tell(s, order, at, cycle)
	}
}

// tell tells of an order in which the transaction that begins with a step is on cycle c, once for
// each place of a transaction and the two of what conflicts with it. It takes those that are on the
// cycle from the open ones.
func (w *window) tell(s *reorder.Segment, order []int32, begin int32, c *cycle) {
	if c == nil {
		w.result.unproven = append(w.result.unproven, errNoCycle)
		return
	}
	out, in := s.Events[c.edges[0].head].Pos, s.Events[c.edges[len(c.edges)-1].head].Pos
	places := [3]uint32{s.Events[begin].Pos, out, in}
	if !w.told[places] || w.options.Bound {
		v, err := newViolation(s, order, begin, c, &w.minimizing)
		if err != nil {
			w.result.unproven = append(w.result.unproven, err) // never tell of what isn't proven
			return
		}
		least := min(v.Witness.Switches, switches(s, order[:c.closed]))
		if w.options.Bound && least > w.options.Switches {
			return
		}
		if !w.told[places] {
			w.told[places], v.Places = true, places
			w.result.Violations = append(w.result.Violations, v)
		}
	} else if err := s.Validate(s.Relation, order[:c.closed]); err != nil {
		w.result.unproven = append(w.result.unproven, err)
		return
	}
	for _, e := range c.edges {
		if s.Marked[e.tail] {
			w.close(s.Index(s.Of[s.Thread[e.tail]][s.Start[e.tail]]))
		}
	}
}

// close takes a transaction from the open ones, as one that was found.
func (w *window) close(first uint64) {
	n := len(w.open)
	w.open = slices.DeleteFunc(w.open, func(i int32) bool { return w.Index(i) == first })
	w.result.Counts.Found += uint64(n - len(w.open))
}

// newSearch makes a search that goes by the options.
func (w *window) newSearch(s *reorder.Segment, budget, switches int) *search {
	x := newSearch(s, budget)
	x.switches, x.all = switches, w.options.NoReduction
	return x
}

// searches searches for the transactions that are open: of the window, if that is small, or else
// of what is near to them.
func (w *window) searches() {
	if len(w.Steps) <= wide {
		x := w.newSearch(w.Segment, w.budget, w.bound())
		x.Limit = w.limit
		found := x.find(reorder.None)
		w.spend(w.budget, x)
		if !found && !x.over {
			w.result.Counts.None += uint64(len(w.open))
			w.open = nil
			return
		}
	}
	for _, begin := range slices.Clone(w.open) {
		if w.budget <= 0 {
			return
		}
		if slices.Contains(w.open, begin) {
			w.search(begin)
		}
	}
}

// bound is how many switches orders may have from the start, below 0 if any.
func (w *window) bound() int {
	if w.options.Bound {
		return w.options.Switches
	}
	return -1
}

// spend takes off what a search has used of a part of the budget.
func (w *window) spend(part int, x *search) {
	used := part - max(x.budget, 0)
	w.budget -= used
	w.result.Counts.States += uint64(used)
}

func (w *window) search(begin int32) {
	around := near
	if len(w.Steps) <= wide {
		around = len(w.Steps)
	}
	s, at := w.piece(begin, around)
	budget := w.budget / 2
	if around == near {
		budget = min(budget, w.options.Budget/share)
	}
	tries := []int{-1, w.options.Switches}
	if w.options.Bound {
		tries = tries[1:]
	}
	for _, switches := range tries {
		x := w.newSearch(s, budget, switches)
		found := x.find(at)
		w.spend(budget, x)
		if found {
			w.tell(s, x.Order(), at, cycleOf(s, x.Order(), at))
			return
		}
		if !x.over && switches == w.bound() {
			if s == w.Segment {
				w.open = slices.DeleteFunc(w.open, func(i int32) bool { return i == begin })
				w.result.Counts.None++
			}
			return
		}
	}
}
