// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package offline

import (
	"github.com/commutego/commute/internal/engine/commrace"
	"github.com/commutego/commute/internal/engine/term"
	"github.com/commutego/commute/internal/event"
	"github.com/commutego/commute/internal/offline/replay"
	"github.com/commutego/commute/internal/trace"
	"github.com/commutego/commute/internal/trace/spec"
)

// A Breach says how a race of calls breaks a check and act: a call, and another call that the
// program made depending on the result of the first.
type Breach struct {
	Check     event.Step // a touch of the check
	Depth     int        // the functions through which the check was made
	ActFirst  bool       // the act is the earlier side of the race; else it is the later
	Violation commrace.Violation
	Effect    string
}

// A callChecker has the engine check the calls of a recorded program, and decides which of the
// races are told, as the program does.
type callChecker struct {
	*replay.Replay
	relation *event.Relation
	program  *trace.Program
	level    Level
	rules    Rules
	steps    []trace.CallStep // of the events that are taken next

	races []Finding
	told  map[callGroup]*toldCall
}

// A callGroup is all races at some lines of the source, on objects of one declaration. If they
// break a check and act, the first place is the act's.
type callGroup struct {
	first, second, check place
	declared             string
}

type toldCall struct {
	count     int
	violation commrace.Violation
}

func checkCalls(r *event.Relation) checker {
	return &callChecker{relation: r, told: make(map[callGroup]*toldCall)}
}

// start begins the check of a program's trace.
func (c *callChecker) start(program *trace.Program, level Level) {
	c.program, c.level = program, level
	if program != nil && program.Calls {
		c.Replay = replay.New(program, func(r replay.Race) { c.race(&r) })
	}
}

func (c *callChecker) take(events []event.Event, all bool, found func(Finding)) bool {
	if c.Replay == nil {
		return false
	}
	c.Relation(c.relation)
	c.Events(events, c.steps)
	for i := range c.races {
		if found(c.races[i]); !all {
			return true
		}
	}
	c.races = c.races[:0]
	return false
}

func (c *callChecker) setSteps(steps []trace.CallStep) { c.steps = steps }

// end is told that there are no more events.
func (c *callChecker) end(bool, func(Finding)) {
	if c.Replay != nil {
		c.Close()
	}
}

// race takes a race that was found.
func (c *callChecker) race(r *replay.Race) {
	pair, ok := pairOf(c.program, &r.First.Event, &r.Second.Event)
	if !ok {
		return
	}
	f := Finding{At: r.Second, First: &r.First, Keyed: r.Keyed}
	effect := pair.effect(r.Keyed)
	if r.Violation != commrace.NoViolation {
		effect = breachEffect(r)
		f.Breach = &Breach{r.Check, r.Depth, !r.ActSecond, r.Violation, effect}
	}
	if !c.wants(r, &pair, effect) {
		return
	}
	g, near := c.group(r, &pair)
	told := c.told[g]
	switch {
	case told == nil:
		told = &toldCall{violation: r.Violation}
		c.told[g] = told
		if near != (callGroup{}) {
			c.told[near] = told // other races of these functions are part of it
		}
	case told.violation < r.Violation:
		told.violation = r.Violation // it is worse than what was known
	default:
		told.count++
		return
	}
	told.count++
	f.Count, f.calls = &told.count, callsOf(r, effect)
	c.races = append(c.races, f)
}

// wants reports whether a race counts: at the level that is asked for, and by the comments in the
// source.
func (c *callChecker) wants(r *replay.Race, pair *callPair, effect string) bool {
	level := c.level
	if level == 0 {
		level = All
	}
	breaks := r.Violation != commrace.NoViolation
	flags := pair.first.Site.Flags | pair.second.Site.Flags
	if breaks {
		check, _ := c.program.CallAt(r.Check.Event.Pos)
		flags |= check.Site.Flags & spec.Ignored
		if stack := c.program.Stack(r.Check.Event.Pos); len(stack) > r.Depth &&
			c.rules.match(stack[r.Depth].Func, stack[r.Depth].File) {
			return false
		}
	}
	d := pair.declaration()
	switch {
	case pair.byLibrary(), c.rules.hush(c.program, &r.First.Event, &r.Second.Event):
		return false
	case effect == term.Arbitration && level < All,
		level == Violations && r.Violation != commrace.Observed &&
			r.Violation != commrace.Predicted,
		level < All && !breaks && pair.looksAgain(c.program, &r.First.Event, &r.Second.Event),
		level == Updates && !breaks && flags&spec.Shipped != 0 && pair.readBesideWrite(),
		level < All && !breaks && r.Table.Derived():
		return false
	case flags&spec.Ignored != 0, d.Name != "" && d.Flags&spec.Meant != 0 && !breaks:
		return false
	}
	return true
}

// group is the group that a race belongs to: that of its check and act, or of its two functions.
// Near is the group of the functions, of a race that breaks a check and act.
func (c *callChecker) group(r *replay.Race, pair *callPair) (g, near callGroup) {
	d := pair.declaration()
	declared := d.Name + " " + d.At
	if d.Name != "" {
		near = callGroup{declared: declared, first: c.function(&r.First.Event),
			second: c.function(&r.Second.Event)}
		if near.first.file > near.second.file {
			near.first, near.second = near.second, near.first
		}
	}
	if r.Violation == commrace.NoViolation {
		if near != (callGroup{}) {
			return near, callGroup{}
		}
		l, _ := linesOf(c.program, &r.First.Event, &r.Second.Event)
		return callGroup{declared: declared, first: l.first, second: l.second}, near
	}
	act := &r.Second.Event
	if !r.ActSecond {
		act = &r.First.Event
	}
	check := c.place(&r.Check.Event)
	if r.Depth > 0 {
		fr := c.program.Stack(r.Check.Event.Pos)[r.Depth]
		check.file, check.line = fr.File, fr.Line
	}
	return callGroup{declared: declared, first: c.place(act), check: check}, near
}

// function stands for the function of an event.
func (c *callChecker) function(e *event.Event) place {
	if stack := c.program.Stack(e.Pos); len(stack) > 0 {
		return place{file: stack[0].Func}
	}
	return place{}
}

func (c *callChecker) place(e *event.Event) place { return placeOf(c.program, e) }

// breachEffect classes what comes of a check and act that is broken.
func breachEffect(r *replay.Race) string {
	act, other := &r.Table.Methods[r.Act().Method], &r.Table.Methods[r.Interfering().Method]
	results := r.Table.Formula(r.Race.First.Method, r.Race.Second.Method).OnlyResults()
	twice := r.Violation == commrace.SymmetricCheck || r.SameCode && foundNothing(r)
	return term.ViolationEffect(byte(act.Role), byte(other.Role), twice, results)
}

// foundNothing reports whether all that the check returned is zero.
func foundNothing(r *replay.Race) bool {
	args := r.Race.Check.Args()
	n := r.Table.Methods[r.Race.Check.Method].NParams()
	if r.ValueUnknown || n >= len(args) {
		return false
	}
	for i := range args[n:] {
		if !replay.IsZero(&args[n+i]) {
			return false
		}
	}
	return true
}
