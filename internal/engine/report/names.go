// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package report

import (
	"github.com/commutego/commute/internal/engine/atomicity"
	"github.com/commutego/commute/internal/engine/source"
	"github.com/commutego/commute/internal/engine/stack"
	"github.com/commutego/commute/internal/engine/text"
)

// Names in place of addresses: what the source calls the object, lock or variable of a conflict.

// lockMethods are the methods that take a lock, of those whose calls have names for it.
var lockMethods = [...]string{"Lock", "RLock", "TryLock", "TryRLock"}

// nameOf is the name of what a conflict is about, empty if it is not known. A lock has that of the
// call by which the second goroutine takes it.
func nameOf(b *text.Buffer, e *atomicity.Edge) string {
	switch e.Kind {
	case atomicity.Object:
		if e.ToCall != 0 {
			return source.Declare(stack.ProgramFrame(e.ToSite), methodAt(e.ToCall).Name).Name
		}
	case atomicity.Sync:
		if !isLock(wordOf(e, true)) || !isLock(wordOf(e, false)) {
			return ""
		}
		var d source.Declaration
		for _, method := range lockMethods {
			c := source.Declare(stack.ProgramFrame(e.ToSite), method)
			if c.Rank() > d.Rank() {
				d = c
			}
		}
		return d.Name
	case atomicity.Memory, atomicity.Atomic:
		if v, global := source.GlobalAt(e.Addr); global && !b.At(e.Addr).Heap {
			return v.Name
		}
	}
	return ""
}

// printStepOf writes one side of a conflict as a step: where it is, what was done, and to what.
func printStepOf(b *text.Buffer, e *atomicity.Edge, writes, first bool, site uint32) {
	start := b.N
	stack.LineOf(b, site)
	if b.N > start {
		b.Text("  ")
	}
	switch name := nameOf(b, e); {
	case name == "":
		printConflictSide(b, e, writes, first)
	case e.Kind == atomicity.Object:
		call := e.ToCall
		if first {
			call = e.FromCall
		}
		b.Texts(name, ".", methodAt(call).Name)
	default:
		printDeed(b, e, writes, first)
		b.Texts(" ", name)
	}
	b.Text("\n")
}
