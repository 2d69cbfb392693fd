// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package report

import (
	"github.com/commutego/commute/internal/engine/atomicity"
	"github.com/commutego/commute/internal/engine/compiled"
	"github.com/commutego/commute/internal/engine/instance"
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
		name, _ := variableAt(e.Addr, accessOf(e, true), accessOf(e, false))
		return name
	}
	return ""
}

// An accessAt is an access to memory: where, and how.
type accessAt struct {
	site uint32
	kind compiled.AccessKind
}

// accessOf is the first access of an edge, or the second.
func accessOf(e *atomicity.Edge, first bool) accessAt {
	a, writes := accessAt{e.ToSite, compiled.Reads}, e.ToWrites
	if first {
		a.site, writes = e.FromSite, e.FromWrites
	}
	switch {
	case e.Kind == atomicity.Atomic:
		a.kind = compiled.Atomically
	case writes:
		a.kind = compiled.Writes
	}
	return a
}

// line is what the line of an access can have accessed. Of an access by a function of the library
// that the line calls, only those of package sync/atomic are known, and the operations on maps.
func (a accessAt) line() source.LineSet {
	called, kind := calledAt(a.site), a.kind
	switch {
	case text.HasPrefix(called, "runtime.map"):
		kind = compiled.InMap
	case (called != "") != (kind == compiled.Atomically):
		return source.LineSet{}
	}
	return source.AccessedAt(stack.ProgramFrame(a.site), kind)
}

// variableAt is the name of the variable or field at an address that two accesses are of, and where
// it is declared; empty if that is not sure. What is in a map has the map's name. Critical sections
// tell it, or what the two lines can have accessed.
func variableAt(addr uintptr, first, second accessAt) (name, decl string) {
	if t := touchOf(addr, first.site, second.site); t != nil {
		return t.Name, t.Decl
	}
	one, two := first.line(), second.line()
	if n := one.Common(&two); n != nil {
		return n.Name, n.Decl
	}
	return "", ""
}

// touchOf is a touch of the field, or of the variable, at an address that code at two sites
// accesses; nil if critical sections have not touched it. An access of several fields at once is at
// the address of the first one, so the lines of both sites have to touch it, too.
func touchOf(addr uintptr, first, second uint32) *compiled.SectionTouch {
	t := instance.Sections.TouchOf(addr)
	if t == nil || !source.Touches(stack.ProgramFrame(first), t.Name) ||
		!source.Touches(stack.ProgramFrame(second), t.Name) {
		return nil
	}
	return t
}

// isShared reports whether another conflict of a cycle is about something else of the same name:
// the same field of two objects.
func isShared(b *text.Buffer, c *atomicity.Cycle, e *atomicity.Edge, name string) bool {
	for i := range c.N {
		if o := &c.Edges[i]; o.Addr != e.Addr && nameOf(b, o) == name {
			return true
		}
	}
	return false
}

// printStepOf writes one side of a conflict of a cycle as a step: where it is, what was done, and
// to what.
func printStepOf(b *text.Buffer, c *atomicity.Cycle, e *atomicity.Edge, writes, first bool,
	site uint32) {
	start := b.N
	stack.LineOf(b, site)
	if b.N > start {
		b.Text("  ")
	}
	name := nameOf(b, e)
	switch {
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
	if name != "" && isShared(b, c, e, name) {
		b.Text(" at ")
		b.Address(e.Addr)
	}
	b.Text("\n")
}
