// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package proof

import (
	"github.com/commutego/commute/internal/check/forest"
	"github.com/commutego/commute/internal/check/reorder"
	"github.com/commutego/commute/internal/event"
)

// A Checker takes the steps of a recorded trace.
type Checker struct {
	method forest.Method
	least  *least
	most   *most
	index  uint64            // of the next event
	size   int               // of a piece
	begun  map[uint32]uint64 // by position: transactions
}

// New is a checker for streams whose access points conflict as in relation, which may be nil and
// may change.
func New(relation *event.Relation, m forest.Method) *Checker {
	return &Checker{method: m, least: newLeast(relation), most: newMost(relation, m),
		size: maxPiece, begun: make(map[uint32]uint64)}
}

// Take takes the next event, and the step that it is. If cut is set, no order moves a step across
// the place before this event.
func (c *Checker) Take(e *event.Event, s reorder.Step, cut bool) {
	if cut {
		c.most.look()
	}
	if s.Op == reorder.Begin {
		c.begun[e.Pos]++
	}
	c.least.take(c.index, e, &s)
	c.most.take(e, &s, c.size)
	c.index++
}

// A Result has the verdicts on the transactions of a trace.
type Result struct {
	Marks  map[uint32]*Mark // by the positions of their begins
	Alarms []forest.Alarm   // transactions that another order breaks
}

// A Mark counts the transactions that begin at a position, by verdicts. Transactions that are
// neither proven nor alarms are unknown: each for a reason of its own, or because the trace is not
// whole.
type Mark struct {
	All, Proven, Alarms uint64
	Why                 [forest.Verdicts]uint64
}

// Add adds the counts of another Mark.
func (m *Mark) Add(o *Mark) {
	m.All += o.All
	m.Proven += o.Proven
	m.Alarms += o.Alarms
	for i, n := range o.Why {
		m.Why[i] += n
	}
}

// Finish judges the transactions of the trace, which is over. Whole says that the trace begins at
// the start of the program; otherwise nothing is proven.
func (c *Checker) Finish(whole bool) *Result {
	r := &Result{Marks: make(map[uint32]*Mark)}
	for pos, n := range c.begun {
		r.Marks[pos] = &Mark{All: n}
	}
	c.most.look()
	r.Alarms = c.most.alarms
	for i := range r.Alarms {
		a := &r.Alarms[i]
		r.Marks[a.Transaction.Pos].Alarms += a.Count
	}
	if !whole {
		return r
	}
	c.least.end()
	c.least.forest.Prove(c.method, &c.least.doubts,
		func(t event.Transaction, n uint64, v forest.Verdict) {
			if m := r.Marks[t.Pos]; v == forest.Proven {
				m.Proven += n
			} else {
				m.Why[v] += n
			}
		})
	return r
}
