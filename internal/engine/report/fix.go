// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package report

import (
	"unsafe"

	"github.com/commutego/commute/internal/engine/advice"
	"github.com/commutego/commute/internal/engine/atomicity"
	"github.com/commutego/commute/internal/engine/commrace"
	"github.com/commutego/commute/internal/engine/host"
	"github.com/commutego/commute/internal/engine/stack"
	"github.com/commutego/commute/internal/engine/text"
	"github.com/commutego/commute/internal/event"
)

// What would have prevented a violation, as far as its cycle tells.

// methodAt is the method that a word points to.
func methodAt(p uintptr) *commrace.Method { return *(**commrace.Method)(unsafe.Pointer(&p)) }

// tableAt is the table that a word points to.
func tableAt(p uintptr) *commrace.Table { return *(**commrace.Table)(unsafe.Pointer(&p)) }

// printFix writes how a violation can be prevented, or nothing if that is not known.
func printFix(b *text.Buffer, c *atomicity.Cycle) {
	out, in := &c.Edges[0], &c.Edges[c.N-1]
	wait, lock := waiting(b, c), releasedLock(c)
	switch {
	case wait != 0:
		printHint(b, "mark less: what waits for another goroutine, as at ")
		stack.LineOf(b, wait)
		b.Text(", cannot be atomic\n")
	case out.Kind == atomicity.Atomic && in.Kind == atomicity.Atomic && out.Addr == in.Addr &&
		text.Contains(calledAt(in.ToSite), "CompareAndSwap"):
		printHint(b,
			"mark less: what tries CompareAndSwap until it succeeds may well be interfered with\n")
	case readsThenWrites(c, atomicity.Atomic):
		printHint(b,
			"use one operation that reads and writes (Add, Swap or CompareAndSwap) in place of "+
				"those at ")
		stack.LineOf(b, out.FromSite)
		b.Text(" and ")
		stack.LineOf(b, in.ToSite)
		b.Text(", or hold one lock around both\n")
	case readsThenWrites(c, atomicity.Object) && advice.HasArbiter(tableAt(in.Table), methodAt(in.ToCall)):
		printHint(b, "use a method that checks and acts in one, as ")
		advice.Arbiters(b, tableAt(in.Table), methodAt(in.ToCall))
		b.Texts(", in place of ", methodAt(out.FromCall).Name, " and ", methodAt(in.ToCall).Name,
			"\n")
	case lock != nil:
		holdLock(b, c, lock)
	case onlyAccesses(c):
		printHint(b, "hold one lock ")
		printExtent(b, c)
		b.Text(", and where the others interfere\n")
	}
}

// printHint begins the line.
func printHint(b *text.Buffer, text string) { b.Texts("How to mend it: ", text) }

// waiting is where the transaction has waited for another goroutine that had something from it; 0
// if it has not, as far as is known. A channel can serve as a lock, and then the other one has
// waited.
func waiting(b *text.Buffer, c *atomicity.Cycle) (site uint32) {
	in := &c.Edges[c.N-1]
	receives := false
	if in.Kind == atomicity.Sync {
		switch wordOf(in, false) {
		case "wait":
			return in.ToSite
		case "receive", "select":
			receives = true
		}
	}
	for i := range c.NSyncEdges {
		e := &c.SyncEdges[i]
		switch {
		case e.Kind == atomicity.Sync && wordOf(e, true) == "wait":
			return e.FromSite // sync.Cond releases its lock
		case receives &&
			(e.Kind == atomicity.Go || !isLock(wordOf(e, true)) && !b.SameBlock(e.Addr, in.Addr)):
			return in.ToSite
		}
	}
	return 0
}

// isLock reports whether a word of an operation is one of a lock's.
func isLock(word string) bool { return text.Contains(word, "lock") }

// readsThenWrites reports whether the transaction first reads and then writes at one address, and
// one event of another goroutine conflicts with both.
func readsThenWrites(c *atomicity.Cycle, kind event.Class) bool {
	out, in := &c.Edges[0], &c.Edges[c.N-1]
	return c.N == 2 && out.Kind == kind && in.Kind == kind && out.Addr == in.Addr &&
		!out.FromWrites && in.ToWrites &&
		out.ToSite == in.FromSite
}

// releasedLock is the edge from a release of a lock by the transaction to the next acquire by
// another goroutine. It is nil if that is not known.
func releasedLock(c *atomicity.Cycle) *atomicity.Edge {
	for i := c.NSyncEdges - 1; i >= 0; i-- {
		if e := &c.SyncEdges[i]; e.Kind == atomicity.Sync && isLock(wordOf(e, true)) &&
			isLock(wordOf(e, false)) {
			return e
		}
	}
	return nil
}

// holdLock writes that a lock is to be held.
func holdLock(b *text.Buffer, c *atomicity.Cycle, e *atomicity.Edge) {
	if name := nameOf(b, e); name != "" {
		printHint(b, "hold ")
		b.Text(name)
	} else {
		printHint(b, "hold the lock at ")
		b.Address(e.Addr)
	}
	if wordOf(e, true) == "read unlock" {
		b.Text(" (as a writer, if anything is written)")
	}
	b.Text(" ")
	printExtent(b, c)
	b.Text(", instead of letting it go at ")
	stack.LineOf(b, e.FromSite)
	b.Text(", after which goroutine ")
	b.Uint(e.ToGoid)
	b.Text(" took it at ")
	stack.LineOf(b, e.ToSite)
	b.Text("\n")
}

// printExtent writes from where to where a transaction was interfered with, by lines of the marked
// code if possible.
func printExtent(b *text.Buffer, c *atomicity.Cycle) {
	first, last := MarkedFrame(c, c.Edges[0].FromSite), MarkedFrame(c, c.Edges[c.N-1].ToSite)
	if first.File == last.File && first.Line == last.Line {
		b.Text("throughout") // a loop
		return
	}
	b.Text("from ")
	stack.Place(b, first)
	b.Text(" to ")
	stack.Place(b, last)
}

// MarkedFrame is the frame of a site that is of the marked function, else the innermost of the
// program.
func MarkedFrame(c *atomicity.Cycle, site uint32) (found host.Frame) {
	return FrameIn(c.Code.Name, site)
}

// FrameIn is the frame of a site that is of the function of a name. If there is none, it is the
// innermost one that is not in the standard library. The name of a block begins with its
// function's.
func FrameIn(name string, site uint32) (found host.Frame) {
	stack.EachFrame(site, func(fr host.Frame) bool {
		marked := text.HasPrefix(name, fr.Func) &&
			(len(name) == len(fr.Func) || name[len(fr.Func)] == ' ')
		if marked || found.File == "" && !stack.OfLibrary(fr.Func) {
			found = fr
		}
		return !marked
	})
	return found
}

// onlyAccesses reports whether all conflicts of a cycle are between accesses or calls.
func onlyAccesses(c *atomicity.Cycle) bool {
	for i := range c.N {
		if k := c.Edges[i].Kind; k == atomicity.Sync || k == atomicity.Go {
			return false
		}
	}
	return true
}
