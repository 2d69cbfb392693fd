// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package coverage

import (
	"sync"
	"testing"

	"github.com/commutego/commute/internal/engine/commrace"
	"github.com/commutego/commute/internal/engine/fixture"
	"github.com/commutego/commute/internal/engine/offheap"
	"github.com/commutego/commute/internal/engine/vclock"
)

// TestConcurrent has goroutines that call and lock at once, which nothing orders for the clocks: so
// however they run, each pair that may conflict is unordered, and none is there twice. Of the lock,
// each pair of places is seen in both orders or in one.
func TestConcurrent(t *testing.T) {
	Forget()
	defer Forget()
	table := fixture.MapTable(t)
	const goroutines, rounds = 8, 200
	var world vclock.World
	var object, lock offheap.AtomicRef[Object]
	var mu sync.Mutex // the lock, as it is held when that is noted
	var wg sync.WaitGroup
	clocks := make([]vclock.Thread, goroutines)
	for i := range clocks {
		world.Start(&clocks[i])
	}
	for i := range clocks {
		wg.Go(func() {
			var covered offheap.Ref[Thread]
			keys := [commrace.Keys]uint64{7}
			for n := range rounds {
				method := uint32([]int{fixture.Load, fixture.Store}[n%2])
				ThreadAt(&covered).Called(ObjectAt(&object), &clocks[i], uint64(i+1), table, method, 0,
					&keys, uintptr(1+i%2))
				mu.Lock()
				ThreadAt(&covered).Locked(ObjectAt(&lock), uint64(i+1), false, false, uintptr(1+n%3))
				mu.Unlock()
			}
			End(&covered)
		})
	}
	wg.Wait()
	all := seen()
	n := 0
	Each(func([2]uint32, [2]uintptr, uint32) { n++ })
	if n != len(all) {
		t.Errorf("%d pairs, and %d of them are others", n, len(all))
	}
	for i := range uintptr(2) {
		for j := range uintptr(2) {
			a, b := place{fixture.Load, 1 + i}, place{fixture.Store, 1 + j}
			if less(b, a) {
				a, b = b, a
			}
			if got := all[twin{a, b}]; got != "unordered" {
				t.Errorf("%v and %v are %q", a, b, got)
			}
		}
	}
	for i := range uintptr(3) {
		if got := all[twin{{0, 1 + i}, {0, 1 + i}}]; got != "both" {
			t.Errorf("a lock that all take at %d is %q", 1+i, got)
		}
	}
}
