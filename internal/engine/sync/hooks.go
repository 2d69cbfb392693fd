// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package sync

import (
	"sync/atomic"

	"github.com/commutego/commute/internal/engine/offheap"
	"github.com/commutego/commute/internal/engine/tests"
	"github.com/commutego/commute/internal/engine/vclock"
)

// Each hook first looks without a lock whether there is nothing to do, as there mostly is; then it
// locks the clock of its address, a mark or one of its own.

// FindPage is findPage, but remembers the last page: events come in clusters. Pages stay for ever.
func (g *Thread) FindPage(addr uintptr) *page {
	if addr>>pageBits == g.pageNo {
		return g.page.P()
	}
	return g.turn(addr)
}

func (g *Thread) turn(addr uintptr) *page {
	p := FindPage(addr)
	if p != nil {
		g.pageNo, g.page = addr>>pageBits, offheap.To(p)
	}
	return p
}

// MakePage is findPage, but makes what isn't there.
func (g *Thread) MakePage(addr uintptr) *page {
	if p := g.FindPage(addr); p != nil {
		return p
	}
	return makePage(addr)
}

// Acquire orders the releases of addr before what g does next (raceacquire).
func (g *Thread) Acquire(addr uintptr) {
	p := g.FindPage(addr)
	if p == nil {
		return
	}
	if Splitting.On.Load() != 0 {
		g.fullAcquire(p, addr)
	}
	g.acquire(p, addr)
}

func (g *Thread) acquire(p *page, addr uintptr) {
	if g.Carrier {
		g.pickUp(p, addr)
		return
	}
	if insides.Load() != 0 && p.inside.Load() != 0 && !g.Hidden() {
		g.acquireInside(p, addr)
	}
	b := p.block(addr)
	if i := b.find(addr); i >= 0 {
		if b.marks[i].KnownTo(&g.Clock) && b.has(i, addr) {
			return
		}
		if m := p.lockMark(b, i, addr, false); m != nil {
			m.Acquire(&g.Clock)
			b.lock.Unlock()
			return
		}
	}
	if b.more.Load() == nil {
		return
	}
	v := p.findWide(addr)
	if v == nil || v.sync.KnownTo(&g.Clock) {
		return
	}
	if v = p.lockWide(addr, false); v != nil {
		v.sync.Acquire(&g.Clock)
		v.lock.Unlock()
	}
}

// pickUp is Acquire for a carrier.
func (g *Thread) pickUp(p *page, addr uintptr) {
	b := p.block(addr)
	if m := p.lockMark(b, -1, addr, false); m != nil {
		g.carried.Drop()
		g.carried = m.Snapshot()
		b.lock.Unlock()
	} else if v := p.lockWide(addr, false); v != nil {
		g.carried.Drop()
		g.carried = v.sync.Snapshot()
		g.Test = offheap.To(tests.All.At(v.test))
		v.lock.Unlock()
	}
}

// mark returns the mark of addr, to release to, and its block locked. It returns nil where the clock
// is wide, and where idle is true because a release by g would change nothing.
func (g *Thread) mark(p *page, addr uintptr) (m *vclock.SingletonClock, idle bool) {
	if g.Carrier {
		return nil, false
	}
	b := p.block(addr)
	i := b.find(addr)
	if i >= 0 {
		if b.marks[i].UpToDate(&g.Clock) && b.has(i, addr) {
			return nil, true
		}
	} else if v := p.findWide(addr); v != nil {
		return nil, v.sync.UpToDate(&g.Clock)
	}
	return p.lockMark(b, i, addr, true), false
}

// Release orders what g did before acquires of addr, and forgets earlier releases (racerelease).
func (g *Thread) Release(addr uintptr) {
	p := g.MakePage(addr)
	if Splitting.On.Load() != 0 {
		g.fullRelease(p, addr, false)
	}
	if g.Hidden() {
		g.releaseInside(p, addr)
		return
	}
	m, idle := g.mark(p, addr)
	switch {
	case m != nil:
		m.Release(&g.Clock)
		p.block(addr).lock.Unlock()
		return
	case idle:
		return
	}
	v := p.lockWide(addr, true)
	if g.Carrier {
		v.sync.ReleaseSnapshot(&g.carried)
	} else {
		v.sync.Release(&g.Clock)
	}
	v.lock.Unlock()
}

// Set is the Release of a timer: what it starts is charged to g's test.
func (g *Thread) Set(timer uintptr) {
	if g.Carrier {
		g.Release(timer)
		return
	}
	if g.InCall {
		g.Clock.Hold()
	}
	p := g.MakePage(timer)
	if Splitting.On.Load() != 0 {
		g.fullRelease(p, timer, false)
	}
	v := p.lockWide(timer, true)
	v.sync.Release(&g.Clock)
	v.test = g.TestNumber()
	v.lock.Unlock()
}

// ReleaseMerge is Release, but earlier releases stay (racereleasemerge).
func (g *Thread) ReleaseMerge(addr uintptr) {
	p := g.MakePage(addr)
	if Splitting.On.Load() != 0 {
		g.fullRelease(p, addr, true)
	}
	if g.Hidden() {
		g.releaseInside(p, addr)
		return
	}
	m, idle := g.mark(p, addr)
	if m != nil {
		idle = m.ReleaseMerge(&g.Clock)
		p.block(addr).lock.Unlock()
	}
	if idle {
		return
	}
	v := p.lockWide(addr, true)
	if g.Carrier {
		v.sync.ReleaseMergeSnapshot(&g.carried)
	} else {
		v.sync.ReleaseMerge(&g.Clock)
	}
	v.lock.Unlock()
}

// ReleaseAcquire exchanges g's clock with that of addr: g learns what was released, and what g did
// before, without that, is what the next acquirer learns (racereleaseacquire). It is for slots of
// buffered channels, where a send orders the receive, and the receive the next send.
func (g *Thread) ReleaseAcquire(addr uintptr) {
	p := g.MakePage(addr)
	if Splitting.On.Load() != 0 {
		g.fullTransfer(p, addr)
	}
	if g.Hidden() {
		g.acquire(p, addr)
		g.releaseInside(p, addr)
		return
	}
	g.transfer(p, addr)
	if insides.Load() != 0 && p.inside.Load() != 0 && !g.Carrier {
		g.acquireInside(p, addr)
	}
}

func (g *Thread) transfer(p *page, addr uintptr) {
	if !g.Carrier {
		b := p.block(addr)
		if m := p.lockMark(b, b.find(addr), addr, true); m != nil {
			m.ReleaseAcquire(&g.Clock)
			b.lock.Unlock()
			return
		}
	}
	v := p.lockWide(addr, true)
	if g.Carrier {
		v.sync.ReleaseSnapshot(&g.carried) // a timer's channel; who reads the carrier's clock next sets it first
	} else {
		v.sync.ReleaseAcquire(&g.Clock)
	}
	v.lock.Unlock()
}

// AtomicRMW is the part of an atomic read-modify-write that comes before it: whoever sees the
// value that it writes comes after g. Acquire follows when it is done.
func (g *Thread) AtomicRMW(addr uintptr) {
	p := g.MakePage(addr)
	if Splitting.On.Load() != 0 {
		g.fullAcquire(p, addr)
		g.fullRelease(p, addr, false)
	}
	if g.Hidden() {
		g.releaseInside(p, addr) // Acquire follows here too
		return
	}
	// By the acquire g knows all that was released, so that releasing alone is the merge of both.
	m, idle := g.mark(p, addr)
	switch {
	case m != nil:
		m.Acquire(&g.Clock)
		m.Release(&g.Clock)
		p.block(addr).lock.Unlock()
		return
	case idle:
		return
	}
	v := p.lockWide(addr, true)
	if g.Carrier {
		v.sync.ReleaseMergeSnapshot(&g.carried)
	} else {
		v.sync.Acquire(&g.Clock)
		v.sync.Release(&g.Clock)
	}
	v.lock.Unlock()
}

// Inside of a call of a specified method, a goroutine does not learn what others have released inside of
// theirs: that is how the implementation keeps its own order, which orders nothing for the program. All
// else it learns, and who is outside learns from it. What is released inside has a clock of its own,
// beside the address's: addresses of clocks are even, but for slots of channels of bytes, which share it
// with their neighbour. The goroutines that a call starts do likewise, and what they learn and release is
// learned by the call when it ends, for it may have waited for them.

// insides tells that there has been a release inside of a call, as in most programs there never is.
var insides atomic.Uint32

// releaseInside is Release and ReleaseMerge inside of a call: what the call's own mark stands for is
// known to the acquirer as well.
func (g *Thread) releaseInside(p *page, addr uintptr) {
	if g.InCall {
		g.Clock.Hold()
	} else {
		o := g.Outer.P()
		o.KidLock.Lock()
		o.Kids.ReleaseInCall(&g.Clock)
		o.HasKids.Store(1)
		o.KidLock.Unlock()
	}
	addr ^= 1
	if v := p.findWide(addr); v != nil && v.sync.UpToDateInCall(&g.Clock) {
		return
	}
	v := p.lockWide(addr, true)
	v.sync.ReleaseInCall(&g.Clock)
	v.lock.Unlock()
	if insides.Load() == 0 {
		insides.Store(1)
	}
	for bit := uint32(1) << blockOf(addr); ; {
		if set := p.inside.Load(); set&bit != 0 || p.inside.CompareAndSwap(set, set|bit) {
			break
		}
	}
}

// acquireInside is the part of an Acquire outside of calls that takes up what was released inside.
func (g *Thread) acquireInside(p *page, addr uintptr) {
	if p.inside.Load()>>blockOf(addr)&1 == 0 {
		return
	}
	addr ^= 1
	v := p.findWide(addr)
	if v == nil || v.sync.KnownTo(&g.Clock) {
		return
	}
	if v = p.lockWide(addr, false); v != nil {
		v.sync.Acquire(&g.Clock)
		v.lock.Unlock()
	}
}

// PlainLoad comes after a load of such a word, and PlainStore before a store; PlainRMW comes before what does both.
func (g *Thread) PlainLoad(addr uintptr) {
	if !g.InCall {
		g.Acquire(addr)
	} else if Splitting.On.Load() != 0 {
		g.fullAcquire(g.MakePage(addr), addr)
	}
}

func (g *Thread) PlainStore(addr uintptr) {
	if !g.InCall {
		g.Release(addr)
	} else if Splitting.On.Load() != 0 {
		g.fullRelease(g.MakePage(addr), addr, false)
	}
}

func (g *Thread) PlainRMW(addr uintptr) {
	if !g.InCall {
		g.AtomicRMW(addr)
	} else if Splitting.On.Load() != 0 {
		p := g.MakePage(addr)
		g.fullAcquire(p, addr)
		g.fullRelease(p, addr, false)
	}
}
