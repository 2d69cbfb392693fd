// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package sync

import (
	"maps"
	"math/rand"
	"testing"

	"github.com/commutego/commute/internal/engine/option"
	"github.com/commutego/commute/internal/engine/vclock"
)

// An againModel has for each goroutine and address the set of events that it knows, or that were
// released there. The goroutines leave out what they are told that they may leave out.
type againModel struct {
	t      *testing.T
	r      *rand.Rand
	gs     []*Thread
	addrs  []uintptr
	events []vclock.Epoch // in the call clocks, 0 if it is none there
	orders []vclock.Epoch // in the order clocks
	weaks  []vclock.Epoch // in the weak clocks
	knows  []map[int]bool // by goroutine
	at     []map[int]bool // by address
	looks  bool           // they look at the blocks of addresses, too, as the hooks do
	// Acquires and releases that were left out, and those of them after a look.
	idle [4]int
}

// learnsNothing is what the hooks ask before an acquire.
func learnsNothing(g *Thread, addr uintptr) bool {
	return LearnsNothing(g, addr) || LearnsAgain(g, addr)
}

// acquireTwice acquires what there is at an address, and comes back to it.
func acquireTwice(g *Thread, addr uintptr) {
	AcquireAtomic(g, addr)
	AcquireAtomic(g, addr)
}

func newAgainModel(t *testing.T, seed int64) *againModel {
	m := &againModel{t: t, r: rand.New(rand.NewSource(seed)), looks: seed%5 < 2}
	for range 3 {
		g := startThread()
		if seed%2 == 0 {
			g.locks.others = few // it has a list as soon as it comes to another address
		}
		if WeakClocks() {
			g.Follow(false)
		}
		m.gs = append(m.gs, g)
		m.knows = append(m.knows, map[int]bool{})
	}
	const base = uintptr(0xc800000000)
	// More than a block has room for, and of another block.
	offs := []uintptr{0, 8, 16, 24, 32, BlockSize, pageSize}
	if walksIn(seed) {
		for i := range uintptr(16) { // more than a goroutine knows to have seen
			offs = append(offs, 2*BlockSize+96*i)
		}
	}
	for _, off := range offs {
		m.addrs = append(m.addrs, base+off)
		m.at = append(m.at, map[int]bool{})
	}
	return m
}

// acquire is what the hook of a load does, or that which comes after an atomic operation.
func (m *againModel) acquire(i, j int) {
	switch g, addr := m.gs[i], m.addrs[j]; {
	case LearnsNothing(g, addr):
		m.idle[0]++
	case m.looks && LooksKnown(g, addr):
		m.idle[2]++
	case LoadsAgain(g, addr):
		m.idle[0]++
	default:
		AcquireAtomic(g, addr)
	}
	maps.Copy(m.knows[i], m.at[j])
}

// leavesOut reports whether the hook of a store, or the like, leaves it out.
func (m *againModel) leavesOut(i, j int) bool {
	switch g, addr := m.gs[i], m.addrs[j]; {
	case LearnsNothing(g, addr):
		if !ReleasesNothing(g) {
			return false
		}
	case m.looks:
		if idle, sure := LooksReleased(g, addr); idle || sure {
			if idle {
				m.idle[3]++
			}
			return idle
		}
		fallthrough
	default:
		if !LearnsAgain(g, addr) || !ReleasesNothing(g) {
			return false
		}
	}
	m.idle[1]++
	return true
}

// walksIn reports whether goroutines walk from address to address every now and then, in the run
// of a seed.
func walksIn(seed int64) bool { return seed%3 == 0 }

// step is one operation of a goroutine, most often at the address of its last one.
func (m *againModel) step(i, j int) {
	g, addr := m.gs[i], m.addrs[j]
	switch m.r.Intn(12) {
	case 0, 1, 2, 3:
		m.acquire(i, j)
	case 4, 5:
		if !m.leavesOut(i, j) {
			g.Release(addr)
		}
		m.at[j] = maps.Clone(m.knows[i])
	case 6, 7, 8:
		if !m.leavesOut(i, j) {
			g.AtomicRMW(addr)
		}
		maps.Copy(m.knows[i], m.at[j])
		m.at[j] = maps.Clone(m.knows[i])
		m.acquire(i, j)
	case 9:
		g.ReleaseMerge(addr)
		maps.Copy(m.at[j], m.knows[i])
	case 10:
		m.knows[i][len(m.events)] = true
		var call, order, weak vclock.Epoch
		if OrderClocks() && (!g.order.Nil() || m.r.Intn(4) == 0) {
			order = orderClock(g).Thread.Tick()
		}
		if g.Weak.Started() && m.r.Intn(2) == 0 {
			weak = g.Weak.Clock.P().Thread.Tick()
		}
		if order|weak == 0 || m.r.Intn(2) == 0 {
			call = g.Clock.Tick()
		}
		m.events, m.orders = append(m.events, call), append(m.orders, order)
		m.weaks = append(m.weaks, weak)
	case 11:
		if m.r.Intn(4) == 0 {
			Free(addr, 8)
			m.at[j] = map[int]bool{}
		}
	}
}

// check compares what the goroutines know.
func (m *againModel) check(seed int64, step int) {
	for i, g := range m.gs {
		for e, epoch := range m.events {
			m.checkWeak(i, e, seed, step)
			if got := g.Clock.Knows(epoch); epoch != 0 && got != m.knows[i][e] {
				m.t.Fatalf("seed %d, step %d: goroutine %d knows event %d: %v, want %v",
					seed, step, i, e, got, m.knows[i][e])
			}
			if order := m.orders[e]; order != 0 {
				got := !g.order.Nil() && g.order.P().Thread.Knows(order)
				if got != m.knows[i][e] {
					m.t.Fatalf("seed %d, step %d: goroutine %d knows event %d by the order clock: "+
						"%v, want %v", seed, step, i, e, got, m.knows[i][e])
				}
			}
		}
	}
}

// checkWeak compares what a goroutine knows of an event by the weak clock.
func (m *againModel) checkWeak(i, e int, seed int64, step int) {
	if epoch := m.weaks[e]; epoch != 0 {
		if got := m.gs[i].Weak.Clock.P().Thread.Knows(epoch); got != m.knows[i][e] {
			m.t.Fatalf("seed %d, step %d: goroutine %d weakly knows event %d: %v, want %v",
				seed, step, i, e, got, m.knows[i][e])
		}
	}
}

// TestAgain holds what goroutines know against sets of events, where they leave out operations that
// tell them nothing.
func TestAgain(t *testing.T) { againAsModel(t) }

// TestAgainOrdered does so while there are order clocks, which some goroutines have.
func TestAgainOrdered(t *testing.T) {
	if wordBits != 64 {
		t.Skip("addresses have no room for the mark of an order clock")
	}
	SetOrderClocks(true)
	defer SetOrderClocks(false)
	againAsModel(t)
}

// TestAgainWeakly does so while there are weak clocks, and TestAgainBoth with order clocks besides.
func TestAgainWeakly(t *testing.T) {
	weakly(t)
	againAsModel(t)
}

func TestAgainBoth(t *testing.T) {
	weakly(t)
	SetOrderClocks(true)
	defer SetOrderClocks(false)
	againAsModel(t)
}

func againAsModel(t *testing.T) {
	var idle [4]int
	for seed := range int64(2500) {
		m := newAgainModel(t, seed)
		i, j := 0, 0
		for step := range 150 {
			if m.r.Intn(4) == 0 {
				i = m.r.Intn(len(m.gs))
			}
			if m.r.Intn(6) == 0 {
				j = m.r.Intn(len(m.addrs))
			}
			if walksIn(seed) && step/25%2 == 0 {
				j = (j + 1) % len(m.addrs)
			}
			m.step(i, j)
			m.check(seed, step)
		}
		for _, addr := range m.addrs {
			Free(addr, 8)
		}
		for _, g := range m.gs {
			g.Finish()
		}
		for k := range idle {
			idle[k] += m.idle[k]
		}
	}
	looks := !WeakClocks()
	if idle[0] < 1000 || idle[1] < 1000 || looks && (idle[2] < 1000 || idle[3] < 200) {
		t.Errorf("%v acquires and releases were left out, which is too few to test them", idle)
	}
}

// TestAgainUnderLock has a goroutine release something in a critical section, where it is told that
// an operation before tells nothing: the section's first release is noted all the same.
func TestAgainUnderLock(t *testing.T) {
	if wordBits != 64 {
		t.Skip("addresses have no room for the mark of an order clock")
	}
	SetOrderClocks(true)
	defer SetOrderClocks(false)
	const addr, lock = uintptr(0xc800200000), uintptr(0xc800300000)
	g := startThread()
	defer g.Finish()
	defer Free(addr, BlockSize)
	for range 2 {
		g.AtomicRMW(addr)
		AcquireAtomic(g, addr)
	}
	if !learnsNothing(g, addr) || !ReleasesNothing(g) {
		t.Fatal("an operation that changes nothing is made again")
	}
	if TakeLock(g, lock, 0) == nil {
		t.Fatal("the lock is not held alone")
	}
	if !learnsNothing(g, addr) || ReleasesNothing(g) {
		t.Error("the first release in a critical section is left out")
	}
	g.AtomicRMW(addr)
	AcquireAtomic(g, addr)
	if !learnsNothing(g, addr) || !ReleasesNothing(g) {
		t.Error("the second release in a critical section is made again")
	}
	LetLock(g, lock)
}

// TestTakesAgain has sections of a lock that order what they release: who takes the lock has to
// look, unless it has done so, and has learned nothing since.
func TestTakesAgain(t *testing.T) {
	if wordBits != 64 {
		t.Skip("addresses have no room for the mark of an order clock")
	}
	SetOrderClocks(true)
	defer SetOrderClocks(false)
	option.Parse("deadlock=fail")
	defer option.Reset()
	const lock = uintptr(0xc800400000)
	g, h := startThread(), startThread()
	g.locks.others = few
	defer g.Finish()
	defer h.Finish()
	defer Free(lock, BlockSize)
	ReleaseLock(g, lock)
	AcquireLock(g, lock)
	AcquireLock(g, lock)
	if !TakesAgain(g, lock, lock, 0) {
		t.Error("a lock that tells nothing is not known")
	}
	c, of := &orderClock(g).Thread, &orderClock(h).Thread
	takes := func() (known bool) {
		AcquireLock(g, lock)
		known = TakesAgain(g, lock, lock, 0)
		if quick := TakesOrdered(g, lock, lock, 0) != nil; quick != known {
			t.Errorf("taken at once: %v, want %v", quick, known)
		}
		LetAlone(g, lock)
		TakeLock(g, lock, 0)
		LetLock(g, lock)
		return known
	}
	looksOnce := func(when string) {
		t.Helper()
		if takes() {
			t.Errorf("%s, and nobody looks for sections", when)
		}
		if !takes() {
			t.Errorf("%s, and what was found is not remembered", when)
		}
	}
	addSection(of, lock+8, 0)
	looksOnce("there are sections in the lock's block")
	addSection(of, lock, 0)
	looksOnce("there is a section of the lock")
	begin := of.Tick()
	begun := of.Snapshot()
	end := of.Tick()
	addSection(of, lock, begin)
	looksOnce("there is another section of the lock")
	if c.Knows(end) {
		t.Error("a section is known whose begin is not")
	}
	c.Join(&begun)
	begun.Drop()
	looksOnce("the begin of a section is learned")
	if !c.Knows(end) {
		t.Error("a section is not known whose begin is")
	}
	Free(lock, 8)
	addSection(of, lock, of.Tick())
	looksOnce("the lock is another one")
}

// TestAgainInCalls has what is released in a call, which goroutines outside of calls learn as well.
func TestAgainInCalls(t *testing.T) {
	againInCalls(t, 0xc800100000)
	const full = uintptr(0xc800500000)
	g := startThread()
	defer g.Finish()
	defer Free(full, BlockSize)
	crowd(g, full)
	againInCalls(t, full+8*inBlock) // it has a common clock
}

// crowd has a block's first addresses take all singleton clocks that are in it. One more, to which
// g releases at the same epoch, has a common clock.
func crowd(g *Thread, base uintptr) {
	for i := range uintptr(inBlock) {
		g.Release(base + 8*i)
	}
}

func againInCalls(t *testing.T, addr uintptr) {
	g, h := startThread(), startThread()
	defer g.Finish()
	defer h.Finish()
	defer Free(addr, 2*8)
	g.Release(addr)
	g.Set(addr + 8) // so that the block has variables before
	acquireTwice(h, addr)
	acquireTwice(g, addr)
	if !LearnsNothing(h, addr) || !ReleasesNothing(g) {
		t.Error("operations that change nothing are made again")
	}
	g.InCall = true
	if ReleasesNothing(g) {
		t.Error("a release in a call is left out")
	}
	e := g.Clock.Tick()
	g.Release(addr)
	if g.InCall = false; LearnsNothing(h, addr) {
		t.Error("an acquire of what was released in a call is left out")
	}
	if h.Acquire(addr); !h.Clock.Knows(e) {
		t.Error("what was released in a call isn't learned")
	}
}
