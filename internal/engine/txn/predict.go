// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package txn

import (
	"unsafe"

	"github.com/commutego/commute/internal/engine/finding"
	"github.com/commutego/commute/internal/engine/instance"
	"github.com/commutego/commute/internal/engine/predict"
	"github.com/commutego/commute/internal/engine/vclock"
	"github.com/commutego/commute/internal/event"
)

// What package predict is told of: mutexes that the program uses by themselves, and of all other synchronization, that of
// packages that are not watched included, that it orders.

// Locked tells that g has taken a lock, after the order that this makes is known.
func (g *Transactor) Locked(addr uintptr, read bool) {
	if g.Carrier {
		return
	}
	if instance.Predictor.Lock(&g.Past, addr, read, g.busyEpoch()) {
		g.Line.P().Advance()
		instance.Predictor.BeginSection(&g.Past, g.Line.P().Pin())
		g.Memory.SetQuickOff(true)
	}
}

// Unlocking tells that g is about to release one. Free is whether it's the program itself that does.
func (g *Transactor) Unlocking(addr uintptr, read, free bool) {
	if g.Carrier {
		return
	}
	instance.Predictor.Unlock(&g.Past, addr, read, free, g.busyEpoch())
	g.Memory.SetQuickOff(false)
	if instance.Predictor.Found() {
		finding.Predictions()
	}
}

// busyEpoch is g's present, if anything is to be told of it.
func (g *Transactor) busyEpoch() vclock.Epoch {
	if g.Carrier || !instance.Predictor.Busy() {
		return 0
	}
	return g.Line.P().Pin()
}

// ForkPast tells that g, which may be nil, has started child.
func (g *Transactor) ForkPast(child *Transactor) {
	if child.Carrier {
		return
	}
	var from *predict.Thread
	if g != nil {
		from = &g.Past
	}
	instance.Predictor.Fork(from, &child.Past, child.Line.P().Pin())
}

// Dependent reports whether it matters who calls Unlock.
func (g *Transactor) Dependent() bool { return instance.Predictor.HasDependences(&g.Past) }

// Order tells of synchronization that is not that of a lock, of a kind as in Contact.
func (g *Transactor) Order(addr uintptr, k event.Kind) {
	if k.Acquires() {
		instance.Predictor.Acquire(&g.Past, addr, g.busyEpoch())
	}
	if k.Releases() {
		instance.Predictor.Release(&g.Past, addr)
	}
}

// OrderBoth tells that g and h, which stands still, order each other.
func (g *Transactor) OrderBoth(h *Transactor) {
	if !g.Carrier && !h.Carrier {
		instance.Predictor.Rendezvous(&g.Past, &h.Past, g.busyEpoch(), h.busyEpoch())
	}
}

// Untold tells that what g does next may depend on anything that has happened so far.
func (g *Transactor) Untold() {
	instance.Predictor.UnknownEvent(&g.Past, g.busyEpoch())
}

// OrderCall tells that g begins, or ends, a call of a specified method of an object. All calls count as ordered.
func (g *Transactor) OrderCall(obj unsafe.Pointer) {
	g.Order(uintptr(obj)|1, event.ReleaseAcquire)
}
