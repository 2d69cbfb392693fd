// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

// Package table has slices that are indexed by numbers given from outside, such as those of
// variables.
package table

// Grow is s, made long enough for index i; what is new is zero. The length at least doubles, so
// that growing is O(1) an element.
func Grow[E any](s []E, i uint32) []E {
	if uint64(i) < uint64(len(s)) {
		return s
	}
	bigger := make([]E, max(uint64(i)+1, 2*uint64(len(s))))
	copy(bigger, s)
	return bigger
}
