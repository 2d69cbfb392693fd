// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package analyze

import (
	"fmt"
	"slices"
	"strings"

	"github.com/commutego/commute/internal/event"
	"github.com/commutego/commute/internal/trace"
	"github.com/commutego/commute/internal/trace/tracefile"
)

// An Event is an event in a report, by the names of the trace. What follows At is only there of recorded traces, and as far as
// it is known.
type Event struct {
	Number uint64 `json:"event"` // from 1, as in an STD file the line
	Thread string `json:"thread"`
	Op     string `json:"op"`
	Target string `json:"target,omitempty"`
	At     string `json:"at"` // its position

	Goroutine uint64        `json:"goroutine,omitempty"` // its id in the program
	Did       string        `json:"did,omitempty"`       // in the program's words: "write", "unlock", "call of Store"
	Address   string        `json:"address,omitempty"`   // of the variable, the lock or the object
	Method    string        `json:"method,omitempty"`    // of a touch: of the call
	Point     string        `json:"point,omitempty"`     // the access point that it touches
	Stack     []trace.Frame `json:"stack,omitempty"`     // innermost frame first
}

// A Transaction is one in a report.
type Transaction struct {
	Thread string `json:"thread"`
	Number uint32 `json:"number,omitempty"` // how many marked ones the thread has begun; 0 if it's one event outside of all
	First  uint64 `json:"event"`            // its first event, from 1
	At     string `json:"at"`               // the position of that

	Goroutine uint64 `json:"goroutine,omitempty"`
	Name      string `json:"name,omitempty"`      // of the function that is one
	MarkedAt  string `json:"marked_at,omitempty"` // file:line
}

// An Edge is two events of a cycle that conflict.
type Edge struct {
	From Event `json:"from"`
	To   Event `json:"to"`
}

// A Goroutine tells where one that takes part was started.
type Goroutine struct {
	ID      uint64        `json:"goroutine"`
	Thread  string        `json:"thread"`
	Main    bool          `json:"main,omitempty"`
	ByTimer bool          `json:"by_timer,omitempty"`   // of time.AfterFunc
	Creator uint64        `json:"created_by,omitempty"` // the goroutine that has started it
	Test    string        `json:"test,omitempty"`       // that it belongs to
	Stack   []trace.Frame `json:"stack,omitempty"`      // of the go statement
}

// An Object is what two calls were made on.
type Object struct {
	Type       string `json:"type"`
	Name       string `json:"name,omitempty"` // of its declaration
	DeclaredAt string `json:"declared_at,omitempty"`
	Address    string `json:"address"`
	Keyed      bool   `json:"keyed"`             // they meet on a key
	Key        string `json:"key,omitempty"`     // in Go's syntax
	KeyHash    string `json:"keyhash,omitempty"` // if the key is not known
}

// A Formula is when two calls commute, and the line of the specification that says so.
type Formula struct {
	Methods [2]string `json:"methods"`
	Text    string    `json:"text"`
	At      string    `json:"at"` // file:line:col
}

// A Report is a finding by the names of the trace. What follows Previous is only there of recorded traces.
type Report struct {
	Kind         string        `json:"kind"`
	At           Event         `json:"at"`
	Transactions []Transaction `json:"transactions,omitempty"` // the violating one first
	Edges        []Edge        `json:"edges,omitempty"`        // edge i leads from transaction i to the next one
	Previous     *Event        `json:"previous,omitempty"`     // of a race

	Tests      []string    `json:"tests,omitempty"`      // that the goroutines belong to
	Goroutines []Goroutine `json:"goroutines,omitempty"` // that take part
	Object     *Object     `json:"object,omitempty"`     // of a race of calls
	Commute    *Formula    `json:"commute,omitempty"`    // when its calls would commute
	Effect     string      `json:"effect,omitempty"`     // of a race of calls: what can go wrong
	Why        string      `json:"why,omitempty"`        // and why
	Stacks     int         `json:"stacks,omitempty"`     // of a race: how many two stacks have one at these lines

	recorded bool
}

// Kinds of report.
const (
	Violation   = "atomicity violation"
	DataRace    = "data race"
	CommuteRace = "commutativity race"
)

// Report is a finding in a trace's own names. It's for when all was read.
func (f *Finding) Report(file *tracefile.File) *Report {
	r := &Report{At: eventOf(file, f.At), recorded: file.Tables().Program.Recorded()}
	switch {
	case f.First != nil:
		previous := eventOf(file, *f.First)
		r.Kind, r.Previous = DataRace, &previous
		if f.At.Event.Op == event.Touch {
			r.Kind = CommuteRace
		}
	case f.Cycle != nil:
		r.Kind = Violation
		for _, t := range f.Cycle.Transactions {
			r.Transactions = append(r.Transactions, transactionOf(file, &t))
		}
		for _, e := range f.Cycle.Edges {
			r.Edges = append(r.Edges, Edge{eventOf(file, e.Tail), eventOf(file, e.Head)})
		}
	default:
		r.Kind = Violation
		r.Transactions = []Transaction{transactionOf(file, f.Transaction)}
	}
	if r.recorded {
		r.addProgram(file.Tables(), f)
	}
	return r
}

func eventOf(file *tracefile.File, s event.Step) Event {
	t := file.Tables()
	e := Event{Number: s.Index + 1, Thread: t.Threads.Name(s.Event.Thread), Op: s.Event.Op.String(), Target: t.Target(&s.Event),
		At: t.Pos(s.Event.Pos)}
	if p := t.Program; p.Recorded() {
		g, _ := p.Goroutine(s.Event.Thread)
		e.Goroutine = g.ID
		e.Stack = p.Stack(s.Event.Pos)
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

func transactionOf(file *tracefile.File, t *event.Transaction) Transaction {
	r := Transaction{Thread: file.Tables().Threads.Name(t.Thread), First: t.First + 1, At: file.Tables().Pos(t.Pos)}
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
func (r *Report) addProgram(t *trace.Tables, f *Finding) {
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
	if r.Kind == CommuteRace {
		r.addCalls(p, &f.First.Event, &f.At.Event)
	}
}

func goroutineOf(t *trace.Tables, thread uint32) Goroutine {
	g, _ := t.Program.Goroutine(thread)
	parent, ok := t.Program.Goroutine(g.Parent)
	stack := t.Program.Stack(g.Pos)
	for len(stack) > 0 && strings.HasPrefix(stack[0].Func, "runtime.") {
		stack = stack[1:] // what a go statement calls
	}
	r := Goroutine{ID: g.ID, Thread: t.Threads.Name(thread), Main: g.ID == 1, Test: t.Program.Test(thread), Stack: stack}
	r.ByTimer = ok && g.Parent != 0 && parent.ID == 0 && parent.Parent == 0 && parent.Pos == 0
	if ok && g.Parent != 0 {
		r.Creator = parent.ID
	}
	return r
}

// addCalls adds what is known of two calls.
func (r *Report) addCalls(p *trace.Program, first, second *event.Event) {
	c, known := pairOf(p, first, second)
	o, d := p.Object(second.Target), c.declaration()
	r.Object = &Object{Type: o.Type, Name: d.Name, DeclaredAt: d.At, Address: fmt.Sprintf("%#x", o.Address)}
	r.Object.Keyed, r.Object.Key = o.Keyed, o.Key
	if o.Keyed && o.Key == "" {
		r.Object.KeyHash = fmt.Sprintf("%#x", o.Hash)
	}
	if known {
		r.Effect = c.effect(o.Keyed)
		r.Why = c.explain(r.Effect)
	}
	if c.stated {
		r.Commute = &Formula{[2]string{c.formula.First, c.formula.Second}, c.formula.Text, c.formula.At}
		if c.formula.Results {
			r.Commute.Text += ", or if their results are not used"
		}
	}
}
