// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package reorder

import (
	"cmp"
	"maps"
	"slices"

	"github.com/commutego/commute/internal/event"
)

// A Piece is a sequence of consecutive steps of a trace, with earlier steps in front. The first
// Before steps are earlier: the begins of open transactions and the acquires of held locks. In
// recorded traces, they also have the accesses of open blocks. These steps stay at the beginning of
// every order.
type Piece struct {
	Steps    []Step
	Events   []event.Event // what the steps were made of
	Before   int
	Old      []uint64 // the indexes in the trace of the first Before steps
	First    uint64   // the index in the trace of the next step
	Indexes  []uint64 // nil, or the indexes of all after the first Before steps
	Recorded bool     // see the package comment
}

// Index is the index of a step in the trace.
func (p *Piece) Index(i int32) uint64 {
	if int(i) < p.Before {
		return p.Old[i]
	}
	if p.Indexes != nil {
		return p.Indexes[int(i)-p.Before]
	}
	return p.First + uint64(int(i)-p.Before)
}

// Cut returns the steps from lo to hi as a piece; lo is at least p.Before.
func (p *Piece) Cut(lo, hi int) *Piece { return NewCutter(p).Cut(lo, hi) }

// A Cutter cuts several pieces out of one.
type Cutter struct {
	*Piece
	state State
	at    int // the state is that before this step
}

// NewCutter makes a Cutter.
func NewCutter(p *Piece) *Cutter { return &Cutter{Piece: p, state: State{Recorded: p.Recorded}} }

// Cut is [Piece.Cut]. It is fast if lo never decreases from one call to the next.
func (c *Cutter) Cut(lo, hi int) *Piece {
	p := c.Piece
	lo = max(lo, p.Before)
	if lo < c.at {
		*c = *NewCutter(p)
	}
	for ; c.at < lo; c.at++ {
		c.state.Add(&p.Steps[c.at], &p.Events[c.at], p.Index(int32(c.at)))
	}
	first := uint64(0)
	if lo < len(p.Steps) {
		first = p.Index(int32(lo))
	}
	cut := c.state.Piece(p.Steps[lo:hi], p.Events[lo:hi], first)
	if p.Indexes != nil {
		cut.Indexes = p.Indexes[lo-p.Before : hi-p.Before]
	}
	return cut
}

// A State has the transactions, locks and blocks that are open at some place of a trace.
type State struct {
	Recorded bool // the trace is a recorded one
	Most     int  // how many accesses of an open block are kept; 0: all. See Open.

	beyond  int // accesses of open blocks that were not kept
	threads map[uint32]*opened
	last    uint32 // the thread of the last step
	of      *opened
}

// opened is what is open in a thread.
type opened struct {
	list     []open
	accesses int // of list
	beyond   int // that were not kept
}

// An open step has begun what hasn't ended.
type open struct {
	step  Step
	event event.Event
	index uint64
}

// Add takes the next step. Nested transactions, and locks that are taken again, are kept as well:
// they end first.
func (s *State) Add(step *Step, e *event.Event, index uint64) {
	if s.Recorded {
		s.addRecorded(step, e, index)
		return
	}
	nested := step.Op == Nothing
	switch {
	case step.Op == Begin, step.Op == Lock, step.Op == RLock,
		nested && (e.Op == event.Begin || e.Op == event.Acquire):
		t := s.thread(step.Thread)
		t.list = append(t.list, open{*step, *e, index})
	case step.Op == End, nested && e.Op == event.End:
		s.drop(step.Thread, func(o *open) bool { return o.event.Op == event.Begin })
	case step.Op == Unlock, step.Op == RUnlock, nested && e.Op == event.Release:
		taken := func(o *open) bool {
			return o.event.Op != event.Begin && o.step.Target == step.Target
		}
		if s.drop(step.Thread, taken) {
			return
		}
		s.dropAny(taken) // another thread has taken it
	}
}

// drop removes the last that is open in a thread and ends, and reports whether there is such.
func (s *State) drop(thread uint32, ends func(*open) bool) bool {
	t := s.thread(thread)
	for i := len(t.list) - 1; i >= 0; i-- {
		if ends(&t.list[i]) {
			t.list = slices.Delete(t.list, i, i+1)
			return true
		}
	}
	return false
}

// dropAny is drop for the first thread that has such.
func (s *State) dropAny(ends func(*open) bool) {
	for _, t := range slices.Sorted(maps.Keys(s.threads)) {
		if s.drop(t, ends) {
			return
		}
	}
}

// thread is what is open in a thread.
func (s *State) thread(t uint32) *opened {
	if s.of != nil && s.last == t {
		return s.of
	}
	of := s.threads[t]
	if of == nil {
		if s.threads == nil {
			s.threads = make(map[uint32]*opened)
		}
		of = new(opened)
		s.threads[t] = of
	}
	s.last, s.of = t, of
	return of
}

// open is what is open, in the order in which it was begun.
func (s *State) open() (list []*open) {
	for t, of := range s.threads {
		if len(of.list) == 0 && of != s.of && of.beyond == 0 {
			delete(s.threads, t) // there may be very many that have ended
		}
		for i := range of.list {
			list = append(list, &of.list[i])
		}
	}
	slices.SortStableFunc(list, func(a, b *open) int { return cmp.Compare(a.index, b.index) })
	return list
}

// Piece is a piece that begins here.
func (s *State) Piece(steps []Step, events []event.Event, first uint64) *Piece {
	p := &Piece{First: first}
	p.Recorded = s.Recorded
	for _, o := range s.open() {
		p.Steps = append(p.Steps, o.step)
		p.Events = append(p.Events, o.event)
		p.Old = append(p.Old, o.index)
	}
	p.Before = len(p.Steps)
	p.Steps = append(p.Steps, steps...)
	p.Events = append(p.Events, events...)
	return p
}
