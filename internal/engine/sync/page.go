// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package sync

import (
	"sync/atomic"
	"unsafe"

	"github.com/commutego/commute/internal/engine/commrace"
	"github.com/commutego/commute/internal/engine/counts"
	"github.com/commutego/commute/internal/engine/coverage"
	"github.com/commutego/commute/internal/engine/host"
	"github.com/commutego/commute/internal/engine/instance"
	"github.com/commutego/commute/internal/engine/offheap"
)

const (
	blockBits = 8
	BlockSize = uintptr(1) << blockBits
	blocks    = pageSize / BlockSize
)

type (
	// A Page has what is known of 8 KB of the program's memory.
	Page struct {
		blocks   [blocks]block
		removed  atomic.Uint32 // counts variables that were taken off lists
		used     atomic.Uint32 // a bit for each block that has or had a clock since it was swept
		nObjects atomic.Uint32 // the number of objects; the lock guards it and their lists
		Lock     offheap.Lock

		NHistories atomic.Uint32 // the number of histories; the lock guards it and their lists

		// objects and histories are lists, by the block that they are in.
		objects   [blocks]offheap.AtomicRef[Object]
		histories [blocks]offheap.AtomicRef[History]
	}

	// An Object is the receiver of a specified method.
	Object struct {
		Addr    atomic.Uintptr
		next    offheap.AtomicRef[Object]
		InTrace atomic.Uint32 // 1 when the trace has its definition
		std     atomic.Uint32 // 1 as long as it is the standard library's own
		commrace.Object
		covered offheap.AtomicRef[coverage.Object] // for option conc_cover
	}
)

var objectSlab offheap.Slab[Object]

// ObjectOf returns the object that o is the part of that package commrace knows.
func ObjectOf(o *commrace.Object) *Object {
	return (*Object)(unsafe.Add(unsafe.Pointer(o), -int(unsafe.Offsetof(Object{}.Object))))
}

// StdOwned reports whether only the standard library has called the object so far. Such calls are
// not counted, and races between them are not reported.
func (o *Object) StdOwned() bool { return o.std.Load() != 0 }

// NotStdOwned notes that the program has called the object.
func (o *Object) NotStdOwned() {
	counts.NoteType(o.Table())
	o.std.Store(0)
}

// blockOf is the number of an address's block in its page.
func blockOf(addr uintptr) uintptr { return addr >> blockBits & (blocks - 1) }

// block is the block of an address.
func (p *Page) block(addr uintptr) *block { return &p.blocks[blockOf(addr)] }

// uses notes that the block of an address has something to sweep. The block is locked.
func (p *Page) uses(addr uintptr) {
	bit := uint32(1) << blockOf(addr)
	for used := p.used.Load(); used&bit == 0; used = p.used.Load() {
		if p.used.CompareAndSwap(used, used|bit) {
			return
		}
	}
}

// unused takes back what uses has noted. The block is locked.
func (p *Page) unused(addr uintptr) {
	bit := uint32(1) << blockOf(addr)
	for used := p.used.Load(); !p.used.CompareAndSwap(used, used&^bit); used = p.used.Load() {
	}
}

// findObject returns the object of a type at an address, nil if there is none.
func (p *Page) findObject(addr uintptr, t *commrace.Table) *Object {
	return p.objects[blockOf(addr)].Load().seek(addr, t)
}

// addObject returns the object at an address, and makes it if there is none; stdOwned says that it
// is the standard library's own.
func (p *Page) addObject(addr uintptr, t *commrace.Table, stdOwned bool) *Object {
	if !stdOwned {
		counts.NoteType(t)
	}
	p.Lock.Lock()
	o := p.findObject(addr, t)
	if o == nil {
		at := &p.objects[blockOf(addr)]
		o = objectSlab.Get()
		o.Init(t, &instance.Clocks)
		o.Addr.Store(addr)
		o.InTrace.Store(0)
		o.std.Store(0)
		if stdOwned {
			o.std.Store(1)
		}
		o.next.Store(at.Load())
		at.Store(o)
		host.Publish32(&p.nObjects, p.nObjects.Load()+1)
	}
	p.Lock.Unlock()
	return o
}

// seek finds the object of a type at an address in a list, from o on.
func (o *Object) seek(addr uintptr, t *commrace.Table) *Object {
	for range 2 * BlockSize { // a list that changes meanwhile might go round
		if o == nil || o.Addr.Load() == addr && o.Table() == t {
			return o
		}
		o = o.next.Load()
	}
	return nil
}

// A span is a range of addresses that were freed: those for which free returns true, or all if free
// is nil.
type span struct {
	start, size uintptr
	free        func(addr uintptr) bool
}

// frees reports whether an address is in the span and free.
func (s *span) frees(addr uintptr) bool {
	return addr-s.start < s.size && (s.free == nil || s.free(addr))
}

// sweep forgets what is known of free addresses from first to last, both in the page. It takes no
// lock where nothing is known, for no goroutine can add anything at a free address.
func (p *Page) sweep(first, last uintptr, s *span) {
	base := first &^ (pageSize - 1)
	used := p.used.Load() & (^uint32(0) << blockOf(first)) &
		(^uint32(0) >> (blocks - 1 - blockOf(last)))
	for ; used != 0; used &= used - 1 {
		i := indexOf(uint64(used & -used))
		if rest := used & (used - 1); rest != 0 {
			next := uintptr(unsafe.Pointer(&p.blocks[indexOf(uint64(rest&-rest))]))
			host.Prefetch(next)
			host.Prefetch(next + unsafe.Sizeof(block{})/2)
		}
		p.blocks[i].sweep(p, base+i<<blockBits, s)
	}
	if p.nObjects.Load()|p.NHistories.Load() == 0 {
		return
	}
	p.Lock.Lock()
	p.sweepHistories(s)
	for i := range p.objects {
		at := &p.objects[i]
		for o := at.Load(); o != nil; o = at.Load() {
			if !s.frees(o.Addr.Load()) {
				at = &o.next
				continue
			}
			at.Store(o.next.Load())
			o.Addr.Store(0)
			coverage.Drop(&o.covered)
			o.Drop()
			objectSlab.Put(o)
			host.Publish32(&p.nObjects, p.nObjects.Load()-1)
		}
	}
	p.Lock.Unlock()
}
