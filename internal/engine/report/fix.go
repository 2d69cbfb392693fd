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
	v := advice.Violation{Out: stack.ProgramFrame(out.FromSite), In: stack.ProgramFrame(in.ToSite),
		From: MarkedFrame(c, out.FromSite), To: MarkedFrame(c, in.ToSite),
		Accesses: onlyAccesses(c), Atomics: readsThenWrites(c, atomicity.Atomic)}
	if wait := waiting(b, c); wait != 0 {
		v.Waits = stack.ProgramFrame(wait)
	}
	v.Tries = out.Kind == atomicity.Atomic && in.Kind == atomicity.Atomic &&
		out.Addr == in.Addr && text.Contains(calledAt(in.ToSite), "CompareAndSwap")
	if readsThenWrites(c, atomicity.Object) {
		v.Table, v.Check, v.Act = tableAt(in.Table), methodAt(out.FromCall), methodAt(in.ToCall)
	}
	if e := releasedLock(c); e != nil {
		v.Lock = advice.Released{Known: true, Name: nameOf(b, e), Addr: e.Addr,
			Read:  wordOf(e, true) == "read unlock",
			LetGo: stack.ProgramFrame(e.FromSite), TakeAt: stack.ProgramFrame(e.ToSite),
			By: e.ToGoid}
	}
	start := b.N
	printHint(b, "")
	hint := b.N
	if v.Mend(b); b.N == hint {
		b.N = start // nothing is known
		return
	}
	b.Text("\n")
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
