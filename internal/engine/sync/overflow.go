// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package sync

import (
	"sync/atomic"
	"unsafe"

	"github.com/commutego/commute/internal/engine/offheap"
)

// An overflow has the lists of a block's variables, by address. They lie behind it in memory. Most
// blocks have few variables, and few lists. In some blocks each word has several variables, as
// where a lock-free map keeps its entries. A block with more than fewVars gets a list for each
// word, and as many for the side clocks of the words.
type overflow struct {
	n      uint16        // variables in the lists; the block's lock guards it
	size   uint16        // lists; a record never changes it
	moving atomic.Uint32 // 1 while the variables are taken to another overflow
	common offheap.AtomicRef[commons]
	annex  offheap.AtomicRef[annex]
}

const (
	words     = 1 << blockBits >> 3
	fewLists  = 5
	manyLists = 2 * words
	fewVars   = 14
)

type (
	narrow struct {
		overflow
		_ [fewLists]offheap.AtomicRef[syncVar]
	}
	wide struct {
		overflow
		_ [manyLists]offheap.AtomicRef[syncVar]
	}
)

var (
	narrows offheap.Slab[narrow]
	wides   offheap.Slab[wide]
)

// newOverflow returns an overflow without variables.
func newOverflow(many bool) (o *overflow) {
	size := uint16(fewLists)
	if many {
		o, size = &wides.Get().overflow, manyLists
	} else {
		o = &narrows.Get().overflow
	}
	if o.size != size {
		o.size = size // a new record, which nobody reads yet
	}
	o.moving.Store(0)
	o.common.Store(nil)
	o.annex.Store(nil)
	return o
}

// free gives back the memory of an overflow without variables.
func (o *overflow) free() {
	if o.size == fewLists {
		narrows.Put((*narrow)(unsafe.Pointer(o)))
	} else {
		wides.Put((*wide)(unsafe.Pointer(o)))
	}
}

func (o *overflow) lists() []offheap.AtomicRef[syncVar] {
	first := unsafe.Add(unsafe.Pointer(o), unsafe.Sizeof(*o))
	return unsafe.Slice((*offheap.AtomicRef[syncVar])(first), o.size)
}

// list is the list of an address.
func (o *overflow) list(addr uintptr) *offheap.AtomicRef[syncVar] {
	i := addr >> 3 & (words - 1)
	switch {
	case o.size == fewLists:
		i %= fewLists
	case ofSide(addr):
		i += words
	}
	const size = unsafe.Sizeof(offheap.AtomicRef[syncVar]{})
	return (*offheap.AtomicRef[syncVar])(unsafe.Add(unsafe.Pointer(o), unsafe.Sizeof(*o)+i*size))
}

// findVar returns the variable of an address, nil if it has none. It reads lists that others
// change, but records are type-stable. At worst a record leads it astray that is taken off its list
// and put on another. Then it looks again, for an acquire that missed a release would make a race
// of two calls that are ordered.
func (p *Page) findVar(addr uintptr) *syncVar {
	b := p.block(addr)
	for {
		n := p.removed.Load()
		o := b.more.Load()
		if o == nil {
			return nil
		}
		v := o.list(addr).Load().seek(addr)
		if v != nil || o.moving.Load() == 0 && p.removed.Load() == n {
			return v
		}
	}
}

// widen takes the variables of a block to as many lists as there are words, and returns these. The
// block's lock is held. Who looks for one meanwhile, and misses it, finds out: o.moving is set
// before the first is taken off its list, and when it is 0 again the page has counted them.
func (b *block) widen(p *Page, o *overflow) *overflow {
	if o.size != fewLists {
		return o
	}
	to := newOverflow(true)
	to.n = o.n
	o.moving.Store(1)
	lists := o.lists()
	for i := range lists {
		for v := lists[i].Load(); v != nil; v = lists[i].Load() {
			lists[i].Store(v.next.Load())
			p.removed.Add(1) // before another list has it
			at := to.list(v.addr.Load())
			v.next.Store(at.Load())
			at.Store(v)
		}
	}
	to.common.Store(o.common.Load())
	to.annex.Store(o.annex.Load())
	b.more.Store(to)
	p.removed.Add(1) // before another block has o
	o.n = 0
	o.free()
	return to
}
