// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package sync

import (
	"sync/atomic"

	"github.com/commutego/commute/internal/engine/offheap"
	"github.com/commutego/commute/internal/engine/vclock"
)

// Most atomic operations of a goroutine are at the address of its last one, or of a few before, and
// tell it nothing: a flag is loaded that was set long ago, or a counter is added to that nobody
// else has. A goroutine remembers what it found there. As long as that is so, an operation is one
// look at the clock, and nothing is written that others read. What locks announce is remembered
// apart (lock.go).

// A lastAcquired is what was found at an acquire that told nothing. A goroutine never forgets an
// epoch that it knows, so it is good until the epoch has changed, or the word that says whose epoch
// it is. That is block.changes or, if a variable or a common clock has the epoch, Page.removed.
type lastAcquired struct {
	not   uintptr // the complement of the address
	was   uint64  // the epoch, 0 where nothing was released; the goroutine knows it
	epoch offheap.Ref[atomic.Uint64]
	word  offheap.Ref[atomic.Uint32]
	had   uint32 // what word was
	flags uint32 // the upper half of the block's tags
}

// holds reports that nothing has changed at an address. It is inlined.
func (l *lastAcquired) holds(addr uintptr) bool {
	return l.not == ^addr && l.epoch.P().Load() == l.was && l.word.P().Load() == l.had
}

// The flags of a block's tags, as lastAcquired has them.
const (
	flagInCall = tagInCall >> 32
	flagOrder  = tagOrder >> 32
)

// LearnsNothing reports that an acquire of addr would change nothing, and that nothing but call
// clocks follows it. A false answer may be wrong. The epoch is asked first, as in Acquire. Each
// atomic operation comes here, so it is inlined.
func LearnsNothing(g *Thread, addr uintptr) bool {
	return g.last.holds(addr) && sides.Load() == 0
}

// LearnsAgain is LearnsNothing for one of the last addresses, where order clocks and weak clocks
// may follow. That address is the last one by then.
func LearnsAgain(g *Thread, addr uintptr) bool {
	if g.last.not != ^addr && !recalls(g, addr) {
		return false
	}
	set := sides.Load()
	return set&^(orderClocks|weakClocks) == 0 && g.last.holds(addr) &&
		(set&orderClocks == 0 || g.last.flags&flagOrder == 0 || g.lastOrder.P().holds(addr)) &&
		(set&weakClocks == 0 || knownWeak(g, addr) != nil)
}

// LoadsAgain is LearnsAgain for a load, after which the last address may be another one.
func LoadsAgain(g *Thread, addr uintptr) bool {
	if m := g.locks.more.P(); m != nil && g.last.not != ^addr && sides.Load() == 0 {
		for i := range m.atomics {
			if a := &m.atomics[i]; a.call.not == ^addr && g.returns.often() {
				if a.call.holds(addr) {
					return true
				}
				break
			}
		}
	}
	return LearnsAgain(g, addr)
}

// recalls has the last address trade places with another one, if that is in the list.
func recalls(g *Thread, addr uintptr) bool {
	m := g.locks.more.P()
	if m == nil || !g.returns.often() {
		return false
	}
	for i := range m.atomics {
		if a := &m.atomics[i]; a.call.not == ^addr {
			a.call, g.last = g.last, a.call
			if !g.lastOrder.Nil() {
				a.order, *g.lastOrder.P() = *g.lastOrder.P(), a.order
			}
			return true
		}
	}
	return false
}

// keepsLast puts the last address into the list, as another one is about to take its place.
func keepsLast(g *Thread, addr uintptr) {
	if g.last.not == ^addr || g.last.not == 0 || !g.returns.often() || !g.locks.wantsList() {
		return // it goes from one address to the next
	}
	m := g.locks.list()
	a := &m.atomics[m.nextAtomic]
	if a.call = g.last; !g.lastOrder.Nil() {
		a.order = *g.lastOrder.P()
	}
	m.nextAtomic = (m.nextAtomic + 1) % len(m.atomics)
}

// returns says whether a goroutine comes back to addresses of its last few atomic operations. It
// counts operations at addresses that the goroutine's list lacks.
type returns struct {
	last  sightings
	count int // it grows with each return, and shrinks with each other address
}

// often reports whether a list of the last addresses is of use.
func (r *returns) often() bool { return r.count >= 64 }

// note notes an address. It reports whether the goroutine has come back to it.
func (r *returns) note(addr uintptr) (back bool) {
	if back = r.last.note(addr); back {
		r.count = min(r.count+16, 128)
	} else {
		r.count = max(r.count-1, 0)
	}
	return back
}

// Sightings are the last eight addresses: a byte of a hash of each. Most addresses that a goroutine
// comes to are of objects that it has just made, and few of these are come back to. So what there
// is at an address is remembered when it is seen again.
type sightings uint64

// note notes an address, and reports whether it was among the last ones. A true answer may be
// wrong.
func (s *sightings) note(addr uintptr) (again bool) {
	again = s.has(addr)
	*s = *s<<8 | sightings(sightingOf(addr))
	return again
}

// has reports whether an address is among the last ones. A true answer may be wrong.
func (s *sightings) has(addr uintptr) bool {
	const ones = 0x0101010101010101
	x := uint64(*s) ^ sightingOf(addr)*ones // one of its bytes is 0 then
	return (x-ones)&^x&(ones<<7) != 0
}

// ends reports whether an address is the last one. A true answer may be wrong.
func (s *sightings) ends(addr uintptr) bool { return uint64(*s)&0xff == sightingOf(addr) }

// noteEnd is ends, and notes the address if that is false.
func (s *sightings) noteEnd(addr uintptr) bool {
	if s.ends(addr) {
		return true
	}
	s.note(addr)
	return false
}

// sightingOf is the hash of an address: never 0, which stands for none.
func sightingOf(addr uintptr) uint64 { return max(uint64(addr)*0x9E3779B97F4A7C15>>56, 1) }

// A knownAtomic is what the call clock and the order clock have found at an address.
type knownAtomic struct{ call, order lastAcquired }

// ReleasesNothing reports that a release at addr, or an atomic operation, would change nothing, and
// counts it. One of the functions above has told so of an acquire. A false answer may be wrong.
func ReleasesNothing(g *Thread) bool {
	if g.InCall || !g.WorksFor.Nil() || !vclock.ReleasedAt(&g.Clock, g.last.was) ||
		sides.Load() != 0 && !releasesNoSide(g) {
		return false
	}
	g.released++
	return true
}

// releasesNoSide is ReleasesNothing for the side clocks.
func releasesNoSide(g *Thread) bool {
	set := sides.Load()
	return (set&orderClocks == 0 || releasesNoOrder(g)) &&
		(set&weakClocks == 0 || releasedWeak(g, ^g.last.not))
}

// releasesNoOrder is ReleasesNothing for the order clock.
func releasesNoOrder(g *Thread) bool {
	if g.holds.Fresh(g.released + 1) {
		return false // it has to be noted with the lock that g holds
	}
	has := g.last.flags&flagOrder != 0 // else lastOrder is of another address
	if g.order.Nil() {
		return !has || g.lastOrder.P().was == 0
	}
	return has && vclock.ReleasedAt(&g.order.P().Thread, g.lastOrder.P().was)
}

// AcquireAtomic is Acquire for an atomic operation, and remembers what it has found, if it isn't
// the first one there. Where there was no page twice in a row, there is one from then on, to
// remember that nothing is there.
func AcquireAtomic(g *Thread, addr uintptr) {
	g.Acquire(addr)
	if g.TimerContext {
		return
	}
	inRow := g.returns.last.ends(addr)
	again := g.last.not == ^addr || g.returns.note(addr)
	p := g.Pages.Find(addr)
	if p == nil {
		if !inRow {
			return
		}
		p = makePageAt(addr)
	}
	if !again {
		return
	}
	keepsLast(g, addr)
	if g.last.remember(g, p, addr); g.last.flags&flagInCall != 0 {
		g.last.not = 0 // what was released in calls is elsewhere
	}
	noteWeak(g, p, addr)
	if g.last.flags&flagOrder == 0 {
		return
	}
	if g.lastOrder.Nil() {
		g.lastOrder = offheap.To(lastOrders.Get())
	}
	var order *vclock.Thread
	if !g.order.Nil() {
		order = &g.order.P().Thread
	}
	g.lastOrder.P().rememberClock(order, p, addr, addr|uintptr(ofOrder), &g.none)
}

var lastOrders offheap.Slab[lastAcquired]

// remember notes what there is to acquire at addr, in a page, if g knows it.
func (l *lastAcquired) remember(g *Thread, p *Page, addr uintptr) {
	b := p.block(addr)
	l.not = 0 // until the rest is there
	l.word, l.had = offheap.To(&b.changes), b.changes.Load()
	tags := b.tags.Load()
	i := tagged(tags, addr)
	if i < 0 && tags&tagOverflow != 0 {
		// A variable may be added that the tags don't show, unless the address has a singleton
		// clock, be it an empty one.
		c := p.makeSingleton(b, i, addr, inside, nil)
		if c.spare != nil {
			b.lock.Unlock()
		}
		if c.m == nil || c.spare != nil {
			l.rememberClock(&g.Clock, p, addr, addr, &g.none)
			return
		}
		tags, l.had = b.tags.Load(), b.changes.Load()
		i = tagged(tags, addr)
		b.lock.Unlock()
	}
	l.flags = uint32(tags >> 32)
	if i < 0 {
		l.was, l.epoch = 0, offheap.To(&g.none)
	} else {
		at := b.singletons[i].Epoch()
		l.was, l.epoch = at.Load(), offheap.To(at)
		if !b.has(i, addr) || l.was != 0 && !vclock.KnowsRelease(&g.Clock, l.was) {
			return
		}
	}
	l.not = ^addr
}

// rememberClock notes what there is to acquire at an address that has no singleton clock, and whose
// clock is under the address at, if t knows it; a nil t knows nothing. None is where the epoch of
// no clock is.
func (l *lastAcquired) rememberClock(
	t *vclock.Thread, p *Page, addr, at uintptr, none *atomic.Uint64,
) {
	b := p.block(addr)
	l.not = 0
	l.word, l.had = offheap.To(&p.removed), p.removed.Load()
	l.flags = uint32(b.tags.Load() >> 32)
	if v := p.findVar(at); v != nil {
		l.was, l.epoch = v.sync.Epoch().Load(), offheap.To(v.sync.Epoch())
		// An epoch of 0 may stand for several.
		if t != nil && vclock.KnowsRelease(t, l.was) && v.addr.Load() == at &&
			p.removed.Load() == l.had {
			l.not = ^addr
		}
		return
	}
	// While the block is locked no clock is added, and no address leaves a common one.
	b.lock.Lock()
	if p.findVar(at) == nil && (at != addr || b.find(addr) < 0) {
		epoch := none
		if c := b.commonOf(at); c != nil {
			epoch = c.clock.Epoch()
		} else if s := b.spare(addr); s != nil && at == addr {
			epoch = s.Epoch()
		} else if b.tags.Load()&tagAbsent == 0 {
			b.setTags(b.tags.Load() | tagAbsent)
		}
		l.was, l.epoch = epoch.Load(), offheap.To(epoch)
		l.had, l.flags = p.removed.Load(), uint32(b.tags.Load()>>32)
		if epoch == none || t != nil && vclock.KnowsRelease(t, l.was) {
			l.not = ^addr
		}
	}
	b.lock.Unlock()
}
