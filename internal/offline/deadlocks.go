// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package offline

import (
	"fmt"
	"slices"
	"strings"

	"github.com/commutego/commute/internal/check/avp"
	"github.com/commutego/commute/internal/check/lockorder"
	"github.com/commutego/commute/internal/check/reorder"
	"github.com/commutego/commute/internal/event"
	"github.com/commutego/commute/internal/offline/steps"
	"github.com/commutego/commute/internal/trace"
	"github.com/commutego/commute/internal/trace/tracefile"
	"github.com/commutego/commute/report"
)

// A deadlockChecker finds deadlocks that another order may lead to. It tells at the end.
type deadlockChecker struct {
	*lockorder.Checker
	gaveUp   *bool // there may be more
	relation *event.Relation
	recorded *lockorder.Recorded // nil if no program has recorded the trace
	decoder  *steps.Decoder
	program  *trace.Program
	steps    []trace.CallStep // of the events that are taken next
	rules    Rules
}

func checkDeadlocks(r *event.Relation) checker {
	return &deadlockChecker{Checker: lockorder.New(), gaveUp: new(bool), relation: r}
}

// start begins the check of a trace, if commute has recorded it.
func (c *deadlockChecker) start(f *tracefile.File, o Options) {
	if c.program = f.Tables().Program; predictable(c.program) {
		f.WantCalls()
		c.decoder, c.rules = steps.New(c.program), o.Rules
		c.recorded = lockorder.NewRecorded(c.relation)
	}
}

func (c *deadlockChecker) setSteps(list []trace.CallStep) { c.steps = list }

func (c *deadlockChecker) take(events []event.Event, _ bool, _ func(Finding)) bool {
	if c.recorded != nil {
		c.decoder.Events(events, c.steps, func(e *event.Event, s reorder.Step, cut bool) {
			c.recorded.Take(e, s, cut)
		})
		return false
	}
	for i := range events {
		c.Event(&events[i])
	}
	return false
}

// end tells one finding for all cycles whose acquires are at the same places, in whatever threads:
// one that is predicted, if there is such.
func (c *deadlockChecker) end(all bool, found func(Finding)) {
	told := make(map[string]bool)
	tell := func(cycle lockorder.Cycle, w *avp.Witness) {
		if key := c.places(cycle); !told[key] && !c.hushed(cycle) && (all || len(told) == 0) {
			told[key] = true
			found(Finding{At: cycle[0].Wants, Deadlock: cycle, Witness: w})
		}
	}
	var cycles []lockorder.Cycle
	done := false
	if c.recorded != nil {
		var list []lockorder.Prediction
		list, cycles, done = c.recorded.Finish()
		for _, p := range list {
			w := &avp.Witness{Events: p.Events, Before: p.Before, First: p.First}
			for i := p.Before + 1; i < len(p.Events); i++ {
				if p.Events[i].Event.Thread != p.Events[i-1].Event.Thread {
					w.Switches++
				}
			}
			tell(p.Cycle, w)
		}
	} else {
		cycles, done = c.Finish()
	}
	*c.gaveUp = !done
	for _, cycle := range cycles {
		tell(cycle, nil)
	}
}

// places are the places of a cycle's acquires.
func (c *deadlockChecker) places(cycle lockorder.Cycle) string {
	var places []string
	for _, w := range cycle {
		held, wanted := &w.Holds.Event, &w.Wants.Event
		if c.recorded != nil { // the locks are those of one run
			places = append(places, fmt.Sprint(held.Pos, wanted.Pos))
			continue
		}
		places = append(places, fmt.Sprint(held.Target, held.Pos, wanted.Target, wanted.Pos))
	}
	slices.Sort(places)
	return strings.Join(places, ", ")
}

// hushed reports whether a rule matches a deadlock.
func (c *deadlockChecker) hushed(cycle lockorder.Cycle) bool {
	for i := range cycle {
		if c.rules.hush(c.program, &cycle[i].Holds.Event, &cycle[i].Wants.Event) {
			return true
		}
	}
	return false
}

// addDeadlock adds which thread waits for which.
func addDeadlock(file *tracefile.File, r *report.Finding, cycle lockorder.Cycle) {
	r.Kind, r.Evidence = report.Deadlock, report.Potential
	for _, w := range cycle {
		r.Nodes = append(r.Nodes, report.Node{From: eventOf(file, w.Holds),
			To: eventOf(file, w.Wants), Lock: file.Tables().Target(&w.Holds.Event)})
	}
}
