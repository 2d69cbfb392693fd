// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package report

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
)

// serial is what goes wrong with a transaction.
const serial = "What can go wrong: atomicity: " +
	"no order of whole transactions has the effect of this run"

// violation writes what happened, line by line, and then each conflict with its two stacks. It
// returns the events.
func (r *Finding) violation(b *strings.Builder) (events []Event) {
	t := r.transaction(0)
	name := t.Name
	if name == "" {
		name = "A transaction"
	}
	b.WriteString(name)
	if t.MarkedAt != "" {
		fmt.Fprintf(b, ", marked as atomic at %s,", t.MarkedAt)
	}
	fmt.Fprintf(b, " is not: %s", goroutine(t.Goroutine, t.Thread))
	if len(r.Edges) == 0 {
		b.WriteString(" was interfered with\n\n")
		fmt.Fprintf(b, "The cycle is closed by: %s by %s:\n",
			atAddress(&r.At), goroutine(r.At.Goroutine, r.At.Thread))
		frames(b, r.At.Stack)
		b.WriteString("\n")
		r.origins(b)
		b.WriteString(serial + " (-check=velodrome tells the cycle)\n")
		return []Event{r.At}
	}
	var others []string
	for i := range r.Transactions {
		o := &r.Transactions[i]
		name := goroutine(o.Goroutine, o.Thread)
		if o.Thread != t.Thread && !slices.Contains(others, name) {
			others = append(others, name)
		}
	}
	interfered := " was interfered with by %s\n\n"
	if r.Evidence == Predicted {
		interfered = " can be interfered with by %s\n\n"
	}
	fmt.Fprintf(b, interfered, strings.Join(others, ", "))
	events = r.diagram(b, strings.Join(others, ", "))
	if r.Evidence == Predicted {
		b.WriteString(strings.Replace(serial, "of this run", "of the order above", 1) + "\n")
		fmt.Fprintf(b, "Evidence: predicted: it has not happened in this run; %s\n", r.Why)
	} else {
		b.WriteString(serial + "\n")
		b.WriteString("Evidence: observed: this has happened, in this order\n")
	}
	b.WriteString("More of it: commute explain atomicity\n\n")
	r.conflicts(b)
	r.origins(b)
	return events
}

// column is the width of the diagram's left side.
const column = 40

// diagram writes what the transaction's goroutine did on the left, and what others did on the
// right.
func (r *Finding) diagram(b *strings.Builder, others string) (events []Event) {
	for _, e := range r.Edges {
		events = append(events, e.From, e.To)
	}
	if r.Evidence != Predicted { // else the edges have the order in which it could happen
		slices.SortFunc(events, func(a, b Event) int { return cmp.Compare(a.Number, b.Number) })
	}
	events = slices.CompactFunc(events, func(a, b Event) bool { return a.Number == b.Number })
	r.lines(b, events, others)
	return events
}

// lines writes events of the transaction's goroutine on the left, and those of others on the right.
func (r *Finding) lines(b *strings.Builder, events []Event, others string) {
	t := r.transaction(0)
	fmt.Fprintf(b, "  %-*s%s\n  begin\n", column, goroutine(t.Goroutine, t.Thread), others)
	for i := range events {
		e := &events[i]
		line := atAddress(e)
		if at := sourceLine(e.Stack); at != "" {
			line += "  " + at
		}
		if e.Thread == t.Thread {
			fmt.Fprintf(b, "  %s\n", line)
			continue
		}
		if strings.Contains(others, ",") {
			name := strings.TrimPrefix(goroutine(e.Goroutine, e.Thread), "goroutine ")
			line = name + ": " + line
		}
		fmt.Fprintf(b, "  %-*s%s\n", column, "", line)
	}
	b.WriteString("\n")
}

// conflicts writes the conflicts of a cycle. The order in which one goroutine did two things is no
// conflict.
func (r *Finding) conflicts(b *strings.Builder) {
	n, of := 0, 0
	for _, e := range r.Edges {
		if e.From.Thread != e.To.Thread {
			of++
		}
	}
	for i := range r.Edges {
		e := &r.Edges[i]
		if e.From.Thread == e.To.Thread {
			continue
		}
		n++
		fmt.Fprintf(b, "Conflict %d of %d: ", n, of)
		side(b, &e.From, r.transaction(i))
		b.WriteString("\n  came before: ")
		side(b, &e.To, r.transaction((i+1)%max(1, len(r.Transactions))))
		b.WriteString("\n")
	}
}

func side(b *strings.Builder, e *Event, t Transaction) {
	fmt.Fprintf(b, "%s by %s", atAddress(e), goroutine(e.Goroutine, e.Thread))
	if t.Name != "" {
		fmt.Fprintf(b, " in %s", t.Name)
	}
	b.WriteString(":\n")
	frames(b, e.Stack)
}

// sourceLine is the line of the innermost frame of a stack that is not of a library's function
// which the program has called to synchronize.
func sourceLine(stack []Frame) string {
	for _, f := range stack {
		if !ofLibrary(f.Func) {
			return fmt.Sprintf("%s:%d", filepath.Base(f.File), f.Line)
		}
	}
	return ""
}

// ofLibrary reports whether a function does for the program what that calls it for.
func ofLibrary(name string) bool {
	for _, prefix := range []string{"sync.", "sync/", "internal/", "runtime."} {
		if strings.HasPrefix(name, prefix) {
			return true
		}
	}
	return false
}
