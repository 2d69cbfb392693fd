// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package datarace

import (
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/commutego/commute/internal/engine/atomicity"
	"github.com/commutego/commute/internal/engine/instance"
	"github.com/commutego/commute/internal/engine/predict"
)

// TestJoinRead has EasyRead serve where a goroutine has read other bytes of a cell at its epoch,
// and nowhere else.
func TestJoinRead(t *testing.T) {
	p := newPair()
	defer p.end()
	join := func(g *goroutine, addr uintptr) bool {
		return g.memory.EasyRead(CellOf(addr), g.clock.EpochID(), Read, 3, 0)
	}
	plain, block, written := fresh(t, 1), fresh(t, 1), fresh(t, 1)
	c := p.third()
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
	var remembered atomic.Uint32
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
			switch got := keyOf(old, w).site(); got {
			case site:
				remembered.Add(1)
			case 0:
			default:
				t.Errorf("%#x and %#x are remembered as site %d, want %d", old, w, got, site)
			}
		}
	}
	n := 50_000
	if testing.Short() || underRace {
		n /= 10
	}
	check(rand.New(rand.NewPCG(1, 8)), n)
	if int(remembered.Load()) < n*9/10 {
		t.Errorf("%d of %d are remembered", remembered.Load(), n)
	}
	if w := Word(1<<epochShift | 3); keyOf(w, w) != 0 {
		t.Error("an access to two bytes has a key")
	}
	var wg sync.WaitGroup
	for i := range uint64(4) {
		wg.Go(func() { check(rand.New(rand.NewPCG(i, 9)), n/4) })
	}
	wg.Wait()
}

// TestMixCacheOneHash has two keys of one place and one tag.
func TestMixCacheOneHash(t *testing.T) {
	makeMixCache()
	inverse := uint64(1) // of the hash's factor, by Newton's method
	for range 6 {
		inverse *= 2 - mixKey(1).hash()*inverse
	}
	found := false
	for i := uint64(1); i < 1<<10; i++ {
		k := mixKey(i << 12)
		other := mixKey((k.hash() ^ 1) * inverse)
		if k.hash()>>1 != other.hash()>>1 || k == other {
			t.Fatalf("%#x and %#x have other hashes", k, other)
		}
		if k.note(5); k.site() == 5 && other.site() == 0 {
			found = true
		} else {
			t.Fatalf("site %d is remembered, and %d for another key", k.site(), other.site())
		}
	}
	if !found {
		t.Error("nothing was tried")
	}
	*mixCacheHere() = mixCache{}
}

// blockOf is a block of reads by three goroutines, of which the last has read one more byte, so
// that it is the cell's alone. The caller ends c.
func blockOf(t *testing.T, p *pair) (addr uintptr, block Word, c *goroutine) {
	c = newGoroutine(3)
	p.main.Fork(&c.clock)
	c.memory.Start(&c.clock)
	addr = fresh(t, 1)
	for _, g := range []*goroutine{p.b, c, p.a} {
		g.memory.AccessByte(addr, Read, 3)
	}
	p.a.memory.AccessByte(addr+1, Read, 3)
	block = lastRead(addr)
	if !block.isBlock() || blockState(block.Site()).Load()&keepsPrivate == 0 {
		t.Fatalf("the reads are %#x", uint64(block))
	}
	return addr, block, c
}

// TestJoinGoneBlock has a cell whose block was given back: its words may be another cell's.
func TestJoinGoneBlock(t *testing.T) {
	p := newPair()
	defer p.end()
	earlier := p.a.memory.currentEpoch() | Word(3)<<siteShift | 1
	p.a.next()
	addr, block, c := blockOf(t, p)
	defer c.end()
	join := func(at uintptr) bool {
		return p.a.memory.EasyRead(CellOf(addr+at), p.a.clock.EpochID(), Read, 3, 0)
	}
	if !join(1) || !join(2) {
		t.Fatal("reads are not joined before")
	}
	words := block.words()
	at, v := p.a.memory.placeIn(block, Word(p.a.clock.EpochID())|Word(3)<<siteShift|16)
	if at < 0 {
		t.Fatal("there is no place")
	}
	defer genOf(block.Site()).Store(genOf(block.Site()).Load())
	nextGen(block.Site())
	if join(1) {
		t.Error("a read is said to be recorded in a block that is gone")
	}
	if join(3) {
		t.Error("a read is joined in a block that is gone")
	}
	if p.a.memory.change(block, at, v, v|128, v|128, 0) || Word(words[at].Load()) != v {
		t.Errorf("a word of a block that is gone is %#x, and was %#x", words[at].Load(), uint64(v))
	}
	i := (at + 1) % len(words)
	words[i].Store(uint64(earlier))
	if tidy(block); Word(words[i].Load()) != earlier {
		t.Error("a block that is gone is tidied")
	}
	genOf(block.Site()).Store(block.epochID())
	if tidy(block); words[i].Load() != 0 {
		t.Errorf("an earlier read of the same byte stays: %#x", words[i].Load())
	}
}

// TestJoinInTransactions has transactions run: then each access has to be seen, as edges are drawn
// from those before.
func TestJoinInTransactions(t *testing.T) {
	Counts = func(uint32) bool { return true }
	t.Cleanup(func() { Counts = nil })
	p := newPair()
	defer p.end()
	addr, _, c := blockOf(t, p)
	defer c.end()
	plain := fresh(t, 1)
	p.a.memory.AccessByte(plain, Read, 3)
	var txn atomicity.Thread
	p.a.memory.SetTransactions(&txn, new(predict.Thread))
	join := func(addr uintptr) bool {
		return p.a.memory.EasyRead(CellOf(addr), p.a.clock.EpochID(), Read, 3, 0)
	}
	instance.Transactions.Begin(&txn, &p.a.clock, &atomicity.AtomicCode{Name: "f"})
	now := p.a.memory.currentEpoch()
	p.a.memory.AccessByte(addr, Read, 3)
	p.a.memory.AccessByte(addr+1, Read, 3)
	p.a.memory.AccessByte(plain, Read, 3)
	if Word(p.a.clock.EpochID()) != now {
		t.Fatal("there is another epoch")
	}
	if w := lastRead(addr); !w.isBlock() || blockState(w.Site()).Load()&keepsPrivate == 0 {
		t.Fatalf("the reads are %#x", uint64(w))
	}
	if join(addr+2) || join(plain+2) {
		t.Error("a read is joined while a transaction runs")
	}
	var v violations
	instance.Transactions.End(&txn, &v)
	p.a.memory.currentEpoch()
	p.a.memory.AccessByte(addr, Read, 3)
	p.a.memory.AccessByte(plain, Read, 3)
	if !join(addr+2) || !join(plain+2) {
		t.Error("a read is not joined after the transaction")
	}
}
