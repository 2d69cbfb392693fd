// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package offline

import (
	"strings"

	"github.com/commutego/commute/internal/event"
	"github.com/commutego/commute/internal/offline/replay"
	"github.com/commutego/commute/internal/trace"
)

// A transactionChecker has the engine check the transactions of a trace, and decides which of the
// violations are told, as a run does.
type transactionChecker struct {
	*replay.Replay
	relation *event.Relation
	program  *trace.Program
	rules    Rules
	steps    []trace.CallStep // of the events that are taken next

	violations []Finding
	told       map[violationGroup]bool
}

// A violationGroup is all violations of the transactions of some code between two of its lines.
type violationGroup struct {
	name, at    string // of the code, and its mark
	first, last trace.Frame
}

func checkTransactions(r *event.Relation) checker {
	return &transactionChecker{relation: r, told: make(map[violationGroup]bool)}
}

// start begins the check of the trace of a program, if it is one.
func (c *transactionChecker) start(program *trace.Program) {
	c.program = program
	c.Replay = replay.NewTransactions(program, c.violation)
}

func (c *transactionChecker) setSteps(steps []trace.CallStep) { c.steps = steps }

func (c *transactionChecker) take(events []event.Event, all bool, found func(Finding)) bool {
	c.Relation(c.relation)
	c.Events(events, c.steps)
	return c.tell(all, found)
}

// tell tells of violations, and reports whether no more are wanted.
func (c *transactionChecker) tell(all bool, found func(Finding)) bool {
	for i := range c.violations {
		if found(c.violations[i]); !all {
			return true
		}
	}
	c.violations = c.violations[:0]
	return false
}

// end takes the transactions that still run when the trace ends.
func (c *transactionChecker) end(all bool, found func(Finding)) {
	c.Close()
	c.tell(all, found)
}

// violation takes a violation that was found.
func (c *transactionChecker) violation(v replay.Violation) {
	for i := range v.Cycle.Edges {
		e := &v.Cycle.Edges[i]
		if c.rules.hush(c.program, &e.Tail.Event, &e.Head.Event) {
			return
		}
	}
	g, ok := groupOf(c.program, &v.Transaction, &v.Cycle.Edges[0].Tail.Event, &v.At.Event)
	if ok && c.told[g] {
		return
	}
	c.told[g] = ok
	c.violations = append(c.violations,
		Finding{At: v.At, Transaction: &v.Transaction, Cycle: &v.Cycle, group: g, sync: v.Sync,
			table: v.Table})
}

// groupOf is the group of a violation, which begins at one event of the transaction and ends at
// another. If the code isn't known, ok is false.
func groupOf(
	program *trace.Program, t *event.Transaction, first, last *event.Event,
) (g violationGroup, ok bool) {
	g.name, g.at = program.Begins(t.Pos)
	if g.name == "" {
		return violationGroup{}, false
	}
	g.first, g.last = frameIn(program, g.name, first), frameIn(program, g.name, last)
	return g, true
}

// frameIn is the frame of an event that is of a marked function. If there is none, it is the
// innermost one that is not of the library. The name of a block begins with its function's.
func frameIn(program *trace.Program, name string, e *event.Event) (found trace.Frame) {
	for _, f := range program.Stack(e.Pos) {
		rest, within := strings.CutPrefix(name, f.Func)
		if within && (rest == "" || rest[0] == ' ') {
			return f
		}
		if found.File == "" && !ofLibrary(f.Func) {
			found = f
		}
	}
	return found
}
