// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package vclock

import "github.com/commutego/commute/internal/engine/offheap"

// A Floor is what every live thread knows: the meet of their clocks at some time past. What it
// knows can be in no race with anything that a live thread, or a thread that one of them starts,
// still does.
type Floor struct{ root tree }

// TakeFloor computes the floor. O(threads * log slots + d), d the nodes in which their clocks differ.
func (w *World) TakeFloor() Floor {
	s := &w.slots
	var f Floor
	first := true
	s.lock.Lock() // so nobody starts meanwhile, knowing less
	for i := range s.live.n.Load() {
		t := s.live.at(i).P()
		t.lock.Lock()
		if !t.alive {
			t.lock.Unlock()
			continue
		}
		// The present isn't given away by this: nobody learns it.
		root, extra, now := ref(t.root.P()), t.extra, t.time.Load()
		t.lock.Unlock()
		if extra != 0 {
			root = set(root, extra, 0)
		}
		root = set(root, makeEpoch(t.slot, now), 0)
		if first {
			f.root, first = offheap.To(root), false
			continue
		}
		f.root = offheap.To(meet(f.root.P(), root))
		unref(root)
	}
	s.lock.Unlock()
	return f
}

// Knows reports whether each thread knows e.
func (f *Floor) Knows(e Epoch) bool { return get(f.root.P(), e.Slot()) >= e.Time() }

// Drop gives up the floor's memory.
func (f *Floor) Drop() {
	unref(f.root.P())
	f.root = tree{}
}
