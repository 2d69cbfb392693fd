// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package runtime

import (
	"sync/atomic"

	"github.com/commutego/commute/internal/engine/atomicity"
	"github.com/commutego/commute/internal/engine/datarace"
	"github.com/commutego/commute/internal/engine/instance"
	"github.com/commutego/commute/internal/engine/offheap"
	"github.com/commutego/commute/internal/engine/predict"
	"github.com/commutego/commute/internal/engine/vclock"
)

// A Thread is what orders a goroutine: its clocks, and the call that it is in. It also has the
// goroutine's parts in the engine's checks, for each of them follows the clocks.
type Thread struct {
	clock   vclock.Thread
	carrier bool               // it is the context of timers: it carries clocks and has none
	inCall  bool               // a call of a specified method is under way; calls inside are part of it
	away    bool               // it is in a callback of the call that it works for
	carried vclock.Snapshot    // what a carrier carries
	test    offheap.Ref[test]  // which test its findings are charged to; nil: none
	origin  offheap.Ref[stack] // where it was started
	creator uint64             // the goroutine that started it, or datarace.ByTimer
	pageNo  uintptr            // the page that was looked up last: its number, and the page
	page    offheap.Ref[page]

	calls   atomic.Uint32       // odd while such a call is open, and never the same again
	within  uint32              // the number of the call of outer that this goroutine works for
	outer   offheap.Ref[Thread] // who started this goroutine inside a call
	kids    vclock.LockClock    // what such goroutines have released during this one's call
	kidLock offheap.Lock
	hasKids atomic.Uint32 // there is something in kids

	line        offheap.Ref[vclock.Thread] // what accesses to memory are ordered by: clock, or full
	hasFull     bool                       // see full.go
	full        vclock.Thread
	carriedFull vclock.Snapshot

	memory datarace.Thread
	txn    atomicity.Thread
	past   predict.Thread
}

// reset makes g the thread of a new goroutine.
func (g *Thread) reset() {
	g.carrier, g.inCall, g.away = false, false, false
	g.pageNo, g.page = 0, offheap.Ref[page]{}
	g.test, g.origin, g.creator = offheap.Ref[test]{}, offheap.Ref[stack]{}, 0
	g.outer = offheap.Ref[Thread]{}
	g.txn, g.past = atomicity.Thread{}, predict.Thread{}
	g.line, g.hasFull = offheap.To(&g.clock), false
	g.kidLock.Lock() // one that worked for the last that was g may not be done
	g.kids.Clear()
	g.hasKids.Store(0)
	g.kidLock.Unlock()
}

// fork starts the clocks of child, which g starts; nil is the runtime's own goroutine. It returns
// the epoch of g that orders what g did before what child does, 0 if there is none.
func (g *Thread) fork(child *Thread, creator uint64) (now vclock.Epoch) {
	switch {
	case g == nil:
		instance.Clocks.Start(&child.clock)
	case g.carrier:
		instance.Clocks.StartAfter(&child.clock, &g.carried)
		child.test, child.creator = g.test, datarace.ByTimer
	default:
		now = g.line.P().Now()
		child.test, child.creator = g.test, creator
		if g.inCall {
			g.clock.Hold()
		}
		g.clock.Fork(&child.clock)
		if g.inCall {
			child.outer, child.within = offheap.To(g), g.calls.Load()
		} else if g.inside() {
			child.outer, child.within = g.outer, g.within
		}
	}
	g.forkFull(child)
	return now
}

// end ends the clocks of a goroutine.
func (g *Thread) end() {
	if g.carrier {
		g.carried.Drop()
	} else {
		g.clock.End()
	}
	g.exitFull()
}

// rendezvous orders what g and h did before what either does next. In calls of two, what they do
// is the implementations' own.
func (g *Thread) rendezvous(h *Thread) {
	if splitting.on.Load() != 0 {
		g.fullMeet(h)
	}
	if g.hidden() && h.hidden() && g.scope() != h.scope() {
		return
	}
	if g.inCall {
		g.clock.Hold()
	}
	if h.inCall {
		h.clock.Hold()
	}
	g.clock.Rendezvous(&h.clock)
}

// joinAll orders all that has happened so far before g.
func (g *Thread) joinAll() {
	g.clock.JoinAll()
	if g.isSplit() {
		g.full.JoinAll()
	}
}
