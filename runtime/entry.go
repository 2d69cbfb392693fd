// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package runtime

import (
	"unsafe"

	"github.com/commutego/commute/internal/engine/atomicity"
	"github.com/commutego/commute/internal/engine/call"
	"github.com/commutego/commute/internal/engine/commrace"
	"github.com/commutego/commute/internal/engine/report"
	"github.com/commutego/commute/internal/engine/txn"
	"github.com/commutego/commute/internal/event"
)

// The hooks that the runtime's own goroutines come to, too: for them, which have no context, the
// events count for nothing. For others, each is the method of its name of the floor that it is of.

// Begin tells that g starts a call.
func (g *Goroutine) Begin(c *commrace.Call) {
	if g == nil {
		call.Ignore(c)
		return
	}
	g.Caller.Begin(c)
}

// End tells that the call is over.
func (g *Goroutine) End(c *commrace.Call) {
	if g != nil {
		g.Caller.End(c)
	}
}

// Observe is a whole call of an observer with one key at most.
func (g *Goroutine) Observe(spec *commrace.Spec, obj unsafe.Pointer, method, beta uint32, key uint64,
	args unsafe.Pointer, nargs uint32, at commrace.Place) {
	if g != nil {
		g.Caller.Observe(spec, obj, method, beta, key, args, nargs, at)
	}
}

// Leave tells that the call calls back into the program.
func (g *Goroutine) Leave(c *commrace.Call) {
	if g != nil {
		g.Caller.Leave(c)
	}
}

// Resume tells that the callback is over.
func (g *Goroutine) Resume(c *commrace.Call) {
	if g != nil {
		g.Caller.Resume(c)
	}
}

// BeginAtomic tells that g begins a transaction.
func (g *Goroutine) BeginAtomic(t *txn.Transaction, p *atomicity.AtomicCode) {
	if g != nil {
		g.Transactor.BeginAtomic(t, p)
	}
}

// BeginFunction is BeginAtomic for a function whose first instruction is at entry.
func (g *Goroutine) BeginFunction(t *txn.Transaction, entry uintptr) {
	if g != nil {
		g.Transactor.BeginFunction(t, entry)
	}
}

// EndAtomic tells that it ends; that it has begun, and not ended, need not be so.
func (g *Goroutine) EndAtomic(t *txn.Transaction) {
	if g != nil {
		g.Transactor.EndAtomic(t)
	}
}

// BeginInferred tells that g enters a function with reads and writes that are taken for atomic.
func (g *Goroutine) BeginInferred(t *txn.Transaction, p *report.Inferred) {
	if g != nil {
		g.Accessor.BeginInferred(t, p)
	}
}

// EndInferred tells that it leaves it.
func (g *Goroutine) EndInferred(t *txn.Transaction) {
	if g != nil {
		g.Accessor.EndInferred(t)
	}
}

// Locked tells that g has taken a lock, after the order that this makes is known.
func (g *Goroutine) Locked(addr uintptr, read bool) {
	if g != nil {
		g.Transactor.Locked(addr, read)
	}
}

// Unlocking tells that g is about to release a lock.
func (g *Goroutine) Unlocking(addr uintptr, read, free bool) {
	if g != nil {
		g.Transactor.Unlocking(addr, read, free)
	}
}

// Dependent reports whether it matters who calls Unlock.
func (g *Goroutine) Dependent() bool { return g != nil && g.Transactor.Dependent() }

// Order tells the prediction of synchronization that is not that of a lock.
func (g *Goroutine) Order(addr uintptr, k event.Kind) {
	if g != nil {
		g.Transactor.Order(addr, k)
	}
}

// OrderBoth tells the prediction that g and h, which stands still, order each other.
func (g *Goroutine) OrderBoth(h *Goroutine) {
	if g != nil && h != nil {
		g.Transactor.OrderBoth(&h.Transactor)
	}
}

// OrderCall tells the prediction that g begins, or ends, a call of a specified method of an object.
func (g *Goroutine) OrderCall(obj unsafe.Pointer) {
	if g != nil {
		g.Transactor.OrderCall(obj)
	}
}

// Untold tells the prediction that what g does next may depend on anything that has happened so far.
func (g *Goroutine) UnknownEvent() {
	if g != nil {
		g.Transactor.UnknownEvent()
	}
}
