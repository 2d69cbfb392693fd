// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package table

import "testing"

func TestGrow(t *testing.T) {
	var s []int
	grown := 0
	for i := range uint32(1000) {
		before := len(s)
		if s = Grow(s, i); len(s) != before {
			grown++
		}
		if s[i] != 0 {
			t.Fatalf("element %d is new and %d", i, s[i])
		}
		s[i] = int(i) + 1
	}
	for i := range 1000 {
		if s[i] != i+1 {
			t.Errorf("element %d is %d", i, s[i])
		}
	}
	if grown > 12 {
		t.Errorf("the slice was moved %d times", grown)
	}
	if s = Grow(s, 5000); len(s) < 5001 || s[5000] != 0 || s[999] != 1000 {
		t.Errorf("the slice has %d elements after a gap", len(s))
	}
}
