// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package txn

import (
	"testing"

	"github.com/commutego/commute/internal/engine/atomicity"
	"github.com/commutego/commute/internal/engine/fixture"
	"github.com/commutego/commute/internal/engine/instance"
	"github.com/commutego/commute/internal/engine/sync"
	"github.com/commutego/commute/internal/event"
)

// A cycleSink counts violations.
type cycleSink struct{ n int }

func (s *cycleSink) Wants(*atomicity.AtomicCode) bool { return true }

func (s *cycleSink) Cycle(*atomicity.Cycle) { s.n++ }

// startTransactor is one that knows nothing of others.
func startTransactor() *Transactor {
	g := new(Transactor)
	g.Reset()
	instance.Clocks.Start(&g.Clock)
	return g
}

// run makes a transaction of g, and returns how many violations were found.
func (g *Transactor) run(f func()) int {
	var t Transaction
	var s cycleSink
	g.BeginAtomic(&t, &fixture.TestPlace)
	f()
	instance.Transactions.End(&g.Txn, &s)
	return s.n
}

// TestClockStaysInTransaction has a goroutine that gets its second clock only when it synchronizes,
// as calls are made since it was started: not so in the middle of a transaction, whose events would
// be known by two clocks.
func TestClockStaysInTransaction(t *testing.T) {
	g, h := startTransactor(), startTransactor()
	was := sync.MemoryClocks()
	defer func() {
		g.Finish()
		h.Finish()
		sync.SetMemoryClocks(was)
	}()
	sync.SetMemoryClocks(true)
	const here, there = 0x7a1000000100, 0x7a1000000200
	n := g.run(func() {
		clock := g.MemoryClock
		g.Release(here)
		if g.MemoryClock != clock {
			t.Error("the clock turned")
		}
		g.SyncEvent(here, event.Release, 0, 1)
		h.Acquire(here)
		h.SyncEvent(here, event.Acquire, 0, 2)
		h.SyncEvent(there, event.Release, 0, 2)
		h.Release(there)
		g.Acquire(there)
		g.SyncEvent(there, event.Acquire, 0, 1)
	})
	if n != 1 {
		t.Errorf("%d violations, want 1", n)
	}
}

// TestClockTurns has it turn all the same, as the first call of all is made in a transaction.
func TestClockTurns(t *testing.T) {
	for _, first := range []bool{false, true} {
		g, h := startTransactor(), startTransactor()
		was := sync.MemoryClocks()
		sync.SetMemoryClocks(false)
		const here, there = 0x7a1000000300, 0x7a1000000400
		n := g.run(func() {
			if first {
				sync.SetMemoryClocks(true)
				g.HasMemoryClock()
			}
			g.SyncEvent(here, event.Release, 0, 1)
			sync.SetMemoryClocks(true)
			g.HasMemoryClock()
			h.SyncEvent(here, event.Acquire, 0, 2)
			h.SyncEvent(there, event.Release, 0, 2)
			g.SyncEvent(there, event.Acquire, 0, 1)
		})
		two := g.MemoryClock.P() != &g.Clock
		if n != 1 || !two {
			t.Errorf("%d violations, want 1; two clocks: %v", n, two)
		}
		g.Finish()
		h.Finish()
		sync.SetMemoryClocks(was)
	}
	if n := instance.Transactions.Incomplete(); n != 0 {
		t.Errorf("%d cycles were lost", n)
	}
}

// TestHistoriesAreReused has transactions that release at one address each: what they leave does
// not grow, and says nothing of the next address that takes its place.
func TestHistoriesAreReused(t *testing.T) {
	g, h := startTransactor(), startTransactor()
	defer g.Finish()
	defer h.Finish()
	const base = 0x7a2000000000
	defer sync.Free(base, sync.BlockSize)
	for i := range uintptr(30) {
		n := g.run(func() {
			g.SyncEvent(base+8*i, event.ReleaseMerge, 0, 1)
			g.SyncEvent(base+8*i+4, event.ReleaseAcquire, 0, 1)
		})
		if n != 0 {
			t.Fatalf("violation at %d", i)
		}
	}
	p := sync.PageAt(base)
	if n := p.NHistories.Load(); n != 2 {
		t.Errorf("%d histories, want 2", n)
	}
	n := g.run(func() {
		g.SyncEvent(base+0x80, event.Release, 0, 1)
		if c := p.History(base+0x80, false); c == nil || c.N != 0 || c.Latest.Epoch == 0 {
			t.Errorf("the history is %+v, want one event", c)
		}
		g.SyncEvent(base+0x88, event.ReleaseMerge, 0, 1)
		if c := p.History(base+0x88, false); c == nil || c.N != 1 || c.Latest.Epoch != 0 {
			t.Errorf("the history is %+v, want one event", c)
		}
		h.SyncEvent(base+0x90, event.Release, 0, 2) // what matters stays
		for _, addr := range []uintptr{base + 0x80, base + 0x88} {
			if c := p.History(addr, false); c == nil || !c.Matters() {
				t.Errorf("the history of %#x is %+v", addr, c)
			}
		}
	})
	if n != 0 {
		t.Errorf("%d violations", n)
	}
}
