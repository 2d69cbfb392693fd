// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package txn

import (
	"github.com/commutego/commute/internal/engine/atomicity"
	"github.com/commutego/commute/internal/engine/instance"
	"github.com/commutego/commute/internal/engine/sync"
	"github.com/commutego/commute/internal/event"
)

// While transactions run, synchronization by the packages that are watched makes edges between them: a release and the
// acquires that it allows, and operations on one atomic variable of which one writes. What a package that isn't watched
// does inside orders goroutines, but is nothing that two transactions could be said to share: a buffer that package fmt takes
// from its pool is none of the program's business.

// Concerned reports whether an event of g at an address could be part of a cycle, so that it's worth while to find out
// where it is: others may be reached from g's present, or what happened there may lead to it.
func (g *Transactor) Concerned(addr uintptr, k event.Kind) bool {
	if g.TimerContext || g.InAnyCall() {
		return false
	}
	if k != event.Acquire && instance.Transactions.MayCloseCycle(g.MemoryClock.P().Now()) {
		return true
	}
	if !looksBack(k) {
		return false
	}
	p := g.Pages.Find(addr)
	if p == nil || p.NHistories.Load() == 0 {
		return false
	}
	p.Lock.Lock()
	c := p.History(addr, false)
	matters := c != nil && c.Matters()
	p.Lock.Unlock()
	return matters
}

// Forget tells of an event that has not been told: who takes up what it releases does not meet what was released before.
func (g *Transactor) Forget(addr uintptr, k event.Kind) {
	if !replaces(k) {
		return
	}
	p := g.Pages.Find(addr)
	if p == nil || p.NHistories.Load() == 0 {
		return
	}
	p.Lock.Lock()
	if c := p.History(addr, false); c != nil {
		c.Latest, c.N = sync.EventRecord{}, 0
	}
	p.Lock.Unlock()
}

// Contact tells of an event of g at an address that it is concerned with. It comes after the order that it makes is
// known. Where is its place in the program.
func (g *Transactor) Contact(addr uintptr, k event.Kind, where uint32, goid uint64) {
	p := g.Pages.Make(addr)
	p.Lock.Lock()
	c := p.History(addr, k != event.Acquire)
	if c != nil {
		g.meet(c, k, where, goid)
	}
	p.Lock.Unlock()
}

// looksBack reports whether an event conflicts with earlier ones at its address: it learns what was
// released, or is an atomic operation.
func looksBack(k event.Kind) bool { return k.Acquires() || k.Atomic() }

// replaces reports whether an event conflicts with all that look back to it, so that these need not know
// of earlier ones.
func replaces(k event.Kind) bool { return k.Writes() || k.Releases() && !k.Merges() }

// meet draws the edges of an event, and notes it.
func (g *Transactor) meet(c *sync.History, k event.Kind, where uint32, goid uint64) {
	e := atomicity.Edge{ToGoid: goid, ToSite: where, Addr: c.Addr, Kind: atomicity.Sync, FromWrites: true}
	if k.Atomic() {
		e.Kind, e.ToWrites = atomicity.Atomic, k.Writes()
	}
	if looksBack(k) {
		g.draw(&c.Latest, e)
		e.FromWrites = !k.Atomic()
		for i := range c.N {
			if k != event.AtomicLoad {
				g.draw(&c.Since[i], e)
			}
		}
	}
	now := sync.EventRecord{Epoch: g.MemoryClock.P().Pin(), Goid: goid, Site: where, Atomic: k.Atomic()}
	switch {
	case replaces(k):
		c.Latest, c.N = now, 0
	case k != event.Acquire:
		c.Add(now)
	}
}

func (g *Transactor) draw(m *sync.EventRecord, e atomicity.Edge) {
	if m.Epoch != 0 && m.Atomic == (e.Kind == atomicity.Atomic) && instance.Transactions.MayCloseCycle(m.Epoch) {
		e.From, e.FromGoid, e.FromSite = m.Epoch, m.Goid, m.Site
		instance.Transactions.AddEdge(&g.Txn, g.MemoryClock.P(), e)
	}
}
