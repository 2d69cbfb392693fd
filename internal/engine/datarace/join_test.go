// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package datarace

import (
	"math/rand/v2"
	"sync"
	"testing"
)

// TestJoinRead has JoinRead serve where a goroutine has read other bytes of a cell at its epoch, and
// nowhere else.
func TestJoinRead(t *testing.T) {
	p := newPair()
	defer p.end()
	join := func(g *goroutine, addr uintptr) bool {
		return g.memory.JoinRead(CellOf(addr), g.clock.EpochID(), 3, 0)
	}
	plain, block, written := fresh(t, 1), fresh(t, 1), fresh(t, 1)
	c := newGoroutine(3)
	p.main.Fork(&c.clock)
	c.memory.Start(&c.clock)
	defer c.end()
	for _, g := range []*goroutine{p.b, c, p.a} {
		g.memory.AccessByte(block, Read, 3)
	}
	p.a.memory.AccessByte(block+1, Read, 3) // no other cell will have the block from now on
	p.b.memory.AccessByte(written+1, Write, 3)
	for _, addr := range []uintptr{plain, block, written} {
		p.a.memory.AccessByte(addr, Read, 3)
		want := addr != written
		if got := join(p.a, addr+2); got != want || !want {
			if got != want {
				t.Errorf("%#x: a second byte is joined: %v", addr, got)
			}
			continue
		}
		if c := CellOf(addr + 2); !c.ReadBefore(p.a.clock.EpochID()) &&
			!c.ReadAmong(p.a.clock.EpochID()) {
			t.Errorf("%#x: the second byte is not recorded", addr)
		}
		p.a.memory.SetQuickOff(true)
		if join(p.a, addr+3) {
			t.Errorf("%#x: a byte is joined where each access is to be seen", addr)
		}
		p.a.memory.SetQuickOff(false)
		for at := range uintptr(3) {
			if at == 1 && addr == plain {
				continue
			}
			r := p.b.memory.AccessByte(addr+at, Write, 4)
			if r.Word == 0 || r.Wrote {
				t.Errorf("%#x: a write of byte %d races with %#x", addr, at, r.Word)
			}
		}
	}
	again := fresh(t, 1)
	p.a.memory.AccessByte(again, Read, 3)
	p.a.next()
	if join(p.a, again+1) {
		t.Error("a read is joined to one of another epoch")
	}
	if p.a.memory.currentEpoch(); join(p.a, again+1) {
		t.Error("a read is joined to one of an earlier epoch")
	}
}

// TestMixCache joins pairs of accesses, on one processor and on several that take turns with one
// cache: what is remembered is what would be found.
func TestMixCache(t *testing.T) {
	list := realSites()
	want := func(old, w Word) uint32 { return old.joined(w).Site() }
	check := func(r *rand.Rand, n int) {
		makeMixCache()
		for range n {
			old := Word(1<<epochShift) | Word(list[r.IntN(len(list))])<<siteShift |
				Word(1+r.IntN(allBytes))
			if r.IntN(2) == 0 {
				old |= earlierBit
			}
			w := Word(1<<epochShift) | Word(list[r.IntN(len(list))])<<siteShift | 1<<r.IntN(8)
			old = old.at(want(old, w))
			w = w.at(list[r.IntN(len(list))])
			site := want(old, w)
			if got := old.quickJoined(w); got.Site() != site || got&allBytes != (old|w)&allBytes {
				t.Errorf("%#x and %#x are %#x, want site %d", old, w, got, site)
			}
			if got := keyOf(old, w).site(); got != 0 && got != site {
				t.Errorf("%#x and %#x are remembered as site %d, want %d", old, w, got, site)
			}
		}
	}
	n := 50_000
	if testing.Short() || underRace {
		n /= 10
	}
	check(rand.New(rand.NewPCG(1, 8)), n)
	if w := Word(1<<epochShift | 3); keyOf(w, w) != 0 {
		t.Error("an access to two bytes has a key")
	}
	var wg sync.WaitGroup
	for i := range uint64(4) {
		wg.Go(func() { check(rand.New(rand.NewPCG(i, 9)), n/4) })
	}
	wg.Wait()
}
