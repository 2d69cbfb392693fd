// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package runtime

import (
	"github.com/commutego/commute/internal/engine/host"
	"github.com/commutego/commute/internal/engine/instance"
	"github.com/commutego/commute/internal/engine/offheap"
	"github.com/commutego/commute/internal/engine/vclock"
)

// A contact is the last events at an address, while transactions run: one that conflicts with all others, and
// those since then that don't conflict with each other.
type contact struct {
	addr  uintptr
	next  offheap.AtomicRef[contact] // in the block
	last  moment
	n     uint32
	since [maxSince]moment
}

// maxSince is how many are kept; of others the edges are missed.
const maxSince = 6

// A moment is an event as those that conflict with it have to know it.
type moment struct {
	epoch  vclock.Epoch
	goid   uint64
	site   uint32
	atomic bool
}

var contacts offheap.Slab[contact]

// contact returns what is known of an address, if make is set in any case; the page's lock is held.
func (p *page) contact(addr uintptr, make bool) *contact {
	at := &p.contacts[blockOf(addr)]
	var stale *contact
	for c := at.Load(); c != nil; c = c.next.Load() {
		if c.addr == addr {
			return c
		}
		if make && stale == nil && !c.matters() {
			stale = c
		}
	}
	if !make {
		return nil
	}
	if stale != nil { // it never will matter again
		stale.addr, stale.last, stale.n = addr, moment{}, 0
		return stale
	}
	c := contacts.Get()
	*c = contact{addr: addr}
	c.next.Store(at.Load())
	at.Store(c)
	host.Publish32(&p.nContacts, p.nContacts.Load()+1)
	return c
}

// sweepContacts forgets those at free addresses; the page's lock is held.
func (p *page) sweepContacts(s *span) {
	for i := range p.contacts {
		at := &p.contacts[i]
		for c := at.Load(); c != nil; c = at.Load() {
			if !s.frees(c.addr) {
				at = &c.next
				continue
			}
			at.Store(c.next.Load())
			contacts.Put(c)
			host.Publish32(&p.nContacts, p.nContacts.Load()-1)
		}
	}
}

// matters reports whether an edge from an event of c can be part of a cycle.
func (c *contact) matters() bool {
	for i := range c.n {
		if instance.Transactions.MayCloseCycle(c.since[i].epoch) {
			return true
		}
	}
	return instance.Transactions.MayCloseCycle(c.last.epoch)
}

// add notes an event beside those of others.
func (c *contact) add(now moment) {
	for i := range c.n {
		if c.since[i].epoch.Slot() == now.epoch.Slot() {
			c.since[i] = now
			return
		}
	}
	if c.n < maxSince {
		c.since[c.n] = now
		c.n++
	}
}
