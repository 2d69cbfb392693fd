// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package reorder

import (
	"cmp"
	"slices"

	"github.com/commutego/commute/internal/check/table"
	"github.com/commutego/commute/internal/event"
)

// A Piece is steps that follow each other in a trace. The first Before of them are from before
// that: the begins of transactions that are open, and the takings of locks that are held; in
// recorded traces the accesses of blocks that are open, too. They stay where they are.
type Piece struct {
	Steps    []Step
	Events   []event.Event // what the steps were made of
	Before   int
	Old      []uint64 // the indexes in the trace of the first Before steps
	First    uint64   // the index in the trace of the step after those
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

// Cut is the steps from lo to hi, which is at least p.Before, as a piece.
func (p *Piece) Cut(lo, hi int) *Piece {
	lo = max(lo, p.Before)
	s := State{Recorded: p.Recorded}
	for i := range lo {
		s.Add(&p.Steps[i], &p.Events[i], p.Index(int32(i)))
	}
	first := uint64(0)
	if lo < len(p.Steps) {
		first = p.Index(int32(lo))
	}
	cut := s.Piece(p.Steps[lo:hi], p.Events[lo:hi], first)
	if p.Indexes != nil {
		cut.Indexes = p.Indexes[lo-p.Before : hi-p.Before]
	}
	return cut
}

// A State is what is open at some place of a trace.
type State struct {
	Recorded bool // the trace is a recorded one
	threads  [][]open
}

// An open step has begun what hasn't ended.
type open struct {
	step  Step
	event event.Event
	index uint64
}

// Add takes the next step. What is nested in a transaction, or taken again, is kept as well: it
// ends first.
func (s *State) Add(step *Step, e *event.Event, index uint64) {
	if s.Recorded {
		s.addRecorded(step, e, index)
		return
	}
	nested := step.Op == Nothing
	switch {
	case step.Op == Begin, step.Op == Lock, step.Op == RLock,
		nested && (e.Op == event.Begin || e.Op == event.Acquire):
		s.threads = table.Grow(s.threads, step.Thread)
		t := &s.threads[step.Thread]
		*t = append(*t, open{*step, *e, index})
	case step.Op == End, nested && e.Op == event.End:
		s.drop(step.Thread, func(o *open) bool { return o.event.Op == event.Begin })
	case step.Op == Unlock, step.Op == RUnlock, nested && e.Op == event.Release:
		taken := func(o *open) bool {
			return o.event.Op != event.Begin && o.step.Target == step.Target
		}
		if s.drop(step.Thread, taken) {
			return
		}
		for t := range s.threads { // another thread has taken it
			if s.drop(uint32(t), taken) {
				return
			}
		}
	}
}

// drop removes the last that is open in a thread and ends, and reports whether there is such.
func (s *State) drop(thread uint32, ends func(*open) bool) bool {
	if uint64(thread) >= uint64(len(s.threads)) {
		return false
	}
	t := s.threads[thread]
	for i := len(t) - 1; i >= 0; i-- {
		if ends(&t[i]) {
			s.threads[thread] = append(t[:i], t[i+1:]...)
			return true
		}
	}
	return false
}

// open is what is open, in the order in which it was begun.
func (s *State) open() (list []*open) {
	for _, t := range s.threads {
		for i := range t {
			list = append(list, &t[i])
		}
	}
	slices.SortFunc(list, func(a, b *open) int { return cmp.Compare(a.index, b.index) })
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
