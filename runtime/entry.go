// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package runtime

import (
	"unsafe"

	"github.com/commutego/commute/internal/engine/atomicity"
	"github.com/commutego/commute/internal/engine/call"
	"github.com/commutego/commute/internal/engine/commrace"
	"github.com/commutego/commute/internal/engine/txn"
	"github.com/commutego/commute/internal/event"
)

// The runtime's own goroutines, which have no context, come to these hooks, too: their events count
// for nothing. For others, each hook is the method of its name of the floor that it is of.

// Begin notes that g starts a call.
func (g *Goroutine) Begin(c *commrace.Call) {
	if g == nil {
		call.Ignore(c)
		return
	}
	g.Caller.Begin(c)
}

// End notes that the call is over.
func (g *Goroutine) End(c *commrace.Call) {
	if g != nil {
		g.Caller.End(c)
	}
}

// Observe is a whole call of an observer with one key at most.
func (g *Goroutine) Observe(spec *commrace.Spec, obj unsafe.Pointer, method, beta uint32,
	key uint64,
	args unsafe.Pointer, nargs uint32, at commrace.Place) {
	if g != nil {
		g.Caller.Observe(spec, obj, method, beta, key, args, nargs, at)
	}
}

// LeavesAgain is [Goroutine.Leave], and true, for most callbacks of an observation.
func LeavesAgain(g *Goroutine, c *commrace.Call) bool {
	return g != nil && call.LeavesAgain(&g.Caller, c)
}

// ResumesAgain is [Goroutine.Resume], and true, for callbacks of an observation. It is inlined.
func ResumesAgain(g *Goroutine, c *commrace.Call) bool {
	return g != nil && call.ResumesAgain(&g.Caller, c)
}

// Leave notes that the call calls back into the program.
func (g *Goroutine) Leave(c *commrace.Call) {
	if g != nil {
		g.Caller.Leave(c)
	}
}

// Resume notes that the callback is over.
func (g *Goroutine) Resume(c *commrace.Call) {
	if g != nil {
		g.Caller.Resume(c)
	}
}

// BeginAtomic notes that g begins a transaction.
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

// EndAtomic notes that the transaction ends. It does nothing if the transaction was not begun, or
// has ended.
func (g *Goroutine) EndAtomic(t *txn.Transaction) {
	if g != nil {
		g.Transactor.EndAtomic(t)
	}
}

// Locked notes that g has taken a lock. It is called after the clocks have been updated.
func (g *Goroutine) Locked(addr uintptr, read bool) {
	if g != nil {
		g.Transactor.Locked(addr, read)
	}
}

// Unlocking notes that g is about to release a lock.
func (g *Goroutine) Unlocking(addr uintptr, read, free bool) {
	if g != nil {
		g.Transactor.Unlocking(addr, read, free)
	}
}

// Dependent reports whether it matters which function calls Unlock.
func (g *Goroutine) Dependent() bool { return g != nil && g.Transactor.Dependent() }

// Order notes, for predictions, synchronization other than by a lock.
func (g *Goroutine) Order(addr uintptr, k event.Kind) {
	if g != nil {
		g.Transactor.Order(addr, k)
	}
}

// OrderBoth notes, for predictions, that g and h, which stands still, order each other.
func (g *Goroutine) OrderBoth(h *Goroutine) {
	if g != nil && h != nil {
		g.Transactor.OrderBoth(&h.Transactor)
	}
}

// OrderCall notes, for predictions, that g begins or ends a call of an object's method.
func (g *Goroutine) OrderCall(obj unsafe.Pointer) {
	if g != nil {
		g.Transactor.OrderCall(obj)
	}
}

// OtherEvent notes, for predictions, an event of g that a witness may have no place for.
func (g *Goroutine) OtherEvent() {
	if g != nil {
		g.Transactor.OtherEvent()
	}
}

// UnknownEvent notes, for predictions, that the next events of g may depend on anything that has
// happened so far.
func (g *Goroutine) UnknownEvent() {
	if g != nil {
		g.Transactor.UnknownEvent()
	}
}
