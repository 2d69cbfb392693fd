// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package datarace

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/commutego/commute/internal/engine/vclock"
)

// TestAskedIsWhatTheClockSays has more threads than asked has places learn of each other, end and
// start. What they are asked for is compared with their clocks, and answers that are sure, too.
func TestAskedIsWhatTheClockSays(t *testing.T) {
	var world vclock.World
	type thread struct {
		clock *vclock.Thread
		asked asked
	}
	r := rand.New(rand.NewPCG(1, 2))
	root := newClock()
	world.Start(root)
	threads := make([]*thread, 2*slotsAsked)
	for i := range threads {
		threads[i] = &thread{clock: newClock()}
		root.Fork(threads[i].clock)
	}
	var past []vclock.Epoch
	known, unknown, sure := 0, 0, 0
	for range 200_000 {
		g, h := threads[r.IntN(len(threads))], threads[r.IntN(len(threads))]
		switch n := r.IntN(100); {
		case n < 8:
			past = append(past, g.clock.Tick())
		case g == h:
		case n < 11:
			s := h.clock.RemoteSnapshot()
			g.clock.Join(&s)
			s.Drop()
		case n < 12:
			g.clock.Rendezvous(h.clock)
		case n < 13 && r.IntN(4) == 0:
			if r.IntN(2) == 0 { // then its slot may be the next one's
				s := h.clock.RemoteSnapshot()
				g.clock.Join(&s)
				s.Drop()
			}
			h.clock.End()
			*h = thread{clock: newClock()}
			g.clock.Fork(h.clock)
		case n < 14 && r.IntN(40) == 0:
			g.clock.JoinAll()
		case len(past) > 0:
			e := past[max(0, len(past)-1-r.IntN(500))]
			want := g.clock.Knows(e)
			if got, isSure := g.asked.answer(g.clock, e); isSure {
				if sure++; got != want {
					t.Fatalf("the answer for %#x is %v, the clock's %v", uint64(e), got, want)
				}
			}
			if got := g.asked.knows(g.clock, e); got != want {
				t.Fatalf("%#x is known: %v, says the clock %v", uint64(e), got, want)
			} else if got {
				known++
			} else {
				unknown++
			}
		}
	}
	if known < 5_000 || unknown < 10_000 || sure < 10_000 {
		t.Errorf("%d are known, %d unknown, %d answers sure", known, unknown, sure)
	}
	for _, g := range threads {
		g.clock.End()
	}
	root.End()
}

// A reading is a read of one byte, in TestManyReaders.
type reading struct {
	who, time int
	epochID   uint32
	site      uint32
}

// TestManyReaders has more goroutines read bytes of a cell than a block has places. The oracle is
// the list of all reads that no later one of the byte knows: each must be recorded. One may be
// forgotten only where there are too many.
func TestManyReaders(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	runs, forgot, kept, most := 300, 0, 0, 0
	for run := range runs {
		n, learn := 4+r.IntN(20), 1+r.IntN(40)
		m := newReaders(t, n)
		for range 150 {
			g, h := r.IntN(n), r.IntN(n)
			switch k := r.IntN(100); {
			case k < learn && g != h:
				m.learn(g, h)
			case k < 45:
				m.list[g].next()
				m.times[g][g]++
			default:
				ok, words := m.read(g, r.IntN(1+run%8))
				most = max(most, words)
				if ok {
					kept++
				} else {
					forgot++
				}
			}
			if t.Failed() {
				t.Fatalf("in run %d of %d goroutines", run, n)
			}
		}
		m.end()
	}
	if forgot < 20 || kept < 10_000 || most < maxWords {
		t.Errorf("%d reads are kept, %d have one forgotten; %d words", kept, forgot, most)
	}
}

// readers is goroutines that read one cell.
type readers struct {
	t     *testing.T
	root  *vclock.Thread
	list  []*goroutine
	times [][]int // their plain clocks
	addr  uintptr
	reads [8][]reading
	site  uint32
}

func newReaders(t *testing.T, n int) *readers {
	m := &readers{t: t, root: newClock(), addr: 5*regionSize + 1999*pageSize, site: noSites}
	clocks.Start(m.root)
	for i := range n {
		g := newGoroutine(i)
		m.root.Fork(&g.clock)
		g.memory.Start(&g.clock)
		m.list = append(m.list, g)
		m.times = append(m.times, make([]int, n))
		m.times[i][i] = 1
	}
	return m
}

func (m *readers) end() {
	for _, g := range m.list {
		s := g.clock.RemoteSnapshot()
		m.root.Join(&s)
		s.Drop()
		g.end()
	}
	m.root.End()
	Free(m.addr, 8)
	forgetMixtures()
}

// learn has goroutine g know what h does.
func (m *readers) learn(g, h int) {
	s := m.list[h].clock.RemoteSnapshot()
	m.list[g].clock.Join(&s)
	s.Drop()
	for i, v := range m.times[h] {
		m.times[g][i] = max(m.times[g][i], v)
	}
	m.times[g][g]++
	m.times[h][h]++ // what h does from now on is later
}

// read has g read a byte, and reports whether nothing was forgotten, and how many words there are.
func (m *readers) read(g, at int) (ok bool, words int) {
	addr, before := m.addr+uintptr(at), Forgotten()
	memory, clock := &m.list[g].memory, &m.list[g].clock
	m.site++
	memory.currentEpoch()
	if !repeats(clock.EpochID(), addr, 1, Read, true) &&
		!memory.EasyRead(CellOf(addr), clock.EpochID(), Read, m.site, 0) &&
		!memory.QuickRead(CellOf(addr), clock.EpochID(), m.site, 0) {
		memory.AccessByte(addr, Read, m.site)
	}
	again := slices.ContainsFunc(m.reads[at], func(v reading) bool {
		return v.who == g && v.epochID == memory.epochID
	})
	if !again { // else the read adds nothing, whatever the goroutine has learned since
		m.reads[at] = append(slices.DeleteFunc(m.reads[at], func(v reading) bool {
			return m.times[g][v.who] >= v.time
		}), reading{g, m.times[g][g], memory.epochID, m.site})
	}
	ids := map[uint32]bool{}
	for _, list := range m.reads {
		for _, v := range list {
			ids[v.epochID] = true
		}
	}
	if Forgotten() != before {
		if len(ids) <= maxWords {
			m.t.Errorf("of %d words one is forgotten", len(ids))
		}
		Free(m.addr, 8)
		m.reads = [8][]reading{}
		return false, len(ids)
	}
	m.check()
	return true, len(ids)
}

// check looks for each of the reads.
func (m *readers) check() {
	sites := map[[2]uint32]bool{}
	for _, w := range [...]Word{lastRead(m.addr), LastOther(m.addr)} {
		var s set
		s.load(w)
		for _, v := range s.word[:s.n] {
			for b := range uint32(8) {
				if v>>b&1 != 0 {
					sites[[2]uint32{b, v.among(1 << b).Site()}] = true
				}
			}
		}
	}
	for b, list := range m.reads {
		for _, v := range list {
			if !sites[[2]uint32{uint32(b), v.site}] {
				m.t.Errorf("the read of byte %d at site %d by %d is not recorded", b, v.site, v.who)
			}
		}
	}
}
