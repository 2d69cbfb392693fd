// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package sync

import (
	"sync/atomic"

	"github.com/commutego/commute/internal/engine/host"
	"github.com/commutego/commute/internal/engine/offheap"
	"github.com/commutego/commute/internal/engine/vclock"
)

// Small objects that each have a clock, such as a sync.WaitGroup, lie next to each other: 256 bytes
// have room for 16. Most of these clocks hold one release. A variable for each would be a line of
// memory that is in no cache, and on a list. So a block with more clocks than it has room for has
// an annex, with a clock for each word that needs one.
//
// A clock of an annex is that of one address, until that is free or has a variable. Before its
// place is another one's, the page counts that in Page.removed. So a reader without the block's
// lock asks whether that has changed since before it came to the annex.

const spares = 8 // clocks in a piece of an annex

type (
	// An annex has singleton clocks of one block. What is made for it stays with it.
	annex struct {
		// For each word, 0 or the number of its clock plus one. secondHalf is set if that clock is
		// the one of the word's second half. The other half has no clock here then.
		at   [words / 8]atomic.Uint64
		used uint32 // a bit for each clock that an address has; the block's lock guards it
		last uint32 // the clock that was made last, also where it has become nobody's
		// The clocks behind the first ones.
		more  [words/spares - 1]offheap.AtomicRef[spareClocks]
		first spareClocks
	}
	spareClocks [spares]vclock.SpareClock
)

const secondHalf = 1 << 7

var (
	annexes     offheap.Slab[annex]
	annexPieces offheap.Slab[spareClocks]
)

// find is the number of an address's clock, -1 if it has none here.
func (x *annex) find(addr uintptr) int {
	w := addr >> 3 & (words - 1)
	e := uintptr(x.at[w>>3].Load() >> (w & 7 * 8) & 0xff)
	if e == 0 || e&secondHalf>>5 != addr&7 {
		return -1
	}
	return int(e&^secondHalf) - 1
}

// set sets what find finds for an address: the clock i, or none if that is -1.
func (x *annex) set(addr uintptr, i int) {
	w := addr >> 3 & (words - 1)
	e, shift := uint64(i+1), w&7*8
	if i >= 0 && addr&4 != 0 {
		e |= secondHalf
	}
	host.Publish64(&x.at[w>>3], x.at[w>>3].Load()&^(0xff<<shift)|e<<shift)
}

// clock is the clock of a number that find has found.
func (x *annex) clock(i int) *vclock.SpareClock {
	if i < spares {
		return &x.first[i]
	}
	return &x.more[i/spares-1].Load()[i%spares]
}

// spare is the clock that an address has in the block's annex, nil if it has none there. The
// address is not that of a side clock.
func (b *block) spare(addr uintptr) *vclock.SpareClock {
	if o := b.more.Load(); o != nil {
		if x := o.annex.Load(); x != nil {
			if i := x.find(addr); i >= 0 {
				return x.clock(i)
			}
		}
	}
	return nil
}

// addSpare gives an address a clock in the block's annex, and returns that. The result is nil where
// the other half of the word has a clock, or the address is no half of a word. The block is locked.
func (b *block) addSpare(p *Page, addr uintptr) *vclock.SpareClock {
	if addr&3 != 0 {
		return nil
	}
	o := b.overflow()
	x := o.annex.Load()
	if x == nil {
		x = annexes.Get()
		o.annex.Store(x)
	}
	if w := addr >> 3 & (words - 1); x.at[w>>3].Load()>>(w&7*8)&0xff != 0 {
		return nil
	}
	free := ^x.used & (x.used + 1) // the lowest bit that is not set
	i := int(indexOf(uint64(free)))
	if i >= spares && x.more[i/spares-1].Load() == nil {
		x.more[i/spares-1].Store(annexPieces.Get())
	}
	x.used |= free
	x.last = uint32(i)
	b.adds(p, addr)
	x.set(addr, i)
	return x.clock(i)
}

// leaveAnnex takes an address out of the block's annex if it is there, after it got a variable. The
// block is locked.
func (b *block) leaveAnnex(p *Page, addr uintptr) {
	x := b.more.Load().annex.Load()
	if x == nil {
		return
	}
	if i := x.find(addr); i >= 0 {
		x.set(addr, -1)
		p.removed.Add(1) // before the clock changes
		x.clock(i).Clear()
		x.used &^= 1 << i
	}
}

// sweepAnnex forgets the clocks of free addresses in an annex; base is the block's first address.
// The block is locked.
func (o *overflow) sweepAnnex(p *Page, base uintptr, s *span) {
	x := o.annex.Load()
	if x == nil {
		return
	}
	dead := uint32(0)
	for k := range x.at {
		for w, rest := uintptr(k)*8, x.at[k].Load(); rest != 0; w, rest = w+1, rest>>8 {
			addr := base + 8*w + uintptr(rest&secondHalf>>5)
			if e := rest & (secondHalf - 1); e != 0 && s.frees(addr) {
				dead |= 1 << (e - 1)
				x.set(addr, -1)
				x.clock(int(e - 1)).Prefetch()
			}
		}
	}
	x.used &^= dead
	empty := x.used == 0
	if empty {
		o.annex.Store(nil)
	}
	if dead != 0 || empty {
		p.removed.Add(1) // before another address has one of the clocks, or another block the annex
	}
	for i := 0; dead != 0; i, dead = i+1, dead>>1 {
		if dead&1 != 0 {
			x.clock(i).Clear()
		}
	}
	if empty {
		annexes.Put(x)
	}
}
