// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package analyze

import (
	"fmt"
	"strings"

	"github.com/commutego/commute/check/event"
	"github.com/commutego/commute/trace"
	"github.com/commutego/commute/trace/tracefile"
)

// An Event is an event in a report, by the names of the trace.
type Event struct {
	Number uint64 `json:"event"` // from 1, as in an STD file the line
	Thread string `json:"thread"`
	Op     string `json:"op"`
	Target string `json:"target,omitempty"`
	At     string `json:"at"` // its position
}

// A Transaction is one in a report.
type Transaction struct {
	Thread string `json:"thread"`
	Number uint32 `json:"number,omitempty"` // how many marked ones the thread has begun; 0 if it's one event outside of all
	First  uint64 `json:"event"`            // its first event, from 1
	At     string `json:"at"`               // the position of that
}

// An Edge is two events of a cycle that conflict.
type Edge struct {
	From Event `json:"from"`
	To   Event `json:"to"`
}

// A Report is a finding by the names of the trace.
type Report struct {
	Kind         string        `json:"kind"`
	At           Event         `json:"at"`
	Transactions []Transaction `json:"transactions,omitempty"` // the violating one first
	Edges        []Edge        `json:"edges,omitempty"`        // edge i leads from transaction i to the next one
	Previous     *Event        `json:"previous,omitempty"`     // of a race
}

// Kinds of report.
const (
	Violation   = "atomicity violation"
	DataRace    = "data race"
	CommuteRace = "commutativity race"
)

// Report is a finding in a trace's own names.
func (f *Finding) Report(file *tracefile.File) Report {
	r := Report{At: eventOf(file, f.At)}
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
	return r
}

func eventOf(file *tracefile.File, s event.Step) Event {
	t := file.Tables()
	return Event{s.Index + 1, t.Threads.Name(s.Event.Thread), s.Event.Op.String(), t.Target(&s.Event), t.Pos(s.Event.Pos &^ trace.Flags)}
}

func transactionOf(file *tracefile.File, t *event.Transaction) Transaction {
	r := Transaction{Thread: file.Tables().Threads.Name(t.Thread), First: t.First + 1, At: file.Tables().Pos(t.Pos &^ trace.Flags)}
	if t.Marked {
		r.Number = t.Number
	}
	return r
}

func (e Event) String() string {
	s := e.Op
	if e.Target != "" {
		s += " " + e.Target
	}
	return fmt.Sprintf("%s: %s (event %d, at %s)", e.Thread, s, e.Number, e.At)
}

func (t Transaction) String() string {
	if t.Number == 0 {
		return fmt.Sprintf("%s: event %d alone, at %s", t.Thread, t.First, t.At)
	}
	return fmt.Sprintf("%s: transaction %d (from event %d, at %s)", t.Thread, t.Number, t.First, t.At)
}

// Text is the report in words: a line, and more that are indented.
func (r Report) Text() string {
	var b strings.Builder
	if r.Previous != nil {
		fmt.Fprintf(&b, "%s: %v is not ordered after\n\t%v\n", r.Kind, r.At, r.Previous)
		return b.String()
	}
	fmt.Fprintf(&b, "%s: %v is not serializable\n", r.Kind, r.Transactions[0])
	if len(r.Edges) == 0 {
		fmt.Fprintf(&b, "\tthe cycle is closed by %v\n", r.At)
	}
	for i, e := range r.Edges {
		fmt.Fprintf(&b, "\t%v\n\t\t%v\n\t\tbefore %v\n", r.Transactions[i], e.From, e.To)
	}
	return b.String()
}
