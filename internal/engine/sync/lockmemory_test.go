// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package sync

import "testing"

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
