// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package section

import "testing"

// TestTags wants what was added to be in the set, and hashes that share its places not to be.
func TestTags(t *testing.T) {
	var s tags
	const shared = 77
	for i := range uint64(tagRoom) {
		s.add(i<<40 | shared)
	}
	for i := range uint64(2 * tagRoom) {
		if s.has(i<<40|shared) != (i < tagRoom) {
			t.Errorf("hash %d of one place: %t", i, s.has(i<<40|shared))
		}
	}
	s.add(tagRoom<<40 | shared) // there is no room
	if !s.has(tagRoom<<40|shared) || s.has(shared) || !s.has(1<<40|shared) {
		t.Error("without room, a hash does not take the place of the first")
	}
}
