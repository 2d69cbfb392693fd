// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package sync

import (
	"sync/atomic"

	"github.com/commutego/commute/internal/engine/commrace"
	"github.com/commutego/commute/internal/engine/counts"
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
	// A page has the metadata of 8 KB of the program's memory.
	page struct {
		blocks [blocks]block
		gone   atomic.Uint32 // variables that were taken off lists
		inside atomic.Uint32 // a bit for each block that has been released to inside of calls
		nobjs  atomic.Uint32 // objects; changed with the lock, as are their lists
		Lock   offheap.Lock
		objs   [blocks]offheap.AtomicRef[Object] // by the block that they are in

		NContacts atomic.Uint32 // as nobjs
		contacts  [blocks]offheap.AtomicRef[Contact]
	}

	// An object is the receiver of a specified method.
	Object struct {
		Addr    atomic.Uintptr
		next    offheap.AtomicRef[Object]
		InTrace atomic.Uint32 // it was defined in the trace
		Foreign bool          // the standard library's own
		commrace.Object
	}
)

var objects offheap.Slab[Object]

func blockOf(addr uintptr) uintptr { return addr >> blockBits & (blocks - 1) }

func (p *page) block(addr uintptr) *block { return &p.blocks[blockOf(addr)] }

func (p *page) findObject(addr uintptr, t *commrace.Table) *Object {
	return p.objs[blockOf(addr)].Load().seek(addr, t)
}

// addObject returns the object at an address, which is the standard library's own if foreign is
// set.
func (p *page) addObject(addr uintptr, t *commrace.Table, foreign bool) *Object {
	if !foreign {
		counts.NoteType(t)
	}
	p.Lock.Lock()
	o := p.findObject(addr, t)
	if o == nil {
		at := &p.objs[blockOf(addr)]
		o = objects.Get()
		o.Init(t, &instance.Clocks)
		o.Addr.Store(addr)
		o.InTrace.Store(0)
		o.Foreign = foreign
		o.next.Store(at.Load())
		at.Store(o)
		host.Publish32(&p.nobjs, p.nobjs.Load()+1)
	}
	p.Lock.Unlock()
	return o
}

func (o *Object) seek(addr uintptr, t *commrace.Table) *Object {
	for range 2 * BlockSize { // a list that changes under us might go round
		if o == nil || o.Addr.Load() == addr && o.Table() == t {
			return o
		}
		o = o.next.Load()
	}
	return nil
}

// A span is a range of addresses, those of which are free that free says are; nil: all.
type span struct {
	start, size uintptr
	free        func(addr uintptr) bool
}

func (s *span) frees(addr uintptr) bool {
	return addr-s.start < s.size && (s.free == nil || s.free(addr))
}

// sweep forgets what is known of free addresses from first to last, both in the page. It takes no
// lock where nothing is known: nobody can add to it, for free memory is nobody's.
func (p *page) sweep(first, last uintptr, s *span) {
	for a := first &^ (BlockSize - 1); ; a += BlockSize {
		if b := p.block(a); b.tags.Load() != 0 || b.more.Load() != nil {
			b.sweep(p, a, s)
		}
		if a|(BlockSize-1) >= last {
			break
		}
	}
	if p.nobjs.Load()|p.NContacts.Load() == 0 {
		return
	}
	p.Lock.Lock()
	p.sweepContacts(s)
	for i := range p.objs {
		at := &p.objs[i]
		for o := at.Load(); o != nil; o = at.Load() {
			if !s.frees(o.Addr.Load()) {
				at = &o.next
				continue
			}
			at.Store(o.next.Load())
			o.Addr.Store(0)
			o.Drop()
			objects.Put(o)
			host.Publish32(&p.nobjs, p.nobjs.Load()-1)
		}
	}
	p.Lock.Unlock()
}
