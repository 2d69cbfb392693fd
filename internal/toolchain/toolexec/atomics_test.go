// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package toolexec

import (
	"strings"
	"testing"
)

// TestUnhooked has the lock of a descriptor, whose operations have no hooks where nothing but what
// it orders is announced; and a file beside it.
func TestUnhooked(t *testing.T) {
	const text = `package poll

import "sync/atomic"

func f(state *uint64) uint64 { return atomic.LoadUint64(state) }
`
	for _, c := range []struct {
		name, memory, explore string
		std                   bool
		hooked                int
	}{
		{name: "plain", std: true, hooked: 1},
		{name: "memory", memory: "1", std: true, hooked: 2},
		{name: "explored", explore: "1", std: true, hooked: 2},
		{name: "perturbed", explore: Perturbs, std: true, hooked: 2},
		{name: "of another module", hooked: 2},
	} {
		t.Setenv(MemoryVariable, c.memory)
		t.Setenv(ExploreVariable, c.explore)
		u := unitOf("internal/poll", map[string]string{"fd_mutex.go": text, "fd.go": text})
		u.Std = c.std
		change, err := u.redirect()
		if err != nil {
			t.Fatal(err)
		}
		hooked := 0
		for _, edits := range change.Edits {
			for _, e := range edits {
				hooked += strings.Count(e.Text, "Commute")
			}
		}
		if hooked != c.hooked {
			t.Errorf("%s: %d operations have hooks, want %d", c.name, hooked, c.hooked)
		}
	}
}
