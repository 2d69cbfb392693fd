// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package vclock

import (
	"sync/atomic"

	"github.com/commutego/commute/internal/host"
	"github.com/commutego/commute/internal/offheap"
)

// A Sync is the clock of a lock, a channel slot, an atomic variable: L(l) in table 1. The zero
// Sync was never released. Calls on one Sync must not overlap, but for those of Idle and Known.
type Sync struct {
	root  tree
	base  tree // the last vector that was merged into root; a repeat is skipped
	extra Epoch
	own   atomic.Uint64 // an Epoch: of the one release that the clock is, 0 after a merge of several
}

// Known reports without a lock that t has nothing to learn here. A false answer may be wrong.
func (s *Sync) Known(t *Thread) bool {
	own := Epoch(s.own.Load())
	return own != 0 && t.Knows(own)
}

// Idle reports without a lock that a release by t would change nothing. A false answer may be wrong.
func (s *Sync) Idle(t *Thread) bool {
	return Epoch(s.own.Load()) == t.Now() && t.given.Load() != 0
}

// Acquire makes t know what was released: T(t) := T(t) join L(l).
func (s *Sync) Acquire(t *Thread) {
	st := Stamp{s.root, s.extra, Epoch(s.own.Load())}
	if st.own == 0 && st.root.Nil() && st.extra == 0 {
		return
	}
	t.Join(&st)
}

// Release sets L(l) := T(t).
func (s *Sync) Release(t *Thread) {
	if s.Idle(t) {
		return
	}
	s.put(t.give())
}

func (s *Sync) put(st Stamp) {
	old, base := s.root, s.base
	s.root, s.base, s.extra = st.root, tree{}, st.extra
	host.Publish64(&s.own, uint64(st.own))
	unref(old.P())
	unref(base.P())
}

// ReleaseMerge sets L(l) := L(l) join T(t).
func (s *Sync) ReleaseMerge(t *Thread) {
	own := Epoch(s.own.Load())
	if own != 0 && t.Knows(own) || own == 0 && s.root.Nil() {
		s.Release(t)
		return
	}
	st := t.give()
	root := s.root.P()
	for _, e := range [...]Epoch{s.extra, own} {
		if e != 0 {
			root = set(root, e.Slot(), e.Time())
		}
	}
	s.extra = 0
	host.Publish64(&s.own, 0)
	if st.root != s.base {
		root = mergeSince(root, st.root.P(), s.base.P())
		unref(s.base.P())
		s.base = st.root
	} else {
		unref(st.root.P())
	}
	for _, e := range [...]Epoch{st.extra, st.own} {
		if e != 0 {
			root = set(root, e.Slot(), e.Time())
		}
	}
	s.root = offheap.To(root)
}

// Transfer makes s hold what the next acquirer would know and t know what s held: a release and an
// acquire in one step, as of a channel buffer's slot (raceReleaseAcquire).
func (s *Sync) Transfer(t *Thread) {
	if own := Epoch(s.own.Load()); own != 0 && own.Slot() == t.slot {
		s.Release(t)
		return
	}
	old := Stamp{s.root, s.extra, Epoch(s.own.Load())}
	base := s.base
	st := t.give()
	s.root, s.base, s.extra = st.root, tree{}, st.extra
	host.Publish64(&s.own, uint64(st.own))
	if !old.root.Nil() || old.extra != 0 || old.own != 0 {
		t.Join(&old)
	}
	old.Drop()
	unref(base.P())
}

// Take returns what was released, to be carried elsewhere and dropped.
func (s *Sync) Take() Stamp {
	ref(s.root.P())
	return Stamp{s.root, s.extra, Epoch(s.own.Load())}
}

// Put is the release of what was taken elsewhere.
func (s *Sync) Put(st *Stamp) {
	ref(st.root.P())
	s.put(*st)
}

// Merge is the merging release of what was taken elsewhere.
func (s *Sync) Merge(st *Stamp) {
	old := s.Take()
	root := merge(ref(st.root.P()), old.root.P())
	for _, e := range [...]Epoch{st.extra, st.own, old.extra, old.own} {
		if e != 0 {
			root = set(root, e.Slot(), e.Time())
		}
	}
	old.Drop()
	s.put(Stamp{root: offheap.To(root)})
}

// Clear forgets all releases.
func (s *Sync) Clear() { s.put(Stamp{}) }
