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
	"github.com/commutego/commute/internal/engine/vclock"
)

// Calls of specified methods don't learn of each other's own synchronization. But that orders
// accesses to memory: what a method does under its lock is no data race. So a goroutine may have
// two clocks. Calls are compared by the call clock. Accesses are ordered by the memory clock: no
// call hides anything from it, and it learns nothing from the check of a call.
//
// Goroutines have one clock until memory is watched and the first such call begins, for until then
// the two would be equal. The memory clock of an address is kept beside its call clock, under an
// address that no variable has. An address without a memory clock was not released to since then,
// so its call clock stands for both.

// MemoryClocks says whether goroutines have memory clocks.
var MemoryClocks struct {
	Wanted bool          // accesses to memory are watched
	On     atomic.Uint32 // 1 from the first call on that makes the two clocks differ
}

// A memoryClock is the memory clock of a goroutine, once it differs from the call clock.
type memoryClock struct {
	started bool
	clock   vclock.Thread
	relayed vclock.Snapshot // of a timer context, in place of clock
}

// isQuiet reports whether the methods of a type announce no synchronization: the specification
// alone says what their calls order.
func isQuiet(t *commrace.Table) bool { return text.HasPrefix(t.Type, "sync.") }

// RequireMemoryClock notes that a call of a method of t begins: if the method synchronizes by
// itself, the two clocks differ from now on.
func (g *Thread) RequireMemoryClock(t *commrace.Table) {
	if MemoryClocks.Wanted && MemoryClocks.On.Load() == 0 && !isQuiet(t) {
		MemoryClocks.On.Store(1)
	}
}

// HasMemoryClock reports whether g has a memory clock, and starts it if it must have one. Each hook
// asks, so it is inlined.
func (g *Thread) HasMemoryClock() bool {
	return MemoryClocks.On.Load() != 0 && g.haveMemoryClock()
}

// haveMemoryClock returns true when g has a memory clock.
func (g *Thread) haveMemoryClock() bool {
	if !g.memory.started {
		g.startMemoryClock()
	}
	return true
}

// startMemoryClock lets the memory clock go its own way, from what the call clock knows now.
func (g *Thread) startMemoryClock() {
	g.memory.started = true
	if g.TimerContext {
		return
	}
	g.Clock.Fork(&g.memory.clock)
	if instance.Transactions.Running() {
		// An ended goroutine may have had the new clock's slot.
		instance.Transactions.Fork(nil, 0, g.memory.clock.Pin(), atomicity.Edge{})
		instance.Transactions.ChangeClock(&g.Txn, &g.Clock, &g.memory.clock)
	}
	g.useMemoryClock()
}

// useMemoryClock has the checks that follow accesses go by the memory clock.
func (g *Thread) useMemoryClock() {
	g.MemoryClock = offheap.To(&g.memory.clock)
	if g.Memory.Started() {
		g.Memory.SetClock(&g.memory.clock)
	}
	if instance.Predictor.Live() {
		instance.Predictor.ChangeClock(&g.Predict, g.memory.clock.Pin())
	}
}

// forkMemoryClock starts the memory clock of child, which g has started, if it must have one.
func (g *Thread) forkMemoryClock(child *Thread) {
	if MemoryClocks.On.Load() == 0 {
		return
	}
	child.memory.started = true
	switch {
	case g == nil:
		instance.Clocks.Start(&child.memory.clock)
	case g.TimerContext:
		instance.Clocks.StartAfter(&child.memory.clock, &g.memory.relayed)
	default:
		g.HasMemoryClock()
		g.memory.clock.Fork(&child.memory.clock)
	}
	child.useMemoryClock()
}

// JoinCallClock is for the end of a call whose method announces nothing: the memory clock learns
// what the call clock has learned by the specification.
func (g *Thread) JoinCallClock(t *commrace.Table) {
	if MemoryClocks.On.Load() != 0 {
		joinCallClock(g, t)
	}
}

// joinCallClock is JoinCallClock where there are memory clocks.
func joinCallClock(g *Thread, t *commrace.Table) {
	if isQuiet(t) && g.haveMemoryClock() {
		s := g.Clock.RemoteSnapshot()
		g.memory.clock.Join(&s)
		s.Drop()
	}
}

// end ends the memory clock of a goroutine or of a timer context.
func (m *memoryClock) end(timer bool) {
	switch {
	case !m.started:
	case timer:
		m.relayed.Drop()
	default:
		m.clock.End()
	}
}

// The methods below do for the memory clock what the hook of their name does for the call clock.
// The hook calls them first, while the address still has the call clock from before the event.

// acquire is Acquire for a memory clock, of a timer context if timer is set.
func (m *memoryClock) acquire(p *Page, addr uintptr, timer bool) {
	if v := p.memoryVar(addr, false); v != nil {
		if timer {
			m.relayed.Drop()
			m.relayed = v.sync.Snapshot()
		} else {
			v.sync.Acquire(&m.clock)
		}
		v.lock.Unlock()
		return
	}
	s := p.snapshot(addr)
	if timer {
		m.relayed.Drop()
		m.relayed = s
		return
	}
	m.clock.Join(&s)
	s.Drop()
}

// release is Release, or ReleaseMerge if merge is set.
func (m *memoryClock) release(p *Page, addr uintptr, timer, merge bool) {
	v := p.memoryVar(addr, true)
	switch {
	case timer && merge:
		v.sync.ReleaseMergeSnapshot(&m.relayed)
	case timer:
		v.sync.ReleaseSnapshot(&m.relayed)
	case merge:
		v.sync.ReleaseMerge(&m.clock)
	default:
		v.sync.Release(&m.clock)
	}
	v.lock.Unlock()
}

// transfer is ReleaseAcquire.
func (m *memoryClock) transfer(p *Page, addr uintptr, timer bool) {
	v := p.memoryVar(addr, true)
	if timer {
		v.sync.ReleaseSnapshot(&m.relayed)
	} else {
		v.sync.ReleaseAcquire(&m.clock)
	}
	v.lock.Unlock()
}

// memoryBit marks an address under which a memory clock is kept.
const memoryBit = 1 << (32<<(^uintptr(0)>>63) - 1)

// memoryVar returns the variable with the memory clock of an address, locked. If make is set and
// there is none, it begins with what the call clock of the address knows.
func (p *Page) memoryVar(addr uintptr, make bool) *syncVar {
	if v := p.lockVar(addr|memoryBit, false); v != nil || !make {
		return v
	}
	s := p.snapshot(addr)
	v := p.lockVar(addr|memoryBit, true)
	v.sync.ReleaseMergeSnapshot(&s) // a merge, as another goroutine may have made it meanwhile
	s.Drop()
	return v
}
