// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package report

import (
	"github.com/commutego/commute/internal/engine/atomicity"
	"github.com/commutego/commute/internal/engine/text"
)

// A step is one side of a conflict, as a line of the diagram.
type step struct {
	edge   *atomicity.Edge
	first  bool
	goid   uint64
	epoch  uint64
	after  int  // the step of the conflict's other side, which came before; -1: none
	done   bool // it was written
	writes bool
	site   uint32
}

// column is the width of the left column.
const column = 40

// printDiagram writes the steps of a cycle in an order in which they happened. The transaction's
// are on the left, the others' on the right.
func printDiagram(b *text.Buffer, c *atomicity.Cycle) {
	var steps [2 * atomicity.MaxEdges]step
	n := 0
	for i := range c.N {
		e := &c.Edges[i]
		steps[n] = step{edge: e, first: true, goid: e.FromGoid, epoch: uint64(e.From), after: -1,
			writes: e.FromWrites, site: e.FromSite}
		steps[n+1] = step{edge: e, goid: e.ToGoid, epoch: uint64(e.To), after: n,
			writes: e.ToWrites, site: e.ToSite}
		n += 2
	}
	b.Text("  ")
	start := b.N
	b.Text("goroutine ")
	b.Uint(c.Goid)
	pad(b, start)
	printOthers(b, c)
	b.Text("\n  begin\n")
	var last *step
	for range n {
		s := next(steps[:n])
		s.done = true
		if last == nil || last.goid != s.goid || last.site != s.site || last.writes != s.writes ||
			last.edge.Addr != s.edge.Addr {
			s.print(b, c)
		}
		last = s
	}
}

// next is a step that no other has to come before.
func next(steps []step) *step {
	var best *step
	for i := range steps {
		s := &steps[i]
		if s.done || s.after >= 0 && !steps[s.after].done || blocked(steps, s) {
			continue
		}
		if best == nil {
			best = s
		}
	}
	if best == nil {
		for i := range steps { // some have one epoch: the first of them
			if s := &steps[i]; !s.done && best == nil {
				best = s
			}
		}
	}
	return best
}

// blocked reports whether the goroutine of s has an earlier step to do.
func blocked(steps []step, s *step) bool {
	for i := range steps {
		if o := &steps[i]; o != s && !o.done && o.goid == s.goid && o.epoch < s.epoch {
			return true
		}
	}
	return false
}

// print writes the step's line.
func (s *step) print(b *text.Buffer, c *atomicity.Cycle) {
	b.Text("  ")
	if s.goid != c.Goid {
		pad(b, b.N)
		if c.N > 2 {
			b.Uint(s.goid)
			b.Text(": ")
		}
	}
	printStepOf(b, c, s.edge, s.writes, s.first, s.site)
}

// pad fills up the left column, which began at start.
func pad(b *text.Buffer, start int) {
	for b.N-start < column {
		b.Text(" ")
	}
}
