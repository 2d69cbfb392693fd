// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package commrace

import (
	"math/bits"
	"math/rand"
	"testing"
)

// TestLowest compares with package math/bits.
func TestLowest(t *testing.T) {
	for i := range 64 {
		for range 20 {
			set := rand.Uint64()<<i | 1<<i
			if got, want := lowest(set), bits.TrailingZeros64(set); int(got) != want {
				t.Fatalf("lowest(%#x) = %d, want %d", set, got, want)
			}
		}
	}
}
