// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package sync

import (
	"github.com/commutego/commute/internal/engine/host"
	"github.com/commutego/commute/internal/engine/instance"
	"github.com/commutego/commute/internal/engine/offheap"
	"github.com/commutego/commute/internal/engine/vclock"
)

// A History is the sync conflict history of an address, kept while transactions run.
type History struct {
	Addr   uintptr
	next   offheap.AtomicRef[History] // in the block
	Latest EventRecord                // the last event that conflicts with all events after it
	N      uint32
	// Since has the events after Latest, which don't conflict with each other.
	Since [maxSince]EventRecord
}

// maxSince is how many of these are kept; the edges from others are missed.
const maxSince = 6

// An EventRecord is what a conflicting event needs to know of an earlier one.
type EventRecord struct {
	Epoch  vclock.Epoch
	Goid   uint64
	Site   uint32
	Atomic bool
}

var historySlab offheap.Slab[History]

// History returns the history of an address, nil if there is none; if make is set it is made then.
// The page's lock is held.
func (p *Page) History(addr uintptr, make bool) *History {
	at := &p.histories[blockOf(addr)]
	var stale *History
	for c := at.Load(); c != nil; c = c.next.Load() {
		if c.Addr == addr {
			return c
		}
		if make && stale == nil && !c.Matters() {
			stale = c
		}
	}
	if !make {
		return nil
	}
	if stale != nil { // it will never matter again
		stale.Addr, stale.Latest, stale.N = addr, EventRecord{}, 0
		return stale
	}
	c := historySlab.Get()
	*c = History{Addr: addr}
	c.next.Store(at.Load())
	at.Store(c)
	host.Publish32(&p.NHistories, p.NHistories.Load()+1)
	return c
}

// sweepHistories forgets the histories of free addresses; the page's lock is held.
func (p *Page) sweepHistories(s *span) {
	for i := range p.histories {
		at := &p.histories[i]
		for c := at.Load(); c != nil; c = at.Load() {
			if !s.frees(c.Addr) {
				at = &c.next
				continue
			}
			at.Store(c.next.Load())
			historySlab.Put(c)
			host.Publish32(&p.NHistories, p.NHistories.Load()-1)
		}
	}
}

// Matters reports whether an edge from an event of the history can be part of a cycle.
func (c *History) Matters() bool {
	for i := range c.N {
		if instance.Transactions.MayCloseCycle(c.Since[i].Epoch) {
			return true
		}
	}
	return instance.Transactions.MayCloseCycle(c.Latest.Epoch)
}

// Add notes an event that doesn't conflict with those since the latest. Of each goroutine, one
// event is kept.
func (c *History) Add(now EventRecord) {
	for i := range c.N {
		if c.Since[i].Epoch.Slot() == now.Epoch.Slot() {
			c.Since[i] = now
			return
		}
	}
	if c.N < maxSince {
		c.Since[c.N] = now
		c.N++
	}
}
