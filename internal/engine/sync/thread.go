// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package sync

import (
	"sync/atomic"

	"github.com/commutego/commute/internal/engine/atomicity"
	"github.com/commutego/commute/internal/engine/coverage"
	"github.com/commutego/commute/internal/engine/datarace"
	"github.com/commutego/commute/internal/engine/deadlock"
	"github.com/commutego/commute/internal/engine/instance"
	"github.com/commutego/commute/internal/engine/offheap"
	"github.com/commutego/commute/internal/engine/predict"
	"github.com/commutego/commute/internal/engine/sideclock"
	"github.com/commutego/commute/internal/engine/stack"
	"github.com/commutego/commute/internal/engine/tests"
	"github.com/commutego/commute/internal/engine/vclock"
)

// A Thread is what orders a goroutine: its clocks, and the call that it is in. It also has the
// goroutine's parts in the engine's checks, for each of them follows the clocks.
type Thread struct {
	Clock   vclock.Thread            // the call clock
	Test    offheap.Ref[tests.Test]  // which test its findings are charged to; nil: none
	Origin  offheap.Ref[stack.Stack] // where it was started
	Creator uint64                   // the goroutine that started it, or datarace.ByTimer
	Pages   PageCache

	last lastAcquired // what it has found last at an atomic operation
	// That of the order clock, where last is of the same address: it's there if last has flagOrder.
	lastOrder offheap.Ref[lastAcquired]
	returns   returns // whether it comes back to addresses of atomic operations
	locks     knownLocks
	// The variables that it has released to last in a call, and as one of several readers.
	inCallVar, mergedVar offheap.Ref[syncVar]
	// What stands for the epoch of an address without a clock. It is in memory of the goroutine's
	// own, as others would write to what is beside a global one.
	none atomic.Uint64

	// A timer context has no clock component of its own: what it acquires it relays, to what it
	// releases to next.
	relayed      vclock.Snapshot
	TimerContext bool

	InCallback bool // it is in a callback of the call that it works for

	// The call of a specified method that the goroutine makes.
	InCall          bool                          // it is under way; calls inside are part of it
	Repeats         bool                          // it repeats the one at the present epoch
	RepeatOf        offheap.Ref[Object]           // then: the object
	RepeatAt        uint32                        // and the generation that it must have
	CallNumber      atomic.Uint32                 // odd while one is under way; never the same
	workerClock     offheap.Ref[vclock.LockClock] // what its workers have released; often nil
	workerLock      offheap.Lock                  // guards workerClock
	WorkersReleased atomic.Uint32                 // 1 if workerClock has something

	// The call of another goroutine that this one is a worker of.
	WorksFor   offheap.Ref[Thread] // the goroutine that makes the call, nil if there is none
	workedCall uint32              // that goroutine's CallNumber in the call
	released   uint32              // counts releases of its own, but for those of locks

	MemoryClock offheap.Ref[vclock.Thread] // the clock that orders accesses: memory.clock, or Clock
	memory      offheap.Ref[sideclock.Clock]

	Memory  offheap.Ref[datarace.Thread] // its accesses; nil before the first
	Txn     atomicity.Thread
	predict offheap.Ref[predict.Thread] // see Predicted
	Sections

	// What is held is noted for deadlocks; see holds.go.
	holds deadlock.Thread
	order offheap.Ref[sideclock.Clock] // see orderclock.go

	covered offheap.Ref[coverage.Thread] // see coverage.go
}

// Reset makes g the thread of a new goroutine.
func (g *Thread) Reset() {
	g.TimerContext, g.InCall, g.Repeats, g.InCallback = false, false, false, false
	g.Pages, g.last.not = PageCache{}, 0
	g.returns = returns{}
	g.inCallVar, g.mergedVar = offheap.Ref[syncVar]{}, offheap.Ref[syncVar]{}
	g.Test, g.Origin, g.Creator = offheap.Ref[tests.Test]{}, offheap.Ref[stack.Stack]{}, 0
	g.WorksFor = offheap.Ref[Thread]{}
	g.Txn = atomicity.Thread{}
	if p := g.predict.P(); p != nil {
		*p = predict.Thread{}
	}
	g.MemoryClock = offheap.To(&g.Clock)
	g.Weak.Reset()
	if Covers() {
		g.holds.Spread()
	}
	// A worker of the goroutine that g was before may still run. If it releases just now, it comes
	// after this.
	if g.WorkersReleased.Load() != 0 {
		g.workerLock.Lock()
		dropWorkerClock(g)
		g.workerLock.Unlock()
	}
}

// Fork starts the clocks of child, which g starts; a nil g is the runtime's own goroutine. It
// returns the epoch of g that orders what g did before what child does, 0 if there is none.
func (g *Thread) Fork(child *Thread, creator uint64) (now vclock.Epoch) {
	switch {
	case g == nil:
		instance.Clocks.Start(&child.Clock)
	case g.TimerContext:
		instance.Clocks.StartAfter(&child.Clock, &g.relayed)
		child.Test, child.Creator = g.Test, datarace.ByTimer
	default:
		now = g.MemoryClock.P().Now()
		child.Test, child.Creator = g.Test, creator
		child.Pages = g.Pages // mostly it synchronizes first at what g has made for it
		if g.InCall {
			g.Clock.Hold()
		}
		g.Clock.Fork(&child.Clock)
		if g.InCall {
			child.WorksFor, child.workedCall = offheap.To(g), g.CallNumber.Load()
		} else if g.InWorkedCall() {
			child.WorksFor, child.workedCall = g.WorksFor, g.workedCall
		}
	}
	forkMemoryClock(g, child)
	child.forked(g)
	if g != nil {
		g.released++
		if OrderClocks() {
			forkOrder(g, child)
		}
	}
	return now
}

// Finish ends the clocks of a goroutine.
func (g *Thread) Finish() {
	if g.TimerContext {
		g.relayed.Drop()
	} else {
		g.Clock.End()
	}
	g.memory.P().Free(g.TimerContext)
	g.order.P().Free(g.TimerContext)
	g.memory, g.order = offheap.Ref[sideclock.Clock]{}, offheap.Ref[sideclock.Clock]{}
	g.Weak.End(g.TimerContext)
	g.holds.End(&instance.Deadlocks)
	g.locks.forget()
	if !g.lastOrder.Nil() {
		lastOrders.Put(g.lastOrder.P())
		g.lastOrder = offheap.Ref[lastAcquired]{}
	}
	coverage.End(&g.covered)
}

// Rendezvous orders what g and h did before what either does next. Where the two are in different
// calls, the call clocks don't follow: what the implementations do is their own.
func (g *Thread) Rendezvous(h *Thread) {
	if g.HasMemoryClock() && h.HasMemoryClock() {
		g.memory.P().Thread.Rendezvous(&h.memory.P().Thread)
	}
	if g.hasWeak(g.TimerContext) && h.hasWeak(h.TimerContext) {
		g.Weak.Meet(&h.Weak)
	}
	g.released++
	h.released++
	if OrderClocks() {
		meetOrder(g, h)
	}
	if g.InAnyCall() && h.InAnyCall() && g.currentCall() != h.currentCall() {
		return
	}
	if g.InCall {
		g.Clock.Hold()
	}
	if h.InCall {
		h.Clock.Hold()
	}
	g.Clock.Rendezvous(&h.Clock)
}

// JoinAll orders all that has happened so far before g.
func (g *Thread) JoinAll() {
	g.Clock.JoinAll()
	if g.HasMemoryClock() {
		g.memory.P().Thread.JoinAll()
	}
	if g.hasWeak(g.TimerContext) {
		g.Weak.JoinAll()
	}
	if OrderClocks() {
		orderClock(g).Thread.JoinAll()
	}
}
