// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package access

import (
	"unsafe"

	"github.com/commutego/commute/internal/engine/call"
	"github.com/commutego/commute/internal/engine/datarace"
	"github.com/commutego/commute/internal/engine/finding"
	"github.com/commutego/commute/internal/engine/host"
	"github.com/commutego/commute/internal/engine/instance"
	"github.com/commutego/commute/internal/engine/offheap"
	"github.com/commutego/commute/internal/engine/option"
	"github.com/commutego/commute/internal/engine/sync"
	"github.com/commutego/commute/internal/event"
)

// An Accessor is a goroutine's part in accesses to memory.
type Accessor struct {
	call.Caller
	frames offheap.Ref[Frames]
	event  offheap.Ref[Event] // the access that is being recorded; nil where none are watched
	ready  bool               // the goroutine's parts for accesses were made
}

var events offheap.Slab[Event]

// Reset makes g the accessor of a new goroutine.
func (g *Accessor) Reset() {
	g.Caller.Reset()
	g.ready = false
	if sync.WatchMemory {
		if g.event.Nil() { // it stays with g, which may be another goroutine's next
			g.event = offheap.To(events.Get())
		}
		g.event.P().Cramped = 0
	}
}

// EpochID stands for g's present epoch in package datarace.
func (g *Accessor) EpochID() uint64 { return g.MemoryClock.P().EpochID() }

// QuickEpoch is EpochID where that is 0, as g has come to a new epoch. It is 0 still if that takes
// more than a number that is at hand.
//
//go:nosplit
func (g *Accessor) QuickEpoch() uint64 {
	if !g.ready {
		return 0
	}
	g.Txn.Acted = true
	return g.Memory.P().QuickEpoch()
}

// Repeats reports whether an access adds nothing to what is recorded.
func (g *Accessor) Repeats(addr, n uintptr, kind event.Access) bool {
	return datarace.Repeats(g.EpochID(), addr, n, kind)
}

// CountsAccesses reports whether accesses by g count; those of a timer context do not. It makes g's
// parts for accesses if they are not there.
func (g *Accessor) CountsAccesses() bool { return g.ready || g.beginMemory() }

func (g *Accessor) beginMemory() bool {
	if g.TimerContext {
		return false
	}
	if !g.Memory.P().Started() {
		g.startMemory()
	}
	if g.frames.Nil() {
		g.NewFrames()
	}
	g.ready = true
	return true
}

func (g *Accessor) startMemory() {
	if g.Memory.Nil() {
		g.Memory = offheap.To(datarace.NewThread())
	}
	l := g.Memory.P().Start(g.MemoryClock.P())
	g.Memory.P().SetTransactions(&g.Txn, sync.Predicted(&g.Thread))
	l.Goid = host.Goid()
	l.Creator = g.Creator
	l.Origin = uintptr(unsafe.Pointer(g.Origin.P()))
	g.Memory.P().Charge(uintptr(unsafe.Pointer(g.Test.P())))
}

// An Event is an access to memory, as it's handed on from stack to stack.
type Event struct {
	Addr, Size uintptr
	Kind       event.Access // as package datarace has it
	PC, SP     uintptr      // where it is made
	By         uintptr      // the function of the runtime that makes it, if it's one
	FP         uintptr      // where the search for the callers begins
	Site       uint32       // where it is made, if that is known
	Cramped    uint32       // how many accesses of the goroutine's had too little stack
	race       datarace.Race
	kind       event.Access
	site       uint32
}

// Event is the access that g is recording, where accesses are watched.
func (g *Accessor) Event() *Event { return g.event.P() }

// Access checks an access to n bytes. It reports whether Report has a race to report.
func (g *Accessor) Access(addr, n uintptr, kind event.Access, site uint32) bool {
	var r datarace.Race
	g.Txn.Acted = true
	if !g.WorksFor.Nil() && instance.Transactions.Running() {
		g.Txn.InCall = g.InAnyCall()
	}
	if n == 1 {
		r = g.Memory.P().AccessByte(addr, kind, site)
	} else {
		r = g.Memory.P().Access(addr, n, kind, site)
	}
	if r.Word == 0 {
		return false
	}
	e := g.event.P()
	e.race, e.kind, e.site = r, kind, site
	return true
}

// Report reports what the last access has found.
func (g *Accessor) Report() {
	if e := g.event.P(); e.race.Word != 0 && g.Memory.P().RacedWith() != nil {
		finding.DataRace(g.Memory.P(), e.kind, e.site, &e.race)
	}
}

// ExitSleep is for how many milliseconds a program that ends should wait for goroutines that go on.
// What they do last would not be seen otherwise.
func ExitSleep() int {
	option.Ready()
	alone := 1 + sync.SideClocks() // its other clocks
	if instance.Clocks.Live() <= alone {
		return 0
	}
	return option.Current.Sleep
}

// EndMemory ends g's parts for accesses, if it has any.
func (g *Accessor) EndMemory() {
	if !g.Memory.Nil() || !g.frames.Nil() {
		g.endMemory()
	}
}

func (g *Accessor) endMemory() {
	g.ready = false
	g.Memory.P().Free()
	g.Memory = offheap.Ref[datarace.Thread]{}
	if f := g.frames.P(); f != nil {
		framesSlab.Put(f)
		g.frames = offheap.Ref[Frames]{}
	}
}

// RestartMemory has g's accesses from now on be those of another goroutine.
func (g *Accessor) RestartMemory() {
	if g.Memory.P().Started() {
		g.ready = false
		g.Memory.P().End()
	}
}
