// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package sync

import (
	"sync/atomic"

	"github.com/commutego/commute/internal/engine/atomicity"
	"github.com/commutego/commute/internal/engine/commrace"
	"github.com/commutego/commute/internal/engine/instance"
	"github.com/commutego/commute/internal/engine/offheap"
	"github.com/commutego/commute/internal/engine/text"
)

// Calls of specified methods hide their own synchronization from each other, but accesses to memory are ordered
// by it: what a method does under its lock is no data race. So where memory is watched, and from the first such
// call on, goroutines have two clocks: the one that calls are compared by, and a full one, to which no call hides
// anything and which learns nothing from a check. Until then the two would be the same. The full clock of an
// address is kept beside its other one, under an address that no variable has. Where there is none, nobody has
// released there since; then the other one still says what it would.

// Splitting is whether accesses to memory are watched, and whether there are two clocks.
var Splitting struct {
	Memory bool
	On     atomic.Uint32
}

// isQuiet reports whether the methods of a type announce no synchronization: what their calls order is said by
// the specification alone.
func isQuiet(t *commrace.Table) bool { return text.HasPrefix(t.Type, "sync.") }

// Split tells that a call of a method with synchronization of its own begins.
func (g *Thread) Split(t *commrace.Table) {
	if Splitting.Memory && Splitting.On.Load() == 0 && !isQuiet(t) {
		Splitting.On.Store(1)
	}
}

// IsSplit reports whether g has a full clock, and makes it if it has to have one.
func (g *Thread) IsSplit() bool {
	if Splitting.On.Load() == 0 {
		return false
	}
	if !g.HasFull {
		g.makeFull()
	}
	return true
}

func (g *Thread) makeFull() {
	g.HasFull = true
	if g.Carrier {
		return
	}
	g.Clock.Fork(&g.full)
	if instance.Transactions.Running() {
		instance.Transactions.Fork(nil, 0, g.full.Pin(), atomicity.Edge{}) // it may have had another's slot
		instance.Transactions.ChangeClock(&g.Txn, &g.Clock, &g.full)
	}
	g.turnMemory()
}

// turnMemory orders accesses by the full clock.
func (g *Thread) turnMemory() {
	g.Line = offheap.To(&g.full)
	if g.Memory.Started() {
		g.Memory.SetClock(&g.full)
	}
	if instance.Predictor.Live() {
		instance.Predictor.ChangeClock(&g.Past, g.full.Pin())
	}
}

// forkFull gives child a full clock, if its parent has to have one.
func (g *Thread) forkFull(child *Thread) {
	if Splitting.On.Load() == 0 {
		return
	}
	child.HasFull = true
	switch {
	case g == nil:
		instance.Clocks.Start(&child.full)
	case g.Carrier:
		instance.Clocks.StartAfter(&child.full, &g.carriedFull)
	default:
		g.IsSplit()
		g.full.Fork(&child.full)
	}
	child.turnMemory()
}

// exitFull ends g's full clock.
func (g *Thread) exitFull() {
	switch {
	case !g.HasFull:
	case g.Carrier:
		g.carriedFull.Drop()
	default:
		g.full.End()
	}
}

// fullVar returns the full clock of an address, locked. If make is true it is made where there is none.
func (p *page) fullVar(addr uintptr, make bool) *syncVar {
	if v := p.lockWide(addr|fullBit, false); v != nil || !make {
		return v
	}
	s := p.take(addr)
	v := p.lockWide(addr|fullBit, true)
	v.sync.ReleaseMergeSnapshot(&s) // should another have made it meanwhile, nothing is lost
	s.Drop()
	return v
}

// fullAcquire is Acquire for g's full clock. The functions that follow come before what they are for is done
// with the other clock.
func (g *Thread) fullAcquire(p *page, addr uintptr) {
	if !g.IsSplit() {
		return
	}
	if v := p.fullVar(addr, false); v != nil {
		if g.Carrier {
			g.carriedFull.Drop()
			g.carriedFull = v.sync.Snapshot()
		} else {
			v.sync.Acquire(&g.full)
		}
		v.lock.Unlock()
		return
	}
	s := p.take(addr)
	if g.Carrier {
		g.carriedFull.Drop()
		g.carriedFull = s
		return
	}
	g.full.Join(&s)
	s.Drop()
}

// fullRelease is Release, or ReleaseMerge, for g's full clock.
func (g *Thread) fullRelease(p *page, addr uintptr, merge bool) {
	if !g.IsSplit() {
		return
	}
	v := p.fullVar(addr, true)
	switch {
	case g.Carrier && merge:
		v.sync.ReleaseMergeSnapshot(&g.carriedFull)
	case g.Carrier:
		v.sync.ReleaseSnapshot(&g.carriedFull)
	case merge:
		v.sync.ReleaseMerge(&g.full)
	default:
		v.sync.Release(&g.full)
	}
	v.lock.Unlock()
}

// fullTransfer is ReleaseAcquire for g's full clock.
func (g *Thread) fullTransfer(p *page, addr uintptr) {
	if !g.IsSplit() {
		return
	}
	v := p.fullVar(addr, true)
	if g.Carrier {
		v.sync.ReleaseSnapshot(&g.carriedFull)
	} else {
		v.sync.ReleaseAcquire(&g.full)
	}
	v.lock.Unlock()
}

// fullMeet is Meet for full clocks.
func (g *Thread) fullMeet(h *Thread) {
	if g.IsSplit() && h.IsSplit() {
		g.full.Rendezvous(&h.full)
	}
}

// FullEnd is for the end of a call whose method announces nothing: what it has learned of others by its
// specification, it knows.
func (g *Thread) FullEnd(t *commrace.Table) {
	if Splitting.On.Load() != 0 && isQuiet(t) && g.IsSplit() {
		s := g.Clock.RemoteSnapshot()
		g.full.Join(&s)
		s.Drop()
	}
}

// The words that a sync.Map is made of order nothing for calls: that its specification says. But its methods do
// not only serve calls that are checked: other packages use what it is made of for themselves, and in a call of
// another type it's a part of that.
