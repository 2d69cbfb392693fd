// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package sync

import (
	"math/rand"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/commutego/commute/internal/engine/fixture"
	"github.com/commutego/commute/internal/engine/instance"
	"github.com/commutego/commute/internal/engine/vclock"
)

const regionSize = uintptr(1) << regionBits

// startThread is a thread that knows nothing of others.
func startThread() *Thread {
	g := new(Thread)
	g.Reset()
	instance.Clocks.Start(&g.Clock)
	return g
}

// released reports whether anything is known of a release at an address.
func released(addr uintptr) bool {
	p := PageAt(addr)
	if p == nil {
		return false
	}
	var st vclock.Snapshot
	if c := p.lockSingleton(p.block(addr), addr); c.m != nil {
		st = c.snapshot()
		p.block(addr).lock.Unlock()
	} else if v := p.lockVar(addr, false); v != nil {
		st = v.sync.Snapshot()
		v.lock.Unlock()
	}
	own := st.Epoch()
	st.Drop()
	return own != 0
}

// hasVar reports whether an address has a variable of its own.
func hasVar(addr uintptr) bool {
	p := PageAt(addr)
	return p != nil && p.findVar(addr) != nil
}

// TestFreeBorders has records before, at both ends of and behind what is freed.
func TestFreeBorders(t *testing.T) {
	const base = uintptr(0xc100000000)
	table := fixture.MapTable(t)
	g := startThread()
	defer g.Finish()
	for _, start := range []uintptr{base, base + 1, base + 511, base + pageSize - 1,
		base + regionSize - 1, base + regionSize - pageSize} {
		for _, size := range []uintptr{1, 2, 511, 512, 513, pageSize - 1, pageSize, pageSize + 1,
			regionSize - 1, regionSize, regionSize + 1, 2*regionSize + 1, 200 << 20} {
			in := []uintptr{start, start + size/2, start + size - 1}
			out := []uintptr{start - 1, start + size}
			for _, a := range append(in, out...) {
				g.Release(a)
				FindObject(a, table, 0)
			}
			Free(start, size)
			m := &shadowModel{table: table}
			for _, a := range in {
				if released(a) || m.knows(a) {
					t.Fatalf("Free(%#x, %#x) forgets nothing at %#x", start, size, a)
				}
			}
			for _, a := range out {
				if !released(a) || !m.knows(a) {
					t.Fatalf("Free(%#x, %#x) forgets %#x", start, size, a)
				}
				Free(a, 1)
			}
		}
	}
}

// TestTwoTables has objects of two types at one address: a struct and its first field.
func TestTwoTables(t *testing.T) {
	const addr = uintptr(0xc200000000)
	a, b := fixture.MapTable(t), fixture.MapTable(t)
	x, y := FindObject(addr, a, 0), FindObject(addr, b, 0)
	if x == y || FindObject(addr, a, 0) != x || FindObject(addr, b, 0) != y {
		t.Error("objects of different types are not kept apart")
	}
	Free(addr, 8)
	if n := PageAt(addr).records(); n != 0 {
		t.Errorf("%d records are left", n)
	}
}

// TestRecordsAreReused counts the records that come and go.
func TestRecordsAreReused(t *testing.T) {
	const base = uintptr(0xc300000000)
	table := fixture.MapTable(t)
	g := startThread()
	defer g.Finish()
	seen := make(map[any]bool)
	for i := range uintptr(20000) {
		addr := base + i*48
		g.Set(addr)
		seen[PageAt(addr).findVar(addr)], seen[PageAt(addr).block(addr).more.Load()] = true, true
		seen[FindObject(addr, table, 0)] = true
		Free(addr, 48)
	}
	if len(seen) > 2000 {
		t.Errorf("%d records for 3 at a time", len(seen))
	}
}

// TestWiden has addresses that singleton clocks don't do for: too many in a block, and joins. What
// was released stays known, and nothing else.
func TestWiden(t *testing.T) {
	const base = uintptr(0xc380000000)
	for n := range uintptr(20) {
		g, h, other := startThread(), startThread(), startThread()
		first := g.Clock.Tick()
		for i := range n {
			g.Release(base + 8*i)
		}
		now := h.Clock.Tick()
		for i := range n {
			if out := PageAt(base).hasClock(base + 8*i); out != (i >= inBlock) {
				t.Fatalf("clock %d of %d is not in the block: %v", i, n, out)
			}
			h.ReleaseMerge(base + 8*i)
			if !hasVar(base + 8*i) {
				t.Fatalf("the join of two releases is in a singleton clock")
			}
			other.Acquire(base + 8*i)
			if !other.Clock.Knows(first) || !other.Clock.Knows(now) {
				t.Fatalf("clock %d of %d lost a release when it got a variable", i, n)
			}
		}
		late := g.Clock.Tick()
		g.Release(base + 8*n)
		h.Release(base + 8*n + 4)
		other.Acquire(base + 8*n + 4)
		if other.Clock.Knows(late) {
			t.Fatalf("the clock of 4 bytes is that of the 4 before")
		}
		Free(base, BlockSize)
		if PageAt(base).records() != 0 || PageAt(base).block(base).more.Load() != nil {
			t.Fatal("something is left of a block that was freed")
		}
		g.Finish()
		h.Finish()
		other.Finish()
	}
}

// TestUsedBlocks has clocks of all kinds come and go in a page: it knows which of its blocks have
// some. With nothing left, it is as new.
func TestUsedBlocks(t *testing.T) {
	base := uintptr(0xc480000000)
	for seed := range int64(200) {
		r := rand.New(rand.NewSource(seed))
		gs := []*Thread{startThread(), startThread()}
		for range 1 + r.Intn(200) {
			g, addr := gs[r.Intn(2)], base+uintptr(r.Intn(int(pageSize)))&^7
			switch r.Intn(9) {
			case 0:
				g.Clock.Tick()
			case 6: // that it has no clock, if so
				g.last.rememberClock(&g.Clock, makePageAt(addr), addr, addr, &g.none)
			case 1:
				g.Set(addr)
			case 2:
				g.ReleaseMerge(addr)
			case 3:
				g.ReleaseAcquire(addr)
			case 4:
				acquireTwice(g, addr)
			case 5:
				Free(addr, uintptr(1+r.Intn(1024)))
			default:
				addr &^= pageSize/2 - 1 // a few blocks have many clocks
				g.Release(addr + 8*uintptr(r.Intn(words)))
			}
			p := makePageAt(base)
			for i := range p.blocks {
				b := &p.blocks[i]
				has := b.more.Load() != nil || b.tags.Load()&^tagAbsent != 0
				if used := p.used.Load()>>i&1 != 0; used != has {
					t.Fatalf("seed %d: block %d is used: %v, want %v", seed, i, used, has)
				}
			}
		}
		Free(base, pageSize)
		if p := PageAt(base); p != nil && p.used.Load() != 0 {
			t.Fatalf("seed %d: blocks %#x of an empty page are used", seed, p.used.Load())
		}
		for _, g := range gs {
			g.Finish()
		}
	}
}

// TestForgetsClocks has a lock whose memory is used again: what was released to the old one must
// not order who acquires the new one.
func TestForgetsClocks(t *testing.T) {
	const addr = uintptr(0xc400000000)
	g, h := startThread(), startThread()
	defer g.Finish()
	defer h.Finish()
	now := g.Clock.Tick()
	g.Release(addr)
	Free(addr, 16)
	h.Acquire(addr)
	third := startThread()
	defer third.Finish()
	third.ReleaseMerge(addr) // by the old one's record, most likely
	h.Acquire(addr)
	if h.Clock.Knows(now) {
		t.Error("a new lock knows the old one's releases")
	}
	g.Release(addr)
	h.Acquire(addr)
	if !h.Clock.Knows(now) {
		t.Error("an acquire doesn't know the release")
	}
	Free(addr, 8)
}

// TestShadowConcurrently has goroutines with addresses of their own, whose lists they share.
func TestShadowConcurrently(t *testing.T) {
	const (
		base    = uintptr(0xc500000000)
		workers = 8
		slots   = 400
	)
	table := fixture.MapTable(t)
	var wg sync.WaitGroup
	for w := range uintptr(workers) {
		wg.Go(func() {
			r := rand.New(rand.NewSource(int64(w)))
			g := startThread()
			defer g.Finish()
			syncs, objs := make(map[uintptr]bool), make(map[uintptr]bool)
			for range 20000 {
				addr := base + uintptr(r.Intn(slots))*workers*8 + w*8
				// Its own records are there, whatever becomes of others on their lists: a lookup
				// that missed one would lose the order of a release and an acquire.
				if got := released(addr); got != syncs[addr] {
					t.Errorf("a variable at %#x: %v, want %v", addr, got, syncs[addr])
					return
				}
				switch r.Intn(5) {
				case 0:
					g.Release(addr)
					syncs[addr] = true
				case 1:
					g.Acquire(addr)
				case 2:
					g.AtomicRMW(addr)
					syncs[addr] = true
				case 3:
					if o := FindObject(addr, table, 0); o.Addr.Load() != addr {
						t.Errorf("the object at %#x says %#x", addr, o.Addr.Load())
						return
					}
					objs[addr] = true
				default:
					Free(addr, 8)
					delete(syncs, addr)
					delete(objs, addr)
				}
			}
			m := &shadowModel{table: table}
			for i := range uintptr(slots) {
				addr := base + i*workers*8 + w*8
				if m.knows(addr) != objs[addr] && !objs[addr] {
					t.Errorf("at %#x is not what was put there", addr)
				}
			}
		})
	}
	wg.Wait()
	Free(base, slots*workers*8)
	for a := base; a < base+slots*workers*8; a += 8 {
		if m := (&shadowModel{table: table}); released(a) || m.knows(a) {
			t.Errorf("%#x is known when all are forgotten", a)
		}
	}
}

// TestLookupIsNotLedAstray has a variable that stays while its neighbour on the list comes and
// goes, its record being used on other lists in between.
func TestLookupIsNotLedAstray(t *testing.T) {
	const (
		stays     = uintptr(0xc600001000)
		neighbour = stays + 8*fewLists // on the same list
		elsewhere = stays + 4*pageSize
	)
	g := startThread()
	defer g.Finish()
	g.Set(stays)
	var done atomic.Bool
	var wg sync.WaitGroup
	wg.Go(func() {
		defer done.Store(true)
		for range 100000 {
			for _, addr := range [...]uintptr{neighbour, elsewhere} {
				g.Set(addr)
				Free(addr, 8)
			}
		}
	})
	// Threads beyond the processors' number are stopped by the system in the middle of a lookup.
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(4 * runtime.NumCPU()))
	var missed atomic.Int32
	for range 2 * runtime.NumCPU() {
		wg.Go(func() {
			for !done.Load() {
				if !hasVar(stays) {
					missed.Add(1)
				}
			}
		})
	}
	wg.Wait()
	if n := missed.Load(); n > 0 {
		t.Errorf("a variable was missed %d times", n)
	}
	Free(stays, 8)
}
