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

// awaited says of each what the goroutine waits for, what would let it go on, and how to mend it.
var awaited = [...]struct{ waits, lacks, mend string }{
	AwaitsLock: {"for a lock", "nobody who can go on has that, to unlock it",
		"unlock it on each way out of the code that holds it, by a deferred Unlock; and don't\n" +
			"          lock it again while it is held"},
	AwaitsReceive: {"to receive from a channel", "nobody who can go on has that, to send or close",
		"have each way out of the code that is to send also send, or close the channel; or\n" +
			"          receive in a select, with ctx.Done() beside it"},
	AwaitsSend: {"to send to a channel", "nobody who can go on has that, to receive",
		"give the channel room for all that is sent; or send in a select, with ctx.Done()\n" +
			"          beside it; or receive until the sender is done"},
	AwaitsNilReceive: {"to receive from a nil channel", "nobody ever sends to one",
		"make the channel before the goroutine takes it"},
	AwaitsNilSend: {"to send to a nil channel", "nobody ever receives from one",
		"make the channel before the goroutine takes it"},
	AwaitsSelect: {"in a select", "nobody who can go on has one of its channels",
		"have one of its cases come on each way out of the code that needs the goroutine:\n" +
			"          cancel the context, or close a channel that it selects on"},
	AwaitsCond: {"for a sync.Cond", "nobody who can go on has that, to signal it",
		"tell the goroutine to give up when nobody will signal any more: set what it asks for\n" +
			"          after Wait, and call Broadcast"},
	AwaitsGroup: {"for a sync.WaitGroup", "nobody who can go on has that, to call Done",
		"call Done on each way out of what was counted, by a deferred Done or WaitGroup.Go;\n" +
			"          and add no more than will be done"},
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
	b.Texts("How to mend it: ", awaited[l.For].mend, "\n")
	b.Text("Evidence: observed: the garbage collector has found that no goroutine which can go " +
		"on, no global\n          variable and no timer leads to what it waits for\n")
	printPage(b, "leak")
	if warning {
		b.Text("Only a warning: it fails no test (-leaks=fail makes it fail, and -leaks=off looks " +
			"for none)\n")
	}
	b.Text(Ruler)
}
