// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package sync

import (
	"sync/atomic"

	"github.com/commutego/commute/internal/engine/atomicity"
	"github.com/commutego/commute/internal/engine/datarace"
	"github.com/commutego/commute/internal/engine/instance"
	"github.com/commutego/commute/internal/engine/offheap"
	"github.com/commutego/commute/internal/engine/predict"
	"github.com/commutego/commute/internal/engine/stack"
	"github.com/commutego/commute/internal/engine/tests"
	"github.com/commutego/commute/internal/engine/vclock"
)

// A Thread is what orders a goroutine: its clocks, and the call that it is in. It also has the
// goroutine's parts in the engine's checks, for each of them follows the clocks.
type Thread struct {
	Clock   vclock.Thread
	Carrier bool                     // it is the context of timers: it carries clocks and has none
	InCall  bool                     // a call of a specified method is under way; calls inside are part of it
	Away    bool                     // it is in a callback of the call that it works for
	carried vclock.Snapshot          // what a carrier carries
	Test    offheap.Ref[tests.Test]  // which test its findings are charged to; nil: none
	Origin  offheap.Ref[stack.Stack] // where it was started
	Creator uint64                   // the goroutine that started it, or datarace.ByTimer
	pageNo  uintptr                  // the page that was looked up last: its number, and the page
	page    offheap.Ref[page]

	Calls   atomic.Uint32       // odd while such a call is open, and never the same again
	within  uint32              // the number of the call of outer that this goroutine works for
	Outer   offheap.Ref[Thread] // who started this goroutine inside a call
	Kids    vclock.LockClock    // what such goroutines have released during this one's call
	KidLock offheap.Lock
	HasKids atomic.Uint32 // there is something in kids

	Line        offheap.Ref[vclock.Thread] // what accesses to memory are ordered by: clock, or full
	HasFull     bool                       // see full.go
	full        vclock.Thread
	carriedFull vclock.Snapshot

	Memory datarace.Thread
	Txn    atomicity.Thread
	Past   predict.Thread
}

// Reset makes g the thread of a new goroutine.
func (g *Thread) Reset() {
	g.Carrier, g.InCall, g.Away = false, false, false
	g.pageNo, g.page = 0, offheap.Ref[page]{}
	g.Test, g.Origin, g.Creator = offheap.Ref[tests.Test]{}, offheap.Ref[stack.Stack]{}, 0
	g.Outer = offheap.Ref[Thread]{}
	g.Txn, g.Past = atomicity.Thread{}, predict.Thread{}
	g.Line, g.HasFull = offheap.To(&g.Clock), false
	g.KidLock.Lock() // one that worked for the last that was g may not be done
	g.Kids.Clear()
	g.HasKids.Store(0)
	g.KidLock.Unlock()
}

// Fork starts the clocks of child, which g starts; nil is the runtime's own goroutine. It returns
// the epoch of g that orders what g did before what child does, 0 if there is none.
func (g *Thread) Fork(child *Thread, creator uint64) (now vclock.Epoch) {
	switch {
	case g == nil:
		instance.Clocks.Start(&child.Clock)
	case g.Carrier:
		instance.Clocks.StartAfter(&child.Clock, &g.carried)
		child.Test, child.Creator = g.Test, datarace.ByTimer
	default:
		now = g.Line.P().Now()
		child.Test, child.Creator = g.Test, creator
		if g.InCall {
			g.Clock.Hold()
		}
		g.Clock.Fork(&child.Clock)
		if g.InCall {
			child.Outer, child.within = offheap.To(g), g.Calls.Load()
		} else if g.Inside() {
			child.Outer, child.within = g.Outer, g.within
		}
	}
	g.forkFull(child)
	return now
}

// Finish ends the clocks of a goroutine.
func (g *Thread) Finish() {
	if g.Carrier {
		g.carried.Drop()
	} else {
		g.Clock.End()
	}
	g.exitFull()
}

// Rendezvous orders what g and h did before what either does next. In calls of two, what they do
// is the implementations' own.
func (g *Thread) Rendezvous(h *Thread) {
	if Splitting.On.Load() != 0 {
		g.fullMeet(h)
	}
	if g.Hidden() && h.Hidden() && g.scope() != h.scope() {
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
	if g.IsSplit() {
		g.full.JoinAll()
	}
}
