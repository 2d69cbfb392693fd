// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package forest

import (
	"maps"
	"slices"

	"github.com/commutego/commute/internal/event"
)

// A Method is a way to judge transactions.
type Method int

// The methods.
const (
	Conflict  Method = iota // the two conditions; a cycle that is found is looked for in a schedule
	Reduction               // a baseline: section 6.1
	Block                   // pairs of units only: section 6.2
	View                    // what reads see, and what is written last: sections 4.2 and 6.2
	Printed                 // theorem 4.3 as printed, which is wrong: for experiments
)

// TotalBudget is how many steps of searches a checker makes for all transactions, unless another
// number is given to [Checker.Limit].
const TotalBudget = 20_000_000

// Budgets, in steps of a search: for one transaction, and for a schedule. Attempts is how many
// cycles of a transaction are looked for in schedules.
const (
	perState       = 5 // what a state of a schedule takes of that
	searchBudget   = 200_000
	scheduleBudget = 10_000
	pairBudget     = 1_000_000
	viewBudget     = 100_000
	attempts       = 16
)

// A Result has the verdicts on the transactions of a trace.
type Result struct {
	Proven uint64 // these are atomic in every order
	Alarms []Alarm
	GaveUp uint64 // neither proven, nor found to be broken
}

// Alarmed is the number of transactions that the alarms stand for.
func (r *Result) Alarmed() (n uint64) {
	for i := range r.Alarms {
		n += r.Alarms[i].Count
	}
	return n
}

// An Alarm is a transaction that isn't atomic in some order of the events.
type Alarm struct {
	Transaction event.Transaction
	Count       uint64 // of transactions of the thread that are like it
	// Nodes are the nodes by which the cycle leaves the transaction and comes back.
	Nodes   [2]Node
	Units   []event.Transaction // that take part, without Transaction; unary ones, too
	Witness []event.Step        // the order; nil of method Reduction, which finds none
	parts   map[uint32]span
}

// A Node is a part of a transaction that no conflicting access can interrupt.
type Node struct {
	From, To event.Step
	Lock     uint32 // the lock that is held from From to To
	Locked   bool
}

// Finish judges the transactions of the trace, which is over.
func (c *Checker) Finish(m Method) *Result {
	a := c.analyse()
	r := new(Result)
	for t, list := range a.nodes {
		for i := range list {
			n := &list[i]
			if !n.marked || n.at != n.id.First {
				continue // the twin has the same verdict
			}
			alarm, proven := a.judge(m, nodeID{uint32(t), uint32(i)})
			switch {
			case proven:
				r.Proven += n.count
			case alarm == nil:
				r.GaveUp += n.count
			default:
				alarm.Transaction, alarm.Count = n.id, n.count
				r.Alarms = append(r.Alarms, *alarm)
			}
		}
	}
	c.budget = a.budget
	return r
}

// Limit is how many steps of searches are made for all transactions: see [TotalBudget].
func (c *Checker) Limit(steps int) { c.budget = steps }

// Left is how many steps of searches remain after [Checker.Finish].
func (c *Checker) Left() int { return c.budget }

// judge proves a transaction, or finds how it is broken, or neither.
func (a *analysis) judge(m Method, n nodeID) (alarm *Alarm, proven bool) {
	u := a.nodes[n.thread][n.number].unit
	if m == Reduction {
		alarm = a.reduce(n.thread, u)
		return alarm, alarm == nil
	}
	if !a.common(n.thread, u, nil).empty() {
		return nil, true
	}
	if a.budget <= 0 {
		return nil, false
	}
	switch m {
	case View:
		return a.view(n)
	case Block:
		return a.block(n)
	case Printed:
		return nil, a.printed(n.thread, u)
	}
	return a.second(n, nil)
}

// second is the second condition, with a schedule for a cycle that it finds. If w is not nil, only
// what that has in view are nodes of the transaction, and the schedule is to be one in which some
// read sees what it sees in no order of whole transactions.
func (a *analysis) second(n nodeID, w *viewer) (alarm *Alarm, proven bool) {
	u := a.nodes[n.thread][n.number].unit
	s := newSearch(a, n.thread, u, w)
	defer s.pay()
	cycles := 0
	done := s.run(func(out, in crossing) bool {
		if cycles++; cycles == 1 {
			if alarm = a.inPairs(n, w); alarm != nil {
				return true
			}
		}
		parts := s.path(in.other)
		parts[n.thread] = span{n.number, n.number + 1}
		if witness := a.order(parts, w != nil); witness != nil {
			alarm = a.alarm(n.thread, u, &out, &in)
			alarm.Witness, alarm.parts = witness, parts
			for _, t := range slices.Sorted(maps.Keys(parts)) {
				p := parts[t]
				for i := p.lo; i < p.hi && t != n.thread; i++ {
					alarm.Units = append(alarm.Units, a.nodes[t][i].id)
				}
			}
		}
		return alarm != nil || cycles == attempts
	})
	return alarm, done && cycles == 0
}

// order is one of parts of threads that isn't serializable, by conflicts or by views; nil if none
// is found.
func (a *analysis) order(parts map[uint32]span, views bool) (witness []event.Step) {
	if views {
		return a.distinct(parts, min(scheduleBudget, a.budget))
	}
	witness, _ = a.schedule(parts, min(scheduleBudget, a.budget))
	return witness
}

// inPairs looks for a unit of another thread with which the transaction can be interleaved badly.
// It is quick, and finds the most; what it doesn't find isn't proven.
func (a *analysis) inPairs(n nodeID, w *viewer) (alarm *Alarm) {
	u := a.nodes[n.thread][n.number].unit
	s := newSearch(a, n.thread, u, w)
	defer s.pay()
	tried := make(map[nodeID]bool)
	s.pairs(func(out, in crossing) bool {
		o := in.other
		if tried[o] {
			return false
		}
		tried[o] = true
		parts := map[uint32]span{
			n.thread: {n.number, n.number + 1}, o.thread: {o.number, o.number + 1},
		}
		if witness := a.order(parts, w != nil); witness != nil {
			alarm = a.alarm(n.thread, u, &out, &in)
			alarm.Witness, alarm.parts = witness, parts
			alarm.Units = []event.Transaction{a.nodes[o.thread][o.number].id}
		}
		return alarm != nil || len(tried) == attempts
	})
	return alarm
}

// view judges by what reads see.
func (a *analysis) view(n nodeID) (alarm *Alarm, proven bool) {
	u := a.nodes[n.thread][n.number].unit
	w := &viewer{analysis: a, t: n.thread, u: u, budget: min(viewBudget, a.budget)}
	defer func(start int) { a.budget -= start - w.budget }(w.budget)
	if w.needsConflict() {
		alarm, proven = a.second(n, nil)
		if alarm != nil && a.distinct(alarm.parts, scheduleBudget) == nil {
			alarm = nil
		}
		return alarm, proven
	}
	if !a.common(n.thread, u, w).empty() {
		return nil, true
	}
	return a.second(n, w)
}

// block looks for a unit of another thread with which the transaction can be interleaved badly.
// Units are tried that have conflicts with two of its nodes.
func (a *analysis) block(n nodeID) (alarm *Alarm, proven bool) {
	u := a.nodes[n.thread][n.number].unit
	known := true
	tried := make(map[nodeID]bool)
	s := newSearch(a, n.thread, u, nil)
	defer s.pay()
	known = s.pairs(func(out, in crossing) bool {
		if tried[in.other] {
			return false
		}
		tried[in.other] = true
		o := in.other
		parts := map[uint32]span{
			n.thread: {n.number, n.number + 1}, o.thread: {o.number, o.number + 1},
		}
		witness, done := a.schedule(parts, min(pairBudget, a.budget))
		known = known && done
		if witness != nil {
			alarm = a.alarm(n.thread, u, &out, &in)
			alarm.Witness = witness
			alarm.Units = []event.Transaction{a.nodes[o.thread][o.number].id}
		}
		return alarm != nil
	}) && known
	return alarm, known && alarm == nil
}

// alarm is one with two nodes.
func (a *analysis) alarm(t uint32, u *unit, out, in *crossing) *Alarm {
	thread := a.threads[t].number
	node := func(c *crossing) Node {
		switch {
		case c.step != nil:
			return c.step.node()
		case c.locked:
			if s := u.around(c.access, c.lock); s != nil {
				return s.node(thread)
			}
		}
		at := c.access.event(thread)
		return Node{From: at, To: at}
	}
	return &Alarm{Nodes: [2]Node{node(out), node(in)}}
}

// node is a section as a node of its unit.
func (s *section) node(thread uint32) Node {
	from, to := event.Acquire, event.Release
	if s.before {
		from = event.Begin
	}
	if !s.ended {
		to = event.End
	}
	return Node{From: s.begin.event(from, thread, s.lock), To: s.end.event(to, thread, s.lock),
		Lock: s.lock, Locked: true}
}

// node is a step as a node of its unit.
func (p *step) node() Node {
	at := event.Step{Index: p.index, Event: p.op}
	return Node{From: at, To: at}
}
