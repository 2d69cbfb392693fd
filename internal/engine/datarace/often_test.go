// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package datarace

import (
	"testing"

	"github.com/commutego/commute/internal/event"
)

// The tests here have goroutines that synchronize all the time, so that nearly each of their
// accesses is the first one of an epoch.

// access makes an access to a byte as the hooks do, and reports whether it was easy.
func (g *goroutine) access(addr uintptr, kind event.Access, site uint32) (easy bool) {
	now := uint64(g.memory.currentEpoch())
	if kind == Read {
		easy = g.memory.EasyRead(CellOf(addr), now, kind, site, 0)
	} else {
		easy = g.memory.EasyWrite(CellOf(addr), now, site, 0)
	}
	if !easy {
		g.memory.AccessByte(addr, kind, site)
	}
	return easy
}

// TestEasyAfterManyEpochs has a goroutine write cells, each at an epoch of its own, and then again;
// and another one read and write them, which knows of that. Few accesses take the long way.
func TestEasyAfterManyEpochs(t *testing.T) {
	const cells = 50 * epochBlockSize
	addr := fresh(t, cells)
	p := newPair()
	defer p.end()
	all := func(g *goroutine, kind event.Access) (long int) {
		for i := range uintptr(cells) {
			g.next()
			if !g.access(addr+i*8, kind, 1) {
				long++
			}
		}
		return long
	}
	all(p.a, Write)
	for _, kind := range []event.Access{Read, Write} {
		all(p.a, kind) // a new kind is noted of its page
		if long := all(p.a, kind); long > 3 {
			t.Errorf("%d own accesses of kind %d take the long way", long, kind)
		}
		p.a.pass(p.b)
		if long := all(p.b, kind); long > 3 {
			t.Errorf("%d accesses of kind %d take the long way after another goroutine's", long, kind)
		}
		p.b.pass(p.a)
	}
}

// TestEarlierByTurns has two goroutines write three numbers of a cell by turns, each after the
// other, and another cell before. That makes no block, and is easy. One that knows of neither races
// with the last.
func TestEarlierByTurns(t *testing.T) {
	addr := fresh(t, 2)
	p := newPair()
	defer p.end()
	c := p.third()
	defer c.end()
	g, other, used, long := p.a, p.b, uint32(0), 0
	const turns = 3 * epochBlockSize
	for turn := range turns {
		if turn == 8 {
			used, long = unitsMet(), 0
		}
		g.access(addr+8, Write, 1) // here it asks its clock
		for _, at := range []uintptr{0, 4, 5} {
			if !g.access(addr+at, Write, uint32(100+turn)) {
				long++
			}
		}
		g.pass(other)
		g, other = other, g
	}
	if n := unitsMet(); n != used || long > 0 {
		t.Errorf("%d units of blocks, %d before; %d writes take the long way", n, used, long)
	}
	for _, at := range []uintptr{0, 4, 5} {
		if r := c.memory.AccessByte(addr+at, Read, 1); r.Site() != 100+turns-1 || !r.Wrote {
			t.Errorf("a read of byte %d races with site %d, want %d", at, r.Site(), 100+turns-1)
		}
	}
}

// TestEarlierOfOtherBytes has a write come after two others, of which the first is to more bytes
// than the second: who knows of none races with the first where nothing else was written.
func TestEarlierOfOtherBytes(t *testing.T) {
	addr := fresh(t, 1)
	p := newPair()
	defer p.end()
	c := p.third()
	defer c.end()
	for turn, g := range []*goroutine{p.a, p.b, p.a} {
		if turn == 0 {
			g.memory.Access(addr, 8, Write, 1)
		} else {
			g.access(addr+uintptr(turn), Write, 1+uint32(turn))
		}
		p.a.pass(p.b)
		p.b.pass(p.a)
	}
	for i, want := range []uint32{1, 2, 3, 1, 1, 1, 1, 1} {
		if r := c.memory.AccessByte(addr+uintptr(i), Read, 4); r.Site() != want || !r.Wrote {
			t.Errorf("a read of byte %d races with site %d, want %d", i, r.Site(), want)
		}
	}
}

// TestBlockOfRounds has four goroutines read a byte in rounds: each round knows the one before, and
// the goroutines of one round do not know each other. The block of the cell stays. Where only one
// of them goes on to read, it goes.
func TestBlockOfRounds(t *testing.T) {
	addr := fresh(t, 1)
	p := newPair()
	defer p.end()
	list := []*goroutine{p.a, p.b, newGoroutine(3), newGoroutine(4)}
	for _, g := range list[2:] {
		p.main.Fork(&g.clock)
		g.memory.Start(&g.clock)
		defer g.end()
	}
	var block Word
	for round := range uint32(40) {
		for i, g := range list {
			g.access(addr, Read, 10*round+uint32(i))
		}
		switch now := lastRead(addr); {
		case round == 3:
			block = now
		case round > 3 && (now != block || !now.isBlock()):
			t.Fatalf("round %d: the word of reads is %#x, and was %#x", round, uint64(now),
				uint64(block))
		}
		var s set
		if s.load(lastRead(addr)); round > 2 && int(s.n) != len(list) {
			t.Fatalf("round %d: %d reads, want %d", round, s.n, len(list))
		}
		for _, g := range list {
			for _, h := range list {
				g.pass(h)
			}
		}
	}
	for range 3 {
		p.a.next()
		p.a.access(addr, Read, 1)
	}
	if w := lastRead(addr); w.isBlock() {
		t.Errorf("the word of one goroutine's reads is %#x, a block's", uint64(w))
	}
}

// TestAtomicBefore has a mutex be initialized plainly by one goroutine, at once or in two parts,
// and then locked by another: only at the epoch of that is another atomic access a repeat.
func TestAtomicBefore(t *testing.T) {
	for parts := range uintptr(2) {
		atomicBefore(t, fresh(t, 1), 1+parts)
	}
}

func atomicBefore(t *testing.T, addr, parts uintptr) {
	p := newPair()
	defer p.end()
	before := func(g *goroutine, at uintptr, reads bool) bool {
		return CellOf(addr+at).AtomicBefore(uint64(g.memory.currentEpoch()), reads)
	}
	for at := range parts {
		p.a.memory.Access(addr+8/parts*at, 8/parts, Write, 1)
		p.a.next()
	}
	if before(p.a, 0, true) || before(p.a, 0, false) {
		t.Error("a plain write is an atomic one")
	}
	p.a.pass(p.b)
	for range 2 * epochBlockSize {
		p.b.next()
		if before(p.b, 0, true) || before(p.b, 0, false) {
			t.Fatal("an atomic write of an earlier epoch is one of this")
		}
		p.b.memory.AccessByte(addr, Write|Atomic, 2)
		if w := lastWrite(addr); w.isBlock() != (parts > 1) || w.hasEarlier() != (parts == 1) {
			t.Fatalf("after %d plain writes the word is %#x", parts, uint64(w))
		}
		if !before(p.b, 0, true) || !before(p.b, 0, false) || before(p.b, 4, true) ||
			before(p.a, 0, true) {
			t.Fatal("an atomic write is not found, or for another goroutine or byte")
		}
	}
	p.b.next()
	p.b.memory.AccessByte(addr+4, Read|Atomic, 3)
	if !before(p.b, 4, true) || before(p.b, 4, false) {
		t.Error("an atomic read is not found, or for a write")
	}
}
