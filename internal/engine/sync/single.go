// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package sync

import "github.com/commutego/commute/internal/engine/vclock"

// claim gives an address a singleton clock in the block, which is locked then, if the block's tags
// are still those, and say that there is room, and that nothing else depends on them. Else the
// result is nil, and the block is not locked.
//
//bundle:inline
func (b *block) claim(p *Page, addr uintptr, tags uint64) *vclock.SingletonClock {
	free := ^tags & tagTops
	if free == 0 || tags&(tagOverflow|tagAbsent) != 0 {
		return nil
	}
	b.lock.Lock()
	if b.tags.Load() != tags {
		b.lock.Unlock()
		return nil
	}
	p.uses(addr)
	low := free & -free
	b.setTags(tags | low | uint64(addr&(BlockSize-1))*(low>>blockBits))
	return &b.singletons[tagAt(low)]
}

// take is the i-th singleton clock, and locks the block, if that is the clock of an address. Else
// the result is nil.
//
//bundle:inline
func (b *block) take(i int, addr uintptr) *vclock.SingletonClock {
	b.lock.Lock()
	if !b.has(i, addr) {
		b.lock.Unlock()
		return nil
	}
	return &b.singletons[i]
}

// releasesAtOnce releases to the singleton clock of addr in its block, which is made if there is
// room, where g knows what it holds, and little is to be done. So the release may be a merge, and
// an acquire may belong to it. Where that isn't so the result is false, and nothing is done, but
// that the clock may be there. G is in no call. It is most of what singleton and the clock's
// Release do.
func releasesAtOnce(g *Thread, p *Page, addr uintptr) bool {
	if g.TimerContext {
		return false
	}
	b := p.block(addr)
	tags := b.tags.Load()
	var m *vclock.SingletonClock
	if i := tagged(tags, addr); i < 0 {
		m = b.claim(p, addr, tags)
	} else if b.upToDate(&g.Clock, i, tags) {
		return true
	} else {
		m = b.take(i, addr)
	}
	if m == nil {
		return false
	}
	done := m.ReleaseAtOnce(&g.Clock)
	b.lock.Unlock()
	return done
}

// A single is a singleton clock whose block is locked: one in the block, or one of its annex. The
// methods are those of its clock.
type single struct {
	m     *vclock.SingletonClock // nil if there is none
	spare *vclock.SpareClock     // nil if it is in the block
}

// singleOf is a clock of an annex, or none if s is nil.
func singleOf(s *vclock.SpareClock) single {
	if s == nil {
		return single{}
	}
	return single{&s.SingletonClock, s}
}

func (c single) acquire(t *vclock.Thread) {
	if c.spare != nil {
		c.spare.Acquire(t)
	} else {
		c.m.Acquire(t)
	}
}

func (c single) release(t *vclock.Thread) {
	if c.spare != nil {
		c.spare.Release(t)
	} else {
		c.m.Release(t)
	}
}

func (c single) releaseMerge(t *vclock.Thread) bool {
	if c.spare != nil {
		return c.spare.ReleaseMerge(t)
	}
	return c.m.ReleaseMerge(t)
}

func (c single) releaseAcquire(t *vclock.Thread) {
	if c.spare != nil {
		c.spare.ReleaseAcquire(t)
	} else {
		c.m.ReleaseAcquire(t)
	}
}

func (c single) snapshot() vclock.Snapshot {
	if c.spare != nil {
		return c.spare.Snapshot()
	}
	return c.m.Snapshot()
}
