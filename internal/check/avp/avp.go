// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package avp

import (
	"cmp"

	"github.com/commutego/commute/internal/check/reorder"
	"github.com/commutego/commute/internal/event"
)

// Options are the bounds and modes of the search.
type Options struct {
	Window   int // how many events are looked at together; 0: DefaultWindow
	Budget   int // how many states are visited in a window; 0: DefaultBudget
	Switches int // of threads, in orders that are tried where the budget is used up; 0: 4

	// Modes, for experiments. All modes but Bound have the same findings: they differ in cost.
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

// Counts are numbers of transactions, by their verdicts. The numbers of transactions that filters
// passed add up to Filtered.
type Counts struct {
	All, Filtered, Found, None, GaveUp uint64

	Static    uint64 // transactions that the static check passed on the window
	StaticTAS uint64 // and on their trace atomicity segments
	Forest    uint64 // that the conditions of package forest passed

	Segments uint64 // how many trace atomicity segments were determined
	Inside   uint64 // how many steps these segments have together
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

// A Checker takes the events of a trace, and judges its windows, several at a time. Its results
// don't depend on how many windows it judges at a time.
type Checker struct {
	Counts   Counts
	splitter *Splitter
	found    func(*Violation) bool // it reports whether no more are wanted
	enough   bool
	unproven []error // orders that were not told of; there should be none

	judge   func(n int, w *Window) *Result // see JudgeBy
	windows int                            // how many there were
	judging []chan *Result                 // of windows in the order of the trace
	told    map[[3]uint32]bool             // what was found, by places
}

// New is a checker for streams whose access points conflict as in relation, which may be nil and
// may change. It calls found for each violation, once for each three places: of the transaction and
// of the two events that conflict with it. It stops when found reports that no more violations are
// wanted.
func New(relation *event.Relation, o Options, found func(*Violation) bool) *Checker {
	c := &Checker{found: found, told: make(map[[3]uint32]bool)}
	o = o.withDefaults()
	c.splitter = NewSplitter(relation, o, func(w *Window) {
		for !c.enough && len(c.judging) >= ahead {
			c.merge()
		}
		if !c.enough {
			c.judging = append(c.judging, c.start(w, &o))
		}
	})
	return c
}

// JudgeBy sets a function that is asked for the result of each window before the checker judges it.
// Windows are numbered from 0. The function returns nil if it has no result.
func (c *Checker) JudgeBy(judge func(n int, w *Window) *Result) { c.judge = judge }

// start has a window judged.
func (c *Checker) start(w *Window, o *Options) chan *Result {
	n := c.windows
	c.windows++
	if c.judge != nil {
		if r := c.judge(n, w); r != nil {
			done := make(chan *Result, 1)
			done <- r
			return done
		}
	}
	return start(w, o)
}

// withDefaults has the defaults in place of what is not said.
func (o Options) withDefaults() Options {
	o.Window = cmp.Or(o.Window, DefaultWindow)
	o.Budget = cmp.Or(o.Budget, DefaultBudget)
	o.Switches = cmp.Or(o.Switches, DefaultSwitches)
	return o
}

// Take takes the next event, and the step that it is. It reports whether no more events are wanted.
func (c *Checker) Take(e *event.Event, s reorder.Step) bool {
	c.splitter.Take(e, s)
	return c.enough
}

// Cut says that the events so far stay before all later ones: no window has events of both.
func (c *Checker) Cut() { c.splitter.Cut() }

// End says that there are no more events.
func (c *Checker) End() {
	c.splitter.End()
	for !c.enough && len(c.judging) > 0 {
		c.merge()
	}
}

// Flush reports the results of the windows that have been judged so far. It doesn't wait.
func (c *Checker) Flush() {
	for !c.enough && len(c.judging) > 0 && len(c.judging[0]) > 0 {
		c.merge()
	}
}

// merge tells what was found in the first window that is being judged.
func (c *Checker) merge() {
	r := <-c.judging[0]
	c.judging = c.judging[1:]
	if r.panicked != nil {
		panic(r.panicked)
	}
	c.Counts.Add(&r.Counts)
	c.unproven = append(c.unproven, r.unproven...)
	for _, v := range r.Violations {
		if !c.told[v.Places] && !c.enough {
			c.told[v.Places] = true
			c.enough = c.found(v)
		}
	}
}
