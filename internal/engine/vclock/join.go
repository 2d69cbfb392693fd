// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package vclock

import "github.com/commutego/commute/internal/engine/offheap"

// Join makes the thread know all of s: T(t) := T(t) join s. It reports whether that was news.
//
// The snapshot's epoch becomes the thread's extra epoch, and not a part of its tree. That saves
// nodes if no other thread learns of t before it has joined a later epoch of the same slot.
func (t *Thread) Join(s *Snapshot) bool {
	if s.epoch != 0 {
		if t.Knows(s.epoch) {
			return false
		}
		// Before t knows the epoch: its thread must not mark another event with it afterwards.
		t.World().publish(s.epoch)
	}
	return t.joinReleased(s, nil)
}

// joinReleased is Join of s and of late, epochs beside it, all of which are published. What was
// released is so since then. To publish it once more would publish an epoch that its thread has
// come to meanwhile: that one would have to leave it, and to record its accesses anew.
func (t *Thread) joinReleased(s *Snapshot, late []Epoch) bool {
	if s.epoch != 0 && t.Knows(s.epoch) {
		return false
	}
	if s.epoch == 0 && t.Knows(s.extra) && knowsAll(t, late) {
		k := knowledge{root: t.root.P(), extra: t.extra, epoch: t.Now()}
		if k.covers(s.root.P(), t.slot) {
			return false // no news: the present epoch stays, whether it is published or not
		}
	}
	// By (R) t must not learn anything at a published epoch. A RemoteSnapshot may publish it even
	// now, so the lock is held from here until the new vector is in place.
	t.lock.Lock()
	t.ensureUnused(false)
	t.unchangedSince = t.time.Load()
	t.learned++
	maker := t.Now()
	root := t.root.P()
	less := t.basis != 0 && s.Knows(t.basis)
	t.basis = 0
	if less {
		if s.root.P() != root { // two threads that learn of each other in turn have one
			ref(s.root.P())
			unref(root)
			root = s.root.P()
		}
		t.extra, t.basis = 0, s.epoch
	} else {
		root = joinVector(t, s, root, maker)
	}
	if s.extra != 0 && s.extra.Slot() != t.slot {
		root = set(root, s.extra, maker)
	}
	if s.epoch != 0 {
		t.extra = s.epoch
	}
	root = setAll(root, late, maker, t.slot)
	t.root = offheap.To(root)
	t.lock.Unlock()
	return true
}

// joinVector is the part of join for what s and t hold in their trees, and t in its extra epoch if
// that of s is to take its place.
// Root is t's tree, of which the reference is used up; so is the result's.
func joinVector(t *Thread, s *Snapshot, root *node, maker Epoch) *node {
	if !s.root.Nil() && s.root != t.root {
		j := join{
			a:     knowledge{root: root, extra: t.extra, epoch: t.Now()},
			b:     s.knowledge(),
			maker: maker,
		}
		root = j.vectors(nil)
	}
	if t.extra != 0 && s.epoch != 0 && t.extra.Slot() != s.epoch.Slot() {
		root = set(root, t.extra, maker)
	}
	return root
}

// knowsAll reports whether t knows all epochs of a list.
func knowsAll(t *Thread, list []Epoch) bool {
	for _, e := range list {
		if !t.Knows(e) {
			return false
		}
	}
	return true
}

// JoinAt joins s for an event at e. If e is later than the snapshot's epoch, the thread of s has
// learned nothing between them (see UnchangedSince), so the snapshot is that of e, too. If e is
// earlier, it was held.
func (t *Thread) JoinAt(s *Snapshot, e Epoch) bool {
	later := *s
	later.epoch = max(s.epoch, e)
	return t.Join(&later)
}

// Rendezvous makes t and u know all that either does: T(t) := T(u) := T(t) join T(u). It is the
// step of an unbuffered channel. The goroutine of u stands still.
func (t *Thread) Rendezvous(u *Thread) {
	unknown := !u.Knows(t.Now())
	if unknown {
		t.publish()
	}
	// The tree of u is not freed meanwhile, so no reference is needed.
	s := Snapshot{u.root, u.extra, u.Now()}
	t.Join(&s)
	if !unknown {
		return // by (R) u knows what t did, which was all of both
	}
	// Now t knows all that u does, so that the tree of both is t's.
	if t.extra != 0 && t.extra.Slot() != u.slot {
		t.lockAndFoldExtra()
	}
	// From now on u has nodes that t has made at this epoch. So u must know the epoch, and no event
	// of t is marked with it yet.
	t.publish()
	u.lock.Lock()
	u.ensureUnused(false)
	u.unchangedSince = u.time.Load()
	u.learned++
	old := u.root
	u.root, u.extra, u.basis = t.root, t.Now(), t.Now()
	ref(u.root.P())
	unref(old.P())
	u.lock.Unlock()
}

// foldExtra moves extra into the tree. The thread itself may call it at any time.
func (t *Thread) foldExtra() {
	if t.extra != 0 {
		t.lockAndFoldExtra()
	}
}

func (t *Thread) lockAndFoldExtra() {
	t.lock.Lock()
	t.foldExtraLocked()
	t.lock.Unlock()
}

func (t *Thread) foldExtraLocked() {
	if t.extra != 0 {
		t.root = offheap.To(set(t.root.P(), t.extra, t.Now()))
		t.extra = 0
	}
}
