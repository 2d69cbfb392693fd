// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package vclock

// Two threads that use an atomic variable in turn, and do nothing else of interest, learn an epoch
// of each other at each operation: the one that the other has moved to, so as to learn the one
// before. But such an epoch marks nothing. So a thread at one need not release it, if what was
// released holds all else that the thread knows. Then neither moves on any more, and both read the
// variable's clock only.

// An alike is what a thread remembers of the clocks that it has met last, so that it need not look
// at their vectors again.
type alike struct {
	seen Epoch // one that the thread was asked for last, and knows; at first one of its own
	// An epoch of another thread, which t knows. A clock that knows it knows all that t does, but
	// for the present epoch of t if that marks nothing. It is 0 if there is none, from the moment
	// on in which t learns something, or marks something with its epoch.
	equal Epoch
	// An epoch of another thread, which t knows: equals was false of what was released at it. As t
	// forgets nothing, that stays so.
	unequal Epoch
	// The vector of t shows all times of its slot but the present one; false if that is not known.
	// It is so until the thread learns something, or moves on.
	shown bool
}

// sees is Knows, and remembers an epoch that is known. It is not inlined, so that KnownTo is.
//
//go:noinline
func sees(t *Thread, e Epoch) bool {
	switch {
	case e.Slot() == t.slot:
		return e != 0 // as Knows has it, and what was seen last stays
	case e == 0 || !t.Knows(e):
		return false
	}
	t.seen = e
	return true
}

// KnowsReleased is KnowsRelease, and remembers an epoch that is known.
func KnowsReleased(t *Thread, epoch uint64) bool {
	e := Epoch(epoch)
	return e == t.seen || e.Slot() == t.slot || sees(t, e)
}

// KnowsRelease reports whether t knows a release at an epoch, which is not 0.
func KnowsRelease(t *Thread, epoch uint64) bool { return epoch != 0 && t.Knows(Epoch(epoch)) }

// equals reports whether what was released at an epoch, with a vector and another epoch beside it,
// is the clock of t, as far as that stands for anything. Then a release by t changes nothing. A
// false answer may be wrong. O(d), d the nodes in which the vectors differ.
func equals(t *Thread, root *node, extra, released Epoch) bool {
	if released == 0 || released.Slot() == t.slot || !sees(t, released) {
		return false
	}
	last := t.time.Load() // the last time of t that stands for something
	if !t.marked && !t.pinned {
		if last--; !within(t, root, extra, released) {
			t.unequal = released
			return false
		}
	} else if t.published.Load() != publishedToAll {
		return false
	}
	// By (R) a clock that knows a published epoch of t knows all that t does.
	if get(root, t.slot) < last && extra != makeEpoch(t.slot, last) {
		return false
	}
	t.clearEpochID() // who has published the epoch may not have done so yet
	t.equal = released
	return true
}

// within reports whether what was released at an epoch that t knows holds all that t knows of
// others.
func within(t *Thread, root *node, extra, released Epoch) bool {
	if t.basis == released {
		return true
	}
	k := knowledge{root: root, extra: extra, epoch: released}
	// The vector has no later epoch of the thread itself that released.
	if own := released.Slot(); t.extra != 0 && !k.knows(t.extra) ||
		get(t.root.P(), own) > released.Time() || !k.covers(t.root.P(), own) {
		return false
	}
	t.basis = released
	return true
}
