// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package explore

import (
	"math/rand/v2"
	"testing"
)

// TestOrdinals compares numbers of addresses with those of a map, for random addresses.
func TestOrdinals(t *testing.T) {
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 1))
		var o Ordinals
		want := map[uintptr]uint64{0: 0}
		last := uint64(0)
		for range 1000 {
			if r.IntN(200) == 0 {
				o.Restart()
				last = 0
			}
			addr, inOrder := uintptr(r.IntN(500))*8, r.IntN(4) > 0
			if _, ok := want[addr]; !ok && inOrder {
				last++
				want[addr] = last
			} else if !ok {
				want[addr] = 1<<63 | uint64(addr)
			}
			if got := o.Of(addr, inOrder); got != want[addr] {
				t.Fatalf("seed %d: %#x has number %#x, want %#x", seed, addr, got, want[addr])
			}
		}
	}
}

// TestOrdinalsOfOtherAddresses has the same order of other addresses: they get the same numbers.
func TestOrdinalsOfOtherAddresses(t *testing.T) {
	var one, other Ordinals
	for i := range uintptr(1000) {
		at := (i * 7 % 400) + 1
		a, b := one.Of(at*16, true), other.Of(at*48+1<<40, true)
		if a != b {
			t.Fatalf("numbers %d and %d", a, b)
		}
	}
}
