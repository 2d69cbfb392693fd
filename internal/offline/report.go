// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package offline

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/commutego/commute/internal/engine/commrace"
	"github.com/commutego/commute/internal/engine/term"
	"github.com/commutego/commute/internal/event"
	"github.com/commutego/commute/internal/trace"
	"github.com/commutego/commute/internal/trace/tracefile"
	"github.com/commutego/commute/report"
)

// Reports lists the findings of a check in a trace, the worst first. It must be called after the
// whole trace was read.
func (c *CheckResult) Reports(file *tracefile.File) (list []*report.Finding) {
	for i := range c.Findings {
		list = append(list, c.Findings[i].Report(file, c.Name))
	}
	report.Sort(list)
	return list
}

// EachReport calls take for each report of Reports, one after the other. A predicted violation has
// an order of events, and there may be very many, so that not all should be in memory at a time.
func (c *CheckResult) EachReport(file *tracefile.File, take func(*report.Finding)) {
	effects := slices.ContainsFunc(c.Findings, func(f Finding) bool {
		return f.First != nil || f.Sections != nil
	})
	if effects { // some may be worse than others
		for _, r := range c.Reports(file) {
			take(r)
		}
		return
	}
	for i := range c.Findings {
		take(c.Findings[i].Report(file, c.Name))
	}
}

// Trace returns all findings in a trace; err is the error in the trace, if there is one.
func (r *Result) Trace(file *tracefile.File, took time.Duration, err error) *report.Trace {
	t := &report.Trace{
		Version: report.Version, File: file.Name, Format: file.Format,
		Events: r.Events, Seconds: took.Seconds(),
	}
	if err != nil {
		t.Error = err.Error()
	}
	for i := range r.Checks {
		c := &r.Checks[i]
		k := report.Check{Name: c.Name, NoData: !c.Data, Findings: c.Reports(file)}
		if c.MetaInfo != nil {
			k.MetaInfo = make(map[string]uint64)
			for _, column := range c.MetaInfo.Columns() {
				k.MetaInfo[column.Name] = column.N
			}
		}
		k.Blocks = c.Blocks
		if p := c.Proofs; p != nil {
			k.Proven, k.Alarms, k.GaveUp = &p.Proven, &p.Alarms, &p.GaveUp
			k.Marks = p.Marks
		}
		if c.GaveUp != nil && *c.GaveUp {
			k.GaveUp = new(uint64(1))
		}
		t.Checks = append(t.Checks, k)
	}
	return t
}

// Report is a finding of a check with the trace's own names. It must be called after the whole
// trace was read.
func (f *Finding) Report(file *tracefile.File, check string) *report.Finding {
	r := &report.Finding{
		Kind: report.AtomicityViolation, Evidence: report.Observed, Check: check, Where: file.Name,
		Recorded: file.Tables().Program.Recorded(), At: eventOf(file, f.At),
	}
	if line, ok := file.Line(f.At.Index); ok {
		r.Where = fmt.Sprintf("%s:%d", file.Name, line)
	}
	switch {
	case f.Deadlock != nil:
		addDeadlock(file, r, f.Deadlock)
		f.addWitness(file, r)
	case f.Sections != nil:
		f.Sections.add(file, r)
	case f.First != nil:
		previous := eventOf(file, *f.First)
		r.Kind, r.Evidence, r.Previous = report.DataRace, report.Race, &previous
		if f.At.Event.Op == event.Touch {
			r.Kind = report.CommutativityRace
		}
		if f.Breach != nil {
			f.Breach.add(file, r)
		}
	case f.Cycle != nil:
		for _, t := range f.Cycle.Transactions {
			r.Transactions = append(r.Transactions, transactionOf(file, &t))
		}
		for _, e := range f.Cycle.Edges {
			edge := report.Edge{From: eventOf(file, e.Tail), To: eventOf(file, e.Head)}
			r.Edges = append(r.Edges, edge)
		}
		if x := f.Forecast; x != nil {
			r.Evidence, r.Why = report.Predicted, x.why(r.Edges)
		}
		f.addWitness(file, r)
	default:
		r.Transactions = []report.Transaction{transactionOf(file, f.Transaction)}
		if f.Potential != nil {
			addPotential(file, r, f.Potential)
		}
	}
	if r.Recorded {
		addProgram(r, file.Tables(), f)
		f.advise(file, r)
	}
	return r
}

// why is what a prediction rests on.
func (x *Forecast) why(edges []report.Edge) string {
	other := &edges[0].To
	by, accesses := "thread "+other.Thread, "access"
	if edges[len(edges)-1].To.Target != other.Target {
		accesses = "accesses"
	}
	if other.Goroutine != 0 {
		by = fmt.Sprintf("goroutine %d", other.Goroutine)
	}
	s := "all that " + by + " needs for its " + accesses + " could come before, " +
		"for only the order in which locks were taken had to be another"
	if x.ValuesDiffer {
		s += ", and what it does in its transaction doesn't depend on the values " +
			"that it reads there"
	}
	if x.OtherReads {
		s += "; it would see what has not been completed"
	}
	return s
}

func eventOf(file *tracefile.File, s event.Step) report.Event {
	t := file.Tables()
	e := report.Event{
		Number: s.Index + 1, Thread: t.Threads.Name(s.Event.Thread), Op: s.Event.Op.String(),
		Target: t.Target(&s.Event), At: t.Pos(s.Event.Pos),
	}
	if p := t.Program; p.Recorded() {
		g, _ := p.Goroutine(s.Event.Thread)
		e.Goroutine = g.ID
		e.Stack = frames(p.Stack(s.Event.Pos))
		if call, ok := p.CallAt(s.Event.Pos); ok {
			e.Method = call.Method.Name
		}
		if s.Event.Op == event.Touch {
			e.Point = p.Point(s.Event.Point).Name
		}
		if address, ok := p.AddressOf(&s.Event); ok {
			e.Address = fmt.Sprintf("%#x", address)
		}
		e.Did = did(&s.Event, &e)
	}
	return e
}

func transactionOf(file *tracefile.File, t *event.Transaction) report.Transaction {
	r := report.Transaction{
		Thread: file.Tables().Threads.Name(t.Thread), First: t.First + 1,
		At: file.Tables().Pos(t.Pos),
	}
	if t.Marked {
		r.Number = t.Number
	}
	p := file.Tables().Program
	g, _ := p.Goroutine(t.Thread)
	r.Goroutine = g.ID
	r.Name, r.MarkedAt = p.Begins(t.Pos)
	return r
}

// addProgram adds what a recorded trace tells of the program.
func addProgram(r *report.Finding, t *trace.Tables, f *Finding) {
	p := t.Program
	threads := []uint32{f.At.Event.Thread}
	switch {
	case f.First != nil:
		threads = append(threads, f.First.Event.Thread)
	case f.Cycle != nil:
		threads = threads[:0]
		for _, t := range f.Cycle.Transactions {
			threads = append(threads, t.Thread)
		}
	case f.Potential != nil:
		for _, t := range f.Potential.Units {
			threads = append(threads, t.Thread)
		}
	case f.Deadlock != nil:
		threads = threads[:0]
		for _, w := range f.Deadlock {
			threads = append(threads, w.Wants.Event.Thread)
		}
	}
	var seen []uint32
	for _, thread := range threads {
		if slices.Contains(seen, thread) {
			continue
		}
		seen = append(seen, thread)
		g := goroutineOf(t, thread)
		r.Goroutines = append(r.Goroutines, g)
		if g.Test != "" && !slices.Contains(r.Tests, g.Test) {
			r.Tests = append(r.Tests, g.Test)
		}
	}
	if f.Count != nil {
		r.Stacks = *f.Count
	}
	if f.First != nil && f.At.Event.Op == event.Touch {
		addCalls(r, p, f)
	}
}

// add adds how a race breaks a check and act.
func (x *Breach) add(file *tracefile.File, r *report.Finding) {
	check := eventOf(file, x.Check)
	r.Kind, r.Decided, r.Act = report.CheckThenActRace, &check, "at"
	r.DecidedIn = x.Depth
	if x.ActFirst {
		r.Act = "previous"
	}
	switch x.Violation {
	case commrace.Observed:
		r.Evidence = report.Observed
	case commrace.Predicted:
		r.Evidence = report.Predicted
	}
}

func goroutineOf(t *trace.Tables, thread uint32) report.Goroutine {
	g, _ := t.Program.Goroutine(thread)
	parent, ok := t.Program.Goroutine(g.Parent)
	stack := t.Program.Stack(g.Pos)
	for len(stack) > 0 && strings.HasPrefix(stack[0].Func, "runtime.") {
		stack = stack[1:] // what a go statement calls
	}
	r := report.Goroutine{
		ID: g.ID, Thread: t.Threads.Name(thread), Main: g.ID == 1, Test: t.Program.Test(thread),
		Stack: frames(stack),
	}
	r.ByTimer = ok && g.Parent != 0 && parent.ID == 0 && parent.Parent == 0 && parent.Pos == 0
	if ok && g.Parent != 0 {
		r.Creator = parent.ID
	}
	return r
}

// addCalls adds what is known of two calls.
func addCalls(r *report.Finding, p *trace.Program, f *Finding) {
	first, second := &f.First.Event, &f.At.Event
	c, known := pairOf(p, first, second)
	o, d := p.Object(second.Target), c.declaration()
	r.Object = &report.Object{
		Type: o.Type, Name: d.Name, DeclaredAt: d.At, Address: fmt.Sprintf("%#x", o.Address),
	}
	r.Object.Keyed, r.Object.Key = o.Keyed, o.Key
	if o.Keyed && o.Key == "" {
		r.Object.KeyHash = fmt.Sprintf("%#x", o.Hash)
	}
	if x := f.Breach; x != nil {
		act, other := c.second.Method.Name, c.first.Method.Name
		if x.ActFirst {
			act, other = other, act
		}
		parts := term.WhyViolation(x.Effect, r.Decided.Method, act, other)
		r.Effect, r.Why = report.Effect(x.Effect), strings.Join(parts[:], "")
	} else if known {
		effect := c.effect(o.Keyed)
		r.Effect, r.Why = report.Effect(effect), c.explain(effect)
	}
	if c.stated {
		r.Commute = &report.Formula{
			Methods: [2]string{c.formula.First, c.formula.Second},
			Text:    c.formula.Text, At: c.formula.At,
		}
		if c.formula.Results {
			r.Commute.Text += ", or if their results are not used"
		}
	}
}

// frames is a stack in the words of package report.
func frames(stack []trace.Frame) (list []report.Frame) {
	for _, f := range stack {
		list = append(list, report.Frame(f))
	}
	return list
}
