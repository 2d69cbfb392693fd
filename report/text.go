// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package report

import (
	"fmt"
	"strings"

	"github.com/commutego/commute/internal/engine/term"
)

// Text is the finding in words. For a trace that commute recorded, it is in the form of a watched
// program's report; for other traces, it is a line, and further lines that are indented. Each line
// ends in a newline. For a finding that a watched program has reported, it is that report.
func (r *Finding) Text() string {
	if r.Report != "" {
		return r.Report
	}
	var b strings.Builder
	if r.Recorded {
		r.full(&b)
		return b.String()
	}
	fmt.Fprintf(&b, "%s: %s: ", r.Where, r.Check)
	switch {
	case r.Kind == Deadlock:
		r.deadlock(&b)
		return b.String()
	case r.Evidence == Potential:
		r.potential(&b)
		return b.String()
	case r.Previous != nil:
		fmt.Fprintf(&b, "%s: %v is not ordered after\n\t%v\n", r.Kind, r.At, r.Previous)
		return b.String()
	}
	fmt.Fprintf(&b, "%s: %v is not serializable\n", r.Kind, r.transaction(0))
	if len(r.Edges) == 0 {
		fmt.Fprintf(&b, "\tthe cycle is closed by %v\n", r.At)
	}
	for i, e := range r.Edges {
		fmt.Fprintf(&b, "\t%v\n\t\t%v\n\t\tbefore %v\n", r.transaction(i), e.From, e.To)
	}
	if r.Witness != nil {
		r.Witness.write(&b)
		fmt.Fprintf(&b, "\tEvidence: predicted: it has not happened; %s\n", r.Why)
	}
	return b.String()
}

// String is the event in a line, by the trace's names.
func (e Event) String() string {
	s := e.Op
	if e.Target != "" {
		s += " " + e.Target
	}
	return fmt.Sprintf("%s: %s (event %d, at %s)", e.Thread, s, e.Number, e.At)
}

// String is the transaction in a line, by the trace's names.
func (t Transaction) String() string {
	if t.Number == 0 {
		return fmt.Sprintf("%s: event %d alone, at %s", t.Thread, t.First, t.At)
	}
	return fmt.Sprintf("%s: transaction %d (from event %d, at %s)", t.Thread, t.Number, t.First,
		t.At)
}

// transaction is the one with an index, or one of which nothing is known.
func (r *Finding) transaction(i int) Transaction {
	if i < len(r.Transactions) {
		return r.Transactions[i]
	}
	return Transaction{}
}

// did is what an event was in the program's words, or else in the trace's.
func (e *Event) did() string {
	if e.Did != "" {
		return e.Did
	}
	return e.Op
}

// capital is text with a capital at its beginning.
func capital(text string) string {
	if text == "" {
		return text
	}
	return strings.ToUpper(text[:1]) + text[1:]
}

const ruler = "==================\n"

// full writes the report of a recorded trace.
func (r *Finding) full(b *strings.Builder) {
	kind := string(r.Kind)
	if r.Evidence == Potential {
		kind = "potential " + kind
	}
	fmt.Fprintf(b, "%sWARNING: %s\n", ruler, strings.ToUpper(kind))
	var events []Event
	switch {
	case r.Sections != nil && r.Decided != nil && r.Previous != nil:
		r.sections(b)
		events = []Event{*r.Decided, *r.Previous, r.At}
	case r.Decided != nil && r.Previous != nil:
		r.breach(b)
		events = []Event{*r.Decided, *r.Previous, r.At}
	case r.Previous != nil:
		r.race(b)
		events = []Event{*r.Previous, r.At}
	case r.Kind == Deadlock:
		events = r.recordedDeadlock(b)
	case r.Evidence == Potential && len(r.Nodes) == 2:
		events = r.recordedPotential(b)
	default:
		events = r.violation(b)
	}
	for i, test := range r.Tests {
		fmt.Fprintf(b, "%s%s", pick(i == 0, "Test: ", ", "), test)
	}
	if len(r.Tests) > 0 {
		b.WriteString("\n")
	}
	if r.Where != "" { // else nobody has the trace
		fmt.Fprintf(b, "Trace: %s, check %s, ", r.Where, r.Check)
		for i, e := range events {
			word := pick(len(events) == 1, "event ", "events ")
			fmt.Fprintf(b, "%s%d", pick(i == 0, word, ", "), e.Number)
		}
		b.WriteString("\n")
	}
	b.WriteString(ruler)
}

func pick(first bool, a, b string) string {
	if first {
		return a
	}
	return b
}

// goroutine is one by its number in the program, or by the trace's name.
func goroutine(id uint64, thread string) string {
	if id == 0 {
		return "goroutine " + thread
	}
	return fmt.Sprintf("goroutine %d", id)
}

// race writes two accesses, or two calls.
func (r *Finding) race(b *strings.Builder) {
	if r.Object != nil {
		r.callers(b)
		r.interleaving(b, r.Previous, r.At, *r.Previous, r.At)
		r.outcome(b)
		r.object(b)
	}
	for i, e := range []*Event{&r.At, r.Previous} {
		what := ""
		if r.Kind == CommutativityRace {
			what = r.call(e)
		} else {
			what = atAddress(e)
		}
		if i == 0 {
			what = capital(what)
		} else {
			what = "Previous " + what
		}
		fmt.Fprintf(b, "%s by %s:\n", what, goroutine(e.Goroutine, e.Thread))
		frames(b, e.Stack)
		b.WriteString("\n")
	}
	r.origins(b)
	r.formula(b)
	r.stacks(b)
}

// callers says which goroutines call what.
func (r *Finding) callers(b *strings.Builder) {
	first := goroutine(r.Previous.Goroutine, r.Previous.Thread)
	second := goroutine(r.At.Goroutine, r.At.Thread)
	if r.Previous.Method == r.At.Method {
		fmt.Fprintf(b, "%s and %s both call %s", first, second, r.At.Method)
	} else {
		fmt.Fprintf(b, "%s calls %s and %s calls %s", first, r.Previous.Method, second, r.At.Method)
	}
	o := r.Object
	switch {
	case o.Name == "" && o.Key == "":
		fmt.Fprintf(b, " of %s", o.Type)
	case o.Name == "":
		fmt.Fprintf(b, " of %s with key %s", o.Type, o.Key)
	case o.Key == "":
		fmt.Fprintf(b, " of %s", o.Name)
	default:
		fmt.Fprintf(b, " of %s[%s]", o.Name, o.Key)
	}
	b.WriteString(", and nothing orders the two calls\n\n")
}

// interleaving writes calls in an order in which they can be made, or were: those of one goroutine
// on the left, and the others' on the right.
func (r *Finding) interleaving(b *strings.Builder, left *Event, right Event, order ...Event) {
	fmt.Fprintf(b, "  %-*s%s\n", column, goroutine(left.Goroutine, left.Thread),
		goroutine(right.Goroutine, right.Thread))
	for i := range order {
		e := &order[i]
		line := r.call(e)
		if at := sourceLine(e.Stack); at != "" {
			line = at + "  " + line
		}
		if e.Goroutine == left.Goroutine && e.Thread == left.Thread {
			fmt.Fprintf(b, "  %s\n", line)
		} else {
			fmt.Fprintf(b, "  %-*s%s\n", column, "", line)
		}
	}
	b.WriteString("\n")
	r.excerpt(b)
}

// call is a call, with the key that it meets others on.
func (r *Finding) call(e *Event) string {
	what := strings.TrimPrefix(e.did(), "call of ")
	if o := r.Object; o != nil && o.Key != "" {
		what = fmt.Sprintf("%s of key %s", what, o.Key)
	}
	return what
}

// stacks says how many pairs of stacks have a race at the same lines.
func (r *Finding) stacks(b *strings.Builder) {
	if r.Stacks > 1 {
		fmt.Fprintf(b, "At these lines %d pairs of stacks have such a race\n", r.Stacks)
	}
}

// object writes what two calls were made on, and the points in which they conflict.
func (r *Finding) object(b *strings.Builder) {
	o := r.Object
	fmt.Fprintf(b, "Object: %s", o.Type)
	if o.Name != "" {
		if !strings.HasSuffix(o.Type, "."+o.Name) {
			fmt.Fprintf(b, " %s", o.Name)
		}
		fmt.Fprintf(b, ", declared at %s,", o.DeclaredAt)
	}
	fmt.Fprintf(b, " at %s\n", o.Address)
	switch {
	case o.Key != "":
		fmt.Fprintf(b, "Key: %s\n", o.Key)
	case o.Keyed:
		fmt.Fprintf(b, "Key: one with hash %s\n", o.KeyHash)
	}
	switch {
	case r.Previous == nil || r.At.Point == "":
	case r.At.Point == r.Previous.Point:
		fmt.Fprintf(b, "Access point: %s, which conflicts with itself\n", r.At.Point)
	default:
		fmt.Fprintf(b, "Access points: %s and %s, which conflict\n", r.At.Point, r.Previous.Point)
	}
	b.WriteString("\n")
}

// formula writes when two calls would commute.
func (r *Finding) formula(b *strings.Builder) {
	if f := r.Commute; f != nil {
		fmt.Fprintf(b, "They commute only if: %s   (%s, %s: %s)\n",
			f.Text, f.Methods[0], f.Methods[1], f.At)
	}
}

// outcome writes what may come of two calls, and how sure that is.
func (r *Finding) outcome(b *strings.Builder) {
	if r.Effect != "" {
		fmt.Fprintf(b, "What can go wrong: %s: %s\n", r.Effect, r.Why)
	}
	if r.Decided != nil {
		act, other := r.actAndOther()
		parts := term.WhyPossible(string(r.Evidence), act.Method, other.Method)
		fmt.Fprintf(b, "Evidence: %s: %s\n", r.Evidence, strings.Join(parts[:], ""))
		r.happened(b)
	} else {
		b.WriteString("Evidence: race: nothing in the program forces the order of the two calls\n")
	}
	r.advice(b)
	if r.Effect != "" {
		fmt.Fprintf(b, "More of it: commute explain %s\n", r.Effect.page())
	}
}

// page is what commute explain calls the effect.
func (e Effect) page() string { return strings.ReplaceAll(string(e), " ", "-") }

// origins writes where the goroutines were started.
func (r *Finding) origins(b *strings.Builder) {
	for i := range r.Goroutines {
		g := &r.Goroutines[i]
		fmt.Fprintf(b, "G%s", goroutine(g.ID, g.Thread)[1:])
		switch {
		case g.Main:
			b.WriteString(" is the main goroutine\n\n")
			continue
		case g.ByTimer:
			b.WriteString(" was created by a timer (time.AfterFunc)\n\n")
			continue
		case g.Creator != 0:
			fmt.Fprintf(b, " created by goroutine %d at:\n", g.Creator)
		default:
			b.WriteString(" created at:\n")
		}
		frames(b, g.Stack)
		b.WriteString("\n")
	}
}

// maxFrames is the number of frames of a stack that are printed, as a watched program does.
const maxFrames = 40

// frames writes a stack as the race detector does.
func frames(b *strings.Builder, stack []Frame) {
	for _, f := range stack[:min(len(stack), maxFrames)] {
		fmt.Fprintf(b, "  %s()\n      %s:%d\n", f.Func, f.File, f.Line)
	}
	if len(stack) == 0 {
		b.WriteString("  [no stack]\n")
	}
}

func atAddress(e *Event) string {
	switch {
	case e.Address != "":
		return e.did() + " at " + e.Address
	case e.Target != "": // the trace was converted
		return e.did() + " of " + e.Target
	}
	return e.did()
}
