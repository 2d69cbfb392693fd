// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package offline

import (
	"fmt"
	"sync"

	"github.com/commutego/commute/internal/engine/advice"
	"github.com/commutego/commute/internal/engine/commrace"
	"github.com/commutego/commute/internal/engine/compiled"
	"github.com/commutego/commute/internal/engine/host"
	"github.com/commutego/commute/internal/engine/text"
	"github.com/commutego/commute/internal/offline/replay"
	"github.com/commutego/commute/internal/trace/tracefile"
	"github.com/commutego/commute/report"
)

// Advice is what a report says beside what was found. Its text is the engine's, so that a report of
// a trace has what the run has said.

// adviceText is what the engine writes to. Its memory is never freed, so all reports share it.
var adviceText struct {
	lock sync.Mutex
	text.Buffer
}

// written is what write writes.
func written(write func(b *text.Buffer)) string {
	t := &adviceText
	t.lock.Lock()
	defer t.lock.Unlock()
	t.Reset()
	write(&t.Buffer)
	return string(t.Bytes())
}

// callsOf is what the engine's advice on a race of calls goes by.
func callsOf(r *replay.Race, effect string) *advice.Calls {
	c := &advice.Calls{Table: r.Table, First: r.Race.First.Method, Second: r.Race.Second.Method,
		Keyed: r.Keyed, Effect: effect, Violation: r.Violation}
	if r.Violation != commrace.NoViolation {
		c.First, c.Second = r.Act().Method, r.Interfering().Method
		c.Check = r.Race.Check.Method
	}
	return c
}

// advise adds the lines of the source, how to mend a finding, and how to keep it silent, as far as
// a run says that of such a finding.
func (f *Finding) advise(file *tracefile.File, r *report.Finding) {
	switch {
	case f.Sections != nil:
		f.Sections.advise(r)
	case r.Decided != nil:
		act, other := r.At, *r.Previous
		if r.Act == "previous" {
			act, other = other, act
		}
		check := host.Frame{}
		if len(r.Decided.Stack) > r.DecidedIn {
			check = frameOf(r.Decided.Stack[r.DecidedIn:])
		}
		f.adviseCalls(r, [3]host.Frame{check, frameOf(act.Stack), frameOf(other.Stack)}, "")
	case f.First != nil && r.Kind == report.CommutativityRace:
		at := [3]host.Frame{frameOf(r.Previous.Stack), frameOf(r.At.Stack)}
		f.adviseCalls(r, at, r.Object.DeclaredAt)
	case f.Cycle != nil:
		var lines []host.Frame
		for i := range r.Edges {
			lines = append(lines, programFrame(r.Edges[i].From.Stack),
				programFrame(r.Edges[i].To.Stack))
		}
		r.Source = excerpt(lines)
		var sync []report.Edge
		for _, e := range f.sync {
			sync = append(sync, report.Edge{From: eventOf(file, e.Tail), To: eventOf(file, e.Head)})
		}
		r.Mend = f.mendCycle(r, sync)
	}
}

// adviseCalls is advise for calls at some places; a comment at the first two keeps it silent, or
// one where the object is declared.
func (f *Finding) adviseCalls(r *report.Finding, at [3]host.Frame, declared string) {
	r.Source = excerpt(at[:])
	if c := f.calls; c != nil {
		c.From, c.To = at[0], at[1]
		r.Mend = written(c.Mend)
	}
	if at[0].File != "" && at[1].File != "" {
		r.Silence = written(func(b *text.Buffer) { advice.Silence(b, at[0], at[1], declared) })
	}
}

// advise is [Finding.advise] for a check and an act in two critical sections.
func (x *SectionRace) advise(r *report.Finding) {
	f := &x.Finding
	from, to := x.lines(r)
	var lines []host.Frame
	for _, l := range []compiled.Line{f.Check.Touch.P().At, from, f.Act.Touch.P().At, to,
		f.Other.Touch.P().At} {
		lines = append(lines, advice.FrameOf(l))
	}
	r.Source = excerpt(lines)
	r.Mend = r.Sections.Mend
	r.Silence = written(func(b *text.Buffer) {
		advice.SilenceSections(b, from, to, x.Func.Code.Name)
	})
}

// excerpt is the lines of the source at some places, as far as the files are there.
func excerpt(places []host.Frame) (list []report.SourceLine) {
	var x advice.Excerpt
	for _, fr := range places {
		if fr.File != "" {
			x.AddFrame(fr)
		}
	}
	for i := range x.Len() {
		file, line, code, more := x.Line(i)
		list = append(list, report.SourceLine{At: fmt.Sprintf("%s:%d", file, line),
			Text: code + more})
	}
	return list
}

// frameOf is the innermost frame of a stack, for the engine.
func frameOf(stack []report.Frame) host.Frame {
	if len(stack) == 0 {
		return host.Frame{}
	}
	return host.Frame{Func: stack[0].Func, File: stack[0].File, Line: int(stack[0].Line)}
}

// programFrame is the innermost frame of a stack that is not of the library that synchronizes.
func programFrame(stack []report.Frame) host.Frame {
	for i := range stack {
		if !ofLibrary(stack[i].Func) {
			return frameOf(stack[i:])
		}
	}
	return host.Frame{}
}
