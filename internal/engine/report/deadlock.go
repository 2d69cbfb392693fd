// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package report

import (
	"github.com/commutego/commute/internal/engine/deadlock"
	"github.com/commutego/commute/internal/engine/host"
	"github.com/commutego/commute/internal/engine/source"
	"github.com/commutego/commute/internal/engine/stack"
	"github.com/commutego/commute/internal/engine/text"
)

// PrintDeadlock writes the report of a potential deadlock: for each goroutine, where it takes the
// lock that it holds and the one that it wants. A warning says that it fails nothing.
func PrintDeadlock(b *text.Buffer, c *deadlock.Cycle, warning bool) {
	b.Texts(Ruler, "WARNING: POTENTIAL DEADLOCK\n")
	if c.Repeats() {
		b.Text("A goroutine that has locked an RWMutex for reading does so again: it waits for a " +
			"goroutine\nthat waits for the first one to be unlocked\n\n")
	} else {
		b.Uint(uint64(c.N))
		b.Text(" goroutines can come to wait for each other, each with a lock that the one before " +
			"wants\n\n")
	}
	for i := range c.N {
		printDeadlockSide(b, c, i)
	}
	for i := range c.N {
		s := &c.Side[i]
		b.Text("Goroutine ")
		b.Uint(s.Goid)
		printStart(b, s.Creator, stack.StackOf(s.Origin))
	}
	if c.Repeats() {
		printLock(b, c, 0)
	} else {
		for i := range c.N {
			printLock(b, c, (i+c.N-1)%c.N) // A first
		}
	}
	b.Text("What can go wrong: deadlock: none of the goroutines goes on, nor who waits for them\n")
	if c.Repeats() {
		b.Text("How to mend it: lock for reading once, and hand on to functions that it is locked\n")
	} else {
		b.Text("How to mend it: take these locks in one order everywhere; locks of one type in " +
			"the order of an\n          id, say; or let one go before the other is taken\n")
	}
	b.Text("Evidence: potential: it has not happened in this run; locks had to be taken in another " +
		"order. What\n          goroutines read under locks is not known; it may prevent that\n")
	printPage(b, "deadlock")
	if warning {
		b.Text("Only a warning: it fails no test and no program (-deadlock=fail makes it fail, and " +
			"-deadlock=off\n          looks for none)\n")
	}
	b.Text(Ruler)
}

// letter is the letter of a lock: that which side i wants. The first lock is the one that the last
// side wants, so side 0 holds A.
func letter(c *deadlock.Cycle, i int) string {
	if c.Repeats() {
		return "A"
	}
	return "ABCD"[(i+1)%c.N : (i+1)%c.N+1]
}

// nameLock writes the letter of the lock that side i wants, and its name if the source tells it.
func nameLock(b *text.Buffer, c *deadlock.Cycle, i int) {
	b.Texts("lock ", letter(c, i))
	if d := LockOf(c, i); d.Name != "" {
		b.Texts(" (", d.Name, ")")
	}
}

// LockOf is the variable or field that the lock which side i wants is, as far as the calls that
// take it tell: that of side i, and the one of the side that holds it.
func LockOf(c *deadlock.Cycle, i int) source.Declaration {
	s := &c.Side[i]
	d := takenLock(s.WantedStack, s.WantedRead)
	for j := range c.N {
		if o := &c.Side[j]; o.Held == s.Wanted {
			if e := takenLock(o.HeldStack, o.HeldRead); e.Rank() > d.Rank() {
				d = e
			}
		}
	}
	return d
}

// takenLock is the lock that is taken at the place of a stack.
func takenLock(st uintptr, read bool) source.Declaration {
	at := TakenAt(st)
	d := source.Declare(at, text.Pick(read, "RLock", "Lock"))
	if e := source.Declare(at, text.Pick(read, "TryRLock", "TryLock")); e.Rank() > d.Rank() {
		d = e
	}
	return d
}

// printDeadlockSide writes what one goroutine holds, and what it wants.
func printDeadlockSide(b *text.Buffer, c *deadlock.Cycle, i int) {
	s := &c.Side[i]
	b.Text("Goroutine ")
	b.Uint(s.Goid)
	if s.Held != 0 {
		b.Text(" holds ")
		nameLock(b, c, (i+c.N-1)%c.N)
		b.Texts(text.Pick(s.HeldRead, " for reading", ""), ", taken at:\n")
		PrintStack(b, stack.StackOf(s.HeldStack), "", stack.StackOf(s.HeldStack).Elided)
		b.Text("  and")
	}
	b.Text(" wants ")
	nameLock(b, c, i)
	b.Texts(text.Pick(s.WantedRead, " for reading", ""), " at:\n")
	PrintStack(b, stack.StackOf(s.WantedStack), "", stack.StackOf(s.WantedStack).Elided)
	if s.NGates > 0 {
		b.Text("  It also holds ")
		b.Uint(uint64(s.NGates))
		b.Text(text.Pick(s.NGates > 1, " other locks, at", " other lock, at"))
		for _, l := range s.Gates[:s.NGates] {
			b.Text(" ")
			b.Address(l)
		}
		b.Text("\n")
	}
	b.Text("\n")
}

// printLock writes what is known of the lock that a side wants.
func printLock(b *text.Buffer, c *deadlock.Cycle, i int) {
	addr := c.Side[i].Wanted
	b.Texts("Lock ", letter(c, i), ": ")
	k := b.At(addr)
	if v, global := source.GlobalAt(addr); global && !k.Heap {
		b.Texts("variable ", v.Name, ", declared at ", stack.Stripped(v.Pos), ", ")
	} else if d := LockOf(c, i); d.Name != "" {
		b.Texts(d.Name, ", declared at ", stack.Stripped(d.Pos), ", ")
	}
	b.Text("at ")
	b.Address(addr)
	if k.Heap {
		b.Text(", in a heap block of ")
		b.Uint(uint64(k.Size))
		b.Text(" bytes at ")
		b.Address(k.Start)
	}
	b.Text("\n")
}

// TakenAt is where the program takes a lock, by the stack of that: the first frame that is not the
// library's.
func TakenAt(st uintptr) (at host.Frame) {
	stack.FrameList{Stack: stack.StackOf(st)}.Each(func(fr host.Frame) bool {
		at = fr
		return source.IsStd(fr)
	})
	return at
}
