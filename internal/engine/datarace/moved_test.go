// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package datarace

import (
	"testing"

	"github.com/commutego/commute/internal/event"
)

// TestMovedWhileMarked has a word move to another place of its cell when the collector has marked
// some words of that cell: what it mentions is kept, whichever words those were.
func TestMovedWhileMarked(t *testing.T) {
	addr := fresh(t, 1)
	p := newPair()
	defer p.end()
	g := p.a
	newBlock := func() {
		g.memory.currentEpoch()
		g.memory.epochID |= epochBlockSize - 1 // no ID is left of the block
		g.next()
		g.memory.currentEpoch()
	}
	for _, kind := range []event.Access{Write, Read} {
		for moment := range 5 {
			Free(addr, 8)
			for range 3 { // so that both words of reads are there
				for at := range uintptr(8) {
					g.memory.AccessByte(addr+at, kind, 1)
				}
				newBlock()
			}
			r := findRegion(addr)
			from, to := r.read(addr), r.other(addr)
			if kind == Write {
				from, to = r.write(addr), r.earlier(addr)
			}
			moves := Word(from.Load())
			g.memory.knows(moves)
			r.notePage(addr, pageEarlier|pageOther|pageRead|pageWritten)
			for collector.active.Load() != 0 {
				step(1 << 20)
			}
			step(0) // a cycle begins
			g.memory.knows(moves)
			list := r.marked(addr>>3&(cells-1), 1, r.page(addr).Load())
			for i := range len(list) + 1 {
				if i == moment {
					hook(g, addr, 1, kind, 2)
				}
				if i < len(list) {
					markAll(list[i])
				}
			}
			if Word(to.Load()) != moves {
				t.Fatalf("kind %d: the word of epoch %d has not moved: %d is there", kind,
					moves.epochID(), Word(to.Load()).epochID())
			}
			newBlock()
			endCycle()
			if err := kept(addr, 1); err != nil {
				t.Errorf("kind %d, moved after %d words were marked: %v", kind, moment, err)
			}
		}
	}
}

// TestReadsTakeTurns has a goroutine read byte after byte at one epoch after the other. The word of
// reads has the last epoch each time, the other word the one before, and no block is made. A write
// that is not ordered races with the last read of its byte.
func TestReadsTakeTurns(t *testing.T) {
	addr := fresh(t, 1)
	p := newPair()
	defer p.end()
	read := func(at uintptr, site uint32) {
		g := p.a
		if !repeats(g.clock.EpochID(), at, 1, Read, true) &&
			!g.memory.QuickRead(CellOf(at), g.clock.EpochID(), site, 0) {
			g.memory.AccessByte(at, Read, site)
		}
	}
	for at := range uintptr(8) {
		read(addr+at, 1)
	}
	p.a.next()
	p.b.memory.AccessByte(addr+pageSize, Read, 9)
	used := unitsMet()
	for epoch := range uint32(3 * epochBlockSize) {
		for at := range uintptr(8) {
			read(addr+at, 2+epoch)
			w := lastRead(addr)
			if w.isBlock() || w.epochID() != p.a.memory.epochID || w&allBytes != 2<<at-1 {
				t.Fatalf("epoch %d, byte %d: the word of reads is %#x", epoch, at, uint64(w))
			}
		}
		if epoch == 3*epochBlockSize-1 {
			break
		}
		p.a.next()
	}
	if n := unitsMet(); n != used {
		t.Errorf("%d units of blocks, %d before", n, used)
	}
	for at := range uintptr(8) {
		if r := p.b.memory.AccessByte(addr+at, Write, 5); r.Site() != 1+3*epochBlockSize {
			t.Errorf("a write of byte %d races with site %d", at, r.Site())
		}
	}
}

// TestHalfATurn has a goroutine read a part of a cell at a second and a third epoch. What it has
// read at the first alone still races.
func TestHalfATurn(t *testing.T) {
	addr := fresh(t, 1)
	p := newPair()
	defer p.end()
	p.a.memory.Access(addr, 8, Read, 1)
	p.a.next()
	for site := range uint32(20) {
		for at := range uintptr(3) {
			hook(p.a, addr+at, 1, Read, 2+site)
		}
		p.a.next()
	}
	for at := range uintptr(8) {
		want := uint32(1)
		if at < 3 {
			want = 21
		}
		if r := p.b.memory.AccessByte(addr+at, Write, 50); r.Site() != want || r.Wrote {
			t.Errorf("a write of byte %d races with site %d, want %d", at, r.Site(), want)
		}
	}
}
