// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package offline

import (
	"slices"
	"strings"

	"github.com/commutego/commute/internal/engine/term"
	"github.com/commutego/commute/internal/event"
	"github.com/commutego/commute/internal/trace"
	"github.com/commutego/commute/internal/trace/spec"
)

// A Level says which races of calls are reported. It is the option level of programs that commute
// watches. 0 is [All].
type Level int

// Levels.
const (
	Violations Level = iota + 1 // none
	Updates                     // also races by the user's specifications, and of two writers
	Races                       // all but arbitration
	All
)

// Levels maps the names of levels to levels.
var Levels = map[string]Level{"violations": Violations, "updates": Updates, "races": Races,
	"all": All}

// A callPair is two calls that don't commute.
type callPair struct {
	first, second trace.Call
	formula       trace.Formula
	stated        bool // formula is known
}

// pairOf is what the trace tells of two touches; ok is false if it doesn't tell the roles of the
// methods.
func pairOf(p *trace.Program, first, second *event.Event) (c callPair, ok bool) {
	a, ok := p.CallAt(first.Pos)
	b, ok2 := p.CallAt(second.Pos)
	c = callPair{first: a, second: b}
	if !ok || !ok2 {
		return c, false
	}
	c.formula, c.stated = p.Formula(a, b)
	return c, a.Method.Role != "" && b.Method.Role != ""
}

// effect classes a race by what its calls are for; keyed says that they meet on a key.
func (c *callPair) effect(keyed bool) string {
	a, b := c.methods()
	return term.Effect(a.Role, b.Role, keyed, c.formula.Results)
}

// readBesideWrite reports whether one of the calls only looks.
func (c *callPair) readBesideWrite() bool {
	a, b := c.methods()
	return a.Role == term.Observer || b.Role == term.Observer
}

// looksAgain reports whether one of the calls is the first look of double-checked locking, and the
// other is made by the same function, as in a run.
func (c *callPair) looksAgain(p *trace.Program, first, second *event.Event) bool {
	a, b := c.methods()
	return a.Role == term.Observer && c.first.Site.Flags&spec.Again != 0 &&
		b.Role != term.Observer && madeIn(p, second, first) ||
		b.Role == term.Observer && c.second.Site.Flags&spec.Again != 0 &&
			a.Role != term.Observer && madeIn(p, first, second)
}

// madeIn reports whether an event is made in the function of another, or by what that calls.
func madeIn(p *trace.Program, e, of *event.Event) bool {
	outer := p.Stack(of.Pos)
	return len(outer) > 0 && slices.ContainsFunc(p.Stack(e.Pos), func(fr trace.Frame) bool {
		return fr.Func == outer[0].Func || strings.HasPrefix(fr.Func, outer[0].Func+".func")
	})
}

// methods are those of the two calls, for package term: its roles are the first letters of ours.
func (c *callPair) methods() (first, second term.Method) {
	of := func(m trace.MethodOf) term.Method {
		if m.Role == "" {
			return term.Method{Name: m.Name}
		}
		return term.Method{Name: m.Name, Role: m.Role[0]}
	}
	return of(c.first.Method), of(c.second.Method)
}

// declaration is that of what the calls are made on, as far as it's known.
func (c *callPair) declaration() trace.Site {
	if c.second.Site.Rank() > c.first.Site.Rank() {
		return c.second.Site
	}
	return c.first.Site
}

// reported reports whether a watched program would report a race of two calls at a level.
func reported(p *trace.Program, level Level, first, second *event.Event) bool {
	c, ok := pairOf(p, first, second)
	if !ok {
		return true // an old trace: it doesn't tell
	}
	flags := c.first.Site.Flags | c.second.Site.Flags
	d := c.declaration()
	switch {
	case c.byLibrary():
		return false
	case level < All && c.looksAgain(p, first, second):
		return false
	case level == Violations, level < All && c.effect(true) == term.Arbitration,
		level == Updates && flags&spec.Shipped != 0 && c.readBesideWrite():
		return false
	case flags&spec.Ignored != 0, d.Name != "" && d.Flags&spec.Meant != 0:
		return false
	}
	return true
}

// byLibrary reports whether the standard library makes both calls on an object of its own, which
// the user can't change.
func (c *callPair) byLibrary() bool {
	flags := c.first.Site.Flags & c.second.Site.Flags
	return flags&spec.ByLibrary != 0 && librarys(c.first.Method.Type)
}

// librarys reports whether the standard library has objects of a type of its own.
func librarys(typ string) bool {
	return strings.HasPrefix(typ, "sync.") || strings.HasPrefix(typ, "expvar.")
}

// explain says in one line what an effect means for the calls.
func (c *callPair) explain(effect string) string {
	first, second := c.methods()
	parts := term.Why(effect, first, second, c.formula.Results)
	return strings.Join(parts[:], "")
}

// A lines is the two lines of the source at which the two sides of a race are, by their innermost
// frames, and the methods.
type lines struct {
	first, second place
}

type place struct {
	file, method string
	line         uint32
}

// linesOf is the lines of two events, in an order that doesn't depend on which came first. If one
// line isn't known, ok is false.
func linesOf(p *trace.Program, first, second *event.Event) (l lines, ok bool) {
	a, b := placeOf(p, first), placeOf(p, second)
	if a == (place{}) || b == (place{}) {
		return l, false
	}
	if strings.Compare(a.file, b.file) > 0 ||
		a.file == b.file && (a.line > b.line || a.line == b.line && a.method > b.method) {
		a, b = b, a
	}
	return lines{a, b}, true
}

// placeOf is the place of an event, none if it isn't known.
func placeOf(p *trace.Program, e *event.Event) place {
	stack := p.Stack(e.Pos)
	if len(stack) == 0 {
		return place{}
	}
	call, _ := p.CallAt(e.Pos)
	return place{stack[0].File, call.Method.Name, stack[0].Line}
}

// A settler decides for a race checker which races of a recorded trace are told. It counts the
// races at the same lines of the source.
type settler struct {
	program *trace.Program
	level   Level
	rules   Rules
	groups  map[lines]*int
}

// wants reports whether a race is told. A race is not told if a rule suppresses it, if its level
// is not asked for, or if one at the same two lines was told before. Count is the number of pairs
// of stacks with races at the lines, nil if that's not known.
func (s *settler) wants(race *event.Race) (count *int, wanted bool) {
	if !s.program.Recorded() {
		return nil, true
	}
	first, second := &race.First.Event, &race.Second.Event
	if s.rules.hush(s.program, first, second) {
		return nil, false
	}
	if second.Op == event.Touch && s.level != 0 && s.level != All &&
		!reported(s.program, s.level, first, second) {
		return nil, false
	}
	l, ok := linesOf(s.program, first, second)
	if !ok {
		return nil, true
	}
	if n := s.groups[l]; n != nil {
		*n++
		return nil, false
	}
	if s.groups == nil {
		s.groups = make(map[lines]*int)
	}
	n := 1
	s.groups[l] = &n
	return &n, true
}
