// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package datarace

import (
	"math/rand/v2"
	"testing"

	"github.com/commutego/commute/internal/event"
)

// TestEasyAgreesWithLong has three goroutines access two cells alike, at random, one by what is
// easy where it is, the other by the long way alone. Each access races with a write, a read or
// nothing in both.
func TestEasyAgreesWithLong(t *testing.T) {
	n := 4000
	if testing.Short() || underRace {
		n /= 10
	}
	r := rand.New(rand.NewPCG(1, 23))
	easy, races := map[event.Access]int{}, 0
	for seq := range n {
		p := newPair()
		c := newGoroutine(3)
		p.main.Fork(&c.clock)
		c.memory.Start(&c.clock)
		list := []*goroutine{p.a, p.b, c}
		quick, long := fresh(t, 1), fresh(t, 1)
		bytes, g := 1+r.IntN(8), p.a
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
			if r.IntN(3) == 0 {
				kind = Write
			}
			g.memory.currentEpoch()
			var one, other Race
			if now := g.clock.EpochID(); !repeats(now, quick+at, 1, kind, true) {
				cell := CellOf(quick + at)
				switch {
				case kind == Read && g.memory.EasyRead(cell, now, site, 0),
					kind == Write && g.memory.EasyWrite(cell, now, site, 0):
					easy[kind]++
				default:
					one = g.memory.AccessByte(quick+at, kind, site)
				}
			}
			if !repeats(g.clock.EpochID(), long+at, 1, kind, true) {
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
	}
	t.Logf("%d reads and %d writes were easy, %d races", easy[Read], easy[Write], races)
	if easy[Read] < 2*n || easy[Write] < n || races < n/2 {
		t.Error("few accesses are easy, or race")
	}
}
