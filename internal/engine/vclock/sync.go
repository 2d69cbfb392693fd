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
type SingletonClock struct {
	root  tree
	epoch atomic.Uint64 // an Epoch
}

// Known reports without a lock that t has nothing to learn here. A false answer may be wrong.
func (m *SingletonClock) KnownTo(t *Thread) bool {
	released := Epoch(m.epoch.Load())
	return released != 0 && t.Knows(released)
}

// Idle reports without a lock that a release by t would change nothing. A false answer may be wrong.
func (m *SingletonClock) UpToDate(t *Thread) bool {
	return Epoch(m.epoch.Load()) == t.Now() && t.published.Load() == publishedToAll
}

// Acquire makes t know what was released: T(t) := T(t) join L(l).
func (m *SingletonClock) Acquire(t *Thread) {
	if st := (Snapshot{root: m.root, epoch: Epoch(m.epoch.Load())}); st.epoch != 0 {
		t.Join(&st)
	}
}

// Release sets L(l) := T(t).
func (m *SingletonClock) Release(t *Thread) {
	t.foldExtra()
	t.publish()
	if old := m.root; old != t.root { // else the reference that m has will do
		m.root = t.root
		ref(t.root.P())
		unref(old.P())
	}
	host.Publish64(&m.epoch, uint64(t.Now()))
}

// ReleaseMerge sets L(l) := L(l) join T(t), if that is T(t); else it does nothing and returns false.
func (m *SingletonClock) ReleaseMerge(t *Thread) bool {
	if released := Epoch(m.epoch.Load()); released != 0 && !t.Knows(released) {
		return false
	}
	m.Release(t)
	return true
}

// Transfer makes m hold what the next acquirer would know and t know what m held: a release and an
// acquire in one step, as of a channel buffer's slot (raceReleaseAcquire).
func (m *SingletonClock) ReleaseAcquire(t *Thread) {
	old := Snapshot{root: m.root, epoch: Epoch(m.epoch.Load())}
	if old.epoch == 0 || t.Knows(old.epoch) {
		m.Release(t)
		return
	}
	t.foldExtra()
	m.root = t.publishSnapshot().root
	host.Publish64(&m.epoch, uint64(t.Now()))
	t.Join(&old)
	old.Drop()
}

// Take returns what was released, to be carried elsewhere and dropped.
func (m *SingletonClock) Snapshot() Snapshot {
	ref(m.root.P())
	return Snapshot{root: m.root, epoch: Epoch(m.epoch.Load())}
}

// Clear forgets all releases.
func (m *SingletonClock) Clear() {
	old := m.root
	m.root = tree{}
	host.Publish64(&m.epoch, 0)
	unref(old.P())
}

// A Sync is a clock that may be the join of several releases. The zero Sync was never released. Calls
// on one Sync must not overlap, but for those of Idle and Known.
type LockClock struct {
	SingletonClock       // own is 0 after a merge of several
	lastMerged     tree  // the last vector that was merged into root; a repeat is skipped
	extra          Epoch // what else was released
}

// Widen makes s, which is zero, what m is, and m zero.
func (s *LockClock) MoveFrom(m *SingletonClock) {
	s.root = m.root
	host.Publish64(&s.epoch, m.epoch.Load())
	m.root = tree{}
	host.Publish64(&m.epoch, 0)
}

// Acquire makes t know what was released: T(t) := T(t) join L(l).
func (s *LockClock) Acquire(t *Thread) {
	st := Snapshot{s.root, s.extra, Epoch(s.epoch.Load())}
	if st.epoch == 0 && st.root.Nil() && st.extra == 0 {
		return
	}
	t.Join(&st)
}

// Release sets L(l) := T(t).
func (s *LockClock) Release(t *Thread) {
	if s.UpToDate(t) {
		return
	}
	s.replace(t.publishSnapshot())
}

func (s *LockClock) replace(st Snapshot) {
	old, merged := s.root, s.lastMerged
	s.root, s.lastMerged, s.extra = st.root, tree{}, st.extra
	host.Publish64(&s.epoch, uint64(st.epoch))
	unref(old.P())
	unref(merged.P())
}

// ReleaseMerge sets L(l) := L(l) join T(t).
func (s *LockClock) ReleaseMerge(t *Thread) {
	if s.UpToDate(t) {
		return
	}
	t.publish()
	s.merge(t)
}

// IdleWithin is Idle for ReleaseWithin.
func (s *LockClock) UpToDateInCall(t *Thread) bool {
	return Epoch(s.epoch.Load()) == t.Now() && t.published.Load() != 0
}

// ReleaseWithin is ReleaseMerge inside of a call. Most are never acquired, so that the thread goes on
// with the moment that it gives away here.
func (s *LockClock) ReleaseInCall(t *Thread) {
	if t.published.Load() == 0 {
		t.published.CompareAndSwap(0, publishedInCall) // unless giveAway comes before
	}
	t.clearEpochID()
	s.merge(t)
}

// merge sets L(l) := L(l) join T(t), which is given away.
func (s *LockClock) merge(t *Thread) {
	released := Epoch(s.epoch.Load())
	if released != 0 && t.Knows(released) || released == 0 && s.root.Nil() {
		s.replace(t.snapshot())
		return
	}
	st := t.snapshot()
	root := s.root.P()
	for _, e := range [...]Epoch{s.extra, released} {
		if e != 0 {
			root = set(root, e, 0)
		}
	}
	s.extra = 0
	host.Publish64(&s.epoch, 0)
	if st.root != s.lastMerged {
		j := join{a: knowledge{root: root}, b: st.knowledge()}
		root = j.vectors(s.lastMerged.P())
		unref(s.lastMerged.P())
		s.lastMerged = st.root
	} else {
		unref(st.root.P())
	}
	for _, e := range [...]Epoch{st.extra, st.epoch} {
		if e != 0 {
			root = set(root, e, 0)
		}
	}
	s.root = offheap.To(root)
}

// Transfer makes s hold what the next acquirer would know and t know what s held: a release and an
// acquire in one step, as of a channel buffer's slot (raceReleaseAcquire).
func (s *LockClock) ReleaseAcquire(t *Thread) {
	if released := Epoch(s.epoch.Load()); released != 0 && released.Slot() == t.slot {
		s.Release(t)
		return
	}
	old := Snapshot{s.root, s.extra, Epoch(s.epoch.Load())}
	merged := s.lastMerged
	st := t.publishSnapshot()
	s.root, s.lastMerged, s.extra = st.root, tree{}, st.extra
	host.Publish64(&s.epoch, uint64(st.epoch))
	if !old.root.Nil() || old.extra != 0 || old.epoch != 0 {
		t.Join(&old)
	}
	old.Drop()
	unref(merged.P())
}

// Take returns what was released, to be carried elsewhere and dropped.
func (s *LockClock) Snapshot() Snapshot {
	ref(s.root.P())
	return Snapshot{s.root, s.extra, Epoch(s.epoch.Load())}
}

// Put is the release of what was taken elsewhere.
func (s *LockClock) ReleaseSnapshot(st *Snapshot) {
	ref(st.root.P())
	s.replace(*st)
}

// Merge is the merging release of what was taken elsewhere.
func (s *LockClock) ReleaseMergeSnapshot(st *Snapshot) {
	old := s.Snapshot()
	j := join{a: st.knowledge(), b: old.knowledge()}
	ref(st.root.P())
	root := j.vectors(nil)
	for _, e := range [...]Epoch{st.extra, st.epoch, old.extra, old.epoch} {
		if e != 0 {
			root = set(root, e, 0)
		}
	}
	old.Drop()
	s.replace(Snapshot{root: offheap.To(root)})
}

// Clear forgets all releases.
func (s *LockClock) Clear() { s.replace(Snapshot{}) }
