// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package report

import (
	"unsafe"

	"github.com/commutego/commute/internal/engine/advice"
	"github.com/commutego/commute/internal/engine/atomicity"
	"github.com/commutego/commute/internal/engine/stack"
	"github.com/commutego/commute/internal/engine/text"
)

// PrintViolation writes the report of a violation: what happened, line by line, and each conflict
// with its two stacks.
func PrintViolation(b *text.Buffer, c *atomicity.Cycle) {
	b.Texts(Ruler, "WARNING: ATOMICITY VIOLATION\n")
	stack.Function(b, c.Code.Name)
	b.Texts(", marked as atomic at ", stack.Stripped(c.Code.Pos), ", is not: goroutine ")
	b.Uint(c.Goid)
	b.Text(text.Pick(c.Predicted, " can be interfered with by ", " was interfered with by "))
	printOthers(b, c)
	b.Text("\n\n")
	printDiagram(b, c)
	b.Text("\n")
	printExcerpt(b, c)
	if c.Predicted {
		printPrediction(b, c)
	} else {
		b.Text("What can go wrong: atomicity: no order of whole transactions has the effect of " +
			"this run\n")
		if onlySync(c) && waiting(b, c) == 0 {
			b.Text("Evidence: observed: the lock, or the like, was let go in the middle, and " +
				"another had it; what they did with it did not conflict in this run\n")
		} else {
			b.Text("Evidence: observed: this has happened, in this order\n")
		}
	}
	printFix(b, c)
	printPage(b, "atomicity")
	printConflicts(b, c)
	printLocations(b, c)
	b.Text(Ruler)
}

// printExcerpt writes the lines of the source that a cycle is about.
func printExcerpt(b *text.Buffer, c *atomicity.Cycle) {
	var x advice.Excerpt
	for i := range c.N {
		for _, site := range [...]uint32{c.Edges[i].FromSite, c.Edges[i].ToSite} {
			if fr := stack.ProgramFrame(site); fr.File != "" {
				x.AddFrame(fr)
			}
		}
	}
	x.Print(b)
}

// printConflicts writes each conflict with its two stacks.
func printConflicts(b *text.Buffer, c *atomicity.Cycle) {
	for i := range c.N {
		e := &c.Edges[i]
		b.Text("\nConflict ")
		b.Uint(uint64(i + 1))
		b.Text(" of ")
		b.Uint(uint64(c.N))
		b.Text(": ")
		printConflictSide(b, e, e.FromWrites, true)
		printEvent(b, e.FromGoid, c.From[i], e.FromSite)
		b.Text("\n  came before: ")
		printConflictSide(b, e, e.ToWrites, false)
		printEvent(b, e.ToGoid, c.To[i], e.ToSite)
	}
}

// onlySync reports whether all conflicts of a cycle are synchronization.
func onlySync(c *atomicity.Cycle) bool {
	for i := range c.N {
		if c.Edges[i].Kind != atomicity.Sync {
			return false
		}
	}
	return true
}

// printOthers names the goroutines of a cycle other than the transaction's.
func printOthers(b *text.Buffer, c *atomicity.Cycle) {
	for i := range c.N - 1 {
		if i > 0 {
			b.Text(", ")
		}
		b.Text("goroutine ")
		b.Uint(c.Edges[i].ToGoid)
	}
}

// printConflictSide writes one side of a conflict: what was done, and to what.
func printConflictSide(b *text.Buffer, e *atomicity.Edge, writes, first bool) {
	printDeed(b, e, writes, first)
	if e.Kind != atomicity.Go {
		b.Text(" at ")
		b.Address(e.Addr)
	}
}

// printDeed writes what was done on one side of a conflict.
func printDeed(b *text.Buffer, e *atomicity.Edge, writes, first bool) {
	switch e.Kind {
	case atomicity.Memory:
		b.Text(text.Pick(writes, "write", "read"))
	case atomicity.Atomic:
		b.Text(text.Pick(writes, "atomic write", "atomic read"))
	case atomicity.Object:
		call := e.ToCall
		if first {
			call = e.FromCall
		}
		b.Texts("call of ", methodAt(call).Name)
	case atomicity.Go:
		b.Text(text.Pick(first, "go statement", "start"))
	default:
		b.Text(wordOf(e, first))
	}
}

// printEvent writes the goroutine of one side of a conflict, and its stack.
func printEvent(b *text.Buffer, goid uint64, p *atomicity.AtomicCode, site uint32) {
	b.Text(" by goroutine ")
	b.Uint(goid)
	if p != nil {
		b.Text(" in ")
		stack.Function(b, p.Name)
	}
	if site == 0 {
		b.Text("\n") // the start of a goroutine
		return
	}
	b.Text(":\n")
	PrintFrames(b, site)
}

// CodeOf is the atomic code that a word points to.
func CodeOf(p uintptr) *atomicity.AtomicCode {
	return *(**atomicity.AtomicCode)(unsafe.Pointer(&p))
}

// printPrediction writes what a prediction rests on.
func printPrediction(b *text.Buffer, c *atomicity.Cycle) {
	b.Text("What can go wrong: atomicity: no order of whole transactions has the effect of the " +
		"order above\n")
	b.Text("Evidence: predicted: it has not happened in this run; all that goroutine ")
	b.Uint(c.Edges[0].ToGoid)
	b.Text(text.Pick(c.Edges[0].Addr != c.Edges[1].Addr, " needs for its accesses could come ",
		" needs for its access could come "))
	b.Text("before, for only the order in which locks were taken had to be another")
	if c.ValuesDiffer {
		b.Text(", and what it does in its transaction doesn't depend on the values that it reads " +
			"there")
	}
	if c.OtherReads {
		b.Text("; it would see what has not been completed")
	}
	b.Text("\n")
	printHappened(b, c.Edges[0].ToGoid, c.Goid) // so the predictor has found it
}
