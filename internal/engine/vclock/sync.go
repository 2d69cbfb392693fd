// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package vclock

import (
	"sync/atomic"

	"github.com/commutego/commute/internal/engine/host"
	"github.com/commutego/commute/internal/engine/offheap"
)

// A Mark is the clock of a lock, a channel slot, an atomic variable, L(l) in table 1, as long as it
// is what one release set: the latest. Most are never more. The zero Mark was never released. Calls
// on one Mark must not overlap, but for those of Idle and Known.
type Mark struct {
	root tree
	own  atomic.Uint64 // an Epoch
}

// Known reports without a lock that t has nothing to learn here. A false answer may be wrong.
func (m *Mark) Known(t *Thread) bool {
	own := Epoch(m.own.Load())
	return own != 0 && t.Knows(own)
}

// Idle reports without a lock that a release by t would change nothing. A false answer may be wrong.
func (m *Mark) Idle(t *Thread) bool {
	return Epoch(m.own.Load()) == t.Now() && t.given.Load() == givenAway
}

// Acquire makes t know what was released: T(t) := T(t) join L(l).
func (m *Mark) Acquire(t *Thread) {
	if st := (Stamp{root: m.root, own: Epoch(m.own.Load())}); st.own != 0 {
		t.Join(&st)
	}
}

// Release sets L(l) := T(t).
func (m *Mark) Release(t *Thread) {
	t.foldExtra()
	t.mark()
	if old := m.root; old != t.root { // else the reference that m has will do
		m.root = t.root
		ref(t.root.P())
		unref(old.P())
	}
	host.Publish64(&m.own, uint64(t.Now()))
}

// ReleaseMerge sets L(l) := L(l) join T(t), if that is T(t); else it does nothing and returns false.
func (m *Mark) ReleaseMerge(t *Thread) bool {
	if own := Epoch(m.own.Load()); own != 0 && !t.Knows(own) {
		return false
	}
	m.Release(t)
	return true
}

// Transfer makes m hold what the next acquirer would know and t know what m held: a release and an
// acquire in one step, as of a channel buffer's slot (raceReleaseAcquire).
func (m *Mark) Transfer(t *Thread) {
	old := Stamp{root: m.root, own: Epoch(m.own.Load())}
	if old.own == 0 || t.Knows(old.own) {
		m.Release(t)
		return
	}
	t.foldExtra()
	m.root = t.give().root
	host.Publish64(&m.own, uint64(t.Now()))
	t.Join(&old)
	old.Drop()
}

// Take returns what was released, to be carried elsewhere and dropped.
func (m *Mark) Take() Stamp {
	ref(m.root.P())
	return Stamp{root: m.root, own: Epoch(m.own.Load())}
}

// Clear forgets all releases.
func (m *Mark) Clear() {
	old := m.root
	m.root = tree{}
	host.Publish64(&m.own, 0)
	unref(old.P())
}

// A Sync is a clock that may be the join of several releases. The zero Sync was never released. Calls
// on one Sync must not overlap, but for those of Idle and Known.
type Sync struct {
	Mark        // own is 0 after a merge of several
	base  tree  // the last vector that was merged into root; a repeat is skipped
	extra Epoch // what else was released
}

// Widen makes s, which is zero, what m is, and m zero.
func (s *Sync) Widen(m *Mark) {
	s.root = m.root
	host.Publish64(&s.own, m.own.Load())
	m.root = tree{}
	host.Publish64(&m.own, 0)
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
	if s.Idle(t) {
		return
	}
	t.mark()
	s.merge(t)
}

// IdleWithin is Idle for ReleaseWithin.
func (s *Sync) IdleWithin(t *Thread) bool {
	return Epoch(s.own.Load()) == t.Now() && t.given.Load() != 0
}

// ReleaseWithin is ReleaseMerge inside of a call. Most are never acquired, so that the thread goes on
// with the moment that it gives away here.
func (s *Sync) ReleaseWithin(t *Thread) {
	if t.given.Load() == 0 {
		t.given.CompareAndSwap(0, givenWithin) // unless giveAway comes before
	}
	t.stale()
	s.merge(t)
}

// merge sets L(l) := L(l) join T(t), which is given away.
func (s *Sync) merge(t *Thread) {
	own := Epoch(s.own.Load())
	if own != 0 && t.Knows(own) || own == 0 && s.root.Nil() {
		s.put(t.stamp())
		return
	}
	st := t.stamp()
	root := s.root.P()
	for _, e := range [...]Epoch{s.extra, own} {
		if e != 0 {
			root = set(root, e, 0)
		}
	}
	s.extra = 0
	host.Publish64(&s.own, 0)
	if st.root != s.base {
		j := join{a: knowledge{root: root}, b: st.knowledge()}
		root = j.trees(s.base.P())
		unref(s.base.P())
		s.base = st.root
	} else {
		unref(st.root.P())
	}
	for _, e := range [...]Epoch{st.extra, st.own} {
		if e != 0 {
			root = set(root, e, 0)
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
	j := join{a: st.knowledge(), b: old.knowledge()}
	ref(st.root.P())
	root := j.trees(nil)
	for _, e := range [...]Epoch{st.extra, st.own, old.extra, old.own} {
		if e != 0 {
			root = set(root, e, 0)
		}
	}
	old.Drop()
	s.put(Stamp{root: offheap.To(root)})
}

// Clear forgets all releases.
func (s *Sync) Clear() { s.put(Stamp{}) }
