// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package vclock

// Most goroutines do nothing that a clock is asked for: they make no call that is checked, and are
// in no section. What such a one releases is what it has been told, and its own epoch stands for
// nothing. If a thread knew all of that at some epoch, the release is as good as that thread's, and
// has that epoch: it is borrowed. So thousands of goroutines that one has started, and that
// synchronize with each other, have one vector and one epoch in common, and learn nothing. With
// epochs of their own, each would have a vector of all the others'.

// borrowed is the epoch at which t can release its tree, for it has nothing to add: its basis, or 0
// if it has to release at its own. By (R) who knows the basis knows the rest. But t takes the times
// of its slot for known, so the tree must show them; and no epoch of t may be at large that the
// thread of the basis can know.
func borrowed(t *Thread) Epoch {
	switch {
	case t.basis == 0 || t.extra != 0 && t.extra != t.basis:
	case t.marked || t.pinned || t.snapshotTaken || t.releasedInCall || t.published.Load() != 0:
	case t.shown || get(t.root.P(), t.slot) >= t.time.Load()-1:
		t.shown = true
		return t.basis
	}
	return 0
}

// released is the clock that t releases to a LockClock.
func released(t *Thread) Snapshot {
	if e := borrowed(t); e != 0 {
		ref(t.root.P())
		t.equal = e
		return Snapshot{root: t.root, epoch: e}
	}
	foldForRelease(t)
	return t.publishSnapshot()
}
