// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package sync

import (
	"github.com/commutego/commute/internal/engine/host"
	"github.com/commutego/commute/internal/engine/instance"
	"github.com/commutego/commute/internal/engine/offheap"
	"github.com/commutego/commute/internal/engine/vclock"
)

// A Contact is the last events at an address, while transactions run: one that conflicts with all others, and
// those since then that don't conflict with each other.
type Contact struct {
	Addr  uintptr
	next  offheap.AtomicRef[Contact] // in the block
	Last  Moment
	N     uint32
	Since [maxSince]Moment
}

// maxSince is how many are kept; of others the edges are missed.
const maxSince = 6

// A Moment is an event as those that conflict with it have to know it.
type Moment struct {
	Epoch  vclock.Epoch
	Goid   uint64
	Site   uint32
	Atomic bool
}

var contacts offheap.Slab[Contact]

// Contact returns what is known of an address, if make is set in any case; the page's lock is held.
func (p *page) Contact(addr uintptr, make bool) *Contact {
	at := &p.contacts[blockOf(addr)]
	var stale *Contact
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
	if stale != nil { // it never will matter again
		stale.Addr, stale.Last, stale.N = addr, Moment{}, 0
		return stale
	}
	c := contacts.Get()
	*c = Contact{Addr: addr}
	c.next.Store(at.Load())
	at.Store(c)
	host.Publish32(&p.NContacts, p.NContacts.Load()+1)
	return c
}

// sweepContacts forgets those at free addresses; the page's lock is held.
func (p *page) sweepContacts(s *span) {
	for i := range p.contacts {
		at := &p.contacts[i]
		for c := at.Load(); c != nil; c = at.Load() {
			if !s.frees(c.Addr) {
				at = &c.next
				continue
			}
			at.Store(c.next.Load())
			contacts.Put(c)
			host.Publish32(&p.NContacts, p.NContacts.Load()-1)
		}
	}
}

// Matters reports whether an edge from an event of c can be part of a cycle.
func (c *Contact) Matters() bool {
	for i := range c.N {
		if instance.Transactions.MayCloseCycle(c.Since[i].Epoch) {
			return true
		}
	}
	return instance.Transactions.MayCloseCycle(c.Last.Epoch)
}

// Add notes an event beside those of others.
func (c *Contact) Add(now Moment) {
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
