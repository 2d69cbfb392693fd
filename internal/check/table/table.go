// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

// Package table has slices that are indexed by numbers from a trace, such as those of variables and
// threads. Traces number densely from 0, and may bring a new number with any event.
package table

// Grow is s, made long enough for index i; new elements are zero. The length at least doubles, so
// that growing is O(1) for each element. Grow may move the elements: pointers to them are good
// until the next call only.
func Grow[E any](s []E, i uint32) []E {
	if uint64(i) < uint64(len(s)) {
		return s
	}
	bigger := make([]E, max(uint64(i)+1, 2*uint64(len(s))))
	copy(bigger, s)
	return bigger
}
