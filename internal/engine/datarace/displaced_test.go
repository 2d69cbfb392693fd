// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package datarace

import (
	"math/rand"
	"testing"

	"github.com/commutego/commute/internal/engine/atomicity"
	"github.com/commutego/commute/internal/engine/vclock"
)

// TestDisplacedApart has the displaced reads of up to displacedWays cells of one row, and of many
// rows: none takes another's place.
func TestDisplacedApart(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	rows := make(map[*displacedRow][]uintptr)
	for full := 0; full < 20; {
		addr := uintptr(r.Int63n(1<<30)) &^ 7
		row := displacedAt(addr)
		if len(rows[row]) == displacedWays {
			continue
		}
		rows[row] = append(rows[row], addr)
		if len(rows[row]) == displacedWays {
			full++
		}
		e := &atomicity.Edge{From: vclock.Epoch(addr | 1), FromGoid: uint64(addr)}
		row.keep(e, bytesOf(addr, 8), addr)
	}
	t.Cleanup(func() { displaced = [len(displaced)]displacedRow{} })
	for row, addrs := range rows {
		for _, addr := range addrs {
			s := row.of(addr)
			if s == nil || s.n != 1 || s.reads[0].goid != uint64(addr) {
				t.Fatalf("the read of %#x is not kept beside those of %#x", addr, addrs)
			}
		}
	}
	for row, addrs := range rows {
		if len(addrs) != displacedWays {
			continue
		}
		// One more takes the place of one, and of no more.
		addr := uintptr(1 << 40)
		for displacedAt(addr) != row {
			addr += 8
		}
		e := &atomicity.Edge{From: vclock.Epoch(addr | 1), FromGoid: uint64(addr)}
		row.keep(e, bytesOf(addr, 8), addr)
		kept := 0
		for _, other := range addrs {
			if row.has(other) {
				kept++
			}
		}
		if !row.has(addr) || kept != displacedWays-1 {
			t.Fatalf("%d of %d cells are left beside a new one", kept, displacedWays)
		}
	}
}

// TestFreed has frees of random memory: each page of it is told to be freed, and of other pages
// hardly one.
func TestFreed(t *testing.T) {
	r := rand.New(rand.NewSource(2))
	wrong := 0
	for range 2000 {
		addr, size := uintptr(r.Int63n(1<<40)), uintptr(1+r.Intn(20*int(pageSize)))
		if r.Intn(50) == 0 {
			size = uintptr(r.Intn(3)) * pageSize << pageFreesBits
		}
		within, beside := addr, addr+size+uintptr(r.Int63n(1<<30))&^(pageSize-1)+pageSize
		if size > 0 {
			within += uintptr(r.Int63n(int64(size)))
		}
		before, other := freesAt(within), freesAt(beside)
		noteFree(addr, size)
		if size > 0 && !before.freed(freesAt(within)) {
			t.Fatalf("%#x is not freed with %d bytes from %#x on", within, size, addr)
		}
		if size < pageSize<<pageFreesBits && other.freed(freesAt(beside)) {
			wrong++
		}
	}
	if wrong > 10 {
		t.Errorf("of 2000 pages that were not freed, %d are told to be", wrong)
	}
}
