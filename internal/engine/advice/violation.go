// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package advice

import (
	"github.com/commutego/commute/internal/engine/commrace"
	"github.com/commutego/commute/internal/engine/host"
	"github.com/commutego/commute/internal/engine/stack"
	"github.com/commutego/commute/internal/engine/text"
)

// A Violation is what would have prevented that a transaction is interfered with goes by. The
// places are lines of the program.
type Violation struct {
	Waits    host.Frame // where the transaction waits for another goroutine; the zero Frame: nowhere
	Out, In  host.Frame // where it is left first, and come back to
	From, To host.Frame // those in the marked code

	// One event of another goroutine conflicts with both, which read and then write one thing.
	Atomics bool // by operations of sync/atomic
	Tries   bool // and the second one is CompareAndSwap, whatever the first one is
	// Of calls, the table and the two methods.
	Table      *commrace.Table
	Check, Act *commrace.Method

	Lock     Released // a lock that it has let go, which another goroutine took, if one is known
	Accesses bool     // all conflicts are of accesses or calls
}

// Released is a lock that a transaction has let go in the middle, and another goroutine took.
type Released struct {
	Known         bool
	Name          string
	Addr          uintptr // if it has no name
	Read          bool    // it was held for reading
	LetGo, TakeAt host.Frame
	By            uint64 // the other goroutine
}

// Mend writes how to mend it, in a line without its end, or nothing if that is not known.
func (v *Violation) Mend(b *text.Buffer) {
	switch {
	case v.Waits.Func != "":
		b.Text("mark less: what waits for another goroutine, as at ")
		stack.Place(b, v.Waits)
		b.Text(", cannot be atomic")
	case v.Tries:
		b.Text("mark less: what tries CompareAndSwap until it succeeds may well be interfered with")
	case v.Atomics:
		b.Text("use one operation that reads and writes (Add, Swap or CompareAndSwap) in place of " +
			"those at ")
		stack.Place(b, v.Out)
		b.Text(" and ")
		stack.Place(b, v.In)
		b.Text(", or hold one lock around both")
	case v.Act != nil && HasArbiter(v.Table, v.Act):
		b.Text("use a method that checks and acts in one, as ")
		Arbiters(b, v.Table, v.Act)
		b.Texts(", in place of ", v.Check.Name, " and ", v.Act.Name)
	case v.Lock.Known:
		v.Lock.hold(b, v)
	case v.Accesses:
		b.Text("hold one lock ")
		v.extent(b)
		b.Text(", and where the others interfere")
	}
}

// hold writes that a lock is to be held.
func (l *Released) hold(b *text.Buffer, v *Violation) {
	switch {
	case l.Name != "":
		b.Texts("hold ", l.Name)
	case l.Addr == 0:
		b.Text("hold the lock")
	default:
		b.Text("hold the lock at ")
		b.Address(l.Addr)
	}
	if l.Read {
		b.Text(" (as a writer, if anything is written)")
	}
	b.Text(" ")
	v.extent(b)
	b.Text(", instead of letting it go at ")
	stack.Place(b, l.LetGo)
	b.Text(", after which goroutine ")
	b.Uint(l.By)
	b.Text(" took it at ")
	stack.Place(b, l.TakeAt)
}

// extent writes from where to where the transaction was interfered with.
func (v *Violation) extent(b *text.Buffer) {
	if stack.SamePlace(v.From, v.To) {
		b.Text("throughout") // a loop
		return
	}
	extent(b, v.From, v.To)
}
