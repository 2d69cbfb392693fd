// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package offline

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/commutego/commute/internal/engine/advice"
	"github.com/commutego/commute/internal/engine/compiled"
	"github.com/commutego/commute/internal/engine/host"
	"github.com/commutego/commute/internal/engine/section"
	"github.com/commutego/commute/internal/engine/term"
	"github.com/commutego/commute/internal/engine/text"
	"github.com/commutego/commute/internal/engine/vclock"
	"github.com/commutego/commute/internal/event"
	"github.com/commutego/commute/internal/offline/replay"
	"github.com/commutego/commute/internal/trace"
	"github.com/commutego/commute/internal/trace/spec"
	"github.com/commutego/commute/internal/trace/tracefile"
	"github.com/commutego/commute/report"
)

// A sectionChecker has the engine check the critical sections of a recorded program, and decides
// which findings are told, as a run does.
type sectionChecker struct {
	*replay.Sections
	program *trace.Program
	level   Level
	rules   Rules
	steps   []trace.SectionStep // of the events that are taken next
	besides bool                // transactions are checked, too

	found  []Finding
	groups []*sectionGroup
}

// A sectionGroup is all that is found of one function's check and act in two critical sections.
// Several pairs of a function belong to one, if the same two sections broke them.
type sectionGroup struct {
	function *trace.SectionFunc
	pairs    []int
	at       [2]vclock.Epoch // the sections of the check and the act, when it was found last
	evidence section.Evidence
	told     bool
}

// A SectionRace is a check and an act in two critical sections that another thread comes between,
// or can.
type SectionRace struct {
	Finding section.Finding // see [replay.NewSections]
	Func    *trace.SectionFunc
}

func checkSections(*event.Relation) checker { return new(sectionChecker) }

// start begins the check over the trace of a program, if it tells of critical sections.
func (c *sectionChecker) start(program *trace.Program, level Level) {
	c.program, c.level = program, level
	if program != nil && program.Sections {
		c.Sections = replay.NewSections(program, c.finding)
	}
}

func (c *sectionChecker) take(_ []event.Event, all bool, found func(Finding)) bool {
	if c.Sections == nil {
		return false
	}
	c.Steps(c.steps)
	return c.tell(all, found)
}

// tell tells of findings, and reports whether no more are wanted. A finding of a marked function is
// not enough: see dropViolated.
func (c *sectionChecker) tell(all bool, found func(Finding)) bool {
	for i := range c.found {
		f := &c.found[i]
		if found(*f); !all && !(c.besides && f.Sections.Func.Marked) {
			return true
		}
	}
	c.found = c.found[:0]
	return false
}

// end takes what is found when the last threads end.
func (c *sectionChecker) end(all bool, found func(Finding)) {
	if c.Sections != nil {
		c.Close()
		c.tell(all, found)
	}
}

// finding takes a finding of the engine.
func (c *sectionChecker) finding(f *trace.SectionFunc, s *section.Finding) {
	g := c.group(f, s)
	if !c.wants(f, s) || c.besides && f.Marked && s.Evidence == section.Observed {
		return // what is observed of a marked function is a violation of its transaction
	}
	if g.told && s.Evidence >= g.evidence {
		return
	}
	g.told, g.evidence = true, s.Evidence
	other := stepOf(&s.Other)
	c.found = append(c.found, Finding{
		At: stepOf(&s.Act), First: &other, Sections: &SectionRace{*s, f},
	})
}

// dropViolated drops what was found of the critical sections of a function whose transactions are
// found to be violated: like a run, an analysis tells of one bug once. If not all is asked for, one
// finding stays.
func dropViolated(checks []CheckResult, all bool) {
	violated := make(map[string]bool)
	for i := range checks {
		for k := range checks[i].Findings {
			violated[checks[i].Findings[k].group.name] = true
		}
	}
	for i := range checks {
		if checks[i].Name != "sections" {
			continue
		}
		c := &checks[i]
		c.Findings = slices.DeleteFunc(c.Findings, func(f Finding) bool {
			return f.Sections.Func.Marked && violated[f.Sections.Func.Code.Name]
		})
		if !all {
			c.Findings = c.Findings[:min(1, len(c.Findings))]
		}
	}
}

// group is the group that a finding belongs to.
func (c *sectionChecker) group(f *trace.SectionFunc, s *section.Finding) *sectionGroup {
	at := [2]vclock.Epoch{s.Check.Epoch, s.Act.Epoch}
	for _, g := range c.groups {
		if g.function == f && (slices.Contains(g.pairs, s.Pair) || g.at == at) {
			if !slices.Contains(g.pairs, s.Pair) {
				g.pairs = append(g.pairs, s.Pair)
			}
			g.at = at
			return g
		}
	}
	g := &sectionGroup{function: f, pairs: []int{s.Pair}, at: at}
	c.groups = append(c.groups, g)
	return g
}

// wants reports whether a finding counts: at the level that is asked for, and by the comments in
// the source.
func (c *sectionChecker) wants(f *trace.SectionFunc, s *section.Finding) bool {
	pair, flags := &f.Pairs[s.Pair], c.program.PairFlags(f, s.Pair)
	switch {
	case c.level == All || c.level == 0:
	case s.Minor(), s.Evidence == section.Twin && c.level == Violations:
		return false
	}
	if flags&spec.PairIgnored != 0 ||
		pair.Shape != compiled.LostUpdate && flags&spec.PairMeant != 0 {
		return false
	}
	if len(c.rules) == 0 {
		return true
	}
	if c.rules.match(pair.Act.Name, f.Code.Name, lineOr(pair.CheckBy, pair.Check).File) {
		return false
	}
	check, act, other := stepOf(&s.Check), stepOf(&s.Act), stepOf(&s.Other)
	return !c.rules.hush(c.program, &check.Event, &act.Event, &other.Event)
}

// lineOr is the line of a call that leads to a touch, or its own if the function touches itself.
func lineOr(by compiled.Line, t *compiled.SectionTouch) compiled.Line {
	if by.Number == 0 {
		return t.At
	}
	return by
}

// stepOf is an event of a finding as a step of the trace.
func stepOf(e *section.Event) event.Step {
	op := event.Write
	if term.SectionNoun(e.Touch.P().Op) == "read" {
		op = event.Read
	}
	s := event.Step{Index: uint64(e.Owner), Event: event.Event{Op: op, Pos: uint32(e.Stack)}}
	if e.Goid != 0 {
		s.Event.Thread = uint32(e.Goid - 1)
	}
	return s
}

// add adds a check and an act in two critical sections to a report.
func (x *SectionRace) add(file *tracefile.File, r *report.Finding) {
	f, p := &x.Finding, file.Tables().Program
	pair := &x.Func.Pairs[f.Pair]
	check, other := x.event(file, &f.Check), x.event(file, &f.Other)
	r.At, r.Previous, r.Decided = x.event(file, &f.Act), &other, &check
	r.Kind, r.Act = report.CheckThenActRace, "at"
	switch f.Evidence {
	case section.Observed:
		r.Evidence = report.Observed
	case section.Predicted:
		r.Evidence = report.Predicted
	default:
		r.Evidence = report.Race
	}
	twin := f.Evidence == section.Twin
	r.Effect = report.Effect(term.SectionEffect(pair.Shape))
	r.Why = term.WhySection(pair.Shape, twin || f.Other.Touch == f.Act.Touch)
	act := f.Act.Touch.P()
	r.Object = &report.Object{
		Type: act.Point, Name: act.Name, DeclaredAt: act.Decl,
		Address: fmt.Sprintf("%#x", f.Object), Keyed: f.Key != 0, Key: p.KeyText(f.Key),
	}
	if f.Key != 0 && r.Object.Key == "" {
		r.Object.KeyHash = fmt.Sprintf("%#x", f.Key)
	}
	from, to := x.lines(r)
	before, after := term.MendSection(pair.Shape, act.Atomic)
	s := &report.Sections{
		Func: x.Func.Code.Name, From: lineText(from), To: lineText(to),
		Check: x.touch(p, &f.Check), Act: x.touch(p, &f.Act), Other: x.touch(p, &f.Other),
		Mend: written(func(b *text.Buffer) { advice.MendSections(b, before, from, to, after) }),
	}
	s.Act.Was = wordText(p, act, f.Act.Was)
	if site := f.Site.P(); site != nil {
		s.Lock, s.Address = site.Lock, fmt.Sprintf("%#x", f.Lock)
	}
	r.Sections = s
}

// lines are those at which the function checks, and acts, of a report that has both.
func (x *SectionRace) lines(r *report.Finding) (from, to compiled.Line) {
	return advice.SectionLines(&x.Func.Pairs[x.Finding.Pair], stackOf(r.Decided.Stack),
		stackOf(r.At.Stack))
}

// stackOf is a stack of a report, as the engine looks at it.
func stackOf(frames []report.Frame) *advice.Stack {
	s := new(advice.Stack)
	for _, fr := range frames {
		s.List = append(s.List, host.Frame{Func: fr.Func, File: fr.File, Line: int(fr.Line)})
	}
	return s
}

func lineText(l compiled.Line) string { return fmt.Sprintf("%s:%d", l.File, l.Number) }

// event is an event of the finding in a trace's own names.
func (x *SectionRace) event(file *tracefile.File, e *section.Event) report.Event {
	s := stepOf(e)
	t, touch := file.Tables(), e.Touch.P()
	r := report.Event{
		Number: s.Index + 1, Thread: t.Threads.Name(s.Event.Thread), Op: s.Event.Op.String(),
		Target: touch.Name, At: t.Pos(s.Event.Pos), Did: term.SectionNoun(touch.Op),
	}
	g, _ := t.Program.Goroutine(s.Event.Thread)
	r.Goroutine, r.Stack = g.ID, frames(t.Program.Stack(s.Event.Pos))
	if len(r.Stack) == 0 {
		line := uint32(touch.At.Number)
		r.Stack = []report.Frame{{Func: x.Func.Code.Name, File: touch.At.File, Line: line}}
	}
	return r
}

// touch is an event of the finding in words.
func (x *SectionRace) touch(p *trace.Program, e *section.Event) report.Touch {
	t := e.Touch.P()
	r := report.Touch{Of: t.Name, Does: term.SectionNoun(t.Op), At: lineText(t.At)}
	switch {
	case t.Op == compiled.Len:
		r.Of = "len(" + t.Name + ")"
	case term.Keyed(t.Op):
		key := p.KeyText(x.Finding.Key)
		if key == "" {
			key = "key"
		}
		r.Of += "[" + key + "]"
	}
	r.Absent = t.Op == compiled.Lookup && e.Value == 0
	if t.Op != compiled.ReadAll {
		r.Value = wordText(p, t, e.Value)
	}
	return r
}

// wordText is the text of the value of a touch for which a word stands, as far as it is known.
func wordText(p *trace.Program, t *compiled.SectionTouch, word uint64) string {
	v := section.AtomicValue(word)
	switch {
	case word == section.Unknown || t.Atomic == compiled.AtomicPointer:
		return ""
	case t.Atomic == compiled.AtomicBool:
		return strconv.FormatBool(v != 0)
	case t.Atomic == compiled.AtomicSigned:
		return strconv.FormatInt(int64(v), 10)
	case t.Atomic == compiled.AtomicUnsigned:
		return strconv.FormatUint(v, 10)
	case word == 0:
		return ""
	}
	return p.KeyText(word)
}
