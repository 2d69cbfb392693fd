// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package sync

import (
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/commutego/commute/internal/engine/host"
)

// TestSmallObjects has a block of objects, of which each is released to by a goroutine of its own:
// all have singleton clocks. Those of freed ones are used again.
func TestSmallObjects(t *testing.T) {
	const base, size = uintptr(0xc980000000), 16
	first := startThread()
	defer first.Finish()
	g, asks := startThread(), startThread()
	defer g.Finish()
	defer asks.Finish()
	var last *annex
	for range 100 {
		for addr := base; addr < base+BlockSize; addr += size {
			e := g.Clock.Tick()
			g.ReleaseMerge(addr)
			if hasVar(addr) || PageAt(addr).hasClock(addr) {
				t.Fatalf("%#x has no singleton clock", addr)
			}
			if asks.Clock.Knows(e) {
				t.Fatalf("%#x: who asks knows what was not released to it", addr)
			}
			if asks.Acquire(addr); !asks.Clock.Knows(e) {
				t.Fatalf("%#x: who asks doesn't know what was released", addr)
			}
		}
		b := PageAt(base).block(base)
		x := b.more.Load().annex.Load()
		if last != nil && x != last {
			t.Fatal("what was freed is not used again")
		}
		last = x
		Sweep(base, BlockSize, func(a uintptr) bool { return a/size%2 == 0 })
		for addr := base; addr < base+BlockSize; addr += size {
			if got := released(addr); got != (addr/size%2 != 0) {
				t.Fatalf("%#x has a clock: %v", addr, got)
			}
		}
		if Free(base, BlockSize); b.more.Load() != nil {
			t.Fatal("something is left of a block that was freed")
		}
	}
}

// TestClockMoves has a clock that is in a block, or in its annex, get a variable, as a goroutine
// releases to it which doesn't know what was released before. Whenever another one comes meanwhile,
// it learns of that.
func TestClockMoves(t *testing.T) {
	const base = uintptr(0xc990000000)
	for at := range uintptr(16) {
		addr := base + 16*at
		g, other := startThread(), startThread()
		for a := base; a < addr; a += 16 {
			g.Clock.Tick()
			g.Release(a)
		}
		e := g.Clock.Tick()
		g.Release(addr)
		other.Clock.Tick()
		var moving atomic.Bool
		var come []*Thread
		var wg sync.WaitGroup
		host.Published = func(*atomic.Uint64) {
			if !moving.Load() || len(come) == 20 {
				return
			}
			moving.Store(false) // what the one that comes publishes is not looked at
			h, done := startThread(), make(chan bool)
			come = append(come, h)
			wg.Go(func() {
				h.Acquire(addr)
				close(done)
			})
			select {
			case <-done:
			case <-time.After(time.Millisecond): // it waits for the block
			}
			moving.Store(true)
		}
		moving.Store(true)
		other.ReleaseMerge(addr)
		moving.Store(false)
		wg.Wait()
		host.Published = nil
		if !hasVar(addr) || len(come) < 2 {
			t.Fatalf("clock %d has a variable: %v; %d have come meanwhile", at, hasVar(addr),
				len(come))
		}
		for i, h := range come {
			if !h.Clock.Knows(e) {
				t.Errorf("clock %d: who came after %d steps has missed a release", at, i)
			}
			h.Finish()
		}
		Free(base, BlockSize)
		g.Finish()
		other.Finish()
	}
}

// TestAnotherHasClock has a goroutine remember a clock of an annex, which becomes another
// address's, and gets the same epoch there. What is released at its own after that is learned.
func TestAnotherHasClock(t *testing.T) {
	const base = uintptr(0xc9a0000000)
	const addr, another = base + 16*(inBlock+1), base + 16*(inBlock+2)
	for _, moves := range []bool{false, true} {
		g, h, other := startThread(), startThread(), startThread()
		for i := range uintptr(inBlock + 2) { // of the annex, one more than addr
			g.Clock.Tick()
			g.Release(base + 16*i)
		}
		b := PageAt(base).block(base)
		clock := b.spare(addr)
		acquireTwice(h, addr)
		if clock == nil || !LearnsNothing(h, addr) {
			t.Fatalf("moves %v: it is not remembered that there is nothing to learn", moves)
		}
		other.Clock.Tick()
		if !moves {
			Free(addr, 8)
		} else if other.ReleaseMerge(addr); !hasVar(addr) {
			t.Fatal("the address has no variable")
		}
		g.Release(another)
		if b.spare(another) != clock || clock.Epoch().Load() != h.last.was {
			t.Fatalf("moves %v: the other address has another clock, or epoch", moves)
		}
		e := other.Clock.Tick()
		other.Release(addr)
		if !LearnsNothing(h, addr) {
			AcquireAtomic(h, addr)
		}
		if !h.Clock.Knows(e) {
			t.Errorf("moves %v: the clock of another address is taken for that of its own", moves)
		}
		Free(base, BlockSize)
		for _, g := range []*Thread{g, h, other} {
			g.Finish()
		}
	}
}

// TestEmptyAnnex has the clocks of an annex all get variables. When the annex goes to another
// block, what was found in it without a lock is void.
func TestEmptyAnnex(t *testing.T) {
	const base = uintptr(0xc9b0000000)
	const addr = base + 16*inBlock
	g, other := startThread(), startThread()
	defer g.Finish()
	defer other.Finish()
	for i := range uintptr(inBlock + 1) {
		g.Clock.Tick()
		g.Release(base + 16*i)
	}
	p := PageAt(base)
	o := p.block(base).more.Load()
	x := o.annex.Load()
	if x == nil || x.find(addr) < 0 {
		t.Fatal("the address has no clock in an annex")
	}
	other.Clock.Tick()
	if other.ReleaseMerge(addr); x.used != 0 {
		t.Fatal("the address has no variable")
	}
	removed := p.removed.Load()
	if Sweep(base, BlockSize, func(a uintptr) bool { return false }); o.annex.Load() != nil {
		t.Fatal("an annex without clocks stays")
	}
	if p.removed.Load() == removed {
		t.Error("who has the annex in hand may take it for that of its block")
	}
	Free(base, BlockSize)
}
