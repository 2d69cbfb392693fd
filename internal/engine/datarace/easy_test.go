// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package datarace

import (
	"math/rand/v2"
	"testing"

	"github.com/commutego/commute/internal/engine/atomicity"
	"github.com/commutego/commute/internal/engine/instance"
	"github.com/commutego/commute/internal/engine/predict"
	"github.com/commutego/commute/internal/event"
)

// TestEasyAgreesWithLong has three goroutines access two cells alike, at random, one by what is
// easy where it is, the other by the long way alone. Each access races with a write, a read or
// nothing in both. In the last third of the sequences the cell is a lock's: it is written plainly
// once, and then mostly atomically.
func TestEasyAgreesWithLong(t *testing.T) {
	n := 4000
	if testing.Short() || underRace {
		n /= 10
	}
	r := rand.New(rand.NewPCG(1, 23))
	easy, blocks, earlier, races := map[event.Access]int{}, 0, 0, 0
	var quick, long uintptr
	for seq := range n + n/2 {
		p := newPair()
		c := newGoroutine(3)
		p.main.Fork(&c.clock)
		c.memory.Start(&c.clock)
		list := []*goroutine{p.a, p.b, c}
		if seq%40 == 0 { // else what their pages have is told from before
			quick, long = fresh(t, 1), fresh(t, 1)
		}
		bytes, g, lock := 1+r.IntN(8), p.a, seq >= n
		if lock {
			for _, addr := range []uintptr{quick, long} {
				g.memory.Access(addr, 4, Write, 5)
			}
			g.pass(p.b)
			g.pass(c)
		}
		for step := range 60 {
			switch op := r.IntN(16); {
			case op < 4:
				last := g
				if g = list[r.IntN(3)]; op > 0 {
					last.pass(g)
				}
				continue
			case op < 6:
				g.next()
				continue
			}
			kind, at, site := Read, uintptr(r.IntN(bytes)), uint32(10+r.IntN(40))
			switch r.IntN(10) {
			case 0, 1, 2:
				kind = Write
			case 3:
				kind |= Atomic
			case 4:
				kind = Write | Atomic
			}
			if lock && r.IntN(10) > 0 {
				kind, at = Write|Atomic, 0
			}
			g.memory.currentEpoch()
			var one, other Race
			if now := g.clock.EpochID(); !repeats(now, quick+at, 1, kind, kind&Atomic == 0) {
				cell := CellOf(quick + at)
				if kind&Atomic != 0 && cell.AtomicBefore(now, kind&Write == 0) &&
					!cell.Repeats(now, kind) {
					t.Fatalf("sequence %d, step %d: access %d to byte %d is no repeat", seq, step,
						kind, at)
				}
				switch {
				case kind&Write == 0 && g.memory.EasyRead(cell, now, kind, site, 0),
					kind == Write && g.memory.EasyWrite(cell, now, site, 0),
					kind == Write|Atomic && g.memory.EasyAtomicWrite(cell, now, site):
					easy[kind]++
					if w := lastWrite(quick); lock && kind == Write|Atomic {
						if w.isBlock() {
							blocks++
						} else if w.hasEarlier() {
							earlier++
						}
					}
				default:
					one = g.memory.AccessByte(quick+at, kind, site)
				}
			}
			if !repeats(g.clock.EpochID(), long+at, 1, kind, kind&Atomic == 0) {
				other = g.memory.AccessByte(long+at, kind, site)
			}
			if one.Word != 0 {
				races++
			}
			if (one.Word == 0) != (other.Word == 0) || one.Word != 0 && one.Wrote != other.Wrote {
				t.Fatalf("sequence %d, step %d: access %d to byte %d at site %d races with "+
					"site %d (%v), by the long way %d (%v)", seq, step, kind, at, site, one.Site(),
					one.Wrote, other.Site(), other.Wrote)
			}
		}
		c.end()
		p.end()
		Free(quick, 8)
		Free(long, 8)
	}
	t.Logf("%d reads, %d atomic ones, %d writes and %d atomic ones were easy, %d of these "+
		"in blocks, %d with an earlier one, %d races",
		easy[Read], easy[Read|Atomic], easy[Write], easy[Write|Atomic], blocks, earlier, races)
	if easy[Read] < 2*n || easy[Read|Atomic] < n/4 || easy[Write] < n ||
		easy[Write|Atomic] < n/20 || blocks < n/4 || earlier < n || races < n/2 {
		t.Error("few accesses are easy, or race")
	}
}

// TestRangesInTransactions has transactions run: then an access to several cells is to draw the
// edges from those of others before.
func TestRangesInTransactions(t *testing.T) {
	Counts = func(uint32) bool { return true }
	t.Cleanup(func() { Counts = nil })
	p := newPair()
	defer p.end()
	addr := fresh(t, 16)
	p.a.memory.Access(addr, 64, Read, 3)
	p.a.pass(p.b)
	p.b.memory.Access(addr, 8, Write, 4) // so it has asked for what it knows of the other
	var txn atomicity.Thread
	p.a.memory.SetTransactions(&txn, new(predict.Thread))
	instance.Transactions.Begin(&txn, &p.a.clock, &atomicity.AtomicCode{Name: "f"})
	write := func(addr uintptr) (done uintptr) {
		now := uint64(p.b.memory.currentEpoch())
		return p.b.memory.QuickRange(addr, 16, now, Write, 5, 0) - addr
	}
	if done := write(addr + 16); done != 0 {
		t.Errorf("%d bytes are written while a transaction runs", done)
	}
	var v violations
	instance.Transactions.End(&txn, &v)
	if done := write(addr + 16); done != 16 {
		t.Errorf("%d bytes of 16 are written after it", done)
	}
}
