// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package lockorder

import (
	"github.com/commutego/commute/internal/check/reorder"
	"github.com/commutego/commute/internal/event"
)

// Step takes the next event of a trace that commute has recorded, and the step that it is. Here
// more order is on the safe side: every order counts that the trace may force.
func (c *Checker) Step(e *event.Event, s *reorder.Step) {
	defer func() { c.index++ }()
	if e.Op == event.Split || s.Op == reorder.Nothing && e.Op == event.ReleaseMerge {
		return // not by the thread itself
	}
	if threads := c.forced.Actors(s); threads != nil {
		for _, t := range threads {
			c.publish(t, reorder.Publish(t))
		}
		c.publish(s.Thread, reorder.Follow(s.Thread))
	}
	switch s.Op {
	case reorder.Lock, reorder.RLock:
		lock := numbered(s.Target, s.Op == reorder.RLock)
		c.acquire(c.thread(s.Thread), e, lock, !s.Tries)
	case reorder.Unlock, reorder.RUnlock:
		if !c.thread(s.Thread).release(s.Target) {
			if c.freed == nil {
				c.freed = make(map[uint32]bool)
			}
			c.freed[s.Target] = true
			for t := range c.threads {
				if c.threads[t].release(s.Target) {
					break
				}
			}
		}
	case reorder.Fork, reorder.Join:
		c.publish(s.Thread, *e)
	case reorder.Acquire, reorder.Merge, reorder.Release:
		c.publish(s.Thread, c.forced.Order(s)...)
	}
}

// publish takes what orders threads.
func (c *Checker) publish(t uint32, by ...event.Event) {
	c.thread(t)
	for i := range by {
		c.order.Order(&by[i])
	}
	c.threads[t].stale = true
}

// maxPiece is how many steps are looked at together for a prediction.
const maxPiece = 1 << 15

// A Recorded finds deadlocks in a trace that commute has recorded.
type Recorded struct {
	relation  *event.Relation
	all       *Checker
	state     reorder.State
	steps     []reorder.Step
	events    []event.Event
	first     uint64
	predicted []Prediction
	unproven  []error // what is not predicted after all
}

// A Prediction is a deadlock with the order that leads to it: at its end, each thread is about to
// take the lock that it wants.
type Prediction struct {
	Cycle  Cycle
	Events []event.Step
	Before int    // so many of these were open at the beginning
	First  uint64 // the index of the first event after those
}

// NewRecorded is a checker for streams whose access points conflict as in relation, which may be
// nil and may change.
func NewRecorded(relation *event.Relation) *Recorded {
	return &Recorded{relation: relation, all: New(), state: reorder.State{Recorded: true}}
}

// Take takes the next event, and the step that it is. If cut is set, no order moves a step across
// the place before this event.
func (r *Recorded) Take(e *event.Event, s reorder.Step, cut bool) {
	if cut || len(r.steps) >= maxPiece {
		r.look()
	}
	r.all.Step(e, &s)
	r.steps, r.events = append(r.steps, s), append(r.events, *e)
}

// Finish is the deadlocks that are predicted, and the cycles of the trace, which is over. Done is
// false if there may be more.
func (r *Recorded) Finish() (predicted []Prediction, cycles []Cycle, done bool) {
	r.look()
	cycles, done = r.all.Finish()
	return r.predicted, cycles, done
}

// look predicts deadlocks in the piece, and begins another one.
func (r *Recorded) look() {
	p := r.state.Piece(r.steps, r.events, r.first)
	c := New()
	for i := range p.Steps {
		c.Step(&p.Events[i], &p.Steps[i])
	}
	if cycles, _ := c.Finish(); len(cycles) > 0 && r.state.Open() <= maxPiece {
		for _, cycle := range cycles { // the indexes are those of the piece so far
			for i := range cycle {
				w := &cycle[i]
				w.Holds.Index = p.Index(int32(w.Holds.Index))
				w.Wants.Index = p.Index(int32(w.Wants.Index))
			}
		}
		p.Settle()
		s := reorder.NewSegment(p, r.relation)
		for _, cycle := range cycles {
			r.predict(s, cycle)
		}
	}
	for i := range r.steps {
		r.state.Add(&r.steps[i], &r.events[i], r.first+uint64(i))
	}
	r.first += uint64(len(r.steps))
	r.steps, r.events = r.steps[:0], r.events[:0]
}

// predict predicts a cycle if what comes before the locks that are wanted holds none of them.
func (r *Recorded) predict(s *reorder.Segment, cycle Cycle) {
	wanted := s.Begin()
	wants := make([]int32, len(cycle))
	for i := range cycle {
		wants[i] = at(s.Piece, cycle[i].Wants.Index)
		if wants[i] == reorder.None {
			return
		}
		step := &s.Steps[wants[i]]
		if step.Fixed || step.Op != reorder.Lock && step.Op != reorder.RLock {
			return
		}
		wanted[s.Thread[wants[i]]] = s.Pos[wants[i]]
	}
	done := reorder.NewCloser(s).Closure(wanted)
	for _, i := range wants {
		if done[s.Thread[i]] != s.Pos[i] {
			return
		}
	}
	var order []int32
	for i := range int32(len(s.Steps)) {
		if s.Pos[i] < done[s.Thread[i]] {
			order = append(order, i)
		}
	}
	if !waiting(s, order, wants) || len(s.Broken(order)) > 0 {
		return
	}
	if err := s.Validate(s.Relation, order); err != nil {
		r.unproven = append(r.unproven, err)
		return
	}
	r.predicted = append(r.predicted, told(s.Piece, order, cycle))
}

// told is a prediction by an order of a piece, without what is as in the trace at its beginning.
func told(p *reorder.Piece, order []int32, cycle Cycle) Prediction {
	lo := p.Before
	for lo < len(order) && int(order[lo]) == lo && order[lo] < first(p, cycle) {
		lo++
	}
	q := p.Cut(lo, len(p.Steps))
	x := Prediction{Cycle: cycle, First: q.First}
	for i := range q.Before {
		if op := q.Steps[i].Op; op != reorder.Read && op != reorder.Write {
			x.Events = append(x.Events, event.Step{Index: q.Old[i], Event: q.Events[i]})
		}
	}
	x.Before = len(x.Events)
	for _, i := range order[lo:] {
		if e := &p.Events[i]; !p.Steps[i].Apart(e) {
			x.Events = append(x.Events, event.Step{Index: p.Index(i), Event: *e})
		}
	}
	return x
}

// first is the first step of a piece that a cycle has.
func first(p *reorder.Piece, cycle Cycle) int32 {
	least := int32(len(p.Steps))
	for _, w := range cycle {
		for _, e := range []uint64{w.Holds.Index, w.Wants.Index} {
			if i := at(p, e); i != reorder.None {
				least = min(least, i)
			}
		}
	}
	return least
}

// at is the step of an event of a piece, or None.
func at(p *reorder.Piece, index uint64) int32 {
	for i := range p.Steps {
		if p.Index(int32(i)) == index {
			return int32(i)
		}
	}
	return reorder.None
}

// waiting reports whether after an order none of the locks that are wanted is free.
func waiting(s *reorder.Segment, order, wants []int32) bool {
	for _, w := range wants {
		writers, readers := 0, 0
		for _, i := range order {
			if s.Target[i] != s.Target[w] {
				continue
			}
			switch s.Steps[i].Op {
			case reorder.Lock:
				writers++
			case reorder.Unlock:
				writers--
			case reorder.RLock:
				readers++
			case reorder.RUnlock:
				readers--
			}
		}
		if writers == 0 && (readers == 0 || s.Steps[w].Op == reorder.RLock) {
			return false
		}
	}
	return true
}
