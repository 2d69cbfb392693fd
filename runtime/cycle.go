// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package runtime

import (
	"unsafe"

	"github.com/commutego/commute/internal/engine/atomicity"
	"github.com/commutego/commute/internal/engine/compiled"
)

// printViolation writes a report: what happened, line by line, and then each conflict with its two stacks.
func printViolation(b *buffer, c *atomicity.Cycle) {
	b.texts(ruler, "WARNING: ATOMICITY VIOLATION\n")
	function(b, c.Code.Name)
	b.texts(", marked as atomic at ", stripped(c.Code.Pos), ", is not: goroutine ")
	b.uint(c.Goid)
	b.text(pick(c.Predicted, " can be interfered with by ", " was interfered with by "))
	others(b, c)
	b.text("\n\n")
	printCycle(b, c)
	if c.Predicted {
		foreseen(b, c)
		b.text(ruler)
		return
	}
	b.text("\nWhat can go wrong: atomicity: no order of whole transactions has the effect of this run\n")
	mend(b, c)
	if onlySync(c) && waiting(b, c) == 0 {
		b.text("Evidence: observed: the lock, or the like, was let go in the middle, and another had it; what they did with it did not conflict in this run\n")
	} else {
		b.text("Evidence: observed: this has happened, in this order\n")
	}
	b.text(ruler)
}

// printCycle writes what happened, each conflict with its stacks, and where the memory is from.
func printCycle(b *buffer, c *atomicity.Cycle) {
	diagram(b, c)
	for i := range c.N {
		e := &c.Edges[i]
		b.text("\nConflict ")
		b.uint(uint64(i + 1))
		b.text(" of ")
		b.uint(uint64(c.N))
		b.text(": ")
		side(b, e, e.FromWrites, true)
		at(b, e.FromGoid, c.From[i], e.FromSite)
		b.text("\n  came before: ")
		side(b, e, e.ToWrites, false)
		at(b, e.ToGoid, c.To[i], e.ToSite)
	}
	homes(b, c)
}

// onlySync reports whether no conflict of a cycle but synchronization is known.
func onlySync(c *atomicity.Cycle) bool {
	for i := range c.N {
		if c.Edges[i].Kind != atomicity.Sync {
			return false
		}
	}
	return true
}

// others names the goroutines of a cycle but that of the transaction.
func others(b *buffer, c *atomicity.Cycle) {
	for i := range c.N - 1 {
		if i > 0 {
			b.text(", ")
		}
		b.text("goroutine ")
		b.uint(c.Edges[i].ToGoid)
	}
}

// side writes one side of a conflict.
func side(b *buffer, e *atomicity.Edge, writes, first bool) {
	switch e.Kind {
	case atomicity.Memory:
		b.text(pick(writes, "write", "read"))
	case atomicity.Atomic:
		b.text(pick(writes, "atomic write", "atomic read"))
	case atomicity.Object:
		call := e.ToCall
		if first {
			call = e.FromCall
		}
		b.texts("call of ", methodAt(call).Name)
	case atomicity.Go:
		b.text(pick(first, "go statement", "start"))
		return
	default:
		b.text(wordOf(e, first))
	}
	b.text(" at ")
	b.address(e.Addr)
}

// at writes who makes one side of a conflict, and where.
func at(b *buffer, goid uint64, p *atomicity.AtomicCode, site uint32) {
	b.text(" by goroutine ")
	b.uint(goid)
	if p != nil {
		b.text(" in ")
		function(b, p.Name)
	}
	if site == 0 {
		b.text("\n") // the start of a goroutine
		return
	}
	b.text(":\n")
	frames(b, site)
}

// Inferred is a function with such reads and writes.
type Inferred = compiled.Inferred

// An overwritten is what is to be reported.
type overwritten struct {
	cycle atomicity.Cycle
	pair  uint32
}

// printInferred writes a report, as printViolation does.
func printInferred(b *buffer, x *overwritten) {
	c := &x.cycle
	b.texts(ruler, "WARNING: ATOMICITY VIOLATION\n")
	function(b, c.Code.Name)
	pair := &(*Inferred)(unsafe.Pointer(c.Code)).Pairs[x.pair] // its code is its beginning
	b.text(" reads at ")
	writeLine(b, pair.Read)
	b.text(", and writes what depends on it at ")
	writeLine(b, pair.Write)
	b.text(": goroutine ")
	b.uint(c.Goid)
	b.text(" was interfered with by ")
	others(b, c)
	b.text("\n\n")
	printCycle(b, c)
	b.text("\nWhat can go wrong: lost update: what was written in between is lost, and what has taken its place was made of an older value\n")
	b.text("Evidence: observed: this has happened, in this order\n")
	b.text(ruler)
}

func writeLine(b *buffer, l compiled.Line) {
	b.texts(stripped(l.File), ":")
	b.uint(uint64(l.Number))
}

func markAt(p uintptr) *atomicity.AtomicCode { return *(**atomicity.AtomicCode)(unsafe.Pointer(&p)) }

// foreseen writes what a prediction rests on.
func foreseen(b *buffer, c *atomicity.Cycle) {
	b.text("\nWhat can go wrong: atomicity: no order of whole transactions has the effect of the order above\n")
	b.text("Evidence: predicted: it has not happened in this run; all that goroutine ")
	b.uint(c.Edges[0].ToGoid)
	b.text(" needs for its access could come before, for only the order in which locks were taken had to be another")
	if c.ValuesDiffer {
		b.text(", and what it does in its transaction doesn't depend on the values that it reads there")
	}
	if c.OtherReads {
		b.text("; it would see what has not been completed")
	}
	b.text("\n")
}
