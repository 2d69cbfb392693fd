// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package vclock

import (
	"sync/atomic"

	"github.com/commutego/commute/internal/engine/host"
	"github.com/commutego/commute/internal/engine/offheap"
)

// A LockClock is a clock that may be the join of several releases. The zero LockClock was never
// released. Calls on one clock must not overlap, except those of UpToDate, UpToDateInCall,
// HasMerged and KnownTo.
type LockClock struct {
	SingletonClock                            // its epoch is 0 after a merge of several releases
	extra          Epoch                      // released, beside root
	merges         offheap.AtomicRef[mergers] // nil if none was merged since the clock was empty
}

// A mergers is what was merged into a clock since that was set last.
type mergers struct {
	last tree // the last vector: a repeat is skipped
	// Epochs whose vectors were merged: a thread's is in the place of its slot, until another one's
	// takes that.
	at [4]atomic.Uint64
}

var mergersSlab offheap.Slab[mergers]

func (m *mergers) epoch(t *Thread) *atomic.Uint64 { return &m.at[t.slot%uint32(len(m.at))] }

// HasMerged reports, without a lock, that ReleaseMerge by t would change nothing: t has merged at
// its present epoch, and nobody has set the clock since. So threads that hold a lock as readers
// again and again write nothing. A false answer may be wrong.
func (s *LockClock) HasMerged(t *Thread) bool {
	m := s.merges.Load()
	return m != nil && Epoch(m.epoch(t).Load()) == t.Now() &&
		t.published.Load() == publishedToAll
}

// forgetMerged comes before the clock is set. What it forgets may be another clock's at once, while
// HasMerged looks at it for a thread. That doesn't find its own epoch there, as it merges nothing
// meanwhile.
func (s *LockClock) forgetMerged() {
	m := s.merges.Load()
	if m == nil {
		return
	}
	s.merges.Store(nil)
	for i := range m.at {
		host.Publish64(&m.at[i], 0)
	}
	unref(m.last.P())
	m.last = tree{}
	mergersSlab.Put(m)
}

// MoveFrom gives m's value to s, which is zero, and makes m zero.
func (s *LockClock) MoveFrom(m *SingletonClock) {
	s.root = m.root
	host.Publish64(&s.epoch, m.epoch.Load())
	m.root = tree{}
	host.Publish64(&m.epoch, 0)
}

// CopyFrom makes the value of s, which is zero, that of m.
func (s *LockClock) CopyFrom(m *SingletonClock) {
	ref(m.root.P())
	s.root = m.root
	host.Publish64(&s.epoch, m.epoch.Load())
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
	if s.UpToDate(t) || equals(t, s.root.P(), s.extra, Epoch(s.epoch.Load())) {
		return
	}
	foldForRelease(t)
	s.replace(t.publishSnapshot())
}

// replace makes st the value of s, which takes over the references of st.
func (s *LockClock) replace(st Snapshot) {
	old := s.root
	s.forgetMerged()
	s.root, s.extra = st.root, st.extra
	host.Publish64(&s.epoch, uint64(st.epoch))
	unref(old.P())
}

// ReleaseMerge sets L(l) := L(l) join T(t).
func (s *LockClock) ReleaseMerge(t *Thread) {
	if s.UpToDate(t) || equals(t, s.root.P(), s.extra, Epoch(s.epoch.Load())) {
		return
	}
	foldForRelease(t)
	t.publish()
	s.merge(t)
}

// UpToDateInCall reports, without a lock, that ReleaseInCall by t would change nothing. A false
// answer may be wrong.
func (s *LockClock) UpToDateInCall(t *Thread) bool {
	return Epoch(s.epoch.Load()) == t.Now() && (t.releasedInCall || t.published.Load() != 0)
}

// ReleaseInCall is ReleaseMerge inside of a call. Most such releases are never acquired, so the
// thread doesn't leave the epoch that it publishes here: see releasedInCall.
func (s *LockClock) ReleaseInCall(t *Thread) {
	t.releasedInCall = true
	t.clearEpochID()
	if Epoch(s.epoch.Load()).Slot() == t.slot && s.root == t.root && s.extra == t.extra &&
		s.epoch.Load() != 0 {
		host.Publish64(&s.epoch, uint64(t.Now())) // it is t's last release, but for the epoch
		return
	}
	if !s.replaces(t) {
		t.World().MergedInCall.Store(1)
	}
	s.merge(t)
}

// replaces reports whether the join of L(l) and T(t) is T(t).
func (s *LockClock) replaces(t *Thread) bool {
	released := Epoch(s.epoch.Load())
	return released != 0 && t.Knows(released) || released == 0 && s.root.Nil()
}

// merge sets L(l) := L(l) join T(t), where the present epoch of t is published already.
func (s *LockClock) merge(t *Thread) {
	if s.replaces(t) {
		s.replace(t.snapshot())
		return
	}
	released := Epoch(s.epoch.Load())
	st := t.snapshot()
	root := s.root.P()
	for _, e := range [...]Epoch{s.extra, released} {
		if e != 0 {
			root = set(root, e, 0)
		}
	}
	s.extra = 0
	host.Publish64(&s.epoch, 0)
	// Goroutines that end one after another often have one vector, that of the go statements. It is
	// merged once.
	m := s.merges.Load()
	if m == nil {
		m = mergersSlab.Get()
		s.merges.Store(m)
	}
	if st.root != m.last {
		j := join{a: knowledge{root: root}, b: st.knowledge()}
		root = j.vectors(m.last.P())
		unref(m.last.P())
		m.last = st.root
	} else {
		unref(st.root.P())
	}
	for _, e := range [...]Epoch{st.extra, st.epoch} {
		if e != 0 {
			root = set(root, e, 0)
		}
	}
	s.root = offheap.To(root)
	host.Publish64(m.epoch(t), uint64(st.epoch))
}

// ReleaseAcquire is a release and an acquire in one step, as of a slot in a channel's buffer: t
// knows what s held before, and s holds what t knew before. It is Go's raceReleaseAcquire.
func (s *LockClock) ReleaseAcquire(t *Thread) {
	if released := Epoch(s.epoch.Load()); released != 0 && released.Slot() == t.slot {
		s.Release(t) // t has released it last: there is nothing to learn
		return
	}
	old := Snapshot{s.root, s.extra, Epoch(s.epoch.Load())}
	foldForRelease(t)
	s.forgetMerged()
	st := t.publishSnapshot()
	s.root, s.extra = st.root, st.extra
	host.Publish64(&s.epoch, uint64(st.epoch))
	if !old.root.Nil() || old.extra != 0 || old.epoch != 0 {
		t.Join(&old)
	}
	old.Drop()
}

// Snapshot returns what was released. The caller drops it.
func (s *LockClock) Snapshot() Snapshot {
	ref(s.root.P())
	return Snapshot{s.root, s.extra, Epoch(s.epoch.Load())}
}

// ReleaseSnapshot sets L(l) to a snapshot that was taken of another clock.
func (s *LockClock) ReleaseSnapshot(st *Snapshot) {
	ref(st.root.P())
	s.replace(*st)
}

// ReleaseMergeSnapshot joins a snapshot that was taken of another clock into L(l).
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

// Knows reports whether an acquire makes a thread know e.
func (s *LockClock) Knows(e Epoch) bool {
	st := Snapshot{s.root, s.extra, Epoch(s.epoch.Load())}
	return st.Knows(e) && !s.Empty()
}

// Empty reports whether nothing was released.
func (s *LockClock) Empty() bool {
	return s.epoch.Load() == 0 && s.root.Nil() && s.extra == 0
}
