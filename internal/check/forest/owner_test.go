// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package forest

import (
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"github.com/commutego/commute/internal/event"
)

// TestOwners compares owners with a map of sets.
func TestOwners(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	var o owners
	by := make(map[uint32][]uint32)
	for range 20000 {
		item, thread := r.Uint32N(40), r.Uint32N(3)
		if r.IntN(2) == 0 {
			item += r.Uint32N(1 << 20)
		}
		if r.IntN(50) == 0 {
			o.forget(item)
			delete(by, item)
			continue
		}
		o.own(item, thread)
		if !slices.Contains(by[item], thread) {
			by[item] = append(by[item], thread)
		}
	}
	numbers := make(map[uint32]bool)
	for item := range uint32(1<<20 + 100) {
		n, shared := o.number(item)
		list := by[item]
		switch {
		case shared != (len(list) > 1):
			t.Fatalf("item %d is shared: %v, by %d", item, shared, list)
		case shared && (o.items[n] != item || numbers[n]):
			t.Fatalf("item %d has number %d, which is of %d", item, n, o.items[n])
		case len(list) == 1 && o.of(item) != list[0]+1, len(list) == 0 && o.of(item) != 0:
			t.Fatalf("item %d is of %d, want %d", item, o.of(item), list)
		}
		numbers[n] = numbers[n] || shared
	}
	if len(numbers) < 50 {
		t.Errorf("%d are shared", len(numbers))
	}
}

// TestMemory wants a part of a trace to take memory for what it has, not for what the trace has.
func TestMemory(t *testing.T) {
	const far = 20_000_000
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	c := New(nil)
	for th := range uint32(2) {
		for _, e := range []event.Event{
			{Op: event.Begin}, {Op: event.Write, Target: far}, {Op: event.Acquire, Target: far},
			{Op: event.Write, Target: far + 1}, {Op: event.Release, Target: far}, {Op: event.End},
		} {
			e.Thread = th
			c.Event(&e)
		}
	}
	r := c.Finish(Conflict)
	runtime.ReadMemStats(&after)
	if n := (after.TotalAlloc - before.TotalAlloc) >> 20; n > 8 || r.Alarmed() != 2 {
		t.Errorf("%d MB for two variables and a lock; %d alarms", n, r.Alarmed())
	}
}
