// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package avp

import (
	"github.com/commutego/commute/internal/check/reorder"
	"github.com/commutego/commute/internal/event"
)

// A Window is a part of a trace that is judged as a whole. Its piece also has the transactions and
// locks that are open at its beginning. Windows can be judged in any order, and on any machine.
type Window struct {
	Piece    *reorder.Piece
	Own      int             // the transactions that begin among so many steps belong to it
	Beyond   bool            // not all accesses of before are there: only filters are tried
	Relation *event.Relation // of access points
}

// A Splitter cuts a trace into windows, in one pass. Each window begins in the middle of the
// previous one. The Splitter keeps the steps of one window, and the transactions and locks that are
// open at its beginning.
type Splitter struct {
	options  Options
	relation *event.Relation
	emit     func(*Window)

	before reorder.State // where the window begins
	steps  []reorder.Step
	events []event.Event
	first  uint64 // the index of the first of them
}

// NewSplitter makes a Splitter for the windows of some options. It calls emit for each window that
// transactions belong to. The relation may be nil and may change; windows get a copy.
func NewSplitter(relation *event.Relation, o Options, emit func(*Window)) *Splitter {
	o = o.withDefaults()
	return &Splitter{
		options: o, relation: relation, emit: emit,
		before: reorder.State{Recorded: o.Recorded, Most: o.Window + 1},
	}
}

// Take takes the next event, and the step that it is.
func (s *Splitter) Take(e *event.Event, step reorder.Step) {
	s.steps, s.events = append(s.steps, step), append(s.events, *e)
	if len(s.steps) >= s.options.Window {
		half := s.options.Window / 2
		s.window(half)
		s.pass(half)
	}
}

// pass has some steps be before the next window.
func (s *Splitter) pass(steps int) {
	for i := range steps {
		s.before.Add(&s.steps[i], &s.events[i], s.first+uint64(i))
	}
	s.first += uint64(steps)
	s.steps = append(s.steps[:0], s.steps[steps:]...)
	s.events = append(s.events[:0], s.events[steps:]...)
}

// Cut says that the events so far stay before all later ones: no window has events of both.
func (s *Splitter) Cut() {
	s.window(len(s.steps))
	s.pass(len(s.steps))
}

// End says that there are no more events.
func (s *Splitter) End() { s.window(len(s.steps)) }

// window emits what is there as a window, to which the transactions belong that begin among the
// first steps.
func (s *Splitter) window(steps int) {
	begins := false
	for i := range steps {
		begins = begins || s.steps[i].Op == reorder.Begin
	}
	if !begins {
		return
	}
	w := &Window{
		Piece: s.before.Piece(s.steps, s.events, s.first), Own: steps,
		Beyond: s.options.Recorded && s.before.Open() > s.options.Window,
	}
	if s.relation != nil {
		w.Relation = new(*s.relation)
	}
	s.emit(w)
}
