// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package text

// Order is -1 if something comes before something else, and 1 if not, for a comparison.
func Order(before bool) int {
	if before {
		return -1
	}
	return 1
}

// Sort sorts a list by merging, with a spare list of the same length. Equals stay in order.
func Sort[T any](list, spare []T, before func(f, g T) bool) {
	if len(list) < 2 {
		return
	}
	half := len(list) / 2
	Sort(list[:half], spare[:half], before)
	Sort(list[half:], spare[half:], before)
	copy(spare, list)
	left, right := spare[:half], spare[half:]
	for i := range list {
		if len(right) == 0 || len(left) > 0 && !before(right[0], left[0]) {
			list[i], left = left[0], left[1:]
		} else {
			list[i], right = right[0], right[1:]
		}
	}
}
