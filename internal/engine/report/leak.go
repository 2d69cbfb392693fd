// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package report

import (
	"github.com/commutego/commute/internal/engine/stack"
	"github.com/commutego/commute/internal/engine/text"
)

// An Awaited is what a goroutine waits for.
type Awaited byte

// What leaked goroutines wait for.
const (
	AwaitsLock Awaited = iota
	AwaitsReceive
	AwaitsSend
	AwaitsNilReceive
	AwaitsNilSend
	AwaitsSelect
	AwaitsCond
	AwaitsGroup
)

// awaited says of each what the goroutine waits for, and what would let it go on.
var awaited = [...]struct{ waits, lacks string }{
	AwaitsLock:       {"for a lock", "nobody who can go on has that, to unlock it"},
	AwaitsReceive:    {"to receive from a channel", "nobody who can go on has that, to send or close"},
	AwaitsSend:       {"to send to a channel", "nobody who can go on has that, to receive"},
	AwaitsNilReceive: {"to receive from a nil channel", "nobody ever sends to one"},
	AwaitsNilSend:    {"to send to a nil channel", "nobody ever receives from one"},
	AwaitsSelect:     {"in a select", "nobody who can go on has one of its channels"},
	AwaitsCond:       {"for a sync.Cond", "nobody who can go on has that, to signal it"},
	AwaitsGroup:      {"for a sync.WaitGroup", "nobody who can go on has that, to call Done"},
}

// Waits is what the goroutine waits for, after "it waits".
func (a Awaited) Waits() string { return awaited[a].waits }

// A Leaked is a goroutine that waits for what nobody can give it any more.
type Leaked struct {
	Goid    uint64
	Creator uint64
	Origin  uintptr // the stack of the go statement, 0 if there is none
	Stack   uintptr // where it waits
	Owner   uintptr // the test that has started it
	For     Awaited
	Count   uint64 // how many goroutines wait there that were started at the same place
}

// PrintLeak writes the report of leaked goroutines. A warning says that it fails nothing.
func PrintLeak(b *text.Buffer, l *Leaked, warning bool) {
	b.Texts(Ruler, "WARNING: LEAKED GOROUTINE\nGoroutine ")
	b.Uint(l.Goid)
	b.Texts(" waits ", l.For.Waits(), " for ever: ", awaited[l.For].lacks, "\n")
	if l.Count > 1 {
		b.Text(text.Pick(l.Count > 2, "So do ", "So does "))
		b.Uint(l.Count - 1)
		b.Text(text.Plural(l.Count-1, " more goroutine", " more goroutines"))
		b.Text(" that the same go statement has started\n")
	}
	b.Text("\nGoroutine ")
	b.Uint(l.Goid)
	b.Texts(" waits ", l.For.Waits(), " at:\n")
	PrintStack(b, stack.StackOf(l.Stack), "", stack.StackOf(l.Stack).Elided)
	b.Text("\nGoroutine ")
	b.Uint(l.Goid)
	printStart(b, l.Creator, stack.StackOf(l.Origin))
	b.Text("What can go wrong: leak: the goroutine never ends, and keeps all that it refers to\n")
	b.Text("How to mend it: have each way out of the code that starts it let it go on: close the " +
		"channel, give\n          it room for what is sent, select on ctx.Done() too, unlock, " +
		"or call Done\n")
	b.Text("Evidence: observed: the garbage collector has found that no goroutine which can go " +
		"on, no global\n          variable and no timer leads to what it waits for\n")
	printPage(b, "leak")
	if warning {
		b.Text("Only a warning: it fails no test (-leaks=fail makes it fail, and -leaks=off looks " +
			"for none)\n")
	}
	b.Text(Ruler)
}
