// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package report

import (
	"fmt"
	"slices"
	"strings"
)

// A Witness is an order of events of the trace that the program could have made, and in which the
// transaction is not serializable.
type Witness struct {
	// Events are those from the first one on that matters. The first of them may be begins of
	// transactions and acquires of locks that were open before.
	Events []Event `json:"events"`

	// Prefix is how many events are as in the trace, one after the other.
	Prefix int `json:"prefix,omitempty"`

	Switches int   `json:"switches,omitempty"` // how often another thread goes on, after those
	Broken   []int `json:"broken,omitempty"`   // indexes of reads that see another write
}

// Blocks says what became of the transactions of a trace.
type Blocks struct {
	N        uint64 `json:"n"`        // how many there are
	Filtered uint64 `json:"filtered"` // no order can break them, as filters say
	Found    uint64 `json:"found"`    // an order breaks them
	None     uint64 `json:"none"`     // no order of the window breaks them
	GaveUp   uint64 `json:"gave_up"`  // it isn't known
}

// most is how many events of an order are written.
const most = 60

// write writes the order, with a column for each thread.
func (w *Witness) write(b *strings.Builder) {
	var threads []string
	for _, e := range w.Events {
		if !slices.Contains(threads, e.Thread) {
			threads = append(threads, e.Thread)
		}
	}
	from := max(0, len(w.Events)-most)
	b.WriteString("\tin this order:\n")
	if from > 0 {
		fmt.Fprintf(b, "\t\t(%d events before)\n", from)
	}
	for i, e := range w.Events[from:] {
		text := e.Op
		if e.Target != "" {
			text += " " + e.Target
		}
		column := slices.Index(threads, e.Thread)
		fmt.Fprintf(b, "\t\t%s%s: %s (event %d", strings.Repeat("    ", column), e.Thread, text,
			e.Number)
		if slices.Contains(w.Broken, from+i) {
			b.WriteString(", sees another write")
		}
		b.WriteString(")\n")
	}
}
