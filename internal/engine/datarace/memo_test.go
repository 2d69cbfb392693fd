// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package datarace

import (
	"math/rand/v2"
	"testing"
)

// TestMemos has results of accesses remembered at random. What is recalled is the last result; the
// last few of a row are there.
func TestMemos(t *testing.T) {
	type access struct{ old, key Word }
	r := rand.New(rand.NewPCG(2, 8))
	var c memos
	last := map[access]Word{}
	var rows [memoRows][]access // the order in which accesses came to be in a row
	index := func(a access) (i int) {
		for i = range rows {
			if &c[i] == c.memoRow(a.old, a.key) {
				return i
			}
		}
		t.Fatal("a row of none")
		return 0
	}
	recalled := 0
	for range 20000 {
		a := access{Word(1 + r.IntN(12)), Word(1+r.IntN(12))<<epochShift | allBytes}
		row := index(a)
		held := rows[row][max(0, len(rows[row])-memoWays):]
		want := Word(0)
		for _, h := range held {
			if h == a {
				want = last[a]
			}
		}
		if m := c.memoOf(a.old, a.key); (m != nil) != (want != 0) || m != nil && m.now != want {
			t.Fatalf("%v is remembered as %v, want %d", a, m, want)
		}
		if want != 0 {
			recalled++
		} else {
			rows[row] = append(rows[row], a)
		}
		last[a] = Word(1 + r.IntN(1000))
		c.remember(a.old, a.key, last[a])
	}
	if recalled < 1000 || recalled > 19000 {
		t.Errorf("%d of 20000 are recalled", recalled)
	}
}

// TestBlocksOfSeveralSites has three goroutines read an array. The third one reads at sites whose
// memos have the same place: its reads share blocks all the same.
func TestBlocksOfSeveralSites(t *testing.T) {
	const cells = 1000
	addr := fresh(t, cells)
	p := newPair()
	defer p.end()
	c := newGoroutine(3)
	defer c.end()
	p.main.Fork(&c.clock)
	c.memory.Start(&c.clock)
	for i := range uintptr(cells) {
		p.a.memory.AccessByte(addr+i*8, Read, 3)
		p.b.memory.AccessByte(addr+i*8, Read, 4)
	}
	old, now := lastRead(addr), c.memory.currentEpoch()
	var sites []uint32
	row := func(site uint32) *memoRow {
		return c.memory.memoRow(old, now|Word(site)<<siteShift|1)
	}
	for site := uint32(100); len(sites) < memoWays; site++ {
		if row(site) == row(100) {
			sites = append(sites, site)
		}
	}
	cycle()
	cycle()
	used := unitsMet()
	for i := range uintptr(cells) {
		hook(c, addr+i*8, 1, Read, sites[i%memoWays])
	}
	if n := unitsMet() - used; n < memoWays || n > 2*memoWays {
		t.Errorf("%d units for the reads at %d sites", n, memoWays)
	}
}
