// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package section

import (
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
)

// TestTableAgreesWithMap adds places and frees memory, as a map does, while the table grows.
func TestTableAgreesWithMap(t *testing.T) {
	w := new(World)
	w.Begin()
	const blocks = 1 << 15
	r := rand.New(rand.NewPCG(1, 2))
	places := make(map[uintptr]*place)
	address := func() uintptr {
		return 0xc000000000 + uintptr(r.IntN(blocks))<<blockBits + uintptr(r.IntN(8))*32
	}
	for range 60_000 {
		addr := address()
		switch r.IntN(16) {
		case 0:
			size := uintptr(1) << r.IntN(11)
			w.Freed(addr, addr+size, nil)
			for a := addr; a < addr+size; a++ {
				delete(places, a)
			}
		case 1, 2, 3:
			if w.tracked.find(addr) != places[addr] {
				t.Fatalf("%#x is found: %t", addr, places[addr] == nil)
			}
		default:
			p := w.place(addr)
			if was := places[addr]; was != nil && was != p {
				t.Fatalf("%#x has another place", addr)
			}
			places[addr] = p
		}
	}
	if n := int(w.tracked.n); n != len(places) || n < 2<<firstLog ||
		w.tracked.table().more == 0 {
		t.Errorf("%d places of %d, in %d lists", n, len(places), w.tracked.table().size())
	}
	for addr, p := range places {
		if w.tracked.find(addr) != p {
			t.Fatalf("%#x is not found", addr)
		}
	}
	w.Freed(0xc000000000, 0xc000000000+blocks<<blockBits, nil)
	if w.tracked.n != 0 {
		t.Errorf("%d places are left", w.tracked.n)
	}
}

// TestTableGrowsMeanwhile has places looked up while others are added: none is ever missed.
func TestTableGrowsMeanwhile(t *testing.T) {
	w := new(World)
	w.Begin()
	at := func(i int) uintptr { return 0xc000000000 + uintptr(i)*64 }
	const n = 1 << 15
	var added atomic.Int64
	var readers sync.WaitGroup
	for id := range 2 {
		readers.Go(func() {
			r := rand.New(rand.NewPCG(3, uint64(id)))
			for done := added.Load(); done < n; done = added.Load() {
				if done == 0 {
					continue
				}
				for range 64 {
					i := r.IntN(int(done))
					if p := w.tracked.find(at(i)); p == nil || p.addr.Load() != at(i) {
						t.Errorf("place %d of %d is missed", i, done)
						return
					}
				}
			}
		})
	}
	for i := range n {
		w.place(at(i))
		added.Store(int64(i + 1))
	}
	readers.Wait()
}
