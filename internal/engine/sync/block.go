// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package sync

import (
	"sync/atomic"
	"unsafe"

	"github.com/commutego/commute/internal/engine/host"
	"github.com/commutego/commute/internal/engine/offheap"
	"github.com/commutego/commute/internal/engine/vclock"
)

const (
	inBlock = 6             // singleton clocks in a block
	tagBits = blockBits + 1 // an offset in the block, and a bit that says that there is one
	tagMask = 1<<tagBits - 1
	// tagOnes is a tag of 1 for each singleton clock, and tagTops the upper bit of each.
	tagOnes = 1 | 1<<tagBits | 1<<(2*tagBits) | 1<<(3*tagBits) | 1<<(4*tagBits) | 1<<(5*tagBits)
	tagTops = tagOnes << blockBits
	// tagOverflow is set in the tags of a block that has variables.
	tagOverflow = 1 << 63
	// tagInCall is set in the tags of a block in which something was released in a call.
	tagInCall = 1 << 62
	// tagOrder is set in the tags of a block in which an address has an order clock.
	tagOrder = 1 << 61
	// tagAbsent is set in the tags of a block in which a goroutine has found that an address has no
	// clock, and remembers it.
	tagAbsent = 1 << 60
)

type (
	// A block has the clocks of 256 bytes. Most clocks are of one release each, and most blocks
	// have six of them at most. These are in the block itself, which is two lines of a processor's
	// cache, the first one with two clocks. That is what counts, as a program touches far more
	// locks than it waits for.
	block struct {
		lock       offheap.Lock                // for changes, and uses of its clocks
		changes    atomic.Uint32               // counts those of tags
		tags       atomic.Uint64               // the offsets that the singleton clocks are of
		more       offheap.AtomicRef[overflow] // lists of the variables
		_          [8]byte                     // no clock lies in both lines
		singletons [inBlock]vclock.SingletonClock
	}

	// A syncVar is a variable: the clock of an address for which a singleton clock won't do.
	syncVar struct {
		addr atomic.Uintptr
		next offheap.AtomicRef[syncVar]
		sync vclock.LockClock
		lock offheap.Lock
		test uint32 // the number of the test that set it, if it is a timer
		// ended has the critical sections that order what is in them, if it is an order clock.
		ended offheap.Ref[sections]
	}
)

var syncVars offheap.Slab[syncVar]

// tagOf is the tag of an address: never 0, which stands for a free place.
func tagOf(addr uintptr) uint64 { return uint64(addr&(BlockSize-1)) | 1<<blockBits }

// find returns the index of the singleton clock of an address, -1 if there is none. A caller
// without the block's lock must ask [block.has] after it has looked at the clock.
func (b *block) find(addr uintptr) int { return tagged(b.tags.Load(), addr) }

// tagged is find for tags that were loaded.
func tagged(tags uint64, addr uintptr) int {
	x := tags ^ tagOf(addr)*tagOnes
	if x = (x - tagOnes) &^ x & tagTops; x == 0 { // no tag has become 0
		return -1
	}
	return tagAt(x)
}

// tagAt is the tag whose upper bit is the lowest one that is set. It divides by tagBits.
func tagAt(tops uint64) int { return int(indexOf(tops&-tops) * 57 >> 9) }

// upToDate reports, without the block's lock, that a release by t to the i-th singleton clock would
// change nothing. The clock was found by tags; if they have changed it may be another address's.
//
//bundle:inline
func (b *block) upToDate(t *vclock.Thread, i int, tags uint64) bool {
	return b.singletons[i].UpToDate(t) && b.tags.Load() == tags
}

// has reports whether the i-th singleton clock is that of an address.
func (b *block) has(i int, addr uintptr) bool {
	return b.tags.Load()>>(i*tagBits)&tagMask == tagOf(addr)
}

// hasSingleton reports whether an address has a singleton clock. The block is locked.
func (b *block) hasSingleton(addr uintptr) bool { return b.find(addr) >= 0 || b.spare(addr) != nil }

// tag sets the i-th tag.
func (b *block) tag(i int, tag uint64) {
	b.setTags(b.tags.Load()&^(tagMask<<(i*tagBits)) | tag<<(i*tagBits))
}

// setTags changes the tags. The counter moves before a clock may become another address's. The
// block is locked.
func (b *block) setTags(tags uint64) {
	host.Publish64(&b.tags, tags)
	host.Publish32(&b.changes, b.changes.Load()+1)
}

// A room says where a singleton clock is made for an address without a clock.
type room uint8

const (
	nowhere  room = iota
	inside        // in the block
	inAnnex       // there, or in its annex
	anywhere      // there, or in its annex, unless a common clock may do
)

// lockSingleton returns the singleton clock of an address, and the block locked. The result has
// none, and the block is not locked, where there is no clock or another kind of clock.
func (p *Page) lockSingleton(b *block, addr uintptr) single {
	return p.makeSingleton(b, -1, addr, nowhere, nil)
}

// makeSingleton is lockSingleton, but where the address has no clock one is made for t, if there is
// room; i is what find said.
func (p *Page) makeSingleton(b *block, i int, addr uintptr, r room, t *vclock.Thread) single {
	b.lock.Lock()
	if i < 0 || !b.has(i, addr) {
		i = b.find(addr)
	}
	if i >= 0 {
		return single{m: &b.singletons[i]}
	}
	var c single
	if b.more.Load() == nil {
		if r != nowhere {
			c = b.addSingleton(p, addr, r, t)
		}
	} else if c = singleOf(b.spare(addr)); c.m == nil && r != nowhere &&
		p.findVar(addr) == nil && b.commonOf(addr) == nil {
		c = b.addSingleton(p, addr, r, t)
	}
	if c.m == nil {
		b.lock.Unlock()
	}
	return c
}

// addSingleton makes the clock of an address that has none, if there is room. The block is locked.
func (b *block) addSingleton(p *Page, addr uintptr, r room, t *vclock.Thread) single {
	if free := ^b.tags.Load() & tagTops; free != 0 {
		i := tagAt(free)
		b.adds(p, addr)
		b.tag(i, tagOf(addr))
		return single{m: &b.singletons[i]}
	}
	if r == inside || r == anywhere && b.lastMade().UpToDate(t) {
		return single{}
	}
	return singleOf(b.addSpare(p, addr))
}

// lastMade is the singleton clock that was made last, in a block without room for another one in
// itself. One that a goroutine has just released to is most likely of an object which it sets up,
// and whose addresses may have one clock in common. The block is locked.
func (b *block) lastMade() *vclock.SingletonClock {
	if o := b.more.Load(); o != nil {
		if x := o.annex.Load(); x != nil {
			return &x.clock(int(x.last)).SingletonClock
		}
	}
	return &b.singletons[inBlock-1]
}

// seek finds the variable of an address in a list, from v on.
func (v *syncVar) seek(addr uintptr) *syncVar {
	for range BlockSize { // a list that changes meanwhile might go round
		if v == nil || v.addr.Load() == addr {
			return v
		}
		v = v.next.Load()
	}
	return nil
}

// lockVar returns the variable of an address, locked. If make is true it is made where the address
// has none, from the singleton clock if there is one. Otherwise the result is then nil.
func (p *Page) lockVar(addr uintptr, make bool) *syncVar {
	return p.lockFound(p.findVar(addr), addr, make)
}

// lockFound is lockVar for a caller that has looked already: v is what findVar said.
func (p *Page) lockFound(v *syncVar, addr uintptr, make bool) *syncVar {
	for {
		if v == nil && !make && p.block(addr).commonOf(addr) == nil {
			if v = p.findVar(addr); v == nil { // it may have left a common clock meanwhile
				return nil
			}
		}
		if v == nil {
			v = p.addVar(addr)
		}
		v.lock.Lock()
		if v.addr.Load() == addr {
			return v
		}
		v.lock.Unlock() // it was reused meanwhile
		v = p.findVar(addr)
	}
}

// addVar returns the variable of an address, and makes it if there is none. That of a call clock
// takes over the singleton clock. A side clock has none, but its tag is that of the call clock.
func (p *Page) addVar(addr uintptr) *syncVar {
	b := p.block(addr)
	b.lock.Lock()
	o := b.overflow()
	v := o.list(addr).Load().seek(addr)
	if v == nil {
		if o.n == fewVars {
			o = b.widen(p, o)
		}
		o.n++
		b.adds(p, addr)
		at := o.list(addr)
		v = syncVars.Get()
		i := -1
		if !ofSide(addr) {
			i = b.find(addr)
			if s := b.spare(addr); s != nil {
				v.sync.CopySpare(s)
			}
		}
		if i >= 0 {
			v.sync.CopyFrom(&b.singletons[i])
		}
		c := b.leaveCommon(v, addr)
		if c != nil {
			p.removed.Add(1) // what goroutines remember of it is void, before another has v
		}
		// Nobody releases to the variable before the clock that had the address is gone: who
		// acquires asks that one first.
		v.lock.Lock()
		host.PublishWord(&v.addr, addr)
		v.next.Store(at.Load())
		at.Store(v)
		if c != nil {
			o.leave(c, addr)
		}
		if i >= 0 {
			b.tag(i, 0) // a reader that misses the singleton clock finds the variable
			b.singletons[i].Clear()
		} else if !ofSide(addr) {
			b.leaveAnnex(p, addr)
		}
		v.lock.Unlock()
	}
	b.lock.Unlock()
	return v
}

// adds notes that an address is about to have a clock. What goroutines remember is void by then if
// they have found no order clock in the block, or no clock of an address. The block is locked.
func (b *block) adds(p *Page, addr uintptr) {
	p.uses(addr)
	tags := b.tags.Load() &^ tagAbsent
	if ofSide(addr) && side(addr&sideBits) == ofOrder {
		tags |= tagOrder
	}
	if tags != b.tags.Load() {
		b.setTags(tags)
		p.removed.Add(1)
	}
}

// overflow returns the block's overflow, and makes it if there is none. The block is locked.
func (b *block) overflow() *overflow {
	o := b.more.Load()
	if o == nil {
		o = newOverflow(false)
		b.more.Store(o)
		b.setTags(b.tags.Load() | tagOverflow)
	}
	return o
}

// snapshot returns what was released at an address; the caller drops it.
func (p *Page) snapshot(addr uintptr) (s vclock.Snapshot) {
	b := p.block(addr)
	if c := p.lockSingleton(b, addr); c.m != nil {
		s = c.snapshot()
		b.lock.Unlock()
	} else if v := p.lockVar(addr, false); v != nil {
		s = v.sync.Snapshot()
		v.lock.Unlock()
	}
	return s
}

// sweep forgets the clocks of free addresses; base is the block's first address.
func (b *block) sweep(p *Page, base uintptr, s *span) {
	b.lock.Lock()
	tags, dead := b.tags.Load(), uint64(0)
	for rest := tags & tagTops; rest != 0; rest &= rest - 1 {
		i := tagAt(rest)
		if s.frees(base + uintptr(tags>>(i*tagBits)&(tagMask>>1))) {
			dead |= tagMask << (i * tagBits)
			b.singletons[i].Prefetch()
		}
	}
	if dead != 0 {
		b.setTags(tags &^ dead)
		for dead &= tagTops; dead != 0; dead &= dead - 1 {
			b.singletons[tagAt(dead)].Clear()
		}
	}
	if o := b.more.Load(); o != nil {
		lists := o.lists()
		for i := range lists {
			host.Prefetch(uintptr(unsafe.Pointer(lists[i].Load())))
		}
		var dead *syncVar
		for i := range lists {
			dead = p.sweepList(&lists[i], base, s, dead)
		}
		for dead != nil {
			v := dead
			dead = v.next.Load()
			v.free()
			o.n--
		}
		o.sweepCommons(p, base, s)
		o.sweepAnnex(p, base, s)
		if o.n == 0 && o.common.Load() == nil && o.annex.Load() == nil {
			b.more.Store(nil)
			b.setTags(b.tags.Load() &^ (tagOverflow | tagInCall | tagOrder | tagAbsent))
			p.removed.Add(1) // before another block has it
			o.free()
		}
	}
	if b.tags.Load()&^tagAbsent == 0 {
		p.unused(base)
	}
	b.lock.Unlock()
}

// sweepList takes the variables of free addresses out of a list, and returns the list of those that
// are dead with these before it. Most are in no cache, so the vector of each is fetched before the
// first is freed.
func (p *Page) sweepList(at *offheap.AtomicRef[syncVar], base uintptr, s *span,
	dead *syncVar) *syncVar {
	for v := at.Load(); v != nil; v = at.Load() {
		if !s.frees(v.addr.Load()&^sideBits | base&sideBits) {
			at = &v.next
			continue
		}
		next := v.next.Load()
		host.Prefetch(uintptr(unsafe.Pointer(next)))
		at.Store(next)
		p.removed.Add(1) // before another list has it
		v.sync.Prefetch()
		v.next.Store(dead)
		dead = v
	}
	return dead
}

// free gives a variable's memory back.
func (v *syncVar) free() {
	host.PublishWord(&v.addr, 0)
	v.sync.Clear()
	v.test = 0
	v.ended.P().free()
	v.ended = offheap.Ref[sections]{}
	syncVars.Put(v)
}
