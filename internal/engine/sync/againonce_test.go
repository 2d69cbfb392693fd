// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package sync

import (
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/commutego/commute/internal/engine/vclock"
)

// TestAgainAtOnce has one goroutine release in one block after the other, one that adds clocks to
// the block meanwhile, and one that acquires. Whoever sees an operation knows what came before it.
func TestAgainAtOnce(t *testing.T) {
	const base, addrs, operations = uintptr(0xc800700000), 8, 40
	blocks := 1000
	if testing.Short() {
		blocks = 200
	}
	defer Free(base, uintptr(blocks)*BlockSize)
	if wordBits == 64 {
		SetOrderClocks(true)
		defer SetOrderClocks(false)
	}
	// Of an address, the epoch that its last operation comes after.
	seen := make([][addrs]atomic.Uint64, blocks)
	var now atomic.Int64      // the block
	var acquired atomic.Int64 // how often one has; so that each operation meets some acquires
	var wg sync.WaitGroup
	wg.Go(func() {
		g := startThread()
		defer g.Finish()
		for b := range seen {
			now.Store(int64(b))
			for i := range operations {
				j := i * 5 % addrs
				e := g.Clock.Tick()
				g.AtomicRMW(base + uintptr(b)*BlockSize + 8*uintptr(j))
				seen[b][j].Store(uint64(e))
				for n := acquired.Load(); acquired.Load() < n+2; {
					runtime.Gosched()
				}
			}
		}
		now.Store(-1)
	})
	wg.Go(func() {
		g := startThread()
		defer g.Finish()
		orderClock(g)
		for i := uintptr(0); ; i++ {
			b := now.Load()
			if b < 0 {
				break
			}
			g.AtomicRMW(base + uintptr(b)*BlockSize + 8*(i%(2*addrs)))
		}
	})
	idle := 0
	g := startThread()
	defer g.Finish()
	for i := 0; ; i++ {
		b := now.Load()
		if b < 0 {
			break
		}
		j := i / 4 % addrs
		addr, e := base+uintptr(b)*BlockSize+8*uintptr(j), vclock.Epoch(seen[b][j].Load())
		if LearnsNothing(g, addr) || b%2 == 0 && LooksKnown(g, addr) || LoadsAgain(g, addr) {
			idle++
		} else {
			AcquireAtomic(g, addr)
		}
		if !g.Clock.Knows(e) {
			t.Errorf("acquire %d at address %d of block %d misses what came before an operation "+
				"that it sees", i, j, b)
		}
		if acquired.Add(1); i%2 == 0 {
			runtime.Gosched()
		}
	}
	wg.Wait()
	if idle < 100 {
		t.Errorf("%d acquires were left out, which is too few to test them", idle)
	}
}
