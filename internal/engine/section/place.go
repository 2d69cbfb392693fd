// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package section

import (
	"sync/atomic"

	"github.com/commutego/commute/internal/engine/compiled"
	"github.com/commutego/commute/internal/engine/host"
	"github.com/commutego/commute/internal/engine/offheap"
)

// A place is an address that is known: of a lock, or of what is touched in a section.
type place struct {
	addr       atomic.Uintptr
	next       [2]offheap.AtomicRef[place] // see table
	generation atomic.Uint32               // how often it was freed: then its points are void
	lock       offheap.AtomicRef[lock]
	under      offheap.AtomicRef[lock]                  // the lock under which it was touched last
	looked     atomic.Uint32                            // 1 if a check has looked at it
	of         offheap.AtomicRef[compiled.SectionTouch] // the first touch of what is there

	// The length of the map that is there, after the last section of a lock that touched it; wide
	// is the lock's then. It says if a key was there of which nothing was known.
	length     uint64
	lengthOf   offheap.Ref[lock]
	lengthWide uint64
}

// mapLength is the length of the map before a touch in a section of l, Unknown if it is not known.
func (p *place) mapLength(l *lock) uint64 {
	if p.lengthOf.P() != l || p.lengthWide != l.wide {
		return Unknown
	}
	return p.length
}

// setLength notes the length of the map.
func (p *place) setLength(l *lock, n uint64) {
	p.length, p.lengthOf, p.lengthWide = n, offheap.To(l), l.wide
}

const (
	pageBits = 13
	pages    = 1 << 12
)

// tracked are the places. They are found by the 256 bytes that they are in, so that those of freed
// memory are found as well. A lookup takes no lock, for records are type-stable.
type tracked struct {
	spin    offheap.Lock
	pending pending // what was freed while spin was held, by its holder or another thread
	removed atomic.Uint32
	begun   atomic.Uint32            // 1 once there was a place
	larger  offheap.AtomicRef[table] // the table, nil as long as it is the first
	n       uint32                   // how many places there are
	page    [pages]atomic.Uint32     // how many places there are in pages with this hash
	first   struct {
		table
		bucket [1 << firstLog]offheap.AtomicRef[place]
	}
}

var placeSlab offheap.Slab[place]

func pageOf(addr uintptr) uintptr { return (addr >> pageBits) % pages }

func (w *tracked) table() *table {
	if t := w.larger.Load(); t != nil {
		return t
	}
	return &w.first.table
}

// find is the place at an address, nil if there is none.
func (w *tracked) find(addr uintptr) *place {
	for {
		n := w.removed.Load()
		t := w.table()
		p := t.list(addr).Load()
		for range 1 << 10 { // a list that changes meanwhile might go round
			if p == nil || p.addr.Load() == addr {
				break
			}
			p = p.next[t.link&1].Load()
		}
		if p != nil && p.addr.Load() == addr {
			return p
		}
		if p == nil && w.removed.Load() == n {
			return nil
		}
	}
}

// mayHave reports whether there may be a place at an address. It is false for most addresses that
// have none.
func (w *tracked) mayHave(addr uintptr) bool {
	return w.table().list(addr).Load() != nil
}

// place is the place at an address. It makes one if there is none.
func (w *World) place(addr uintptr) *place {
	t := &w.tracked
	if p := t.find(addr); p != nil {
		return p
	}
	t.spin.Lock()
	t.begun.Store(1)
	p := t.find(addr)
	if p == nil {
		t.grow()
		p = placeSlab.Get()
		p.lock.Store(nil)
		p.under.Store(nil)
		p.looked.Store(0)
		p.of.Store(nil)
		p.lengthOf = offheap.Ref[lock]{}
		host.PublishWord(&p.addr, addr)
		t.table().push(p)
		t.n++
		t.page[pageOf(addr)].Add(1)
	}
	w.unlockPlaces()
	return p
}
