// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package sync

import (
	"sync/atomic"

	"github.com/commutego/commute/internal/engine/host"
	"github.com/commutego/commute/internal/engine/offheap"
	"github.com/commutego/commute/internal/engine/vclock"
)

// A goroutine that makes an object often sets many of its fields by atomic operations, at one
// epoch. So of all addresses of a block to which one goroutine has released at one epoch, one clock
// stands for all. An address leaves it, for a variable of its own, when something else is released
// there. Where one address alone is left, the clock is that one's.
//
// What readers without a lock see: an address that leaves has its variable before it has left, and
// while it has a variable it doesn't come back.

type (
	// A commonClock is the clock of some addresses of a block.
	commonClock struct {
		words atomic.Uint64 // a bit for each address; the block's lock guards it and the clock
		clock vclock.SingletonClock
	}

	// commons are those of a block: call clocks, weak clocks and order clocks. Memory clocks have
	// none, as an address without one has its call clock in its place.
	commons [3]commonClock
)

var commonClocks offheap.Slab[commons]

// commonAt is which of the common clocks the one of an address may be, and the address's bit there.
// The bit is 0 for addresses that have none, such as those that stand for calls of an object.
func commonAt(addr uintptr) (k int, bit uint64) {
	if addr&3 != 0 {
		return 0, 0
	}
	bit = 1 << (addr >> 2 & (1<<(blockBits-2) - 1))
	switch of := side(addr & sideBits); {
	case wordBits != 64 || of == 0:
		return 0, bit
	case of == ofWeak:
		return 1, bit
	case of == ofOrder:
		return 2, bit
	}
	return 0, 0
}

// commonOf is the common clock that an address has in a block, nil if it has none.
func (b *block) commonOf(addr uintptr) *commonClock {
	if o := b.more.Load(); o != nil {
		return o.commonOf(addr)
	}
	return nil
}

// commonOf is that of a block.
func (o *overflow) commonOf(addr uintptr) *commonClock {
	if cs := o.common.Load(); cs != nil {
		if k, bit := commonAt(addr); cs[k].words.Load()&bit != 0 {
			return &cs[k]
		}
	}
	return nil
}

// findClock is findVar for a clock that may be a common one.
func (p *Page) findClock(addr uintptr) (v *syncVar, c *commonClock) {
	b := p.block(addr)
	for {
		n := p.removed.Load()
		o := b.more.Load()
		if o == nil {
			return nil, nil
		}
		had, at := o.common.Load() != nil, o.list(addr)
		v := at.Load().seek(addr)
		if v == nil && had {
			if c := o.commonOf(addr); c != nil {
				return nil, c
			}
			v = at.Load().seek(addr) // it may have left meanwhile, and got its variable before that
		}
		if v != nil || o.moving.Load() == 0 && p.removed.Load() == n {
			return v, nil
		}
	}
}

// hasClock reports whether an address has a variable or a common clock.
func (p *Page) hasClock(addr uintptr) bool {
	v, c := p.findClock(addr)
	return v != nil || c != nil
}

// knownTo reports, without a lock, that an acquire of a common clock teaches t nothing, and that it
// is that of an address. A false answer may be wrong. The clock is asked first.
func (c *commonClock) knownTo(t *vclock.Thread, p *Page, addr uintptr) bool {
	return c != nil && c.clock.KnownTo(t) && p.block(addr).commonOf(addr) == c
}

// upToDate reports, without a lock, that a release by t at an address would change nothing, whose
// clock c is. A false answer may be wrong.
func (c *commonClock) upToDate(t *vclock.Thread, p *Page, addr uintptr) bool {
	return c != nil && c.clock.UpToDate(t) && p.block(addr).commonOf(addr) == c
}

// acquireCommon is an acquire by t of the common clock of an address. It returns false where the
// address has none.
func (p *Page) acquireCommon(addr uintptr, t *vclock.Thread) bool {
	b := p.block(addr)
	b.lock.Lock()
	c := b.commonOf(addr)
	if c != nil {
		c.clock.Acquire(t)
	}
	b.lock.Unlock()
	return c != nil
}

// A use is what releaseCommon does with what was released before.
type use uint8

const (
	forgets use = iota
	merges
	learns // t learns it first
)

// releaseCommon is a release by t at an address, if that can have a common clock after it. It
// returns false where that isn't so. Then a variable has to have the clock.
func (p *Page) releaseCommon(addr uintptr, t *vclock.Thread, u use) bool {
	k, bit := commonAt(addr)
	if bit == 0 {
		return false
	}
	b := p.block(addr)
	b.lock.Lock()
	done := b.releaseCommon(p, k, bit, addr, t, u)
	b.lock.Unlock()
	return done
}

// releaseCommon is that of a page, for a block that is locked.
func (b *block) releaseCommon(
	p *Page, k int, bit uint64, addr uintptr, t *vclock.Thread, u use,
) bool {
	o := b.overflow()
	if o.list(addr).Load().seek(addr) != nil || k == 0 && b.hasSingleton(addr) {
		return false
	}
	cs := o.common.Load()
	if cs == nil {
		cs = commonClocks.Get()
		for i := range cs {
			cs[i].words.Store(0)
		}
		o.common.Store(cs)
	}
	c := &cs[k]
	words := c.words.Load()
	if u == learns && words&bit != 0 {
		c.clock.Acquire(t)
	}
	switch {
	case words == 0:
		c.clock.Release(t)
	case c.clock.UpToDate(t):
	case words != bit:
		return false
	case u == merges:
		return c.clock.ReleaseMerge(t)
	default:
		c.clock.Release(t)
	}
	if words&bit == 0 {
		b.adds(p, addr)
		host.Publish64(&c.words, words|bit)
	}
	return true
}

// leaveCommon gives a variable, which the lists have not yet, what the common clock of its address
// has, and returns that clock, nil if there is none. The block is locked.
func (b *block) leaveCommon(v *syncVar, addr uintptr) *commonClock {
	c := b.commonOf(addr)
	if c != nil {
		v.sync.CopyFrom(&c.clock)
	}
	return c
}

// leave takes an address out of a common clock. The block is locked.
func (o *overflow) leave(c *commonClock, addr uintptr) {
	_, bit := commonAt(addr)
	host.Publish64(&c.words, c.words.Load()&^bit)
	o.dropCommons()
}

// dropCommons gives up the common clocks if no address has one, so that nobody looks at them. The
// block is locked.
func (o *overflow) dropCommons() {
	cs := o.common.Load()
	for k := range cs {
		if cs[k].words.Load() != 0 {
			return
		}
	}
	o.common.Store(nil)
	for k := range cs {
		cs[k].clock.Clear()
	}
	commonClocks.Put(cs)
}

// sweepCommons forgets free addresses that have a common clock; base is the block's first address.
// The block is locked.
func (o *overflow) sweepCommons(p *Page, base uintptr, s *span) {
	cs := o.common.Load()
	if cs == nil {
		return
	}
	for k := range cs {
		words := cs[k].words.Load()
		for rest := words; rest != 0; rest &= rest - 1 {
			if low := rest & -rest; s.frees(base + 4*indexOf(low)) {
				words &^= low
				p.removed.Add(1) // what goroutines remember of it is void
			}
		}
		host.Publish64(&cs[k].words, words)
	}
	o.dropCommons()
}

// indexOf is the index of the only bit that is set in a word.
func indexOf(bit uint64) uintptr { return uintptr(host.Len64(bit) - 1) }
