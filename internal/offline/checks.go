// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package offline

import (
	"fmt"
	"strings"

	"github.com/commutego/commute/internal/check/aerodrome"
	"github.com/commutego/commute/internal/check/avp"
	"github.com/commutego/commute/internal/check/callrace"
	"github.com/commutego/commute/internal/check/fasttrack"
	"github.com/commutego/commute/internal/check/forest"
	"github.com/commutego/commute/internal/check/frontier"
	"github.com/commutego/commute/internal/check/hb"
	"github.com/commutego/commute/internal/check/lockorder"
	"github.com/commutego/commute/internal/check/velodrome"
	"github.com/commutego/commute/internal/engine/advice"
	"github.com/commutego/commute/internal/engine/commrace"
	"github.com/commutego/commute/internal/event"
	"github.com/commutego/commute/internal/trace"
	"github.com/commutego/commute/internal/trace/tracefile"
)

// A Check is an algorithm.
type Check struct {
	Name, Short string
	about       ops // what it needs to find anything: one of these
	fresh       func(*event.Relation) checker
}

// Ops is a set of operations: bit i is that of number i.
type ops uint32

func setOf(list ...event.Kind) (s ops) {
	for _, op := range list {
		s |= 1 << op
	}
	return s
}

// What checks are about.
var (
	transactions = setOf(event.Begin)
	accesses     = setOf(event.Read, event.Write)
	calls        = setOf(event.Touch)
	locks        = setOf(event.Acquire)
)

// Checks lists all checks.
var Checks = []Check{
	{"frontier", "atomicity: each cycle of transactions, at the event that closes it", transactions,
		atomicity(func(r *event.Relation) event.Checker { return frontier.New(r) })},
	{"velodrome", "atomicity: the same, and the cycle (slower)", transactions,
		atomicity(func(r *event.Relation) event.Checker { return velodrome.New(r) })},
	{"transactions", "atomicity: each place, and a cycle, as a running program finds them",
		transactions, checkTransactions},
	{"predictions", "atomicity: what another order of locks would break, as a run predicts it",
		transactions, checkPredictions},
	{"avp", "atomicity: what another order of the events would break, with that order",
		transactions, checkAVP},
	{"aerodrome", "atomicity: the first violation that AeroDrome declares", transactions,
		atomicity(func(r *event.Relation) event.Checker { return aerodrome.New(r) })},
	{"aerodrome-basic", "atomicity: AeroDrome's Algorithm 1 as printed (slow)", transactions,
		atomicity(func(r *event.Relation) event.Checker { return aerodrome.NewBasic(r) })},
	{"forest-conflict", "atomicity: what holds in every order of locks, and orders that break it",
		transactions, proofs(forest.Conflict)},
	{"forest-view", "atomicity: the same by what reads see, and by what is written last",
		transactions, proofs(forest.View)},
	{"block", "atomicity: the same, of each two transactions only", transactions,
		proofs(forest.Block)},
	{"reduction", "atomicity: what holds in every order, and what may not (false alarms)",
		transactions, proofs(forest.Reduction)},
	{"goodlock", "deadlocks that another order of events may lead to", locks, checkDeadlocks},
	{"hb", "data races: each access that happens-before doesn't order", accesses,
		races(func(r *event.Relation) event.RaceChecker { return hb.New(r) })},
	{"fasttrack", "data races: the first of each variable, and perhaps more (faster)", accesses,
		races(func(r *event.Relation) event.RaceChecker { return fasttrack.New(r) })},
	{"commute", "commutativity races of calls that touch access points", calls,
		races(func(r *event.Relation) event.RaceChecker {
			return &outside{Checker: callrace.New(r)}
		})},
	{"calls", "the same as a running program finds them: equal values, checks and acts", calls,
		checkCalls},
	{"sections", "checks and acts in two critical sections, as a running program finds them", 0,
		checkSections},
	{"metainfo", "how many events, threads, locks, variables, transactions there are", 0,
		func(*event.Relation) checker { return new(MetaInfo) }},
}

// Default returns the checks of everything that a trace can have data for: transactions, accesses
// to memory, and calls. For a trace that commute recorded, these are the checks of a running
// program.
func Default(f *tracefile.File) (list []Check) {
	names := []string{"frontier", "hb", "commute"}
	if p := f.Tables().Program; predictable(p) {
		names = []string{"transactions", "predictions", "hb", "calls"}
		if p.Sections {
			names = append(names, "sections")
		}
	} else if p != nil && p.Calls {
		names = []string{"transactions", "hb", "calls"} // recorded by an earlier release
	}
	for _, name := range names {
		c, _ := Find(name)
		list = append(list, c)
	}
	return list
}

// Find returns the check with a name.
func Find(name string) (Check, bool) {
	for _, c := range Checks {
		if c.Name == name {
			return c, true
		}
	}
	return Check{}, false
}

// Named returns the checks with the given names.
func Named(names []string) (list []Check, err error) {
	for _, name := range names {
		c, ok := Find(name)
		if !ok {
			return nil, fmt.Errorf("unknown check %q (there are %s)", name,
				strings.Join(Names(), ", "))
		}
		list = append(list, c)
	}
	return list, nil
}

// Names lists the names of all checks.
func Names() (names []string) {
	for _, c := range Checks {
		names = append(names, c.Name)
	}
	return names
}

// A checker takes the events of a trace.
type checker interface {
	// take takes events, tells what it finds, and reports whether it needs no more.
	take(events []event.Event, all bool, found func(Finding)) (enough bool)
}

// A stepChecker is one that takes the steps of calls as well.
type stepChecker interface {
	checker
	setSteps([]trace.CallStep) // of the events that are taken next
	end(all bool, found func(Finding))
}

// A Finding is one violation, race or deadlock. Its numbers refer to the trace's tables.
type Finding struct {
	At          event.Step         // the event at which it is found
	Transaction *event.Transaction // that violates atomicity
	Cycle       *velodrome.Cycle   // begins with Transaction; nil if the check gives no cycle
	First       *event.Step        // the other side of a race
	Keyed       bool               // of a race that check calls has found: the calls race on a key
	Breach      *Breach            // how the race breaks a check and act, nil if it doesn't
	Count       *int               // pairs of stacks with such a race, at the end; nil: unknown
	Forecast    *Forecast          // of a violation that did not happen, and could have
	Witness     *avp.Witness       // the order in which it is found, if it isn't the trace's
	Sections    *SectionRace       // a check and an act in two critical sections
	Potential   *forest.Alarm      // of a violation that another order of locks may lead to
	Deadlock    lockorder.Cycle    // of threads, which another order of locks may lead to
	calls       *advice.Calls      // of a race that the engine has found: its methods
	sync        []velodrome.Edge   // of a violation: see replay.Violation
	table       *commrace.Table    // and of the calls of its last conflict, if it is one
	group       violationGroup     // of a violation that a run would tell, if its code is known
}

type atomicityChecker struct {
	event.Checker
	index   uint64
	nothing event.Event // stands for one that conflicts with nothing
	program *trace.Program
	rules   Rules
}

func atomicity(fresh func(*event.Relation) event.Checker) func(*event.Relation) checker {
	return func(r *event.Relation) checker { return &atomicityChecker{Checker: fresh(r)} }
}

func (c *atomicityChecker) take(events []event.Event, all bool, found func(Finding)) bool {
	check := c.Checker
	for i := range events {
		e := &events[i]
		if e.Flags&event.Silent != 0 {
			c.nothing = event.Event{Op: event.Acquire, Thread: e.Thread, Target: trace.NoLock,
				Pos: e.Pos}
			e = &c.nothing
		}
		if !check.Event(e) {
			continue
		}
		t := check.Violation()
		f := Finding{At: event.Step{Index: c.index + uint64(i), Event: events[i]}, Transaction: &t}
		if v, ok := check.(*velodrome.Checker); ok {
			cycle := v.Cycle()
			f.Cycle = &cycle
		}
		if c.hushed(&f) {
			continue
		}
		found(f)
		if !all {
			return true
		}
	}
	c.index += uint64(len(events))
	return false
}

// hushed reports whether a rule matches a violation: in a stack of its cycle, as far as that is
// known.
func (c *atomicityChecker) hushed(f *Finding) bool {
	if f.Cycle == nil {
		return c.rules.hush(c.program, &f.At.Event)
	}
	for i := range f.Cycle.Edges {
		e := &f.Cycle.Edges[i]
		if c.rules.hush(c.program, &e.Tail.Event, &e.Head.Event) {
			return true
		}
	}
	return false
}

type raceChecker struct {
	event.RaceChecker
	told    map[[3]uint32]bool // what they access, if neither has a position, and their positions
	nothing event.Event        // stands for one that orders nothing
	settler
	one [1]event.Race
}

func races(fresh func(*event.Relation) event.RaceChecker) func(*event.Relation) checker {
	return func(r *event.Relation) checker {
		return &raceChecker{RaceChecker: fresh(r), told: make(map[[3]uint32]bool)}
	}
}

// take tells of each two positions one race.
func (c *raceChecker) take(events []event.Event, all bool, found func(Finding)) bool {
	check := c.RaceChecker
	for i := range events {
		e := &events[i]
		if e.Flags&event.Only != 0 {
			c.nothing = event.Event{Op: event.Begin, Thread: e.Thread}
			e = &c.nothing
		}
		if !check.Event(e) {
			continue
		}
		for _, race := range c.races() {
			if c.tell(race, found) && !all {
				return true
			}
		}
	}
	return false
}

// races are those of the last event: of a recorded trace's call all, since not all may be reported.
func (c *raceChecker) races() []event.Race {
	if calls, ok := c.RaceChecker.(*outside); ok && c.program.Recorded() {
		return calls.Races()
	}
	c.one[0] = c.Race()
	return c.one[:]
}

// tell tells of a race and reports whether it is new, and wanted.
func (c *raceChecker) tell(race event.Race, found func(Finding)) bool {
	key := [3]uint32{0, race.First.Event.Pos, race.Second.Event.Pos}
	if key[1] == 0 && key[2] == 0 {
		key[0] = race.Second.Event.Target
	}
	if c.told[key] {
		return false
	}
	c.told[key] = true
	count, wanted := c.wants(&race)
	if wanted {
		found(Finding{At: race.Second, First: &race.First, Count: count})
	}
	return wanted
}

// outside is a check of calls for which synchronization inside of a call orders no other call's
// inside. A thread acquires what a call has released only outside of calls. So each lock has two
// places for clocks.
type outside struct {
	*callrace.Checker
	own, inside event.Event // lest they be allocated
}

func (c *outside) Event(e *event.Event) bool {
	hidden := e.Flags&event.Hidden != 0
	c.own = *e
	own := &c.own
	switch e.Op {
	case event.Acquire:
		own.Target = 2 * e.Target
		if !hidden {
			c.inside = *own
			c.inside.Target++
			c.Order(&c.inside)
		}
	case event.Release, event.ReleaseMerge:
		own.Target = 2 * e.Target
		if hidden {
			own.Op = event.ReleaseMerge
			own.Target++
		}
	}
	return c.Checker.Event(own)
}
