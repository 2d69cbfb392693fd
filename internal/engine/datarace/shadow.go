// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package datarace

import (
	"sync/atomic"
	"unsafe"

	"github.com/commutego/commute/internal/engine/host"
	"github.com/commutego/commute/internal/engine/instance"
	"github.com/commutego/commute/internal/engine/offheap"
)

const (
	regionBits = 26 // a region is 64 MB
	regionSize = uintptr(1) << regionBits
	addrBits   = min(48, 32<<(^uintptr(0)>>63))
	pageBits   = 12
	pageSize   = uintptr(1) << pageBits
	pages      = regionSize / pageSize
	cells      = regionSize / 8
	granules   = regionSize / 16
)

// A region is the shadow of 64 MB. It is mapped as a whole; what is not touched costs nothing.
type region struct {
	writes     [cells]atomic.Uint64
	reads      [cells]atomic.Uint64
	others     [cells]atomic.Uint64    // reads by a second goroutine
	earliers   [cells]atomic.Uint64    // writes before the last, see earlier.go
	allocSites [granules]atomic.Uint32 // of objects, by the 16 bytes that they begin in
	pages      [pages]atomic.Uint32    // what there is of a page
	index      uintptr
	next       offheap.AtomicRef[region]
}

// What there is of a page. A word of the shadow is looked at only if its page says that there may
// be one. A load of untouched shadow would cost a page fault.
const (
	pageWritten = 1 << iota // it may have words of writes
	pageRead                // it may have words of reads
	pageAllocs              // it may have allocation sites
	pageOwned               // it is the program's
	pageForeign             // it is not, and never will be
	pageOther               // it may have words of reads by a second goroutine
	pageEarlier             // it may have words of earlier writes
)

// shadow is all regions, by the top bits of their addresses. Most of the array is never touched.
var shadow struct {
	region [1 << (addrBits - regionBits)]offheap.AtomicRef[region]
	lock   offheap.Lock
	first  offheap.AtomicRef[region] // the regions that there are, newest first
	count  atomic.Uint32             // pages that have words
}

// findRegion is the region of an address, nil if there is none yet.
//
//go:nosplit
func findRegion(addr uintptr) *region {
	n := addr >> regionBits
	if n >= uintptr(len(shadow.region)) {
		return nil
	}
	return shadow.region[n].Load()
}

// makeRegion is findRegion, which maps the region if there is none. It is nil for an address that
// no program has.
func makeRegion(addr uintptr) *region {
	n := addr >> regionBits
	if n >= uintptr(len(shadow.region)) {
		return nil
	}
	r := shadow.region[n].Load()
	if r != nil {
		return r
	}
	shadow.lock.Lock()
	if r = shadow.region[n].Load(); r == nil {
		r = (*region)(host.Reserve(unsafe.Sizeof(region{})))
		r.index = n
		r.next.Store(shadow.first.Load())
		shadow.first.Store(r)
		shadow.region[n].Store(r)
	}
	shadow.lock.Unlock()
	return r
}

// write is the word of the last writes to the cell of addr.
func (r *region) write(addr uintptr) *atomic.Uint64 { return &r.writes[addr>>3&(cells-1)] }

// read is the word of the reads since.
func (r *region) read(addr uintptr) *atomic.Uint64 { return &r.reads[addr>>3&(cells-1)] }

// other is the word of the reads by a second goroutine since.
func (r *region) other(addr uintptr) *atomic.Uint64 { return &r.others[addr>>3&(cells-1)] }

// earlier is the word of the write before the last.
func (r *region) earlier(addr uintptr) *atomic.Uint64 { return &r.earliers[addr>>3&(cells-1)] }

// page is what there is of the page of addr.
func (r *region) page(addr uintptr) *atomic.Uint32 { return &r.pages[addr>>pageBits&(pages-1)] }

// notePage notes what there is of a page from now on.
func (r *region) notePage(addr uintptr, what uint32) {
	for p := r.page(addr); ; {
		had := p.Load()
		if had&what == what {
			return
		}
		r.prefault(addr, what)
		if p.CompareAndSwap(had, had|what) {
			if had&(pageWritten|pageRead) == 0 && what&(pageWritten|pageRead) != 0 {
				shadow.count.Add(1)
			}
			return
		}
	}
}

// Watched reports whether accesses to the memory at addr are watched: they are if it's the
// program's own. The answer is kept for the page, if it holds for good.
func Watched(addr uintptr) bool {
	r := findRegion(addr)
	if r != nil {
		switch has := r.page(addr).Load(); {
		case has&pageOwned != 0:
			return true
		case has&pageForeign != 0:
			return false
		}
	}
	own := host.Owned(addr)
	if own == host.Mapped {
		return false
	}
	if r == nil {
		if r = makeRegion(addr); r == nil {
			return false
		}
	}
	if own == host.Constant {
		r.notePage(addr, pageForeign)
		return false
	}
	r.notePage(addr, pageOwned)
	return true
}

// Free voids all accesses to the memory from addr on, as it belongs to no object any more.
func Free(addr, size uintptr) {
	if instance.Transactions.Running() || instance.Predictor.Open() {
		noteFree(addr, size)
	}
	instance.Predictor.Freed(addr, size)
	for last := addr + size; addr < last; {
		end := min(last, addr&^(pageSize-1)+pageSize)
		r := findRegion(addr)
		if r == nil {
			end = min(last, addr&^(regionSize-1)+regionSize)
		} else if has := r.page(addr).Load(); has&^pageOwned != 0 {
			r.clear(has, addr, end)
			if end-addr == pageSize {
				r.empty(addr, has)
			}
		}
		if end < addr {
			return // the end of all memory
		}
		addr = end
	}
}

// empty notes that there is nothing any more of a page that belongs to no object.
func (r *region) empty(addr uintptr, has uint32) {
	if r.page(addr).CompareAndSwap(has, has&(pageOwned|pageForeign)) &&
		has&(pageWritten|pageRead) != 0 {
		shadow.count.Add(^uint32(0))
	}
}

// Touched reports whether there is anything to Free.
func Touched(addr, size uintptr) bool {
	for last := addr + size; addr < last; addr = addr&^(pageSize-1) + pageSize {
		if r := findRegion(addr); r != nil && r.page(addr).Load()&^pageOwned != 0 {
			return true
		}
	}
	return false
}

// clear empties what there is from addr to end, on one page. Blocks are left to the collector.
func (r *region) clear(has uint32, addr, end uintptr) {
	first, n := addr>>3&(cells-1), (end-addr+7)>>3
	if has&pageWritten != 0 {
		clear(unsafe.Slice((*uint64)(unsafe.Pointer(&r.writes[first])), n))
	}
	if has&pageRead != 0 {
		clear(unsafe.Slice((*uint64)(unsafe.Pointer(&r.reads[first])), n))
	}
	if has&pageOther != 0 {
		clear(unsafe.Slice((*uint64)(unsafe.Pointer(&r.others[first])), n))
	}
	if has&pageEarlier != 0 {
		clear(unsafe.Slice((*uint64)(unsafe.Pointer(&r.earliers[first])), n))
	}
	if has&pageAllocs != 0 {
		first := unsafe.Pointer(&r.allocSites[addr>>4&(granules-1)])
		clear(unsafe.Slice((*uint32)(first), (end-addr+15)>>4))
	}
}

// SetAllocSite notes the site at which the object at addr was allocated.
func SetAllocSite(addr uintptr, site uint32) {
	if !Watched(addr) {
		return
	}
	r := findRegion(addr)
	r.notePage(addr, pageAllocs)
	r.allocSites[addr>>4&(granules-1)].Store(site)
}

// AllocSite is the site at which the object at addr was allocated, 0 if that is not known.
func AllocSite(addr uintptr) uint32 {
	r := findRegion(addr)
	if r == nil || r.page(addr).Load()&pageAllocs == 0 {
		return 0
	}
	return r.allocSites[addr>>4&(granules-1)].Load()
}
