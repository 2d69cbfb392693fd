// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package offline

import (
	"errors"

	"github.com/commutego/commute/internal/check/forest"
	"github.com/commutego/commute/internal/event"
	"github.com/commutego/commute/internal/trace"
	"github.com/commutego/commute/internal/trace/tracefile"
	"github.com/commutego/commute/report"
)

// Proofs counts the transactions of a trace that a check has proven to be atomic in every order,
// those that are not atomic in some order, and the others. For a trace that commute has recorded,
// there are also Marks.
type Proofs struct {
	Proven, Alarms, GaveUp uint64
	Marks                  []report.Mark
}

// A proofChecker proves transactions, or finds orders that break them. It tells at the end.
type proofChecker struct {
	*forest.Checker
	relation *event.Relation
	method   forest.Method
	proofs   *Proofs
	recorded *recordedProofs  // nil if no program has recorded the trace
	steps    []trace.CallStep // of the events that are taken next
	told     map[potentialKey]bool
}

func proofs(m forest.Method) func(*event.Relation) checker {
	return func(r *event.Relation) checker {
		return &proofChecker{Checker: forest.New(r), relation: r, method: m,
			proofs: new(Proofs), told: make(map[potentialKey]bool)}
	}
}

// needsMutexes reports whether a check goes by which locks are mutexes.
func (c *Check) needsMutexes() bool {
	switch c.fresh(nil).(type) {
	case *proofChecker, *deadlockChecker:
		return true
	}
	return false
}

// errLocks is why a trace is refused.
var errLocks = errors.New("it needs to know which locks are mutexes, and that is told by the " +
	"formats std and roadrunner, and by what this release of commute records with -trace " +
	"(record it anew, and don't cut it; or have \"commute trace convert\" write std)")

// provable is nil if the locks of a trace are known to be mutexes: in which order they were taken
// makes no difference then. Otherwise proofs would be wrong.
func provable(f *tracefile.File, mutexes *bool) error {
	if predictable(f.Tables().Program) {
		return nil
	}
	if is := f.Tables().Mutexes; f.Tables().Program.Recorded() || mutexes == nil && !is ||
		mutexes != nil && !*mutexes {
		return errLocks
	}
	return nil
}

func (c *proofChecker) setSteps(list []trace.CallStep) { c.steps = list }

func (c *proofChecker) take(events []event.Event, _ bool, _ func(Finding)) bool {
	if c.recorded != nil {
		c.recorded.take(events, c.steps)
		return false
	}
	for i := range events {
		c.Event(&events[i])
	}
	return false
}

// A potentialKey is what findings have in common of which one is told.
type potentialKey struct {
	pos     [4]uint32
	targets [4]uint32
	locked  [2]bool
}

// end tells one finding for each two nodes, by their places.
func (c *proofChecker) end(all bool, found func(Finding)) {
	list := 0
	tell := func(x *forest.Alarm) {
		if c.wants(x) && (all || list == 0) {
			list++
			found(Finding{At: x.Nodes[1].From, Transaction: &x.Transaction, Potential: x})
		}
	}
	if c.recorded != nil {
		c.recorded.end(c.proofs, tell)
		return
	}
	r := c.Finish(c.method)
	*c.proofs = Proofs{Proven: r.Proven, Alarms: r.Alarmed(), GaveUp: r.GaveUp}
	for i := range r.Alarms {
		tell(&r.Alarms[i])
	}
}

// wants reports whether nothing is told so far of two nodes.
func (c *proofChecker) wants(x *forest.Alarm) bool {
	var key potentialKey
	for k, n := range x.Nodes {
		key.locked[k] = n.Locked
		for j, e := range [...]event.Event{n.From.Event, n.To.Event} {
			key.pos[2*k+j] = e.Pos
			if c.recorded == nil {
				key.targets[2*k+j] = e.Target // else it is of that object only
			}
		}
	}
	if c.told[key] {
		return false
	}
	c.told[key] = true
	return true
}

// addPotential adds how another order would break a transaction.
func addPotential(file *tracefile.File, r *report.Finding, x *forest.Alarm) {
	r.Evidence = report.Potential
	for _, n := range x.Nodes {
		node := report.Node{From: eventOf(file, n.From), To: eventOf(file, n.To)}
		if n.Locked {
			node.Lock = file.Tables().Target(&event.Event{Op: event.Acquire, Target: n.Lock})
		}
		r.Nodes = append(r.Nodes, node)
	}
	for i := range x.Units {
		r.Units = append(r.Units, transactionOf(file, &x.Units[i]))
	}
	if len(x.Witness) > 0 {
		r.Witness = new(report.Witness)
	}
	for i, s := range x.Witness {
		r.Witness.Events = append(r.Witness.Events, eventOf(file, s))
		if i > 0 && s.Event.Thread != x.Witness[i-1].Event.Thread {
			r.Witness.Switches++
		}
	}
}
