// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package runtime

import (
	"unsafe"

	"github.com/commutego/commute/internal/engine/instance"

	"github.com/commutego/commute/internal/engine/predict"
	"github.com/commutego/commute/internal/engine/vclock"
	"github.com/commutego/commute/internal/event"
)

// What package predict is told of: mutexes that the program uses by themselves, and of all other synchronization, that of
// packages that are not watched included, that it orders.

// Locked tells that g has taken a lock, after the order that this makes is known.
func (g *Transactor) Locked(addr uintptr, read bool) {
	if g.carrier {
		return
	}
	if instance.Predictor.Lock(&g.past, addr, read, g.busyEpoch()) {
		g.line.P().Advance()
		instance.Predictor.BeginSection(&g.past, g.line.P().Pin())
		g.memory.SetQuickOff(true)
	}
}

// Unlocking tells that g is about to release one. Free is whether it's the program itself that does.
func (g *Transactor) Unlocking(addr uintptr, read, free bool) {
	if g.carrier {
		return
	}
	instance.Predictor.Unlock(&g.past, addr, read, free, g.busyEpoch())
	g.memory.SetQuickOff(false)
	if instance.Predictor.Found() {
		tellPredictions()
	}
}

// busyEpoch is g's present, if anything is to be told of it.
func (g *Transactor) busyEpoch() vclock.Epoch {
	if g.carrier || !instance.Predictor.Busy() {
		return 0
	}
	return g.line.P().Pin()
}

// forkPast tells that g, which may be nil, has started child.
func (g *Transactor) forkPast(child *Transactor) {
	if child.carrier {
		return
	}
	var from *predict.Thread
	if g != nil {
		from = &g.past
	}
	instance.Predictor.Fork(from, &child.past, child.line.P().Pin())
}

// Dependent reports whether it matters who calls Unlock.
func (g *Transactor) Dependent() bool { return instance.Predictor.HasDependences(&g.past) }

// Order tells of synchronization that is not that of a lock, of a kind as in Contact.
func (g *Transactor) Order(addr uintptr, k event.Kind) {
	if k.Acquires() {
		instance.Predictor.Acquire(&g.past, addr, g.busyEpoch())
	}
	if k.Releases() {
		instance.Predictor.Release(&g.past, addr)
	}
}

// OrderBoth tells that g and h, which stands still, order each other.
func (g *Transactor) OrderBoth(h *Transactor) {
	if !g.carrier && !h.carrier {
		instance.Predictor.Rendezvous(&g.past, &h.past, g.busyEpoch(), h.busyEpoch())
	}
}

// Untold tells that what g does next may depend on anything that has happened so far.
func (g *Transactor) Untold() {
	instance.Predictor.UnknownEvent(&g.past, g.busyEpoch())
}

// OrderCall tells that g begins, or ends, a call of a specified method of an object. All calls count as ordered.
func (g *Transactor) OrderCall(obj unsafe.Pointer) {
	g.Order(uintptr(obj)|1, event.ReleaseAcquire)
}
