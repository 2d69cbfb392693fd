// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package offline

import (
	"slices"
	"strings"

	"github.com/commutego/commute/internal/check/avp"
	"github.com/commutego/commute/internal/check/reorder"
	"github.com/commutego/commute/internal/check/velodrome"
	"github.com/commutego/commute/internal/event"
	"github.com/commutego/commute/internal/offline/steps"
	"github.com/commutego/commute/internal/trace"
	"github.com/commutego/commute/internal/trace/tracefile"
	"github.com/commutego/commute/report"
)

// An avpChecker predicts violations by other orders of the events.
type avpChecker struct {
	relation *event.Relation
	decoder  reorder.Decoder
	program  *steps.Decoder   // nil if no program has recorded the trace
	steps    []trace.CallStep // of the events that are taken next
	check    *avp.Checker     // nil if the trace doesn't say enough of locks
	rules    Rules
	list     []Finding
	one      bool
}

func checkAVP(r *event.Relation) checker { return &avpChecker{relation: r} }

// reorderable reports whether a trace says what it takes to reorder its events: which locks are
// mutexes. What is made of recorded traces doesn't, and there accesses that repeat others are
// missing.
func reorderable(f *tracefile.File) bool {
	p := f.Tables().Program
	return f.Tables().Mutexes && !p.Recorded() || predictable(p)
}

// start begins the check of a trace.
func (c *avpChecker) start(f *tracefile.File, o Options) {
	if !reorderable(f) {
		return
	}
	if p := f.Tables().Program; predictable(p) {
		c.program = steps.New(p)
		o.AVP.Recorded = true
		f.WantCalls()
	}
	c.decoder.Mutexes = f.Tables().Mutexes
	if o.Mutexes != nil {
		c.decoder.Mutexes = *o.Mutexes
	}
	besides := slices.ContainsFunc(o.Checks, func(k Check) bool {
		return k.about == transactions && k.Name != "avp" && k.Name != "predictions"
	})
	c.rules = o.Rules
	c.check = avp.New(c.relation, o.AVP, func(v *avp.Violation) bool {
		if v.Observed && besides || c.hushed(f.Tables().Program, &v.Cycle) {
			return false // another check tells of it, or nobody wants it
		}
		last := v.Witness.Events[len(v.Witness.Events)-1]
		finding := Finding{At: last, Cycle: &v.Cycle, Transaction: &v.Cycle.Transactions[0]}
		if !v.Observed {
			finding.Witness = &v.Witness
		}
		c.list = append(c.list, finding)
		return c.one
	})
	c.check.JudgeBy(o.Judge)
}

// hushed reports whether a rule matches a violation.
func (c *avpChecker) hushed(p *trace.Program, cycle *velodrome.Cycle) bool {
	for i := range cycle.Edges {
		e := &cycle.Edges[i]
		if c.rules.hush(p, &e.Tail.Event, &e.Head.Event) {
			return true
		}
	}
	return false
}

func (c *avpChecker) take(events []event.Event, all bool, found func(Finding)) bool {
	if c.check == nil {
		return false
	}
	c.one = !all
	if c.program != nil {
		c.program.Events(events, c.steps, func(e *event.Event, s reorder.Step, cut bool) {
			if cut {
				c.check.Cut()
			}
			c.check.Take(e, s)
		})
		return c.tell(all, found)
	}
	for i := range events {
		e := &events[i]
		if c.check.Take(e, c.decoder.Step(e)) {
			break
		}
	}
	return c.tell(all, found)
}

func (c *avpChecker) setSteps(list []trace.CallStep) { c.steps = list }

func (c *avpChecker) tell(all bool, found func(Finding)) bool {
	c.check.Flush()
	for i := range c.list {
		if found(c.list[i]); !all {
			return true
		}
	}
	c.list = c.list[:0]
	return false
}

// end looks at the last window.
func (c *avpChecker) end(all bool, found func(Finding)) {
	if c.check != nil {
		c.one = !all
		c.check.End()
		c.tell(all, found)
	}
}

// blocks says what became of the transactions.
func (c *avpChecker) blocks() *report.Blocks {
	if c.check == nil {
		return nil
	}
	n := &c.check.Counts
	return &report.Blocks{
		N: n.All, Filtered: n.Filtered, Found: n.Found, None: n.None, GaveUp: n.GaveUp,
		Static: n.Static, StaticTAS: n.StaticTAS, Forest: n.Forest,
		TAS: n.Segments, TASSteps: n.Inside, WindowSteps: n.Around, States: n.States,
	}
}

// addWitness adds the order in which a violation is found.
func (f *Finding) addWitness(file *tracefile.File, r *report.Finding) {
	w := f.Witness
	if w == nil {
		return
	}
	r.Witness = &report.Witness{Prefix: w.Prefix, Switches: w.Switches, Broken: w.Broken}
	for _, e := range w.Events {
		r.Witness.Events = append(r.Witness.Events, eventOf(file, e))
	}
	var threads, release []string
	for _, i := range w.Broken {
		name := r.Witness.Events[i].Thread
		if !slices.Contains(threads, name) {
			threads = append(threads, name)
		}
		goesOn := func(e event.Step) bool { return e.Event.Thread == w.Events[i].Event.Thread }
		if slices.ContainsFunc(w.Events[i+1:], goesOn) {
			release = append(release, name)
		}
	}
	r.Evidence, r.Why = report.Predicted, "only the order of critical sections is another"
	if len(threads) > 0 {
		r.Why = "the last read of " + strings.Join(threads, " and ") + " sees another value"
	}
	if len(release) > 0 {
		r.Why += ", and it is assumed that " + strings.Join(release, " and ") +
			" releases its locks then"
	}
}
