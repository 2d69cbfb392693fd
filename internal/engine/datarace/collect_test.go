// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package datarace

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/commutego/commute/internal/engine/host"
	"github.com/commutego/commute/internal/engine/offheap"
	"github.com/commutego/commute/internal/engine/vclock"
)

// step has the collector go through so many pages, or begin a cycle.
func step(pages uint32) {
	epochBlocks.lock.Lock()
	defer epochBlocks.lock.Unlock()
	if collector.active.Load() == 0 {
		used := epochBlocks.used
		epochBlocks.used = 1 << 30
		collect()
		epochBlocks.used = used
		return
	}
	collector.rate = pages
	collect()
}

// cycle has the collector end the cycle that it is in, if any, and go through another.
func cycle() {
	for collector.active.Load() != 0 {
		step(1 << 20)
	}
	step(0)
	for collector.active.Load() != 0 {
		step(1 << 20)
	}
}

// words calls f for the words of the cells from addr on, those in blocks as well.
func words(addr uintptr, cells int, f func(w Word)) {
	each := func(w Word) {
		if w != 0 {
			f(w)
		}
		if w.isBlock() {
			for i := range uint32(2) << w.class() {
				if v := Word(wordsOf(w.Site())[i].Load()); v.epochID() != 0 {
					f(v)
				}
			}
		}
	}
	for i := range uintptr(cells) {
		each(lastWrite(addr + i*8))
		if w := lastWrite(addr + i*8); w.hasEarlier() {
			each(findRegion(addr+i*8).earlierWrite(addr+i*8, w))
		}
		each(lastRead(addr + i*8))
		each(LastOther(addr + i*8))
	}
}

// unitsMet is how many units of blocks cells may lead to.
func unitsMet() (n uint32) {
	for i := uint32(8); i < heap.fresh; i++ {
		if s := blockState(i).Load(); s != 0 {
			n += 1 << (s&7 - 1)
		}
	}
	return n
}

// kept reports what the cells from addr on mention though it was given back.
func kept(addr uintptr, cells int) (err error) {
	words(addr, cells, func(w Word) {
		switch {
		case w.isBlock():
			if s := blockState(w.Site()).Load(); s&stateClass != w.class()+1 || !w.alive() {
				err = fmt.Errorf("block %d of class %d has the state %#x", w.Site(), w.class(), s)
			}
		case w.epochBlock().state.Load()&stateMask == stateFree:
			err = fmt.Errorf("the run %d was given back", w.epochID()>>epochBlockBits)
		case w.epochBlock().record.Load() == nil || w.epochBlock().record.Load().refs.Load() == 0:
			err = fmt.Errorf("the run %d has no life", w.epochID()>>epochBlockBits)
		}
	})
	return err
}

// prune has the oracle forget what every goroutine knows, which no access can race with.
func (m *model) prune() {
	for c := range m.cells {
		left := m.cells[c][:0]
		for _, e := range m.cells[c] {
			for _, g := range m.alive {
				if g.plain[e.who] < e.time {
					left = append(left, e)
					break
				}
			}
		}
		m.cells[c] = left
	}
}

// TestCollectorAgreesWithOracle has sequences in which the collector goes on, and what it gives
// back is used again at once.
func TestCollectorAgreesWithOracle(t *testing.T) {
	n := 4000
	if testing.Short() || underRace {
		n /= 10
	}
	r := rand.NewChaCha8([32]byte{2})
	m := newModel()
	defer m.close()
	m.collect = true
	cycles := collector.freed.Load()
	in := make([]byte, 200*eventSize)
	seen := map[string]bool{}
	for i := range n {
		r.Read(in)
		if err := m.run(in); err != nil && !seen[kindOf(err)] {
			seen[kindOf(err)] = true
			t.Errorf("sequence %d: %v", i, err)
			t.Log(story(in))
		}
	}
	if cycles = collector.freed.Load() - cycles; int(cycles) < n/8 {
		t.Errorf("%d cycles in %d sequences", cycles, n)
	}
	t.Logf("%d cycles", cycles)
}

// TestLongRun has a few goroutines go on for many epochs, at the pace that the collector sets
// itself.
func TestLongRun(t *testing.T) {
	for options := range byte(2) {
		if options > 0 && (testing.Short() || underRace) {
			break
		}
		if err := longRun(t, 2*options+1); err != nil {
			t.Fatalf("options %d: %v", 2*options+1, err)
		}
	}
}

func longRun(t *testing.T, options byte) error {
	cycle()
	r := rand.NewChaCha8([32]byte{3, options})
	m := newModel()
	defer m.close()
	m.begin(options)
	defer m.end()
	m.endless = true
	cycles, before, blocks := collector.freed.Load(), epochBlocks.used, heap.used.Load()
	most, mostUnits, met := epochBlocks.used, heap.used.Load(), cycles
	moments := 0
	in := make([]byte, 512*eventSize)
	for moments < 5*minEpochBlocks*epochBlockSize/4 {
		r.Read(in)
		for e := in; len(e) > 0; e = e[eventSize:] {
			g := m.alive[int(e[1])%len(m.alive)]
			was := g.memory.epochID
			if err := m.event(e[0], e[1], e[2], e[3]); err != nil {
				return err
			}
			if g.memory.epochID != was {
				moments++
			}
			if now := collector.freed.Load(); now != met {
				met = now
				if err := kept(m.base, window); err != nil {
					return fmt.Errorf("after cycle %d: %w", now, err)
				}
			}
		}
		m.prune()
		most, mostUnits = max(most, epochBlocks.used), max(mostUnits, heap.used.Load())
	}
	if met-cycles < 1 || most > before+2*minEpochBlocks || mostUnits > blocks+4*minUnits {
		t.Errorf("%d moments: %d cycles, %d runs, of %d before, %d units, of %d", moments,
			met-cycles, most, before, mostUnits, blocks)
	}
	if m.races < moments/100 {
		t.Errorf("%d races in %d moments", m.races, moments)
	}
	return m.rival
}

// A pair is two goroutines that don't know of each other, and the goroutine that started them.
type pair struct {
	main *vclock.Thread
	a, b *goroutine
}

func newPair() *pair {
	p := &pair{newClock(), newGoroutine(1), newGoroutine(2)}
	clocks.Start(p.main)
	for _, g := range []*goroutine{p.a, p.b} {
		p.main.Fork(&g.clock)
		g.memory.Start(&g.clock).Goid = uint64(g.id)
	}
	return p
}

// third starts one more goroutine, which knows of neither of the pair. It must end before these.
func (p *pair) third() *goroutine {
	g := newGoroutine(3)
	p.main.Fork(&g.clock)
	g.memory.Start(&g.clock)
	return g
}

func (p *pair) end() {
	p.a.end()
	p.b.end()
	p.main.End()
}

func (g *goroutine) end() {
	g.memory.End()
	g.clock.End()
}

// next has g go on to another epoch.
func (g *goroutine) next() {
	var m vclock.SingletonClock
	m.Release(&g.clock)
	m.Clear()
}

// split has the goroutines write different bytes of each cell, for which it takes a block.
func (p *pair) split(addr uintptr, cells int) {
	for i := range uintptr(cells) {
		p.a.memory.AccessByte(addr+i*8, Write, noSites+uint32(i))
		p.b.memory.AccessByte(addr+i*8+1, Write, 2)
	}
}

// TestLifeIsKept has a goroutine end whose accesses are recorded still.
func TestLifeIsKept(t *testing.T) {
	addr := fresh(t, 1)
	p := newPair()
	l := p.a.memory.Record()
	p.a.memory.Access(addr, 1, Write, 7)
	p.a.memory.End()
	p.a.memory.Start(&p.a.clock).Goid = 3
	for range 3 {
		cycle()
	}
	if l.refs.Load() != 1 || l.Goid != 1 || l.Ended.Load() != 1 {
		t.Fatalf("what is kept of the goroutine: %+v", l)
	}
	r := p.b.memory.Access(addr, 1, Read, 8)
	if r.Site() != 7 || !r.Wrote || p.b.memory.RacedWith() != l {
		t.Fatalf("race with site %d, wrote %v, by %+v", r.Site(), r.Wrote, p.b.memory.RacedWith())
	}
	Free(addr, 8)
	cycle()
	cycle()
	if l.refs.Load() != 1 || l.Goid != 1 {
		t.Errorf("the rival isn't kept: %+v", l)
	}
	p.end()
	if l.refs.Load() != 0 {
		t.Errorf("%d references to the goroutine are left", l.refs.Load())
	}
}

// TestEpochBlocksOfTheCycle has accesses be made where the collector has been already, and their
// epoch blocks be used up before it is done.
func TestEpochBlocksOfTheCycle(t *testing.T) {
	const cells = 2 * epochBlockSize
	addr := fresh(t, cells+1)
	p := newPair()
	defer p.end()
	p.a.memory.AccessByte(addr, Write, 1)
	p.b.memory.AccessByte(addr+cells*8, Write, 1)
	cycle()
	step(0)
	// it has been everywhere, and waits for step
	collector.region, collector.rate = offheap.Ref[region]{}, 0
	for i := range uintptr(cells) {
		p.a.next()
		p.a.memory.AccessByte(addr+i*8, Write, 2)
		p.b.next()
		p.b.memory.AccessByte(addr+i*8+1, Write, 3)
	}
	if collector.active.Load() == 0 {
		t.Error("the cycle was over too soon")
	}
	for range 3 {
		for collector.active.Load() != 0 {
			step(1 << 20)
		}
		if err := kept(addr, cells); err != nil {
			t.Fatal(err)
		}
		step(0)
	}
	cycle()
}

// TestLateBlock has a whole cycle go by while a goroutine is about to have a cell lead to a new
// block: what it had is lost, and no goroutine takes another's words for it.
func TestLateBlock(t *testing.T) {
	addr := fresh(t, 1)
	p := newPair()
	defer p.end()
	p.a.memory.Access(addr, 1, Write, 1)
	p.b.memory.Access(addr+1, 1, Write, 2)
	cell := CellOf(addr).region.write(addr)
	var s set
	if !s.load(Word(cell.Load())) || s.n != 2 {
		t.Fatalf("the cell has %d words", s.n)
	}
	late := p.a.memory.makeWord(&s, 0)
	cycle()
	other := fresh(t, 1)
	for range 8 { // uses what was given back
		p.a.memory.Access(other, 1, Write, 3)
		p.b.memory.Access(other+1, 1, Write, 4)
		Free(other, 8)
	}
	host.Publish64(cell, uint64(late))
	if late.alive() || s.load(late) {
		t.Error("a block is alive that no cell has had")
	}
	if r := p.a.memory.Access(addr, 8, Write, 5); r.Word != 0 {
		t.Errorf("a write races with site %d", r.Site())
	}
}

// TestNumbersAreUsedAgain has one goroutine's number become another's, which is what a third
// remembers to know.
func TestNumbersAreUsedAgain(t *testing.T) {
	addr := fresh(t, 256)
	p := newPair()
	defer p.end()
	var m vclock.SingletonClock
	p.a.memory.Access(addr, 8, Write, 1)
	old := p.a.memory.epochID
	m.Release(&p.a.clock)
	m.Acquire(&p.b.clock)
	m.Clear()
	if r := p.b.memory.Access(addr, 8, Read, 2); r.Word != 0 || *p.b.memory.lastKnown(old) != old {
		t.Fatal("what was read is not remembered to be known")
	}
	Free(addr, 8)
	for p.a.memory.epochID>>epochBlockBits == old>>epochBlockBits {
		p.a.next()
		p.a.memory.Access(addr+8, 1, Write, 3)
	}
	cycle()
	if s := epochBlockAt(old >> epochBlockBits).state.Load(); s&stateMask != stateFree {
		t.Fatalf("the run of a moment that nothing mentions has the state %d", s)
	}
	var others []*goroutine
	defer func() {
		for _, g := range others {
			g.end()
		}
	}()
	for len(others) < 2*minEpochBlocks {
		g := newGoroutine(0)
		others = append(others, g)
		p.main.Fork(&g.clock)
		g.memory.Start(&g.clock)
		g.memory.Access(addr, 8, Write, 4)
		if g.memory.epochID == old {
			if r := p.b.memory.Access(addr, 8, Write, 5); r.Site() != 4 ||
				p.b.memory.RacedWith() != g.memory.Record() {
				t.Errorf("the race is with site %d", r.Site())
			}
			return
		}
		Free(addr, 8)
	}
	t.Error("the number is not used again")
}
