// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package sync

import (
	"unsafe"

	"github.com/commutego/commute/internal/engine/commrace"
	"github.com/commutego/commute/internal/engine/counts"
	"github.com/commutego/commute/internal/engine/host"
	"github.com/commutego/commute/internal/engine/instance"
	"github.com/commutego/commute/internal/engine/offheap"
)

// The shadow maps addresses of the program to what is known of them. It is a tree over the address
// bits, down to pages of 8 KB. A lookup takes no lock.
const (
	pageBits   = 13
	pageSize   = uintptr(1) << pageBits
	regionBits = 26 // a region is 64 MB
	midBits    = 11
	topBits    = 11
	spaceBits  = regionBits + midBits + topBits // 48
)

type (
	region struct {
		pages [1 << (regionBits - pageBits)]offheap.AtomicRef[Page]
		// base is the first address of a region in the list far, and next the next region there.
		base uint64
		next offheap.AtomicRef[region]
	}
	middle [1 << midBits]offheap.AtomicRef[region]
)

var (
	top     [1 << topBits]offheap.AtomicRef[middle]
	far     offheap.AtomicRef[region] // the regions beyond the tree, which few systems use
	topLock offheap.Lock
)

// findRegion returns the region of an address, nil if it was not made.
func findRegion(addr uintptr) *region {
	a := uint64(addr)
	if a>>spaceBits != 0 {
		r := far.Load()
		for r != nil && r.base != a&^(1<<regionBits-1) {
			r = r.next.Load()
		}
		return r
	}
	m := top[a>>(spaceBits-topBits)].Load()
	if m == nil {
		return nil
	}
	return m[a>>regionBits&(1<<midBits-1)].Load()
}

// PageAt returns the page of an address, nil if nothing is known of that memory.
func PageAt(addr uintptr) *Page {
	r := findRegion(addr)
	if r == nil {
		return nil
	}
	return r.slot(addr).Load()
}

// slot is where the page of an address is, or will be.
func (r *region) slot(addr uintptr) *offheap.AtomicRef[Page] {
	return &r.pages[addr>>pageBits&(1<<(regionBits-pageBits)-1)]
}

// makePageAt is PageAt, but makes the page if there is none.
func makePageAt(addr uintptr) *Page {
	if p := PageAt(addr); p != nil {
		return p
	}
	topLock.Lock()
	r := findRegion(addr)
	if r == nil {
		r = addRegion(uint64(addr))
	}
	pp := r.slot(addr)
	p := pp.Load()
	if p == nil {
		p = (*Page)(host.Alloc(unsafe.Sizeof(Page{})))
		pp.Store(p)
	}
	topLock.Unlock()
	return p
}

// addRegion makes the region of an address; topLock is held.
func addRegion(a uint64) *region {
	r := (*region)(host.Alloc(unsafe.Sizeof(region{})))
	if a>>spaceBits != 0 {
		r.base = a &^ (1<<regionBits - 1)
		r.next.Store(far.Load())
		far.Store(r)
		return r
	}
	mp := &top[a>>(spaceBits-topBits)]
	if mp.Load() == nil {
		mp.Store((*middle)(host.Alloc(unsafe.Sizeof(middle{}))))
	}
	mp.Load()[a>>regionBits&(1<<midBits-1)].Store(r)
	return r
}

// FindObject returns the object at an address. If there is none it is made, for a call at site.
func FindObject(addr uintptr, t *commrace.Table, site uintptr) *Object {
	p := makePageAt(addr)
	if o := p.findObject(addr, t); o != nil {
		return o
	}
	return p.addObject(addr, t, counts.IsStdOwned(t, site))
}

// Free notes that memory is free: what was known of it is void.
func Free(addr, size uintptr) { Sweep(addr, size, nil) }

// Sweep is Free for those addresses in the memory for which free returns true.
func Sweep(addr, size uintptr, free func(addr uintptr) bool) {
	if size == 0 {
		return
	}
	instance.Sections.Freed(addr, addr+size, free)
	instance.Deadlocks.Freed(addr, addr+size, free)
	s := span{addr, size, free}
	last := addr + size - 1
	for a := addr; ; a = (a | (pageSize - 1)) + 1 {
		p := PageAt(a)
		if p == nil && last-a > 1<<regionBits && findRegion(a) == nil {
			a |= 1<<regionBits - 1 // nothing is known of the whole region
		}
		if p != nil {
			p.sweep(a, min(last, a|(pageSize-1)), &s)
		}
		if a|(pageSize-1) >= last {
			return
		}
	}
}
