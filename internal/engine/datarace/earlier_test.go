// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package datarace

import (
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/commutego/commute/internal/engine/offheap"
)

// TestEarlierWrite has a struct be written, and then one number in it at each epoch: that makes no
// block. Who doesn't know of the first write races with it where the number is not.
func TestEarlierWrite(t *testing.T) {
	addr := fresh(t, 1)
	p := newPair()
	defer p.end()
	p.a.memory.Access(addr, 8, Write, 1)
	used := unitsMet()
	for range 3 * epochBlockSize {
		p.a.next()
		if r := p.a.memory.AccessByte(addr+2, Write, 2); r.Word != 0 {
			t.Fatalf("a goroutine's writes race, with site %d", r.Site())
		}
	}
	if n := unitsMet(); n != used || !lastWrite(addr).hasEarlier() {
		t.Errorf("%d units of blocks, %d before; the word of the writes is %#x", n, used,
			uint64(lastWrite(addr)))
	}
	for range 3 {
		cycle()
	}
	if err := kept(addr, 1); err != nil {
		t.Error(err)
	}
	for i, want := range []uint32{1, 1, 2, 1, 1, 1, 1, 1} {
		if r := p.b.memory.AccessByte(addr+uintptr(i), Read, 3); r.Site() != want || !r.Wrote {
			t.Errorf("a read of byte %d races with site %d, want %d", i, r.Site(), want)
		}
	}
	if r := p.b.memory.AccessByte(addr+5, Write, 4); r.Site() != 1 || !r.Wrote {
		t.Errorf("a write races with site %d", r.Site())
	}
}

// TestEarlierWhileCollected has words of writes become earlier ones while the collector passes.
func TestEarlierWhileCollected(t *testing.T) {
	rounds := 2000
	if testing.Short() || underRace {
		rounds /= 10
	}
	const cells = 512
	addr := zone(parted)
	p := newPair()
	defer p.end()
	for round := range rounds {
		for c := range uintptr(cells) {
			p.a.memory.epochID |= epochBlockSize - 1 // the run is used up
			p.a.next()
			p.a.memory.Access(addr+c*8, 8, Write, 1)
		}
		p.a.memory.epochID |= epochBlockSize - 1
		p.a.next()
		p.a.memory.Access(zone(passed), 1, Write, 1)
		findRegion(addr).notePage(addr, pageEarlier)
		for collector.active.Load() != 0 {
			step(1 << 20)
		}
		step(0)
		collector.region = offheap.To(findRegion(addr))
		collector.page = addr >> pageBits & (pages - 1) // all before is empty
		var wg sync.WaitGroup
		var begun atomic.Bool
		wg.Go(func() {
			begun.Store(true)
			for c := range uintptr(cells) {
				p.a.memory.AccessByte(addr+c*8, Write, 2)
			}
		})
		for !begun.Load() {
			runtime.Gosched()
		}
		for collector.active.Load() != 0 {
			step(1 << 20)
		}
		wg.Wait()
		if err := kept(addr, cells); err != nil {
			t.Fatalf("round %d: %v", round, err)
		}
		Free(zone(0), zones*pageSize)
	}
}
