// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package runtime

import (
	"unsafe"

	"github.com/commutego/commute/internal/engine/access"
	"github.com/commutego/commute/internal/engine/counts"
	"github.com/commutego/commute/internal/engine/finding"
	"github.com/commutego/commute/internal/engine/instance"
	"github.com/commutego/commute/internal/engine/offheap"
	"github.com/commutego/commute/internal/engine/option"
	"github.com/commutego/commute/internal/engine/record"
	"github.com/commutego/commute/internal/engine/recorder"
	"github.com/commutego/commute/internal/engine/section"
	"github.com/commutego/commute/internal/engine/stack"
	"github.com/commutego/commute/internal/engine/sync"
	"github.com/commutego/commute/internal/engine/txn"
	"github.com/commutego/commute/internal/event"
)

// A Goroutine is the context of a goroutine (racectx in Go's runtime): it has a part for each floor
// of the engine. A nil *Goroutine is the context of the runtime's own goroutines, which do nothing
// for the program: their events are ignored.
type Goroutine struct {
	access.Accessor
	started  uint64 // how many goroutines it has started
	borrowed uint32 // how often it has borrowed the system stack
}

var goroutines offheap.Slab[Goroutine]

// newGoroutine returns a context that knows nothing.
func newGoroutine() *Goroutine {
	g := goroutines.Get()
	g.Accessor.Reset()
	g.started, g.borrowed = 0, 0
	return g
}

// Main is the context of the program's first goroutine.
func Main() *Goroutine {
	counts.Start()
	option.Start()
	if option.Covers() {
		sync.SetCovers(true)
	}
	g := newGoroutine()
	instance.Clocks.Start(&g.Clock)
	if recorder.On() {
		g.RecordStart(nil, 1, 0)
	}
	return g
}

// Fork is the context of goroutine goid, which goroutine parent, whose number is creator, starts
// now. Origin is the go statement's stack, nil if there is none.
func Fork(parent *Goroutine, creator, goid uint64, origin *stack.Stack) *Goroutine {
	g := newGoroutine()
	g.Origin = offheap.To(origin)
	var thread *sync.Thread
	var recorded *record.Recorded
	var transactor *txn.Transactor
	if parent != nil {
		thread, recorded, transactor = &parent.Thread, &parent.Recorded, &parent.Transactor
		parent.started++
		section.Starts(&parent.Weak.Section)
	}
	now := thread.Fork(&g.Thread, creator)
	if instance.Transactions.Running() {
		transactor.ForkAtomic(&g.Transactor, now, creator, origin)
	}
	if recorder.On() {
		g.RecordStart(recorded, goid, record.Position(origin))
	}
	if instance.Predictor.Busy() {
		transactor.ForkPrediction(&g.Transactor)
	}
	return g
}

// Started is how many goroutines g has started so far.
func (g *Goroutine) Started() uint64 { return g.started }

// maxBorrowed is how often a goroutine does without a larger stack. To grow one costs about as much
// as that many switches.
const maxBorrowed = 100

// Borrows reports whether the next event of a goroutine with little room on its stack is handled on
// the system stack. A goroutine with many events gets a larger stack sooner or later.
func Borrows(g *Goroutine) bool {
	if g.borrowed == maxBorrowed {
		return false
	}
	g.borrowed++
	return true
}

// NewTimerContext is the context of the code that runs timers. It acquires the clock of a timer,
// and relays it to a channel or a goroutine; it has no events of its own. So it has no clock
// component, and the clock of one timer is not mixed with that of the next.
func NewTimerContext() *Goroutine {
	g := newGoroutine()
	g.TimerContext = true
	return g
}

// Exit notes that the goroutine has ended. Its context is reused.
func (g *Goroutine) Exit() {
	g.endTest()
	if g.InTrace.Number != 0 {
		recorder.Step(event.Exit, &g.InTrace, 0)
	}
	if !g.TimerContext {
		instance.Transactions.EndAll(&g.Txn, &g.Transactor)
		sync.EndPredicted(&g.Thread)
		finding.Predictions()
		g.EndMemory()
		g.DeliverSections()
	}
	g.Finish()
	goroutines.Put(g)
}

// Meet orders the past of g and h before the next events of either: it is the send and receive on
// an unbuffered channel. The goroutine of h stands still. Meet reports whether it did so; it does
// nothing for a nil *Goroutine or a timer context.
func (g *Goroutine) Meet(h *Goroutine, addr uintptr) bool {
	if g == nil || h == nil || g.TimerContext || h.TimerContext {
		return false
	}
	if recorder.On() {
		g.RecordMeeting(&h.Recorded, addr)
	}
	g.Rendezvous(&h.Thread)
	return true
}

// MeetAnywhere records that g and h, which is not nil, meet next, and that both are in a select.
func (g *Goroutine) MeetAnywhere(h *Goroutine) { record.Anywhere(&g.Recorded, &h.Recorded) }

// Handle is g as Go's runtime keeps it.
func (g *Goroutine) Handle() uintptr { return uintptr(unsafe.Pointer(g)) }

// AcquireAll orders all that has happened so far before g. It is for finalizers, which run after
// all code that could reach their object.
func (g *Goroutine) AcquireAll() {
	if g.TimerContext {
		return
	}
	if g.InTrace.Number != 0 && recorder.On() {
		recorder.Step(event.AcquireAll, &g.InTrace, 0)
	}
	g.UnknownEvent()
	g.JoinAll()
}
