// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package datarace

import (
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/commutego/commute/internal/engine/offheap"
	"github.com/commutego/commute/internal/engine/vclock"
	"github.com/commutego/commute/internal/event"
)

// Zones of memory in the concurrent test; each has a page.
const (
	guarded  = iota // objects of 40 bytes, each with a lock
	parted          // cells of which each worker has a byte
	shared          // everybody reads what was written before they started
	atomics         // everybody reads and writes atomically
	passed          // buffers that go from worker to worker, and are freed on the way
	children        // what a goroutine writes for the one that waits for it
	racy            // no goroutine waits for another
	zones
)

const (
	workers = 8
	objects = 32
	buffers = 16
)

func zone(z int) uintptr { return 5*regionSize + uintptr(1000+z)*pageSize }

// siteIn is the site of an access by a worker to a zone.
func siteIn(z, worker int) uint32 { return uint32(noSites | z<<8 | worker) }

func placeOf(site uint32) (z, worker int) { return int(site >> 8 & 15), int(site & 255) }

// A mutex is a lock of the program under test, and its clock.
type mutex struct {
	sync.Mutex
	mark vclock.SingletonClock
}

func (m *mutex) lock(g *goroutine) {
	m.Lock()
	m.mark.Acquire(&g.clock)
}

func (m *mutex) unlock(g *goroutine) {
	m.mark.Release(&g.clock)
	m.Unlock()
}

// A buffer's number goes through the channel, with the clock of the goroutine that sent it.
type buffer struct {
	number int
	mark   *vclock.SingletonClock
}

// A hall is where workers work.
type hall struct {
	t     *testing.T
	lock  [objects]mutex
	ch    chan buffer
	races atomic.Int64
	wrong atomic.Int64
	stop  atomic.Bool
}

// access makes an access, as hooks do, that must not be in a race outside of the racy zone.
func (h *hall) access(g *goroutine, z int, off, n uintptr, kind event.Access) {
	r, _ := hook(g, zone(z)+off, n, kind, siteIn(z, g.id))
	with, other := placeOf(r.Site())
	switch {
	case r.Word == 0:
	case z == racy && with == racy && other != g.id:
		h.races.Add(1)
		if l := g.memory.RacedWith(); l == nil || l.Goid == uint64(g.id) {
			h.wrong.Add(1)
		}
	default:
		if h.wrong.Add(1) < 5 {
			h.t.Errorf("worker %d races in zone %d at %d: zone %d, worker %d", g.id, z,
				r.Addr-zone(z), with, other)
		}
	}
}

// work is what a worker does; g is its alone.
func (h *hall) work(g *goroutine, rounds int) {
	r := rand.New(rand.NewPCG(1, uint64(g.id)))
	for range rounds {
		switch kind := event.Access(r.IntN(2)); r.IntN(8) {
		case 0, 1:
			o := r.IntN(objects)
			h.lock[o].lock(g)
			for range 1 + r.IntN(4) {
				n := [...]int{1, 1, 1, 8, 13, 40}[r.IntN(6)]
				h.access(g, guarded, uintptr(o*40+r.IntN(41-n)), uintptr(n), kind)
			}
			h.lock[o].unlock(g)
		case 2, 3:
			for range 8 {
				h.access(g, parted, uintptr(r.IntN(512)*8+g.id%8), 1, kind)
			}
			if r.IntN(4) == 0 {
				g.next()
			}
		case 4:
			h.access(g, shared, uintptr(r.IntN(64)), uintptr(1+r.IntN(40)), Read)
		case 5:
			h.access(g, atomics, uintptr(r.IntN(16)), 1, kind|Atomic)
		case 6:
			h.pass(g, r)
		case 7:
			h.access(g, racy, uintptr(r.IntN(64)), uintptr(1+r.IntN(8)), kind)
		}
		if r.IntN(64) == 0 {
			h.child(g)
		}
	}
}

// pass takes a buffer, uses it and hands it on.
func (h *hall) pass(g *goroutine, r *rand.Rand) {
	b := <-h.ch
	b.mark.Acquire(&g.clock)
	off := uintptr(b.number) * 128
	h.access(g, passed, off, 128, event.Access(r.IntN(2)))
	h.access(g, passed, off+uintptr(r.IntN(100)), 20, event.Access(r.IntN(2)))
	if !underRace && r.IntN(4) == 0 { // Free clears without atomics
		Free(zone(passed)+off, 128)
	}
	b.mark.Release(&g.clock)
	h.ch <- b
}

// child starts another goroutine, and waits for it.
func (h *hall) child(g *goroutine) {
	off := uintptr(g.id) * 64
	h.access(g, children, off, 32, Write)
	c := newGoroutine(g.id + workers)
	g.clock.Fork(&c.clock)
	c.memory.Start(&c.clock).Goid = uint64(c.id)
	var mu mutex
	done := make(chan bool)
	go func() {
		h.access(c, children, off, 40, Write)
		mu.lock(c)
		c.memory.End()
		mu.unlock(c)
		c.clock.End()
		done <- true
	}()
	<-done
	mu.lock(g)
	h.access(g, children, off, 40, Read)
	mu.unlock(g)
	mu.mark.Clear()
}

// TestConcurrently has workers on several processors access memory while the collector goes through
// it. All races are in the zone for them; and when all stand still, what they did last can be raced
// with, but for a few that were written over by a neighbour at the same instant.
func TestConcurrently(t *testing.T) {
	rounds := 30000
	if testing.Short() || underRace {
		rounds /= 10
	}
	for range 3 {
		cycle()
	}
	blocks, runs, cycles := unitsMet(), epochBlocks.used, collector.freed.Load()

	h := &hall{t: t, ch: make(chan buffer, buffers)}
	main := newGoroutine(255)
	clocks.Start(&main.clock)
	main.memory.Start(&main.clock)
	for i := range buffers {
		b := buffer{i, new(vclock.SingletonClock)}
		b.mark.Release(&main.clock)
		h.ch <- b
	}
	h.access(main, shared, 0, 128, Write)
	var gs []*goroutine
	var wg, collectors sync.WaitGroup
	for i := range workers {
		g := newGoroutine(i)
		gs = append(gs, g)
		main.clock.Fork(&g.clock)
		g.memory.Start(&g.clock).Goid = uint64(i)
		wg.Go(func() {
			for c := range uintptr(512) { // each has each
				h.access(g, parted, c*8+uintptr(i), 1, Write)
			}
			h.work(g, rounds)
		})
	}
	collectors.Go(func() {
		for !h.stop.Load() {
			step(4 << 8)
			runtime.Gosched()
		}
	})
	wg.Wait()
	h.stop.Store(true)
	collectors.Wait()

	for z := range zones {
		if err := kept(zone(z), int(pageSize/8)); err != nil {
			t.Errorf("zone %d: %v", z, err)
		}
	}
	missed := 0
	for i := range uintptr(512 * 8) {
		r := main.memory.AccessByte(zone(parted)+i, Write, noSites)
		if r.Site() != siteIn(parted, int(i%8)) || main.memory.RacedWith().Goid != uint64(i%8) {
			missed++
		}
	}
	if missed > 8 || h.races.Load() == 0 || h.wrong.Load() > 0 {
		t.Errorf("%d bytes were not raced with; %d races, %d wrong ones", missed, h.races.Load(),
			h.wrong.Load())
	}
	t.Logf("%d races, %d cycles, %d bytes are lost", h.races.Load(), collector.freed.Load()-cycles,
		missed)

	for _, g := range append(gs, main) {
		g.end()
	}
	Free(zone(0), zones*pageSize)
	for range 3 {
		cycle()
	}
	if unitsMet() != blocks || epochBlocks.used != runs {
		t.Errorf("%d units and %d runs are in use in the end, %d and %d before", unitsMet(),
			epochBlocks.used, blocks, runs)
	}
}

// TestBlocksWhileCollected has the collector go through blocks while a worker changes its own words
// there. The other's, each of an epoch block of its own, must be found.
func TestBlocksWhileCollected(t *testing.T) {
	rounds := 2000
	if testing.Short() || underRace {
		rounds /= 10
	}
	const cells = 512
	p := newPair()
	defer p.end()
	for round := range rounds {
		p.a.next()
		p.a.memory.Access(zone(parted), 1, Write, 1)
		for c := range uintptr(cells) {
			p.a.memory.AccessByte(zone(parted)+c*8, Write, 1)
			p.b.memory.epochID |= epochBlockSize - 1 // the run is used up
			p.b.next()
			p.b.memory.AccessByte(zone(parted)+c*8+1, Write, 2)
		}
		p.b.memory.epochID |= epochBlockSize - 1
		p.b.next()
		p.b.memory.Access(zone(passed), 1, Write, 2)
		p.a.next()
		p.a.memory.Access(zone(passed)+8, 1, Write, 1)
		for collector.active.Load() != 0 {
			step(1 << 20)
		}
		step(0)
		collector.region = offheap.To(findRegion(zone(parted)))
		collector.page = zone(parted) >> pageBits & (pages - 1) // all before is empty
		var wg sync.WaitGroup
		var begun atomic.Bool
		wg.Go(func() {
			begun.Store(true)
			for c := range uintptr(cells) {
				p.a.memory.AccessByte(zone(parted)+c*8, Write, 1)
			}
		})
		for !begun.Load() {
			runtime.Gosched()
		}
		for collector.active.Load() != 0 {
			step(1 << 20)
		}
		wg.Wait()
		if err := kept(zone(parted), cells); err != nil {
			t.Fatalf("round %d: %v", round, err)
		}
		Free(zone(0), zones*pageSize)
	}
}
