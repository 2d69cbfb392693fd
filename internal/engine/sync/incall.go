// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package sync

import (
	"github.com/commutego/commute/internal/engine/offheap"
)

// InAnyCall reports whether g is in a call, its own or one that it works for.
func (g *Thread) InAnyCall() bool { return g.InCall || !g.WorksFor.Nil() && g.InWorkedCall() }

// currentCall is the goroutine that makes the call that g is in, if it is in one.
func (g *Thread) currentCall() *Thread {
	if g.InCall {
		return g
	}
	return g.WorksFor.P()
}

// InWorkedCall reports whether g works for a call of another goroutine. That one may wait for g by
// means that are the call's own.
func (g *Thread) InWorkedCall() bool {
	o := g.WorksFor.P()
	if o == nil || g.InCallback {
		return false
	}
	if o.CallNumber.Load() != g.workedCall {
		g.WorksFor = offheap.Ref[Thread]{}
		return false
	}
	return true
}

// What is released in a call has a clock of its own, beside that of the address: under the odd
// address. Addresses of clocks are even, but for slots of channels of bytes, which share a clock
// with their neighbour. A goroutine outside of calls acquires both.

// releaseInCall is Release and ReleaseMerge in a call. It holds the call's epoch, so that an
// acquirer knows of the call, too. What a worker releases, the call learns when it ends, as it may
// have waited for the worker.
func (g *Thread) releaseInCall(p *Page, addr uintptr) {
	v := g.varInCall(addr ^ 1)
	if v == nil {
		v = p.findVar(addr ^ 1)
	}
	if g.InCall {
		g.Clock.Hold()
	} else {
		releaseToCaller(g, g.WorksFor.P())
	}
	if v != nil && v.sync.UpToDateInCall(&g.Clock) {
		return
	}
	v = p.lockFound(v, addr^1, true)
	v.sync.ReleaseInCall(&g.Clock)
	v.lock.Unlock()
	g.inCallVar = offheap.To(v)
	if b := p.block(addr); b.tags.Load()&tagInCall == 0 {
		b.lock.Lock()
		b.setTags(b.tags.Load() | tagInCall)
		b.lock.Unlock()
		p.removed.Add(1) // what goroutines remember of the page's clocks is void
	}
}

// LetInCall is ReleaseLock and ReleaseMergeLock in g's own call, where g has released to the
// address last in a call as well. It returns false, and does nothing, where that isn't so.
//
//bundle:inline
func LetInCall(g *Thread, addr uintptr) bool {
	v := g.varInCall(addr ^ 1)
	if v == nil || !g.InCall || sides.Load()&lockSides != 0 {
		return false
	}
	v.lock.Lock()
	if v.addr.Load() != addr^1 {
		v.lock.Unlock()
		return false
	}
	g.Clock.Hold()
	v.sync.ReleaseInCall(&g.Clock)
	v.lock.Unlock()
	return true
}

// LetsInCall is LetInCall, and LetLock if locks are noted. It returns false, and does nothing,
// where LetInCall does so.
func LetsInCall(g *Thread, lock, addr uintptr) bool {
	if !LetInCall(g, addr) {
		return false
	}
	if FollowsLocks() && !g.holds.GivesAlone(lock, g.released) {
		LetOther(g, lock)
	}
	return true
}

// LetsAgain is LetInCall, and true, where g's call repeats the one before and tells nothing new: it
// can have the same epoch. It needs no lock, and no processor.
func LetsAgain(g *Thread, addr uintptr) bool {
	if !g.Repeats || sides.Load() != 0 || g.RepeatOf.P().Generation() != g.RepeatAt {
		return false
	}
	v := g.varInCall(addr ^ 1)
	return v != nil && v.sync.ReleaseAgain(&g.Clock)
}

// varInCall is the variable that g has released to last in a call, if it is that of an address.
func (g *Thread) varInCall(addr uintptr) *syncVar {
	if v := g.inCallVar.P(); v != nil && v.addr.Load() == addr {
		return v
	}
	return nil
}

// acquireInCall is the part of an Acquire outside of calls that takes up what was released in
// calls.
func (g *Thread) acquireInCall(p *Page, addr uintptr) {
	addr ^= 1
	v := p.findVar(addr)
	if v == nil || v.sync.KnownTo(&g.Clock) {
		return
	}
	if v = p.lockFound(v, addr, false); v != nil {
		v.sync.Acquire(&g.Clock)
		v.lock.Unlock()
	}
}

// PlainLoad comes after a load of a word of a sync.Map. Such words order nothing between calls, as
// the specification of the map says what its calls order. But other packages use the parts of a
// sync.Map for themselves. In a call of another type such a word is a part of that call.
func (g *Thread) PlainLoad(addr uintptr) {
	if !g.InCall {
		g.Acquire(addr)
	} else if g.HasMemoryClock() {
		g.Pages.Make(addr).acquireSide(g.memory.P(), addr, ofMemory, g.TimerContext)
	}
	if g.InCall && g.hasWeak(g.TimerContext) {
		g.Weak.Acquire((*weakPage)(g.Pages.Make(addr)), addr, g.TimerContext)
	}
}

// PlainStore comes before a store to such a word.
func (g *Thread) PlainStore(addr uintptr) {
	if !g.InCall {
		g.Release(addr)
	} else if g.HasMemoryClock() {
		g.Pages.Make(addr).releaseSide(g.memory.P(), addr, ofMemory, g.TimerContext, false)
	}
	if g.InCall && g.hasWeak(g.TimerContext) {
		g.Weak.Release((*weakPage)(g.Pages.Make(addr)), addr, g.TimerContext, false)
	}
}

// PlainRMW comes before an operation that loads and stores such a word.
func (g *Thread) PlainRMW(addr uintptr) {
	if !g.InCall {
		g.AtomicRMW(addr)
	} else if g.HasMemoryClock() {
		p := g.Pages.Make(addr)
		p.acquireSide(g.memory.P(), addr, ofMemory, g.TimerContext)
		p.releaseSide(g.memory.P(), addr, ofMemory, g.TimerContext, false)
	}
	if g.InCall && g.hasWeak(g.TimerContext) {
		g.Weak.Order((*weakPage)(g.Pages.Make(addr)), addr, g.TimerContext)
	}
}
