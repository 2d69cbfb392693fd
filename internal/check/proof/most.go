// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package proof

import (
	"github.com/commutego/commute/internal/check/forest"
	"github.com/commutego/commute/internal/check/reorder"
	"github.com/commutego/commute/internal/event"
)

// maxPiece is how many steps are looked at together for alarms.
const maxPiece = 1 << 15

// effort is how many steps are made to confirm alarms.
const effort = 100_000_000

// searches is how many steps are made to look for alarms in all pieces. One piece has no more than
// forest.TotalBudget of them.
const searches = 5 * forest.TotalBudget

// A most looks for alarms in pieces of a trace.
type most struct {
	relation *event.Relation
	method   forest.Method
	state    reorder.State // where the piece begins
	steps    []reorder.Step
	events   []event.Event
	first    uint64 // the index of the first of them
	begins   bool   // a transaction begins in the piece
	alarms   []forest.Alarm
	effort   int
	searches int
	accessed numbers // variables, before the piece
}

func newMost(relation *event.Relation, m forest.Method) *most {
	if m == forest.Reduction {
		m = forest.Conflict // an alarm wants an order
	}
	return &most{relation: relation, method: m, state: reorder.State{Recorded: true},
		effort: effort, searches: searches}
}

func (m *most) take(e *event.Event, s *reorder.Step, size int) {
	m.steps, m.events = append(m.steps, *s), append(m.events, *e)
	m.begins = m.begins || s.Op == reorder.Begin
	if len(m.steps) >= size {
		m.look()
	}
}

// look looks for alarms of the transactions that begin in the piece, and begins another one.
func (m *most) look() {
	if m.begins && m.state.Open() <= maxPiece && m.searches > 0 {
		p := m.state.Piece(m.steps, m.events, m.first)
		p.Settle()
		f := feeder{Piece: p, forest: forest.New(m.relation), lock: make(map[uint32]uint32)}
		f.forest.OnlyForks()
		f.forest.UntilCycle()
		for i := range p.Steps {
			f.step(i)
		}
		limit := min(m.searches, forest.TotalBudget)
		f.forest.Limit(limit)
		alarms := f.forest.Finish(m.method).Alarms
		m.searches -= limit - f.forest.Left()
		var c *confirmer
		for _, a := range alarms {
			if a.Transaction.First < m.first || m.effort < 0 {
				continue
			}
			if c == nil {
				c = newConfirmer(p, m.relation, m.accessed)
			}
			if m.effort -= 3 * len(p.Steps); c.confirm(&a) {
				m.alarms = append(m.alarms, a)
			}
		}
	}
	for i := range m.steps {
		m.state.Add(&m.steps[i], &m.events[i], m.first+uint64(i))
		if e := &m.events[i]; e.Op == event.Read || e.Op == event.Write {
			m.accessed.add(e.Target)
		}
	}
	m.first += uint64(len(m.steps))
	m.steps, m.events, m.begins = m.steps[:0], m.events[:0], false
}

// A feeder has a piece's steps in the most order.
type feeder struct {
	*reorder.Piece
	forest *forest.Checker
	lock   map[uint32]uint32 // by number of a lock in steps: one of those in events
	forced reorder.Forced
}

func (f *feeder) step(i int) {
	s, e := &f.Steps[i], &f.Events[i]
	f.forest.At(f.Index(int32(i)))
	if threads := f.forced.Actors(s); threads != nil {
		f.fixed(e, threads)
	}
	switch s.Op {
	case reorder.Read, reorder.Write:
		kind := uint32(0)
		if s.Op == reorder.Write {
			kind = 1
		}
		if !s.Silent {
			f.forest.Access(e, 2*s.Target, kind)
		}
	case reorder.Touch:
		if !s.Silent {
			f.forest.Access(e, 2*s.Target+1, s.Point)
		}
	case reorder.Lock, reorder.RLock:
		if _, ok := f.lock[s.Target]; !ok {
			f.lock[s.Target] = e.Target
		}
		f.forest.Take(e, f.lock[s.Target], s.Op == reorder.RLock)
	case reorder.Unlock, reorder.RUnlock:
		f.forest.Drop(e, f.lock[s.Target])
	case reorder.Begin, reorder.End:
		f.forest.Event(e)
	case reorder.Fork, reorder.Join:
		f.forest.Order(e, s.Op == reorder.Join, s.Op == reorder.Fork, *e)
	case reorder.Acquire, reorder.Merge, reorder.Release:
		own := *e
		if s.Apart(e) {
			own.Op = event.Split // see fixed
		}
		f.forest.Order(&own, true, true, f.forced.Order(s)...)
	}
}

// fixed has a thread's next step come after all that some threads have done.
func (f *feeder) fixed(e *event.Event, threads []uint32) {
	own := *e
	own.Op = event.Split // it is no step by itself
	for _, t := range threads {
		own.Thread = t
		f.forest.Order(&own, false, true, reorder.Publish(t))
	}
	own.Thread = e.Thread
	f.forest.Order(&own, true, false, reorder.Follow(e.Thread))
}
