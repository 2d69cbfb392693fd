// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package runtime

import (
	"sync/atomic"
	"unsafe"

	"github.com/commutego/commute/check/commrace"
	"github.com/commutego/commute/check/vclock"
	"github.com/commutego/commute/internal/host"
	"github.com/commutego/commute/internal/offheap"
)

// The shadow maps addresses of the program to what is known of them: synchronization variables and
// objects of specified types. It is a tree over the address bits, down to pages of 8 KB, where each
// 64 bytes have a list. A lookup takes no lock; a page without metadata costs Malloc three loads.
const (
	pageBits   = 13
	grainBits  = 6
	grains     = 1 << (pageBits - grainBits)
	stretches  = 16 // lists of objects, each for 512 bytes
	regionBits = 26 // a region is 64 MB
	midBits    = 11
	topBits    = 11
	spaceBits  = regionBits + midBits + topBits // 48
)

type (
	// A page has the metadata of 8 KB.
	page struct {
		lock  offheap.Lock
		count atomic.Uint32 // records on the page; changed with the lock
		gone  atomic.Uint32 // variables that were taken off its lists; likewise
		syncs [grains]offheap.AtomicRef[syncVar]
		objs  [stretches]offheap.AtomicRef[object]
	}
	region [1 << (regionBits - pageBits)]offheap.AtomicRef[page]
	middle [1 << midBits]offheap.AtomicRef[region]
)

// A syncVar is an address that was released.
type syncVar struct {
	addr atomic.Uintptr
	next offheap.AtomicRef[syncVar]
	lock offheap.Lock
	test offheap.Ref[test] // of the last release: whose timer it is, if it's one
	sync vclock.Sync
}

// An object is the receiver of a specified method.
type object struct {
	addr atomic.Uintptr
	next offheap.AtomicRef[object]
	commrace.Object
}

var (
	top      [1 << topBits]offheap.AtomicRef[middle]
	topLock  offheap.Lock
	syncVars offheap.Slab[syncVar]
	objects  offheap.Slab[object]
)

// fold brings an address into the 48 bits that the tree has. On machines with more, addresses
// that differ only above share lists, which is right, for records say their whole address.
func fold(addr uintptr) uint64 {
	a := uint64(addr)
	return (a ^ a>>spaceBits) & (1<<spaceBits - 1)
}

// findPage returns the page of an address, nil where there is no metadata.
func findPage(addr uintptr) *page {
	a := fold(addr)
	m := top[a>>(spaceBits-topBits)].Load()
	if m == nil {
		return nil
	}
	r := m[a>>regionBits&(1<<midBits-1)].Load()
	if r == nil {
		return nil
	}
	return r[a>>pageBits&(1<<(regionBits-pageBits)-1)].Load()
}

// makePage is findPage, but makes what isn't there.
func makePage(addr uintptr) *page {
	if p := findPage(addr); p != nil {
		return p
	}
	a := fold(addr)
	topLock.Lock()
	mp := &top[a>>(spaceBits-topBits)]
	if mp.Load() == nil {
		mp.Store((*middle)(host.Alloc(unsafe.Sizeof(middle{}))))
	}
	rp := &mp.Load()[a>>regionBits&(1<<midBits-1)]
	if rp.Load() == nil {
		rp.Store((*region)(host.Alloc(unsafe.Sizeof(region{}))))
	}
	pp := &rp.Load()[a>>pageBits&(1<<(regionBits-pageBits)-1)]
	if pp.Load() == nil {
		pp.Store((*page)(host.Alloc(unsafe.Sizeof(page{}))))
	}
	p := pp.Load()
	topLock.Unlock()
	return p
}

func stretch(addr uintptr) uintptr { return addr >> (pageBits - 4) & (stretches - 1) }

func grain(addr uintptr) uintptr { return addr >> grainBits & (grains - 1) }

// findSync returns the variable at an address, nil where nothing was released there. It reads
// lists that others change, but records are type-stable: at worst a record that is taken off the
// list and put on another meanwhile leads it astray. Then it looks again: an acquire that missed a
// release would make a race of two calls that are ordered.
func findSync(addr uintptr) *syncVar {
	p := findPage(addr)
	if p == nil {
		return nil
	}
	for {
		n := p.gone.Load()
		v := p.syncs[grain(addr)].Load().seek(addr)
		if v != nil || p.gone.Load() == n {
			return v
		}
	}
}

func (v *syncVar) seek(addr uintptr) *syncVar {
	for range 1 << grainBits { // a list that changes under us might go round
		if v == nil || v.addr.Load() == addr {
			return v
		}
		v = v.next.Load()
	}
	return nil
}

// lockSync returns the variable at an address, locked; it is made if make is true and it isn't there.
func lockSync(addr uintptr, make bool) *syncVar {
	for {
		v := findSync(addr)
		if v == nil {
			if !make {
				return nil
			}
			v = addSync(addr)
		}
		v.lock.Lock()
		if v.addr.Load() == addr {
			return v
		}
		v.lock.Unlock() // it was reused since
	}
}

func addSync(addr uintptr) *syncVar {
	p := makePage(addr)
	head := &p.syncs[grain(addr)]
	p.lock.Lock()
	v := head.Load().seek(addr)
	if v == nil {
		v = syncVars.Get()
		host.PublishWord(&v.addr, addr)
		v.next.Store(head.Load())
		head.Store(v)
		host.Publish32(&p.count, p.count.Load()+1)
	}
	p.lock.Unlock()
	return v
}

// findObject returns the object at an address; it is made where there is none.
func findObject(addr uintptr, t *commrace.Table) *object {
	p := makePage(addr)
	head := &p.objs[stretch(addr)]
	if o := head.Load().seek(addr, t); o != nil {
		return o
	}
	p.lock.Lock()
	o := head.Load().seek(addr, t)
	if o == nil {
		o = objects.Get()
		o.Init(t)
		o.addr.Store(addr)
		o.next.Store(head.Load())
		head.Store(o)
		host.Publish32(&p.count, p.count.Load()+1)
	}
	p.lock.Unlock()
	return o
}

func (o *object) seek(addr uintptr, t *commrace.Table) *object {
	for range 1 << (pageBits - 4) {
		if o == nil || o.addr.Load() == addr && o.Table() == t {
			return o
		}
		o = o.next.Load()
	}
	return nil
}

// Malloc tells that the memory from addr on has a new owner: what was known of it is void.
func Malloc(addr, size uintptr) {
	last := addr + max(size, 1) - 1
	for a := addr; ; a = (a | (1<<pageBits - 1)) + 1 {
		p := findPage(a)
		if p == nil && last-a > 1<<regionBits && !hasRegion(a) {
			a |= 1<<regionBits - 1 // nothing is known of the whole region
		}
		if p != nil && p.count.Load() != 0 {
			if n := min(last, a|(1<<pageBits-1)) - a + 1; p.knows(a, n) {
				p.forget(a, n)
			}
		}
		if a|(1<<pageBits-1) >= last {
			return
		}
	}
}

func hasRegion(addr uintptr) bool {
	a := fold(addr)
	m := top[a>>(spaceBits-topBits)].Load()
	return m != nil && m[a>>regionBits&(1<<midBits-1)].Load() != nil
}

// knows reports whether there may be a record of one of size bytes from addr on. It needs no lock:
// nobody can add one, for the memory is nobody's.
func (p *page) knows(addr, size uintptr) bool {
	gone := p.gone.Load()
	for g := grain(addr); g <= grain(addr+size-1); g++ {
		n := 0
		for v := p.syncs[g].Load(); v != nil; v = v.next.Load() {
			if n++; v.addr.Load()-addr < size || n > 1<<grainBits {
				return true
			}
		}
	}
	for s := stretch(addr); s <= stretch(addr+size-1); s++ {
		if p.objs[s].Load() != nil {
			return true
		}
	}
	return p.gone.Load() != gone // another's record may have led astray
}

// forget drops what the page knows of size bytes from addr on, all on the page.
func (p *page) forget(addr, size uintptr) {
	p.lock.Lock()
	for g := grain(addr); g <= grain(addr+size-1); g++ {
		at := &p.syncs[g]
		for v := at.Load(); v != nil; v = at.Load() {
			if v.addr.Load()-addr >= size {
				at = &v.next
				continue
			}
			// Nobody can be using it, for the memory was nobody's.
			at.Store(v.next.Load())
			host.Publish32(&p.gone, p.gone.Load()+1) // before it's on another list
			host.PublishWord(&v.addr, 0)
			v.sync.Clear()
			syncVars.Put(v)
			host.Publish32(&p.count, p.count.Load()-1)
		}
	}
	for s := stretch(addr); s <= stretch(addr+size-1); s++ {
		p.forgetObjects(&p.objs[s], addr, size)
	}
	p.lock.Unlock()
}

func (p *page) forgetObjects(at *offheap.AtomicRef[object], addr, size uintptr) {
	for o := at.Load(); o != nil; o = at.Load() {
		if o.addr.Load()-addr >= size {
			at = &o.next
			continue
		}
		at.Store(o.next.Load())
		o.addr.Store(0)
		o.Drop()
		objects.Put(o)
		host.Publish32(&p.count, p.count.Load()-1)
	}
}
