// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package datarace

import (
	"slices"
	"testing"
)

// TestJoinedInBlock has a goroutine read byte after byte where two others have read: that makes one
// block for a cell. No other cell with that history gets the bytes, whether the block was shared
// before or would be afterwards.
func TestJoinedInBlock(t *testing.T) {
	const cells = 16
	addr := fresh(t, cells)
	p := newPair()
	defer p.end()
	c := p.third()
	defer c.end()
	for i := range uintptr(cells) {
		p.a.memory.Access(addr+i*8, 8, Read, 1)
		p.b.memory.Access(addr+i*8, 8, Read, 2)
	}
	first := func(i uintptr) { c.memory.AccessByte(addr+i*8, Read, 3) }
	first(0)
	first(1) // these share a block
	block := lastRead(addr)
	if !block.isBlock() || lastRead(addr+8) != block {
		t.Fatalf("two cells of one history have the words %#x and %#x", uint64(block),
			uint64(lastRead(addr+8)))
	}
	read := func(i, n uintptr) {
		for at := uintptr(1); at < n; at++ {
			c.memory.AccessByte(addr+i*8+at, Read, 3)
		}
	}
	read(0, 2)
	used, private := unitsMet(), lastRead(addr)
	read(0, 8)
	if unitsMet() != used || lastRead(addr) != private {
		t.Errorf("%d units of blocks after reads of more bytes, %d before", unitsMet(), used)
	}
	for i := uintptr(2); i < cells; i++ { // by turns alone, and with more bytes
		first(i)
		read(i, 1+i%2*3)
	}
	if err := kept(addr, cells); err != nil {
		t.Error(err)
	}
	var set set
	for i := range uintptr(cells) {
		want := Word(1)
		switch {
		case i == 0:
			want = allBytes
		case i > 1 && i%2 == 1:
			want = 15
		}
		bytes := Word(0)
		set.load(lastRead(addr + i*8))
		for _, w := range set.word[:set.n] {
			if c.memory.own(w) {
				bytes |= w & allBytes
			}
		}
		if bytes != want {
			t.Errorf("of cell %d the third goroutine has read the bytes %08b, want %08b", i, bytes,
				want)
		}
	}
}

// TestBlockStaysSmall has a goroutine read byte after byte at many epochs: what it has read before
// goes.
func TestBlockStaysSmall(t *testing.T) {
	addr := fresh(t, 1)
	p := newPair()
	defer p.end()
	c := p.third()
	defer c.end()
	p.a.memory.Access(addr, 8, Read, 1)
	p.b.memory.Access(addr, 8, Read, 2)
	before := Forgotten()
	for range 40 {
		for i := range uintptr(8) {
			c.memory.AccessByte(addr+i, Read, 3)
			var s set
			s.load(lastRead(addr))
			others, last := 0, Word(0)
			for _, w := range s.word[:s.n] {
				switch {
				case w>>epochShift == Word(c.memory.epochID):
					last = w & allBytes
				case w.epochBlock().record.Load() != c.memory.Record():
					others++
				}
			}
			if last != 2<<i-1 || others == 0 {
				t.Fatalf("after %d bytes the last read is of %08b, beside %d others", i+1, last,
					others)
			}
		}
		c.next()
	}
	if w := lastRead(addr); w.isBlock() && w.class() > 1 || Forgotten() != before {
		t.Errorf("the block has class %d; %d accesses are forgotten", w.class(),
			Forgotten()-before)
	}
}

// TestBlockInPlace has two goroutines read byte after byte by turns, each at many epochs, where a
// third one has read. One block serves for all of it, the quick path is enough, and a write that is
// not ordered races with the last read of its byte.
func TestBlockInPlace(t *testing.T) {
	addr := fresh(t, 1)
	p := newPair()
	defer p.end()
	readers := []*goroutine{p.a, p.b}
	c := newGoroutine(3)
	for asked := func(g *goroutine) uint32 { return uint32(g.clock.Now().Slot()) % slotsAsked }; ; {
		p.main.Fork(&c.clock)
		c.memory.Start(&c.clock)
		defer c.end()
		if asked(c) != asked(p.a) && asked(c) != asked(p.b) {
			break
		}
		c = newGoroutine(3) // what a and b ask of the other would have the place of another answer
	}
	site := uint32(10)
	read := func(g *goroutine, at uintptr) (quick bool) {
		c, now := CellOf(addr+at), g.clock.EpochID()
		if g.memory.EasyRead(c, now, Read, site, 0) || g.memory.QuickRead(c, now, site, 0) {
			return true
		}
		g.memory.AccessByte(addr+at, Read, site)
		return false
	}
	c.memory.Access(addr, 8, Read, 1)
	block, slow := Word(0), 0
	for epoch := range 2 * (epochBlockSize - 1) { // what is of an epoch block is surely known
		g := readers[epoch%2]
		site++
		g.memory.currentEpoch()
		for at := range uintptr(8) {
			if !read(g, at) && epoch >= 4 {
				slow++
			}
		}
		g.next()
		if w := lastRead(addr); epoch == 4 {
			block = w
		} else if epoch > 4 && (w != block || !w.isBlock()) {
			t.Fatalf("epoch %d: the block is %#x, and was %#x", epoch, uint64(w), uint64(block))
		}
	}
	if slow > 0 {
		t.Errorf("%d reads take the long way", slow)
	}
	for at := range uintptr(8) {
		var s set
		if s.load(lastRead(addr)); s.n != 3 {
			t.Fatalf("the block has %d reads, want 3", s.n)
		}
		sites := map[uint32]bool{}
		for _, w := range s.word[:s.n] {
			sites[w.among(1<<at).Site()] = true
		}
		if !sites[1] || !sites[site] || !sites[site-1] {
			t.Errorf("byte %d was read at the sites %v, want 1, %d and %d", at, sites, site-1,
				site)
		}
	}
}

// TestKnowsNoneOf has a goroutine read a byte at one epoch after the other, where two others have
// read: it knows of none of their reads until it learns of one. That one goes then.
func TestKnowsNoneOf(t *testing.T) {
	addr := fresh(t, 1)
	p := newPair()
	defer p.end()
	c := p.third()
	defer c.end()
	p.b.memory.AccessByte(addr, Read, 2)
	c.memory.AccessByte(addr, Read, 3)
	sites := func() (list []uint32) {
		p.a.next()
		p.a.access(addr, Read, 1)
		for _, word := range []Word{lastRead(addr), LastOther(addr)} {
			var s set
			s.load(word)
			for _, w := range s.word[:s.n] {
				list = append(list, w.Site())
			}
		}
		slices.Sort(list)
		return list
	}
	for range 3 * epochBlockSize {
		if got := sites(); !slices.Equal(got, []uint32{1, 2, 3}) {
			t.Fatalf("the byte was read at the sites %v, want 1, 2 and 3", got)
		}
	}
	if !p.a.memory.knowsNoneOf(lastRead(addr)) {
		t.Error("nothing is remembered of the block")
	}
	p.b.pass(p.a)
	if got := sites(); !slices.Equal(got, []uint32{1, 3}) {
		t.Errorf("the byte was read at the sites %v, want 1 and 3", got)
	}
}
