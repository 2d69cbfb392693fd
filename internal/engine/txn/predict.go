// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package txn

import (
	"unsafe"

	"github.com/commutego/commute/internal/engine/finding"
	"github.com/commutego/commute/internal/engine/instance"
	"github.com/commutego/commute/internal/engine/predict"
	"github.com/commutego/commute/internal/engine/sync"
	"github.com/commutego/commute/internal/engine/vclock"
	"github.com/commutego/commute/internal/event"
)

// Package predict is told of mutexes that the program uses by themselves. Of all other
// synchronization, also by packages that are not watched, it is told that it orders.

// Locked notes that g has taken a lock, after the clocks have the order that this makes.
func (g *Transactor) Locked(addr uintptr, read bool) {
	if g.TimerContext || sync.NotedLock(&g.Thread, addr, read) {
		return
	}
	if instance.Predictor.Lock(sync.Predicted(&g.Thread), addr, read, g.busyEpoch()) {
		g.MemoryClock.P().Advance()
		instance.Predictor.BeginSection(sync.Predicted(&g.Thread), g.MemoryClock.P().Pin())
		g.Memory.P().SetQuickOff(true)
	}
}

// Unlocking notes that g is about to release a lock. Free says that the program itself releases it.
func (g *Transactor) Unlocking(addr uintptr, read, free bool) {
	if g.TimerContext {
		return
	}
	instance.Predictor.Unlock(sync.Predicted(&g.Thread), addr, read, free, g.busyEpoch())
	g.Memory.P().SetQuickOff(false)
	if instance.Predictor.Found() {
		finding.Predictions()
	}
}

// UnlockingQuietly is Unlocking, and returns true, where nothing is predicted.
func (g *Transactor) UnlockingQuietly(addr uintptr, read bool) bool {
	if g.TimerContext || !sync.NotedUnlock(&g.Thread, addr, read) {
		return false
	}
	g.Memory.P().SetQuickOff(false)
	return true
}

// busyEpoch is g's present epoch, 0 if package predict needs none.
func (g *Transactor) busyEpoch() vclock.Epoch {
	if g.TimerContext || !instance.Predictor.Busy() {
		return 0
	}
	return g.MemoryClock.P().Pin()
}

// ForkPrediction notes that g, which may be nil, has started child.
func (g *Transactor) ForkPrediction(child *Transactor) {
	if child.TimerContext {
		return
	}
	var from *predict.Thread
	if g != nil {
		from = sync.Predicted(&g.Thread)
	}
	instance.Predictor.Fork(from, sync.Predicted(&child.Thread), child.MemoryClock.P().Pin())
}

// Dependent reports whether it matters which function calls Unlock.
func (g *Transactor) Dependent() bool {
	return instance.Predictor.HasDependences(sync.Predicted(&g.Thread))
}

// Order notes synchronization other than by a lock, of a kind as in SyncEvent. A timer context
// hands on what the timer's setter has done; from the channel that it sends to, it learns nothing.
func (g *Transactor) Order(addr uintptr, k event.Kind) {
	if k.Acquires() && !(g.TimerContext && k.Releases()) {
		instance.Predictor.Acquire(sync.Predicted(&g.Thread), addr, g.busyEpoch())
	}
	if k.Releases() {
		instance.Predictor.Release(sync.Predicted(&g.Thread), addr)
	}
}

// OrderBoth notes that g and h, which stands still, order each other.
func (g *Transactor) OrderBoth(h *Transactor) {
	if !g.TimerContext && !h.TimerContext {
		instance.Predictor.Rendezvous(sync.Predicted(&g.Thread), sync.Predicted(&h.Thread),
			g.busyEpoch(), h.busyEpoch())
	}
}

// UnknownEvent notes that what g does next may depend on anything that has happened so far.
func (g *Transactor) UnknownEvent() {
	instance.Predictor.UnknownEvent(sync.Predicted(&g.Thread), g.busyEpoch())
}

// OtherEvent notes that g has done what a witness may have no place for, such as an attempt that
// fails unless another goroutine comes first.
func (g *Transactor) OtherEvent() { sync.OtherEvent(&g.Thread) }

// OrderCall notes that g begins, or ends, a call of a specified method. All calls on one object
// count as ordered.
func (g *Transactor) OrderCall(obj unsafe.Pointer) {
	g.Order(uintptr(obj)|1, event.ReleaseAcquire)
}
