// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package sync

import (
	"math/rand"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
)

// TestListsAgreeWithMap sets and frees clocks of single words of a block, and of their bytes and
// side clocks, and compares which there are with a map.
func TestListsAgreeWithMap(t *testing.T) {
	const base = uintptr(0xc680000000)
	p := makePageAt(base)
	many, steps := 0, 0
	for seed := range int64(300) {
		r := rand.New(rand.NewSource(seed))
		there := make(map[uintptr]bool)
		for range r.Intn(400) {
			addr := base + uintptr(r.Intn(int(BlockSize)))
			if r.Intn(3) == 0 {
				addr = base + 8*uintptr(r.Intn(words)) | uintptr(ofWeak)
			}
			if n := uintptr(1 + r.Intn(40)); r.Intn(20) == 0 {
				at := addr &^ uintptr(sideBits)
				Sweep(at, n, nil)
				for a := range there {
					if b := a &^ uintptr(sideBits); b >= at && b < at+n {
						delete(there, a)
					}
				}
			} else {
				p.lockVar(addr, true).lock.Unlock()
				there[addr] = true
			}
			steps++
			if o := p.block(base).more.Load(); o != nil {
				if int(o.n) != len(there) {
					t.Fatalf("seed %d: %d variables are counted, of %d", seed, o.n, len(there))
				}
				if o.size == manyLists {
					many++
				}
			}
			for range 5 {
				probe := base + uintptr(r.Intn(int(BlockSize))) | uintptr(ofWeak)*uintptr(r.Intn(2))
				if got := p.findVar(probe) != nil; got != there[probe] {
					t.Fatalf("seed %d: %#x has a variable: %v", seed, probe, got)
				}
			}
		}
		for a := range there {
			if p.findVar(a) == nil {
				t.Fatalf("seed %d: the variable of %#x is missed", seed, a)
			}
		}
		Free(base, BlockSize)
		if p.block(base).more.Load() != nil {
			t.Fatalf("seed %d: lists are left of a block that was freed", seed)
		}
	}
	if many == 0 || many == steps {
		t.Errorf("%d of %d times there were many lists", many, steps)
	}
}

// TestLookupWhileWidened looks for a variable while its block gets more lists. It is never missed
// between the time that it was made and the time that it was freed.
func TestLookupWhileWidened(t *testing.T) {
	const stays = uintptr(0xc690000000)
	p := makePageAt(stays)
	var done atomic.Bool
	var there atomic.Uint64 // odd while the variable is there
	rounds := 10000
	if testing.Short() {
		rounds = 1000
	}
	var missed, found atomic.Int32
	var wg sync.WaitGroup
	wg.Go(func() {
		defer done.Store(true)
		for i := 0; i < rounds || found.Load() == 0; i++ {
			p.lockVar(stays, true).lock.Unlock()
			there.Add(1)
			for i := range uintptr(fewVars + 2) {
				p.lockVar(stays+8+8*i, true).lock.Unlock()
			}
			if p.block(stays).more.Load().size != manyLists {
				t.Error("the block has few lists")
			}
			there.Add(1)
			Free(stays, BlockSize)
		}
	})
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(4 * runtime.NumCPU()))
	for range 2 * runtime.NumCPU() {
		wg.Go(func() {
			for !done.Load() {
				before := there.Load()
				v := p.findVar(stays)
				if before%2 == 0 || there.Load() != before {
					continue
				}
				if v == nil {
					missed.Add(1)
				} else {
					found.Add(1)
				}
			}
		})
	}
	wg.Wait()
	if n := missed.Load(); n > 0 {
		t.Errorf("a variable was missed %d times, and found %d times", n, found.Load())
	}
}
