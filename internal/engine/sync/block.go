// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package sync

import (
	"sync/atomic"

	"github.com/commutego/commute/internal/engine/host"
	"github.com/commutego/commute/internal/engine/offheap"
	"github.com/commutego/commute/internal/engine/vclock"
)

const (
	inline  = 3             // marks in a block
	tagBits = blockBits + 1 // an offset in the block, and a bit that says that there is one
	tagMask = 1<<tagBits - 1
)

type (
	// A block has the clocks of 256 bytes. Most of them are those of one release each, and most blocks
	// have three at most: these are in the block itself, which is one line of a processor's cache. That
	// is what counts, for a program touches far more locks than it waits for, and in memory that it
	// has just been given.
	block struct {
		lock  offheap.Lock  // held to change the block, and to use its marks
		tags  atomic.Uint32 // whose the marks are
		more  offheap.AtomicRef[overflow]
		marks [inline]vclock.SingletonClock
	}

	// An overflow is lists of the clocks that have no place in the block.
	overflow [8]offheap.AtomicRef[syncVar]

	// A syncVar is the clock of an address.
	syncVar struct {
		addr atomic.Uintptr
		next offheap.AtomicRef[syncVar]
		sync vclock.LockClock
		lock offheap.Lock
		test uint32 // number of the test that set it, if it's a timer
	}
)

var (
	overflows offheap.Slab[overflow]
	syncVars  offheap.Slab[syncVar]
)

func tagOf(addr uintptr) uint32 { return uint32(addr&(BlockSize-1)) | 1<<blockBits }

// find returns the index of the mark of an address, -1 if there is none. Who hasn't the block's lock
// must ask [block.has] after having looked at the mark.
func (b *block) find(addr uintptr) int {
	tags, tag := b.tags.Load(), tagOf(addr)
	switch tag {
	case tags & tagMask:
		return 0
	case tags >> tagBits & tagMask:
		return 1
	case tags >> (2 * tagBits) & tagMask:
		return 2
	}
	return -1
}

// has reports whether the i-th mark is that of an address.
func (b *block) has(i int, addr uintptr) bool {
	return b.tags.Load()>>(i*tagBits)&tagMask == tagOf(addr)
}

// tag sets the i-th tag.
func (b *block) tag(i int, tag uint32) {
	host.Publish32(&b.tags, b.tags.Load()&^(tagMask<<(i*tagBits))|tag<<(i*tagBits))
}

// lockMark returns the mark of an address and the block locked; i is what find said. If make is true
// it is made where the address has no clock. The result is nil, and the block not locked, where there
// is none, or one that is wide.
func (p *page) lockMark(b *block, i int, addr uintptr, make bool) *vclock.SingletonClock {
	b.lock.Lock()
	if i < 0 || !b.has(i, addr) {
		i = b.find(addr)
	}
	if i >= 0 {
		return &b.marks[i]
	}
	if make && (b.more.Load() == nil || p.findWide(addr) == nil) {
		for i := range b.marks {
			if b.tags.Load()>>(i*tagBits)&tagMask == 0 {
				b.tag(i, tagOf(addr))
				return &b.marks[i]
			}
		}
	}
	b.lock.Unlock()
	return nil
}

func (o *overflow) list(addr uintptr) *offheap.AtomicRef[syncVar] {
	return &o[addr>>3%uintptr(len(o))]
}

// findWide returns the variable at an address, nil if it has none. It reads lists that others
// change, but records are type-stable: at worst one that is taken off its list and used on another
// meanwhile leads it astray. Then it looks again: an acquire that missed a release would make a
// race of two calls that are ordered.
func (p *page) findWide(addr uintptr) *syncVar {
	b := p.block(addr)
	for {
		n := p.gone.Load()
		o := b.more.Load()
		if o == nil {
			return nil
		}
		if v := o.list(addr).Load().seek(addr); v != nil || p.gone.Load() == n {
			return v
		}
	}
}

func (v *syncVar) seek(addr uintptr) *syncVar {
	for range BlockSize { // a list that changes under us might go round
		if v == nil || v.addr.Load() == addr {
			return v
		}
		v = v.next.Load()
	}
	return nil
}

// lockWide returns the variable at an address, locked. If make is true it is made where the address
// has none, from the mark if it has that; else the result is then nil.
func (p *page) lockWide(addr uintptr, make bool) *syncVar {
	for {
		v := p.findWide(addr)
		if v == nil {
			if !make {
				return nil
			}
			v = p.addWide(addr)
		}
		v.lock.Lock()
		if v.addr.Load() == addr {
			return v
		}
		v.lock.Unlock() // it was reused since
	}
}

func (p *page) addWide(addr uintptr) *syncVar {
	b := p.block(addr)
	b.lock.Lock()
	o := b.more.Load()
	if o == nil {
		o = overflows.Get()
		b.more.Store(o)
	}
	at := o.list(addr)
	v := at.Load().seek(addr)
	if v == nil {
		v = syncVars.Get()
		i := b.find(addr)
		if i >= 0 {
			v.sync.MoveFrom(&b.marks[i])
		}
		host.PublishWord(&v.addr, addr)
		v.next.Store(at.Load())
		at.Store(v)
		if i >= 0 {
			b.tag(i, 0) // who sees no mark any more sees the variable
		}
	}
	b.lock.Unlock()
	return v
}

// take returns what was released at an address, to be dropped.
func (p *page) take(addr uintptr) (s vclock.Snapshot) {
	b := p.block(addr)
	if m := p.lockMark(b, -1, addr, false); m != nil {
		s = m.Snapshot()
		b.lock.Unlock()
	} else if v := p.lockWide(addr, false); v != nil {
		s = v.sync.Snapshot()
		v.lock.Unlock()
	}
	return s
}

// sweep forgets the clocks of free addresses. Base is the block's first address.
func (b *block) sweep(p *page, base uintptr, s *span) {
	b.lock.Lock()
	for i := range b.marks {
		tag := b.tags.Load() >> (i * tagBits) & tagMask
		if tag != 0 && s.frees(base+uintptr(tag&^(1<<blockBits))) {
			b.tag(i, 0)
			b.marks[i].Clear()
		}
	}
	if o := b.more.Load(); o != nil {
		empty := true
		for i := range o {
			p.sweepList(&o[i], base, s)
			empty = empty && o[i].Load() == nil
		}
		if empty {
			b.more.Store(nil)
			p.gone.Add(1) // before it's another block's
			overflows.Put(o)
		}
	}
	b.lock.Unlock()
}

func (p *page) sweepList(at *offheap.AtomicRef[syncVar], base uintptr, s *span) {
	for v := at.Load(); v != nil; v = at.Load() {
		if !s.frees(v.addr.Load()&^fullBit | base&fullBit) {
			at = &v.next
			continue
		}
		at.Store(v.next.Load())
		p.gone.Add(1) // before it's on another list
		host.PublishWord(&v.addr, 0)
		v.sync.Clear()
		v.test = 0
		syncVars.Put(v)
	}
}

// fullBit marks the address of a full clock.
const fullBit = 1 << (32<<(^uintptr(0)>>63) - 1)
