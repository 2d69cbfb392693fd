// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package sync

import "testing"

// What a hook has looked up without a lock may be another address's when it uses it.

// TestStaleTags has a block in which another address gets the place of a singleton clock, between
// the look-up and the question.
func TestStaleTags(t *testing.T) {
	const addr, other = uintptr(0xc700000000), uintptr(0xc700000010)
	g := startThread()
	defer g.Finish()
	g.Release(addr)
	b := PageAt(addr).block(addr)
	tags := b.tags.Load()
	i := tagged(tags, addr)
	if i < 0 || !b.upToDate(&g.Clock, i, tags) {
		t.Fatalf("the clock at %d of the block is not up to date after the release", i)
	}
	Free(addr, 8)
	g.Release(other)
	if b.find(other) != i || !b.singletons[i].UpToDate(&g.Clock) {
		t.Fatalf("the other address has the clock at %d, not that at %d", b.find(other), i)
	}
	if b.upToDate(&g.Clock, i, tags) {
		t.Error("a release is left out for another address's clock")
	}
	Free(other, 8)
}

// TestStaleVariable has a variable that another address gets, between the look-up and the lock.
func TestStaleVariable(t *testing.T) {
	const addr, other = uintptr(0xc700001000), uintptr(0xc700001000 + 4*pageSize)
	g := startThread()
	defer g.Finish()
	g.Set(addr)
	p := PageAt(addr)
	stale := p.findVar(addr)
	Free(addr, 8)
	g.Set(other)
	if stale == nil || PageAt(other).findVar(other) != stale {
		t.Fatal("the other address has not got the variable")
	}
	if v := p.lockFound(stale, addr, false); v != nil {
		v.lock.Unlock()
		t.Errorf("the variable of %#x is taken for that of %#x", other, addr)
	}
	v := p.lockFound(stale, addr, true)
	if v == stale || v.addr.Load() != addr || p.findVar(addr) != v {
		t.Errorf("the variable of %#x is not made where a stale one was found", addr)
	}
	v.lock.Unlock()
	Free(addr, 8)
	Free(other, 8)
}

// TestSideLeavesCallClock makes the first side clocks of an address after a release. Their tag in
// the block is that of the call clock, which they must leave where it is.
func TestSideLeavesCallClock(t *testing.T) {
	if wordBits != 64 {
		t.Skip("addresses have no room for the mark of a side clock")
	}
	const addr = uintptr(0xc700002000)
	for _, of := range []side{ofMemory, ofWeak} {
		g, h := startThread(), startThread()
		g.Release(addr)
		e := g.Clock.Now()
		v := PageAt(addr).sideVar(addr, of, true)
		if of == ofWeak && !v.sync.Empty() {
			t.Errorf("side %#x: a weak clock begins with what was released to the call clock", of)
		}
		v.lock.Unlock()
		if h.Acquire(addr); !h.Clock.Knows(e) {
			t.Errorf("side %#x: an acquire doesn't learn what was released before", of)
		}
		Free(addr, 8)
		if released(addr) || hasVar(addr|uintptr(of)) {
			t.Errorf("side %#x: a clock of the address is left after it was freed", of)
		}
		g.Finish()
		h.Finish()
	}
}
