// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package vclock

import "github.com/commutego/commute/internal/engine/offheap"

// A Floor is the meet of the clocks of all live threads at some time past: what each of them knows.
// An event that the floor knows can race with nothing that is still to come, neither of a live
// thread nor of a thread that a live one starts.
type Floor struct{ root tree }

// TakeFloor computes the floor. O(threads * log slots + d), d the nodes in which their clocks
// differ.
func (w *World) TakeFloor() Floor {
	s := &w.slots
	var f Floor
	first := true
	// A thread that started now could know less than the floor; the lock keeps it from starting.
	s.lock.Lock()
	for i := range s.live.n {
		t := s.lockLive(*s.live.at(i))
		if t == nil {
			continue
		}
		// No thread learns the epoch from the floor, so the epoch isn't published.
		root, extra, now := ref(t.root.P()), t.extra, t.time.Load()
		t.lock.Unlock()
		beside := [2]Epoch{extra, makeEpoch(t.slot, now)}
		if first {
			first = false
			f.start(root, beside)
		} else {
			f.meet(root, beside)
		}
		unref(root)
	}
	s.lock.Unlock()
	return f
}

// start makes f the join of a vector and some epochs.
func (f *Floor) start(root *node, beside [2]Epoch) {
	tree, newer := split(root)
	f.root = offheap.To(ref(tree))
	f.add(newer)
	f.add(beside[:])
}

// meet makes f the meet of what it is and of the join of a vector and some epochs.
func (f *Floor) meet(root *node, beside [2]Epoch) {
	tree, newer := split(root)
	var least [deltaSize + len(beside)]Epoch
	n := copy(least[:], newer)
	n += copy(least[n:], beside[:])
	for i, e := range least[:n] {
		least[i] = min(e, makeEpoch(e.Slot(), get(f.root.P(), e.Slot())))
	}
	f.root = offheap.To(meet(f.root.P(), tree))
	f.add(least[:n])
}

// add makes f know the epochs of a list.
func (f *Floor) add(list []Epoch) {
	n := f.root.P()
	for _, e := range list {
		if get(n, e.Slot()) < e.Time() {
			n = setInTree(n, e, 0)
		}
	}
	f.root = offheap.To(n)
}

// Knows reports whether each live thread knows e.
func (f *Floor) Knows(e Epoch) bool { return get(f.root.P(), e.Slot()) >= e.Time() }

// Drop gives up the floor's memory.
func (f *Floor) Drop() {
	unref(f.root.P())
	f.root = tree{}
}
