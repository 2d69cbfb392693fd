// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package section

import (
	"testing"

	"github.com/commutego/commute/internal/engine/host"
)

// TestFreedByHolder frees memory while the lock of all places is held by the same thread: its stack
// has grown, and the memory is the new one.
func TestFreedByHolder(t *testing.T) {
	var w World
	w.on.Store(1)
	pauses := 0
	host.Paused = func() {
		if pauses++; pauses > 1<<16 {
			panic("the thread waits for itself")
		}
	}
	defer func() { host.Paused = nil }()
	const outer, inner = 0x10000, 0x40000
	for n := range uintptr(maxPending + 3) {
		w.place(outer)
		kept := w.place(inner - 8)
		for i := range n {
			w.place(inner + 0x2000*i)
		}
		w.Freed(outer, outer+8, func(uintptr) bool {
			for i := range n {
				w.Freed(inner+0x2000*i, inner+0x2000*i+8, nil)
			}
			return true
		})
		for i := range n {
			if w.tracked.find(inner+0x2000*i) != nil {
				t.Fatalf("of %d ranges, range %d is not forgotten", n, i)
			}
		}
		if w.tracked.find(outer) != nil || w.tracked.find(inner-8) != kept {
			t.Fatalf("with %d ranges: another place is forgotten, or the first is not", n)
		}
		if w.tracked.pending.any() || !w.tracked.spin.TryLock() {
			t.Fatal("the lock is not free, or ranges are left")
		}
		w.tracked.spin.Unlock()
	}
	w.Reset()
}
