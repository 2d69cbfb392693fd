// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package offline

import (
	"github.com/commutego/commute/internal/check/velodrome"
	"github.com/commutego/commute/internal/event"
	"github.com/commutego/commute/internal/offline/replay"
	"github.com/commutego/commute/internal/trace"
)

// A predictionChecker has the engine predict violations over a trace, and decides which are told,
// as a run does.
type predictionChecker struct {
	*replay.Predictions
	program *trace.Program
	rules   Rules
	steps   []trace.CallStep // of the events that are taken next

	predicted []Finding
	told      map[violationGroup]bool
}

// A Forecast lists the assumptions of a predicted violation, besides the order of locks.
type Forecast struct {
	// ValuesDiffer says that the other transaction reads other values in the predicted order. It
	// makes the same accesses whatever it reads.
	ValuesDiffer bool
	// OtherReads says that the other goroutine reads an intermediate state of the transaction.
	OtherReads bool
}

func checkPredictions(*event.Relation) checker {
	return &predictionChecker{told: make(map[violationGroup]bool)}
}

// start begins the prediction over the trace of a program, if it tells enough of locks.
func (c *predictionChecker) start(program *trace.Program) {
	c.program = program
	if predictable(program) {
		c.Predictions = replay.NewPredictions(program, c.prediction)
	}
}

// predictable reports whether a trace tells what a prediction has to know.
func predictable(program *trace.Program) bool {
	return program != nil && program.Calls && program.Locks
}

func (c *predictionChecker) setSteps(steps []trace.CallStep) { c.steps = steps }

func (c *predictionChecker) take(events []event.Event, all bool, found func(Finding)) bool {
	if c.Predictions == nil {
		return false
	}
	c.Events(events, c.steps)
	return c.tell(all, found)
}

// tell tells of predictions, and reports whether no more are wanted.
func (c *predictionChecker) tell(all bool, found func(Finding)) bool {
	for i := range c.predicted {
		if found(c.predicted[i]); !all {
			return true
		}
	}
	c.predicted = c.predicted[:0]
	return false
}

// end takes what is found when the last threads end.
func (c *predictionChecker) end(all bool, found func(Finding)) {
	if c.Predictions != nil {
		c.Close()
		c.tell(all, found)
	}
}

// prediction takes a prediction.
func (c *predictionChecker) prediction(p replay.Prediction) {
	if c.rules.hush(c.program, &p.First.Event, &p.Entry.Event, &p.Other.Event, &p.Second.Event) {
		return
	}
	g, ok := groupOf(c.program, &p.Transaction, &p.First.Event, &p.Second.Event)
	if ok && c.told[g] {
		return
	}
	c.told[g] = ok
	cycle := cycleOf(&p)
	c.predicted = append(c.predicted, Finding{
		At: p.Second, Transaction: &cycle.Transactions[0], Cycle: cycle, group: g,
		Forecast: &Forecast{p.ValuesDiffer, p.OtherReads},
	})
}

// cycleOf is the cycle that a prediction would be, had it happened.
func cycleOf(p *replay.Prediction) *velodrome.Cycle {
	cycle := &velodrome.Cycle{
		Transactions: []event.Transaction{p.Transaction, p.Entered},
		Edges:        []velodrome.Edge{{Tail: p.First, Head: p.Entry}},
	}
	if p.Entered.First != p.Left.First {
		cycle.Transactions = append(cycle.Transactions, p.Left)
		cycle.Edges = append(cycle.Edges, velodrome.Edge{Tail: p.Entry, Head: p.Other})
	}
	cycle.Edges = append(cycle.Edges, velodrome.Edge{Tail: p.Other, Head: p.Second})
	return cycle
}

// dropObserved drops the predictions of what has been observed, too. Like a run, an analysis tells
// of a transaction and its last line once.
func dropObserved(checks []CheckResult) {
	seen := make(map[violationGroup]bool)
	last := func(f *Finding) violationGroup {
		g := f.group
		g.first = trace.Frame{}
		return g
	}
	for i := range checks {
		for k := range checks[i].Findings {
			if f := &checks[i].Findings[k]; f.group.name != "" && f.Forecast == nil {
				seen[last(f)] = true
			}
		}
	}
	for i := range checks {
		kept := checks[i].Findings[:0]
		for _, f := range checks[i].Findings {
			if f.Forecast == nil || !seen[last(&f)] {
				kept = append(kept, f)
			}
		}
		checks[i].Findings = kept
	}
}
