// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package avp

import (
	"github.com/commutego/commute/internal/check/reorder"
	"github.com/commutego/commute/internal/event"
)

// Options say how hard to look.
type Options struct {
	Window   int // how many events are looked at together; 0: DefaultWindow
	Budget   int // how many states are visited in a window; 0: DefaultBudget
	Switches int // of threads, in orders that are tried where the budget is used up; 0: 4

	// Modes, for experiments. What is found is the same in all of them, but for Bound: they change
	// what it costs.
	NoTAS       bool // no trace atomicity segments, in filters and in the search
	NoStatic    bool // no static check, section III.C, neither of the window nor of the segment
	NoForest    bool // no conditions of package forest
	NoReduction bool // no ample sets: the search tries all threads in each state
	Bound       bool // only orders with so many switches are looked for, from the start

	// Recorded says that the trace is one that commute has recorded: see package reorder.
	Recorded bool
}

// The defaults of Options.
const (
	DefaultWindow   = 20000
	DefaultBudget   = 200000
	DefaultSwitches = 4
)

// Counts are of transactions: how many there are, and what became of them. The numbers of what
// filters passed add up to Filtered.
type Counts struct {
	All, Filtered, Found, None, GaveUp uint64

	Static    uint64 // that the static check passed on the window
	StaticTAS uint64 // and on their trace atomicity segments
	Forest    uint64 // that the conditions of package forest passed

	Segments uint64 // how many trace atomicity segments were determined
	Inside   uint64 // how many steps those have together
	Around   uint64 // how many steps their windows have together

	States uint64 // that searches have visited
}

// Add adds other counts.
func (c *Counts) Add(d *Counts) {
	for _, n := range [...]struct {
		sum *uint64
		add uint64
	}{
		{&c.All, d.All}, {&c.Filtered, d.Filtered}, {&c.Found, d.Found}, {&c.None, d.None},
		{&c.GaveUp, d.GaveUp}, {&c.Static, d.Static}, {&c.StaticTAS, d.StaticTAS},
		{&c.Forest, d.Forest}, {&c.Segments, d.Segments}, {&c.Inside, d.Inside},
		{&c.Around, d.Around}, {&c.States, d.States},
	} {
		*n.sum += n.add
	}
}

// A Checker takes the events of a trace, and looks at them in windows.
type Checker struct {
	Counts     Counts
	options    Options
	relation   *event.Relation
	found      func(*Violation) bool // it reports whether no more are wanted
	enough     bool
	minimizing int     // states that are left to have few switches in witnesses
	unproven   []error // orders that were not told of; there should be none

	before reorder.State // where the window begins
	steps  []reorder.Step
	events []event.Event
	first  uint64             // the index of the first of them
	groups map[[4]uint32]int  // tries that failed, by the places of a candidate and its locks
	told   map[[3]uint32]bool // what was found, by places
}

// New is a checker for streams whose access points conflict as in relation, which may be nil and
// may change. It calls found for each violation, until that reports that no more are wanted.
func New(relation *event.Relation, o Options, found func(*Violation) bool) *Checker {
	if o.Window == 0 {
		o.Window = DefaultWindow
	}
	if o.Budget == 0 {
		o.Budget = DefaultBudget
	}
	if o.Switches == 0 {
		o.Switches = DefaultSwitches
	}
	return &Checker{
		relation: relation, options: o, found: found, groups: make(map[[4]uint32]int),
		told: make(map[[3]uint32]bool), minimizing: minimizeAll, before: reorder.State{Recorded: o.Recorded, Most: o.Window + 1},
	}
}

// Take takes the next event, and the step that it is. It reports whether no more are wanted.
func (c *Checker) Take(e *event.Event, s reorder.Step) bool {
	c.steps, c.events = append(c.steps, s), append(c.events, *e)
	if len(c.steps) >= c.options.Window {
		half := c.options.Window / 2
		c.window(half)
		c.pass(half)
	}
	return c.enough
}

// pass has some steps be before the next window.
func (c *Checker) pass(steps int) {
	for i := range steps {
		c.before.Add(&c.steps[i], &c.events[i], c.first+uint64(i))
	}
	c.first += uint64(steps)
	c.steps = append(c.steps[:0], c.steps[steps:]...)
	c.events = append(c.events[:0], c.events[steps:]...)
}

// Cut says that what was taken so far stays before what comes: no window has both.
func (c *Checker) Cut() {
	c.window(len(c.steps))
	c.pass(len(c.steps))
}

// End says that there are no more events.
func (c *Checker) End() { c.window(len(c.steps)) }

// window looks at the transactions that begin among the first steps of those that are there.
func (c *Checker) window(steps int) {
	if c.enough {
		return
	}
	begins := uint64(0)
	for i := range steps {
		if c.steps[i].Op == reorder.Begin {
			begins++
		}
	}
	c.Counts.All += begins
	if begins == 0 {
		return
	}
	w := newWindow(c, c.before.Piece(c.steps, c.events, c.first))
	if end := c.first + uint64(steps); c.options.Recorded && c.before.Open() > c.options.Window {
		// Threads do very much between two places of synchronization, and not all of it is known.
		// Filters need no accesses of before: without them, more orders are possible.
		w.filter(end)
		w.giveUp()
	} else {
		w.look(end)
	}
}
