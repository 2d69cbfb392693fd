// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package deadlock

import (
	"math/rand/v2"
	"testing"
)

// TestKnownPairs has a few pairs of locks used in turns, at any addresses: all are known from the
// second time on, with what is noted of them, and no other pair is.
func TestKnownPairs(t *testing.T) {
	for seed := range uint64(3000) {
		rnd := rand.New(rand.NewPCG(seed, 1))
		var table knownPairs
		lock := func() uintptr { return 0xc000000000 + 8*uintptr(rnd.UintN(64)) }
		for range rnd.IntN(200) {
			table.add(known{from: lock(), to: lock(), held: rnd.Uint64(), times: 1000})
		}
		pairs := make(map[known]bool)
		for len(pairs) < ways {
			pairs[known{from: lock(), to: lock(), held: rnd.Uint64()}] = true
		}
		for k := range pairs {
			if table.find(k.from, k.to, k.held) != nil {
				t.Fatalf("seed %d: %+v is known before it was added", seed, k)
			}
			table.add(k).times = uint32(k.held)
		}
		for k := range pairs {
			got := table.find(k.from, k.to, k.held)
			if got == nil || got.times != uint32(k.held) {
				t.Fatalf("seed %d: %+v is not known; found %+v", seed, k, got)
			}
			if table.find(k.from, k.to, k.held+1) != nil {
				t.Fatalf("seed %d: %+v is known with other locks held", seed, k)
			}
		}
	}
}

// librarySink has the locks that are taken at address 1 be the library's.
type librarySink struct{ Sink }

func (librarySink) Own(at *Place) bool { return at.PCs[0] != 1 }

// TestLibraryTakesAgain has the library hold a lock while the program takes another one, twice.
// Once it is known whose the first lock is, the other one counts as taken alone.
func TestLibraryTakesAgain(t *testing.T) {
	const library, program = 0xc000000000, 0xc000001000
	w, th, sink := new(World), new(Thread), librarySink{}
	take := func(lock, pc uintptr) (alone bool) {
		at := th.TakesAlone(w, lock, 0, 0)
		if alone = at != nil; !alone {
			at = th.Next(w)
		}
		at.PCs[0] = pc
		if !alone {
			th.Wants(w, lock, 0, 0, sink)
			th.Takes(w, lock, 0, 0)
		}
		return alone
	}
	for i := range 2 {
		take(library, 1)
		if take(program, 2) {
			t.Errorf("time %d: nobody asks whose the lock is that is held", i)
		}
		th.Gives(w, program, sink)
		if !take(program, 2) {
			t.Errorf("time %d: the program's lock counts as one inside of another one", i)
		}
		th.Gives(w, program, sink)
		th.Gives(w, library, sink)
	}
}
