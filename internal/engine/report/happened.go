// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package report

import (
	"github.com/commutego/commute/internal/engine/term"
	"github.com/commutego/commute/internal/engine/text"
)

// printHappened writes what the order of this run was, where a report shows another one: the last
// goroutine has done its part after both steps of the first one.
func printHappened(b *text.Buffer, last, first uint64) {
	b.Text(term.InThisRun[0])
	b.Uint(last)
	b.Text(term.InThisRun[1])
	b.Uint(first)
	b.Text("\n")
}
