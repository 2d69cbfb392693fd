// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package reorder

import (
	"math/rand/v2"
	"testing"
)

// TestNumbering compares a numbering with a map, for numbers that are near to each other, far, and
// multiples of one.
func TestNumbering(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for seed := range 300 {
		var n numbering
		slow := make(map[uint32]int32)
		factor := []uint32{1, 1 << 31, 1 << 16, 0x9e3779b1, 3}[seed%5]
		for range r.IntN(2000) {
			global := factor * r.Uint32N(1+r.Uint32N(1000))
			want, known := slow[global]
			if got, ok := n.get(global); ok != known || ok && got != want {
				t.Fatalf("%d has %d, %v, want %d, %v", global, got, ok, want, known)
			}
			if !known {
				want = int32(len(slow))
				slow[global] = want
			}
			if got := n.of(global); got != want || n.n != len(slow) {
				t.Fatalf("%d of %d is %d, want %d", global, len(slow), got, want)
			}
		}
	}
}
