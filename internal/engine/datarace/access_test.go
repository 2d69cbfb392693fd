// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package datarace

import (
	"math/rand/v2"
	"testing"

	"github.com/commutego/commute/internal/engine/vclock"
	"github.com/commutego/commute/internal/event"
)

// fresh is memory of a test: no two have the same.
func fresh(t *testing.T, cells uintptr) uintptr {
	addr := 5*regionSize + uintptr(2000+used)*pageSize
	used += int((cells*8+pageSize-1)/pageSize) + 1
	t.Cleanup(func() { Free(addr, cells*8) })
	return addr
}

var used int // pages by fresh

// TestRacedWithOfARange has accesses that race in several cells, and with reads and writes of one:
// RacedWith is the goroutine that the race that is returned is with.
func TestRacedWithOfARange(t *testing.T) {
	for _, test := range []struct {
		name          string
		aFrom         uintptr
		aKind         event.Access
		bFrom         uintptr
		bKind         event.Access
		first, racing uint32
	}{
		{"two cells", 0, Write, 8, Write, 1, 1},
		{"two cells, the later first", 8, Write, 0, Write, 2, 2},
		{"a write and a read", 0, Write | Atomic, 0, Read | Atomic, 1, 1},
		{"a read and a write", 0, Read | Atomic, 0, Write | Atomic, 2, 2},
	} {
		addr := fresh(t, 2)
		p := newPair()
		p.a.memory.AccessByte(addr+test.aFrom, test.aKind, 1)
		p.b.memory.AccessByte(addr+test.bFrom, test.bKind, 2)
		var m Thread
		m.Start(p.main)
		if r := m.Access(addr, 16, Write, 3); r.Site() != test.racing ||
			m.RacedWith().Goid != uint64(test.racing) {
			t.Errorf("%s: a race with site %d, of goroutine %d", test.name, r.Site(),
				m.RacedWith().Goid)
		}
		m.End()
		p.end()
	}
}

// TestAtomicRangeKeepsPlain has an atomic write of whole cells after a plain one of the same
// goroutine: who comes later with an atomic one races with the plain one.
func TestAtomicRangeKeepsPlain(t *testing.T) {
	for _, kind := range []event.Access{Read, Write} {
		addr := fresh(t, 4)
		p := newPair()
		p.a.memory.Access(addr, 32, kind, 1)
		p.a.next()
		p.a.memory.Access(addr, 32, Write|Atomic, 2)
		if r := p.b.memory.AccessByte(addr+8, Write|Atomic, 3); r.Site() != 1 ||
			r.Wrote != (kind == Write) {
			t.Errorf("after an access of kind %d: race with site %d", kind, r.Site())
		}
		p.end()
	}
}

// TestGoroutineThatNobodyWaitedFor has one goroutine end before the next begins: that doesn't order
// them.
func TestGoroutineThatNobodyWaitedFor(t *testing.T) {
	for _, release := range []bool{false, true} {
		addr := fresh(t, 1)
		main := newClock()
		var m vclock.SingletonClock
		clocks.Start(main)
		var r Race
		for site := range uint32(2) {
			g := newGoroutine(0)
			main.Fork(&g.clock)
			g.memory.Start(&g.clock)
			if release {
				m.Release(&g.clock) // and goes on
			}
			r = g.memory.AccessByte(addr, Write, site+1)
			g.end()
			if release {
				m.Acquire(main)
			}
		}
		if r.Site() != 1 {
			t.Errorf("with a release before the access %v: no race", release)
		}
		main.End()
		m.Clear()
	}
}

// TestMoreThanFit has more readers than a block has words.
func TestMoreThanFit(t *testing.T) {
	const readers = 40
	addr := fresh(t, 1)
	main := newClock()
	clocks.Start(main)
	var gs [readers]*goroutine
	before := Forgotten()
	for i := range gs {
		g := newGoroutine(i)
		gs[i] = g
		main.Fork(&g.clock)
		g.memory.Start(&g.clock).Goid = uint64(i)
		if r := g.memory.AccessByte(addr, Read, uint32(i)); r.Word != 0 {
			t.Fatal("two reads race")
		}
		if n := Forgotten() - before; n > max(0, i+1-maxWords) || n < i+1-maxWords-2 {
			t.Fatalf("%d of %d readers are forgotten", n, i+1)
		}
	}
	var m Thread
	m.Start(main)
	r := m.AccessByte(addr, Write, 99)
	if r.Word == 0 || r.Wrote || m.RacedWith().Goid != uint64(r.Site()) {
		t.Errorf("race with site %d", r.Site())
	}
	if r := m.AccessByte(addr, Write, 99); r.Word != 0 || lastRead(addr) != 0 ||
		LastOther(addr) != 0 {
		t.Errorf("the race is told again, with site %d", r.Site())
	}
	m.End()
	for _, g := range gs {
		g.end()
	}
	main.End()
}

// TestRepeats says which accesses are left out by hooks.
func TestRepeats(t *testing.T) {
	addr := fresh(t, 6)
	p := newPair()
	defer p.end()
	a := p.a
	if Repeats(a.clock.EpochID(), addr, 8, Read) {
		t.Error("an access repeats nothing")
	}
	a.memory.Access(addr+4, 40, Write, 1)
	now := a.clock.EpochID()
	if now == 0 {
		t.Fatal("the present is unknown after an access")
	}
	for _, kind := range []event.Access{Read, Write, Read | Atomic, Write | Atomic} {
		for first := range uintptr(48) {
			for n := uintptr(1); first+n <= 48; n++ {
				want := first >= 4 && first+n <= 44
				if got := Repeats(now, addr+first, n, kind); got != want {
					t.Fatalf("after a write of bytes 4 to 43, "+
						"access %d to bytes %d to %d repeats it: %v", kind, first, first+n-1, got)
				}
			}
		}
	}
	c := CellOf(addr + 4)
	if !c.Wrote(now) || CellOf(addr+3).Wrote(now) || c.Wrote(now+1<<epochShift) ||
		c.ReadBefore(now) {
		t.Error("a byte repeats what it does not, or doesn't repeat what it does")
	}
	if c.WroteAmong(now) || c.ReadAmong(now) {
		t.Error("one access is a block")
	}

	// Of reads, and of atomic ones.
	a.memory.Access(addr, 2, Read, 2)
	a.memory.Access(addr+45, 2, Write|Atomic, 3)
	for _, test := range []struct {
		first, n uintptr
		kind     event.Access
		want     bool
	}{
		{0, 2, Read, true},
		{0, 2, Read | Atomic, true},
		{0, 2, Write, false},
		{0, 2, Write | Atomic, false},
		{0, 3, Read, false},
		{45, 2, Write | Atomic, true},
		{45, 2, Read | Atomic, true},
		{45, 1, Read, false},
		{45, 1, Write, false},
		{44, 2, Write | Atomic, false},
	} {
		if got := Repeats(now, addr+test.first, test.n, test.kind); got != test.want {
			t.Errorf("access %d to %d bytes from %d repeats one: %v", test.kind, test.n, test.first,
				got)
		}
	}

	// Others' epochs, and later ones.
	p.b.memory.Access(addr+48, 1, Write, 4)
	if Repeats(p.b.clock.EpochID(), addr+8, 8, Read) {
		t.Error("an access repeats another goroutine's")
	}
	a.next()
	if a.clock.EpochID() != 0 {
		t.Error("the present is known after a release")
	}
	a.memory.Access(addr+48, 1, Write, 5)
	if Repeats(a.clock.EpochID(), addr+8, 8, Read) {
		t.Error("an access repeats one of an earlier moment")
	}
	Free(addr+48, 8)
}

// TestNewFrom compares the front of ranges that is left out with what single bytes repeat, in two
// regions, of which each byte has an access or none.
func TestNewFrom(t *testing.T) {
	p := newPair()
	defer p.end()
	r := rand.New(rand.NewPCG(7, 7))
	const size = 64
	addr, found := 9*regionSize-size/2, 0
	for range 200 {
		var has [size]event.Access // Read, Write, or none of these
		p.a.memory.Access(addr, 1, Read, 1)
		p.a.next()
		p.b.memory.Access(addr+uintptr(r.IntN(size)), 1, Read, 2)
		for i := range has {
			has[i] = Atomic
			if r.IntN(12) > 0 {
				has[i] = event.Access(r.IntN(8)) / 7 // mostly reads
			}
			p.a.memory.Access(addr+uintptr(i), 1, has[i], uint32(10+i/16))
		}
		now := p.a.clock.EpochID()
		for range 40 {
			first := r.IntN(size)
			n := 1 + r.IntN(size-first)
			for _, kind := range []event.Access{Read, Write} {
				at := addr + uintptr(first)
				from := NewFrom(now, at, uintptr(n), kind == Write)
				for i := first; i < int(from-addr); i++ {
					if i >= first+n || has[i] == Atomic || has[i] < kind {
						t.Fatalf("kind %d, %d bytes from %d: %d is left out, has %v",
							kind, n, first, i, has)
					}
					found++
				}
				if NewFrom(0, at, uintptr(n), kind == Write) != at ||
					NewFrom(now+1<<epochShift, at, uintptr(n), kind == Write) != at ||
					NewFrom(p.b.clock.EpochID(), at, uintptr(n), true) != at {
					t.Fatal("an access repeats one of another epoch")
				}
			}
		}
		Free(addr, size)
	}
	if found < 5000 {
		t.Errorf("%d bytes are left out", found)
	}
}

// TestFree frees memory within pages, across them, and across regions.
func TestFree(t *testing.T) {
	p := newPair()
	defer p.end()
	for _, start := range []uintptr{5*regionSize + 0x3000, 5*regionSize + 0x3ff8,
		6*regionSize - pageSize - 16} {
		for _, cells := range []uintptr{1, 2, 3, 513, 1024} {
			for i := range cells + 2 {
				p.a.memory.AccessByte(start+i*8, Write, 1)
				p.b.memory.AccessByte(start+i*8+1, Read, 2)
				p.a.memory.AccessByte(start+i*8+2, Read, 3)
			}
			if !Touched(start, (cells+2)*8) {
				t.Error("nothing is there to be freed")
			}
			Free(start+8, cells*8)
			for i := range cells + 2 {
				gone := lastWrite(start+i*8) == 0 && lastRead(start+i*8) == 0
				if want := i > 0 && i <= cells; gone != want {
					t.Fatalf("%d cells from %#x on are freed; cell %d is empty: %v", cells, start+8,
						i, gone)
				}
			}
			Free(start, (cells+2)*8)
		}
	}
	Free(^uintptr(0)-4095, 4095) // there is nothing, and then the end
	Free(100*regionSize-8, 3*regionSize)
	if Touched(100*regionSize-8, 3*regionSize) || lastWrite(^uintptr(0)) != 0 ||
		lastRead(^uintptr(0)) != 0 || LastOther(^uintptr(0)) != 0 {
		t.Error("there is something in memory that nobody accessed")
	}
}

// TestHome notes where objects were allocated.
func TestHome(t *testing.T) {
	addr := fresh(t, 4)
	if AllocSite(addr) != 0 {
		t.Error("memory that nobody allocated has a home")
	}
	SetAllocSite(addr, 5)
	SetAllocSite(addr+16, 6)
	if AllocSite(addr) != 5 || AllocSite(addr+16) != 6 {
		t.Errorf("homes %d and %d", AllocSite(addr), AllocSite(addr+16))
	}
	Free(addr, 16)
	if AllocSite(addr) != 0 || AllocSite(addr+16) != 6 {
		t.Errorf("homes %d and %d after the first is freed", AllocSite(addr), AllocSite(addr+16))
	}
	SetAllocSite(^uintptr(0)-15, 5)
	if AllocSite(^uintptr(0)-15) != 0 {
		t.Error("an address beyond all memory has a home")
	}
}
