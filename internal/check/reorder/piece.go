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

// Add takes the next step.
func (s *State) Add(step *Step, e *event.Event, index uint64) {
	switch step.Op {
	case Begin, Lock, RLock:
		s.threads = table.Grow(s.threads, step.Thread)
		t := &s.threads[step.Thread]
		*t = append(*t, open{*step, *e, index})
	case End:
		s.drop(step, Begin)
	case Unlock:
		s.drop(step, Lock)
	case RUnlock:
		s.drop(step, RLock)
	}
}

// drop removes what a step ends. A lock may be released by another thread than has taken it.
func (s *State) drop(step *Step, op Op) {
	if uint64(step.Thread) < uint64(len(s.threads)) && s.dropOf(step.Thread, step, op) ||
		op == Begin {
		return
	}
	for t := range s.threads {
		if s.dropOf(uint32(t), step, op) {
			return
		}
	}
}

func (s *State) dropOf(thread uint32, step *Step, op Op) bool {
	t := s.threads[thread]
	for i := len(t) - 1; i >= 0; i-- {
		if t[i].step.Op == op && (op == Begin || t[i].step.Target == step.Target) {
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
