// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package reorder

import (
	"github.com/commutego/commute/internal/check/table"
	"github.com/commutego/commute/internal/event"
)

// A Piece is steps that follow each other in a trace. The first Before of them are from before
// that: the begins of transactions that are open, and the takings of locks that are held. They stay
// where they are.
type Piece struct {
	Steps  []Step
	Events []event.Event // what the steps were made of
	Before int
	Old    []uint64 // the indexes in the trace of the first Before steps
	First  uint64   // the index in the trace of the step after those
}

// Index is the index of a step in the trace.
func (p *Piece) Index(i int32) uint64 {
	if int(i) < p.Before {
		return p.Old[i]
	}
	return p.First + uint64(int(i)-p.Before)
}

// Cut is the steps from lo to hi, which is at least p.Before, as a piece.
func (p *Piece) Cut(lo, hi int) *Piece {
	lo = max(lo, p.Before)
	var s State
	for i := range lo {
		s.Add(&p.Steps[i], &p.Events[i], p.Index(int32(i)))
	}
	return s.Piece(p.Steps[lo:hi], p.Events[lo:hi], p.Index(int32(lo)))
}

// A State is what is open at some place of a trace.
type State struct {
	threads [][]open
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

// Piece is a piece that begins here.
func (s *State) Piece(steps []Step, events []event.Event, first uint64) *Piece {
	p := &Piece{First: first}
	for _, t := range s.threads {
		for i := range t {
			p.Steps = append(p.Steps, t[i].step)
			p.Events = append(p.Events, t[i].event)
			p.Old = append(p.Old, t[i].index)
		}
	}
	p.Before = len(p.Steps)
	p.Steps = append(p.Steps, steps...)
	p.Events = append(p.Events, events...)
	return p
}
