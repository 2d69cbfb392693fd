// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package runtime

import (
	"github.com/commutego/commute/internal/engine/instance"
	"sync/atomic"
	"unsafe"

	"github.com/commutego/commute/internal/engine/atomicity"
	"github.com/commutego/commute/internal/engine/datarace"
	"github.com/commutego/commute/internal/engine/offheap"
	"github.com/commutego/commute/internal/engine/predict"
	"github.com/commutego/commute/internal/engine/recorder"
	"github.com/commutego/commute/internal/engine/vclock"
	"github.com/commutego/commute/internal/event"
)

// A Goroutine is the context of a goroutine (racectx in Go's runtime). A nil *Goroutine is that of
// the runtime's own goroutines, which do nothing for the program: their events count for nothing.
type Goroutine struct {
	clock          vclock.Thread
	carrier        bool                // it only carries clocks, below
	carried        vclock.Snapshot     // what a carrier carries
	test           offheap.Ref[test]   // whom its races are charged to; nil: no test
	origin         offheap.Ref[stack]  // where it was started
	creator        uint64              // the goroutine that started it, or aTimer
	last           offheap.Ref[object] // the object of its last call, most often that of the next
	learned        offheap.Ref[object] // what calls that call back have learned of, and up to which
	gen            uint32              // generation
	pageNo         uintptr             // the page that was looked up last: its number, and the page
	page           offheap.Ref[page]
	inCall         bool                   // a call of a specified method is under way; calls inside are part of it
	calls          atomic.Uint32          // odd while such a call is open, and never the same again
	outer          offheap.Ref[Goroutine] // who started this goroutine inside a call, and the number of that call:
	within         uint32                 // as long as that is open, this one is part of it
	away           bool                   // it is in a callback of that call
	kids           vclock.LockClock       // what such goroutines have released during this one's call
	kidLock        offheap.Lock
	hasKids        atomic.Uint32 // there is something in kids
	memory         datarace.Thread
	frames         offheap.Ref[Frames]
	event          Event
	accesses       bool // memory and frames are there
	txn            atomicity.Thread
	inferred       offheap.Ref[activation]  // the innermost transaction that is inferred, see inferred.go
	lost           offheap.Ref[overwritten] // what is to be reported of it
	recorded       recorder.Thread          // in the trace; its number is 0 if none is recorded
	recordedHidden bool                     // what it does was last recorded as hidden
	calling        recordedCall             // the call that is recorded next
	past           predict.Thread

	line        offheap.Ref[vclock.Thread] // what accesses to memory are ordered by: clock, or full
	hasFull     bool                       // see full.go
	full        vclock.Thread
	carriedFull vclock.Snapshot
}

var goroutines offheap.Slab[Goroutine]

func newGoroutine() *Goroutine {
	g := goroutines.Get()
	g.carrier, g.inCall = false, false
	g.pageNo, g.page = 0, offheap.Ref[page]{}
	g.last, g.learned = offheap.Ref[object]{}, offheap.Ref[object]{}
	g.test, g.origin, g.creator = offheap.Ref[test]{}, offheap.Ref[stack]{}, 0
	g.outer, g.away = offheap.Ref[Goroutine]{}, false
	g.inferred, g.lost = offheap.Ref[activation]{}, offheap.Ref[overwritten]{}
	g.recorded, g.recordedHidden = recorder.Thread{}, false
	g.calling.of = offheap.Ref[numbering]{}
	g.txn, g.past = atomicity.Thread{}, predict.Thread{}
	g.line, g.hasFull, g.accesses = offheap.To(&g.clock), false, false
	g.kidLock.Lock() // one that worked for the last that was g may not be done
	g.kids.Clear()
	g.hasKids.Store(0)
	g.kidLock.Unlock()
	return g
}

// Main is the context of the program's first goroutine.
func Main() *Goroutine {
	startCounts()
	g := newGoroutine()
	instance.Clocks.Start(&g.clock)
	if recorder.On() {
		g.recordStart(nil, 1, 0)
	}
	return g
}

// aTimer is the creator of goroutines that timers start: those of time.AfterFunc.
const aTimer = 1<<64 - 1

// Fork is the context of goroutine goid, which goroutine parent, whose id is creator, starts now.
// pcs are the return addresses of the go statement's stack, but for those of elided frames before
// the last [Outermost] ones.
func Fork(parent *Goroutine, creator, goid uint64, pcs []uintptr, elided int) *Goroutine {
	g := newGoroutine()
	g.origin = offheap.To(stacks.put(pcs, elided))
	var now vclock.Epoch
	if parent != nil && !parent.carrier {
		now = parent.line.P().Now()
	}
	switch {
	case parent == nil:
		instance.Clocks.Start(&g.clock)
	case parent.carrier:
		instance.Clocks.StartAfter(&g.clock, &parent.carried)
		g.test = parent.test
		g.creator = aTimer
	default:
		g.creator = creator
		g.test = parent.test
		if parent.inCall {
			parent.clock.Hold()
		}
		parent.clock.Fork(&g.clock)
		if parent.inCall {
			g.outer, g.within = offheap.To(parent), parent.calls.Load()
		} else if parent.inside() {
			g.outer, g.within = parent.outer, parent.within
		}
	}
	parent.forkFull(g)
	if instance.Transactions.Running() {
		parent.forkAtomic(g, now, creator, pcs)
	}
	if recorder.On() {
		g.recordStart(parent, goid, position(pcs))
	}
	if instance.Predictor.Busy() {
		parent.forkPast(g)
	}
	return g
}

// hidden reports whether g is in a call, its own or one that it works for.
func (g *Goroutine) hidden() bool { return g.inCall || !g.outer.Nil() && g.inside() }

// scope is whose call g is in, if it is hidden.
func (g *Goroutine) scope() *Goroutine {
	if g.inCall {
		return g
	}
	return g.outer.P()
}

// inside reports whether g works for a call that another goroutine is making: whose end it may be
// waited for by means that are that call's own, and hidden.
func (g *Goroutine) inside() bool {
	o := g.outer.P()
	if o == nil || g.away {
		return false
	}
	if o.calls.Load() != g.within {
		g.outer = offheap.Ref[Goroutine]{}
		return false
	}
	return true
}

// NewCarrier is the context of what runs timers: between taking up the clock of a timer and
// passing it on, to a channel or a goroutine, it does nothing itself. So it has no time of its
// own, and what one timer knew is not mixed up with what the next one does.
func NewCarrier() *Goroutine {
	g := newGoroutine()
	g.carrier = true
	return g
}

// Exit tells that the goroutine does nothing any more.
func (g *Goroutine) Exit() {
	g.endTest()
	if g.recorded.Number != 0 {
		recorder.Step(event.Exit, &g.recorded, 0)
	}
	if g.carrier {
		g.carried.Drop()
	} else {
		instance.Transactions.EndAll(&g.txn, g)
		instance.Predictor.End(&g.past)
		tellPredictions()
		g.endMemory()
		g.clock.End()
	}
	g.exitFull()
	goroutines.Put(g)
}

// Meet orders what g and h did before what either does next, h standing still: an unbuffered
// channel's send and receive. It reports whether it did; a nil *Goroutine and carriers don't meet.
func (g *Goroutine) Meet(h *Goroutine, addr uintptr) bool {
	if g == nil || h == nil || g.carrier || h.carrier {
		return false
	}
	for _, c := range [...]*Goroutine{g, h} {
		if !c.inferred.Nil() {
			c.hear(0)
		}
	}
	if recorder.On() {
		g.recordMeeting(h, addr)
	}
	if splitting.on.Load() != 0 {
		g.fullMeet(h)
	}
	if g.hidden() && h.hidden() && g.scope() != h.scope() {
		return true // the implementations' own
	}
	for _, c := range [...]*Goroutine{g, h} {
		if c.inCall {
			c.clock.Hold()
		}
	}
	g.clock.Rendezvous(&h.clock)
	return true
}

// Handle is g as Go's runtime keeps it.
func (g *Goroutine) Handle() uintptr { return uintptr(unsafe.Pointer(g)) }

// AcquireAll orders all that has happened so far before g: for finalizers, which run after
// whatever could reach their object.
func (g *Goroutine) AcquireAll() {
	if !g.carrier {
		if g.recorded.Number != 0 && recorder.On() {
			recorder.Step(event.AcquireAll, &g.recorded, 0)
		}
		g.Untold()
		g.clock.JoinAll()
		if g.isSplit() {
			g.full.JoinAll()
		}
	}
}
