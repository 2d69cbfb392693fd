// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package sync

import (
	"math/rand"
	"testing"
)

// TestAgainInTurns has a goroutine add to a few variables in turns: each is remembered, also after
// the goroutine has gone through many others.
func TestAgainInTurns(t *testing.T) {
	const base, others = uintptr(0xc860000000), 1000
	g := startThread()
	defer g.Finish()
	defer Free(base, 8*(others+8))
	add := func(i int) (again bool) {
		addr := base + 8*uintptr(i)
		if again = learnsNothing(g, addr) && ReleasesNothing(g); !again {
			g.AtomicRMW(addr)
			AcquireAtomic(g, addr)
		}
		return again
	}
	for _, turns := range []int{2, 3, 4, 5} {
		for i := range 256 * turns {
			add(i % turns)
		}
		for i := range turns {
			if !add(i) {
				t.Errorf("of %d variables in turns, that at %d is not remembered", turns, i)
			}
		}
		for i := range others {
			add(8 + i)
		}
	}
}

// TestSightings holds the last addresses against a list of them.
func TestSightings(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	var s sightings
	var last []uint64
	again, wrong := 0, 0
	for range 20000 {
		addr := uintptr(0xc000000000) + 8*uintptr(r.Intn(64))
		want := false
		for _, h := range last {
			want = want || h == sightingOf(addr)
		}
		if got := s.has(addr); got != want {
			t.Fatalf("%#x is among %x: %v, want %v", addr, last, got, want)
		}
		if got := s.note(addr); got != want {
			t.Fatalf("%#x is noted again: %v, want %v", addr, got, want)
		}
		if last = append(last, sightingOf(addr)); len(last) > 8 {
			last = last[1:]
		}
		if want {
			again++
		} else {
			wrong++
		}
	}
	if again < 1000 || wrong < 1000 {
		t.Errorf("%d addresses again, %d for the first time: too few for a test", again, wrong)
	}
}

// TestLocksOnce has a goroutine take many locks once: it remembers none of them, and those that it
// comes back to when it has taken them twice.
func TestLocksOnce(t *testing.T) {
	const base, locks = uintptr(0xc870000000), 1000
	g := startThread()
	defer g.Finish()
	defer Free(base, 16*locks)
	takes := func(addr uintptr) (known bool) {
		if known = TakesAgain(g, addr, addr, 0); !known {
			AcquireLock(g, addr)
		}
		if !LetsKnown(g, addr, false) {
			ReleaseLock(g, addr)
		}
		return known
	}
	kept := 0
	for i := range uintptr(locks) {
		takes(base + 16*i)
		if g.locks.find(base+16*i) != nil {
			kept++
		}
	}
	if kept > locks/8 { // hashes of some are the same
		t.Errorf("%d of %d locks are remembered that are taken once", kept, locks)
	}
	takes(base)
	if AcquireLock(g, base); g.locks.find(base) == nil {
		t.Error("a lock is not remembered that is taken again")
	}
	ReleaseLock(g, base)
	if !takes(base) {
		t.Error("a lock is taken for the third time, and not by the short way")
	}
	for i := range 2 { // a reader lets it go elsewhere
		ReleaseMergeLock(g, base+8)
		if known := g.locks.find(base+8) != nil; known != (i > 0) {
			t.Errorf("let go %d times elsewhere, it is remembered: %v", i+1, known)
		}
	}
}
