// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package sync

import (
	"github.com/commutego/commute/internal/engine/atomicity"
	"github.com/commutego/commute/internal/engine/commrace"
	"github.com/commutego/commute/internal/engine/instance"
	"github.com/commutego/commute/internal/engine/offheap"
	"github.com/commutego/commute/internal/engine/sideclock"
	"github.com/commutego/commute/internal/engine/text"
)

// Calls of specified methods don't learn of each other's own synchronization. But that orders
// accesses to memory: what a method does under its lock is no data race. So a goroutine may have
// two clocks. Calls are compared by the call clock. Accesses are ordered by the memory clock: no
// call hides anything from it, and it learns nothing from the check of a call.
//
// Goroutines have one clock until memory is watched and the first such call begins, for until then
// the two would be equal. The memory clock is a side clock.

// WatchMemory is set if accesses to memory are watched.
var WatchMemory bool

// isQuiet reports whether the methods of a type announce no synchronization: the specification
// alone says what their calls order.
func isQuiet(t *commrace.Table) bool { return text.HasPrefix(t.Type, "sync.") }

// RequireMemoryClock notes that a call of a method of t begins: if the method synchronizes by
// itself, the two clocks differ from now on.
func RequireMemoryClock(t *commrace.Table) {
	if WatchMemory && !MemoryClocks() {
		requireMemoryClock(t)
	}
}

// requireMemoryClock is RequireMemoryClock where there are no memory clocks yet.
func requireMemoryClock(t *commrace.Table) {
	if !isQuiet(t) {
		SetMemoryClocks(true)
	}
}

// HasMemoryClock reports whether g has a memory clock, and starts it if it must have one. Each hook
// asks, so it is inlined.
func (g *Thread) HasMemoryClock() bool {
	return MemoryClocks() && g.haveMemoryClock()
}

// haveMemoryClock returns true when g has a memory clock. It is not inlined, for HasMemoryClock
// would be too large then.
//
//go:noinline
func (g *Thread) haveMemoryClock() bool {
	if g.memory.Nil() {
		g.startMemoryClock()
	}
	return true
}

// startMemoryClock lets the memory clock go its own way, from what the call clock knows now.
func (g *Thread) startMemoryClock() {
	m := sideclock.New()
	g.memory = offheap.To(m)
	m.Started = true
	if g.TimerContext {
		return
	}
	g.Clock.Fork(&m.Thread)
	if instance.Transactions.Running() {
		// An ended goroutine may have had the new clock's slot.
		instance.Transactions.Fork(nil, 0, m.Thread.Pin(), atomicity.Edge{})
		instance.Transactions.ChangeClock(&g.Txn, &g.Clock, &m.Thread)
	}
	g.useMemoryClock()
}

// useMemoryClock has the checks that follow accesses go by the memory clock.
func (g *Thread) useMemoryClock() {
	c := &g.memory.P().Thread
	g.MemoryClock = offheap.To(c)
	if g.Memory.P().Started() {
		g.Memory.P().SetClock(c)
	}
	if instance.Predictor.Live() {
		instance.Predictor.ChangeClock(Predicted(g), c.Pin())
	}
}

// forkMemoryClock starts the memory clock of child, which g has started, if it must have one.
func forkMemoryClock(g, child *Thread) {
	if !MemoryClocks() {
		return
	}
	child.memory = offheap.To(sideclock.New())
	if g == nil {
		child.memory.P().Start(&instance.Clocks, nil, false)
	} else {
		g.HasMemoryClock()
		child.memory.P().Start(&instance.Clocks, g.memory.P(), g.TimerContext)
	}
	child.useMemoryClock()
}

// JoinCallClock is for the end of a call whose method announces nothing: the memory clock learns
// what the call clock has learned by the specification.
func (g *Thread) JoinCallClock(t *commrace.Table) {
	if MemoryClocks() {
		joinCallClock(g, t)
	}
}

// joinCallClock is JoinCallClock where there are memory clocks.
func joinCallClock(g *Thread, t *commrace.Table) {
	if isQuiet(t) && g.haveMemoryClock() {
		s := g.Clock.RemoteSnapshot()
		g.memory.P().Thread.Join(&s)
		s.Drop()
	}
}
