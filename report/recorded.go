// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package report

import (
	"fmt"
	"slices"
	"strings"
)

// A Mark has the verdicts on the transactions of one mark, in a trace that commute has recorded.
type Mark struct {
	Name         string `json:"name"`         // of the function
	At           string `json:"at"`           // file:line of the mark
	Transactions uint64 `json:"transactions"` // that began there

	Proven uint64 `json:"proven"` // they are atomic in every order of the events
	Alarms uint64 `json:"alarms"` // in some order they are not

	Verdict Verdict `json:"verdict"`       // proven, potential, violated or unknown
	Why     string  `json:"why,omitempty"` // why it is unknown
}

// A Verdict is the verdict on all transactions of a mark.
type Verdict string

// The verdicts. MarkViolated also counts violations that another check has found in the same
// analysis.
const (
	MarkProven    Verdict = "proven"    // each is proven
	MarkPotential Verdict = "potential" // another order would break one
	MarkViolated  Verdict = "violated"  // one is not serializable, as observed or predicted
	MarkUnknown   Verdict = "unknown"   // not all are proven, and nothing is found
)

// recordedPotential writes what could come between two parts of a transaction, and the order.
func (r *Finding) recordedPotential(b *strings.Builder) (events []Event) {
	t := r.transaction(0)
	others := r.otherGoroutines()
	fmt.Fprintf(b, "%s, marked as atomic at %s, may not be: %s can be interfered with by %s\n\n",
		t.Name, t.MarkedAt, goroutine(t.Goroutine, t.Thread), others)
	if w := r.Witness; w != nil {
		list := w.Events[max(0, len(w.Events)-most):]
		if len(list) > 0 && list[0].Op == "begin" && list[0].Thread == t.Thread {
			list = list[1:] // it is written in any case
		}
		r.lines(b, list, others)
	}
	for i, e := range []*Event{&r.Nodes[0].To, &r.Nodes[1].From} {
		fmt.Fprintf(b, "%s: %s by %s:\n", pick(i == 0, "They can come after", "And before"),
			atAddress(e), goroutine(e.Goroutine, e.Thread))
		frames(b, e.Stack)
		b.WriteString("\n")
		events = append(events, *e)
	}
	r.origins(b)
	b.WriteString("Evidence: potential: locks and goroutines allow this order; whether each " +
		"goroutine would go on as it did isn't known\n")
	return events
}

// otherGoroutines are those that can come between.
func (r *Finding) otherGoroutines() string {
	var names []string
	for _, u := range r.Units {
		if name := goroutine(u.Goroutine, u.Thread); !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return strings.Join(names, ", ")
}

// recordedDeadlock writes what each goroutine holds and wants.
func (r *Finding) recordedDeadlock(b *strings.Builder) (events []Event) {
	fmt.Fprintf(b, "In another order of events each of %d goroutines waits for the next\n\n",
		len(r.Nodes))
	for i := range r.Nodes {
		n := &r.Nodes[i]
		for k, e := range []*Event{&n.From, &n.To} {
			who := capital(goroutine(e.Goroutine, e.Thread)) + " holds"
			if k == 1 {
				who = "It wants"
			}
			fmt.Fprintf(b, "%s the lock at %s:\n", who, pick(e.Address != "", e.Address, e.Target))
			frames(b, e.Stack)
			b.WriteString("\n")
			events = append(events, *e)
		}
	}
	r.origins(b)
	if r.Evidence == Predicted {
		b.WriteString("Evidence: predicted: it has not happened in this run; only the order of " +
			"critical sections is another\n")
		return events
	}
	b.WriteString("Evidence: potential: locks and goroutines allow this order; whether each " +
		"goroutine would go on as it did isn't known\n")
	return events
}
