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
	// Events lists the events from the first one on that matters. The first of them may be begins
	// of transactions and acquires of locks that were open before.
	Events []Event `json:"events"`

	// Prefix is the number of first events that are consecutive in the trace.
	Prefix int `json:"prefix,omitempty"`

	Switches int   `json:"switches,omitempty"` // switches of threads after the prefix
	Broken   []int `json:"broken,omitempty"`   // indexes of reads that see another write
}

// Blocks counts the transactions of a trace by verdict. Transactions that a filter has passed are
// counted by filter: the static check on the window, the static check on the trace atomicity
// segment, or the conditions by which forest-conflict proves.
type Blocks struct {
	N        uint64 `json:"n"`        // the number of transactions
	Filtered uint64 `json:"filtered"` // by the filters, no order can break them
	Found    uint64 `json:"found"`    // an order breaks them
	None     uint64 `json:"none"`     // no order of the window breaks them
	GaveUp   uint64 `json:"gave_up"`  // it isn't known

	Static    uint64 `json:"static"`     // of Filtered: fewer than two conflicts in the window
	StaticTAS uint64 `json:"static_tas"` // fewer than two in the trace atomicity segment
	Forest    uint64 `json:"forest"`     // no cycle leaves them before it comes back

	TAS         uint64 `json:"tas"`          // trace atomicity segments that were determined
	TASSteps    uint64 `json:"tas_steps"`    // how many events these have together
	WindowSteps uint64 `json:"window_steps"` // and the windows of each, so that a mean can be made
	States      uint64 `json:"states"`       // that searches have visited
}

// Add adds the counts of other transactions.
func (b *Blocks) Add(c *Blocks) {
	b.N += c.N
	b.Filtered += c.Filtered
	b.Found += c.Found
	b.None += c.None
	b.GaveUp += c.GaveUp
	b.Static += c.Static
	b.StaticTAS += c.StaticTAS
	b.Forest += c.Forest
	b.TAS += c.TAS
	b.TASSteps += c.TASSteps
	b.WindowSteps += c.WindowSteps
	b.States += c.States
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
