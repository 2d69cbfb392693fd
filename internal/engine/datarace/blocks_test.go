// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package datarace

import (
	"testing"

	"github.com/commutego/commute/internal/engine/vclock"
)

// TestBlocksAreShared has several goroutines read an array whose cells have one history: there is a
// block for each reader that comes to the others, not for each cell. They are given back with the
// array.
func TestBlocksAreShared(t *testing.T) {
	const cells, readers = 1000, 6
	addr := fresh(t, cells)
	cycle()
	cycle()
	used := unitsMet()
	p := newPair()
	p.a.memory.Access(addr, cells*8, Write, 1)
	var m vclock.SingletonClock
	m.Release(&p.a.clock)
	m.Acquire(p.main)
	var gs []*goroutine
	for i := range readers {
		g := newGoroutine(i)
		gs = append(gs, g)
		p.main.Fork(&g.clock)
		g.memory.Start(&g.clock)
		for c := range uintptr(cells) {
			if r, _ := hook(g, addr+c*8, 1, Read, 3); r.Word != 0 {
				t.Fatal("a read that is ordered races")
			}
		}
	}
	if n := unitsMet() - used; n < 4 || n > 4*readers {
		t.Errorf("%d units for the reads of %d goroutines", n, readers)
	}
	cycle()
	if err := kept(addr, cells); err != nil {
		t.Error(err)
	}
	m.Acquire(&p.b.clock)
	for c := range uintptr(cells) { // all but the last have a goroutine each
		if r := p.b.memory.AccessByte(addr+c*8, Write, 4); r.Site() != 3 {
			t.Fatalf("cell %d: the write races with site %d", c, r.Site())
		}
	}
	Free(addr, cells*8)
	for _, g := range append(gs, p.a, p.b) {
		g.end()
	}
	p.main.End()
	m.Clear()
	cycle()
	cycle()
	if n := unitsMet(); n > used {
		t.Errorf("%d units in use in the end, %d before", n, used)
	}
}

// TestFreedBlocksAreGivenBack frees cells that have several words.
func TestFreedBlocksAreGivenBack(t *testing.T) {
	const cells = 1000
	addr := fresh(t, cells)
	cycle()
	cycle()
	used, runs := unitsMet(), epochBlocks.used
	p := newPair()
	defer p.end()
	for round := range 5 {
		p.split(addr, cells)
		if n := unitsMet(); n != used+cells {
			t.Fatalf("round %d: %d units in use, %d before", round, n, used)
		}
		cycle()
		if n := unitsMet(); n != used+cells {
			t.Fatalf("round %d: %d units in use after a cycle, %d before", round, n, used+cells)
		}
		if err := kept(addr, cells); err != nil {
			t.Fatal(err)
		}
		Free(addr, cells*8)
		words(addr, cells, func(w Word) { t.Fatalf("%#x is left", uint64(w)) })
		cycle()
		cycle()
		if n := unitsMet(); n != used || epochBlocks.used > runs+2 {
			t.Fatalf("round %d: %d units and %d runs in use in the end, %d and %d before", round, n,
				epochBlocks.used, used, runs)
		}
	}
}

// TestBlocksAreBounded frees many cells with blocks at few epochs: those that the collector is
// called at.
func TestBlocksAreBounded(t *testing.T) {
	const cells = 4096
	addr := fresh(t, cells)
	cycle()
	used := heap.used.Load()
	p := newPair()
	defer p.end()
	for round := range 300 {
		p.split(addr, cells)
		Free(addr, cells*8)
		p.a.next()
		p.b.next()
		if n := heap.used.Load() - used; n > 8*minUnits {
			t.Fatalf("after %d rounds: %d units in use, though %d cells are", round, n, cells)
		}
	}
}
