// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package txn

import (
	"github.com/commutego/commute/internal/engine/atomicity"
	"github.com/commutego/commute/internal/engine/instance"
	"github.com/commutego/commute/internal/engine/sync"
	"github.com/commutego/commute/internal/event"
)

// While transactions run, the synchronization of watched packages makes edges between them. There
// is an edge from a release to each acquire that it allows, and between operations on one atomic
// variable of which one writes. What other packages do inside orders goroutines, but two
// transactions don't share it. A buffer that package fmt takes from its pool is none of the
// program's business.

// MayConflict reports whether an event of g at an address could be part of a cycle: only then its
// site is worth finding out. It could be if a running transaction reaches g's present. It also
// could be by an edge from an event in the address's history.
func (g *Transactor) MayConflict(addr uintptr, k event.Kind) bool {
	if g.TimerContext || g.InAnyCall() || g.Txn.Left {
		return false
	}
	g.Txn.Acted = true
	// The event may be the source of a later edge: only if some transaction reaches it.
	if k != event.Acquire && instance.Transactions.MayCloseCycle(g.MemoryClock.P().Now()) {
		return true
	}
	// Or it may be the target of an edge from an event in the history.
	if !conflictsBack(k) {
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

// ForgetHistory notes an event of which SyncEvent is not told. A goroutine that acquires what this
// event releases has no conflict with what was released before.
func (g *Transactor) ForgetHistory(addr uintptr, k event.Kind) {
	if !replaces(k) || g.Txn.Left { // what is left out is in the place of nothing
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

// SyncEvent notes an event of g at an address, at a site, for which MayConflict has returned true.
// It comes after the clocks have the order that the event makes.
func (g *Transactor) SyncEvent(addr uintptr, k event.Kind, site uint32, goid uint64) {
	p := g.Pages.Make(addr)
	p.Lock.Lock()
	// An acquire conflicts with no later event, so it needs no history of its own.
	c := p.History(addr, k != event.Acquire)
	if c != nil {
		g.addEvent(c, k, site, goid)
	}
	p.Lock.Unlock()
}

// conflictsBack reports whether an event conflicts with earlier ones at its address: it acquires
// what was released, or is an atomic operation.
func conflictsBack(k event.Kind) bool { return k.Acquires() || k.Atomic() }

// replaces reports whether an event conflicts with all later ones that conflict back: these need
// not know of events before it.
func replaces(k event.Kind) bool { return k.Writes() || k.Releases() && !k.Merges() }

// addEvent adds the edges to an event, and then the event to the history.
func (g *Transactor) addEvent(c *sync.History, k event.Kind, site uint32, goid uint64) {
	e := atomicity.Edge{ToGoid: goid, ToSite: site, Addr: c.Addr, Kind: atomicity.Sync,
		FromWrites: true}
	if k.Atomic() {
		e.Kind, e.ToWrites = atomicity.Atomic, k.Writes()
	}
	if conflictsBack(k) {
		g.addEdge(&c.Latest, e)
		e.FromWrites = !k.Atomic()
		for i := range c.N {
			// Loads don't conflict with each other.
			if k != event.AtomicLoad {
				g.addEdge(&c.Since[i], e)
			}
		}
	}
	now := sync.EventRecord{Epoch: g.MemoryClock.P().Pin(), Goid: goid, Site: site,
		Atomic: k.Atomic()}
	switch {
	// Later events conflict with this one, and by it come after all earlier ones.
	case replaces(k):
		c.Latest, c.N = now, 0
	case k != event.Acquire:
		c.Add(now)
	}
}

// addEdge adds the edge e from an earlier event, if it can be part of a cycle.
func (g *Transactor) addEdge(m *sync.EventRecord, e atomicity.Edge) {
	if m.Epoch != 0 && m.Atomic == (e.Kind == atomicity.Atomic) &&
		instance.Transactions.MayCloseCycle(m.Epoch) {
		e.From, e.FromGoid, e.FromSite = m.Epoch, m.Goid, m.Site
		instance.Transactions.AddEdge(&g.Txn, g.MemoryClock.P(), e)
	}
}
