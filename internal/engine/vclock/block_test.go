// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package vclock

import (
	"math/rand"
	"testing"
)

// greatest are the greatest times of blocks with few bits, and times beyond.
var greatest = []uint64{3, 1<<8 - 1, 1 << 8, 1<<16 - 1, 1 << 16, wide - 1, wide, wide + 1}

// full is a block with a time in most slots, and the times.
func full(r *rand.Rand) (*node, [blockSlots]uint64) {
	var n *node
	var times [blockSlots]uint64
	most := greatest[r.Intn(len(greatest))]
	n = raise(n, 1, 0)
	for i := range times {
		switch r.Intn(8) {
		case 0:
		case 1:
			times[i] = most - uint64(r.Intn(3))
		default:
			times[i] = uint64(r.Int63n(int64(min(most, 300)))) + 1
		}
		n = setLow(n, uint32(i), times[i], 0)
	}
	return n, times
}

// Blocks with times of few bits or many compare, join and meet as arrays do. Half of the time one
// has some times of the other's, so that it may be nowhere less.
func TestBlocksOfAllWidths(t *testing.T) {
	widths := make(map[[2]uint32]int)
	for seed := range int64(20000) {
		r := rand.New(rand.NewSource(seed))
		a, at := full(r)
		b, bt := full(r)
		if r.Intn(2) == 0 {
			for i := range at {
				if r.Intn(20) > 0 && bt[i] > at[i] {
					at[i] = bt[i]
					a = setLow(a, uint32(i), at[i], 0)
				}
			}
		}
		widths[[2]uint32{a.block().bits, b.block().bits}]++
		less, more := false, false
		for i := range at {
			less, more = less || at[i] < bt[i], more || at[i] > bt[i]
		}
		if l, m := a.block().compare(b.block()); l != less || m != more {
			t.Fatalf("seed %d: compare says %v, %v; want %v, %v", seed, l, m, less, more)
		}
		joined, _ := mergeBlock(ref(a), b, 0)
		met := meetBlock(ref(a), b)
		for i := range at {
			n := uint32(i)
			if a.low(n) != at[i] || b.low(n) != bt[i] {
				t.Fatalf("seed %d: a block that others refer to has changed at %d", seed, i)
			}
			if got := joined.low(n); got != max(at[i], bt[i]) {
				t.Fatalf("seed %d: join of %d and %d is %d", seed, at[i], bt[i], got)
			}
			if got := met.low(n); got != min(at[i], bt[i]) {
				t.Fatalf("seed %d: meet of %d and %d is %d", seed, at[i], bt[i], got)
			}
		}
		for _, n := range []*node{joined, met, a, b} {
			unref(n)
		}
	}
	if len(widths) != 9 {
		t.Errorf("not all widths met: %v", widths)
	}
}
