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
// HasMerged, KnownTo and ReleaseAgain.
type LockClock struct {
	SingletonClock                            // its epoch is 0 after a merge of several releases
	extra          Epoch                      // released, beside root
	merges         offheap.AtomicRef[mergers] // nil if none was merged since the clock was empty
	// Something was released in a call, or is a snapshot, since the clock was empty: it may not be
	// published.
	unpublished bool
	copied      atomic.Uint32 // 1 if a snapshot was taken of what is released, in a call
}

// HasMerged reports, without a lock, that ReleaseMerge by t would change nothing: t has merged at
// its present epoch, and nobody has set the clock since. So threads that hold a lock as readers
// again and again write nothing. A false answer may be wrong.
func (s *LockClock) HasMerged(t *Thread) bool {
	m := s.merges.Load()
	return m != nil && Epoch(m.epoch(t).Load()) == t.Now() &&
		t.published.Load() == publishedToAll
}

// CopyFrom makes the value of s, which is zero, that of m.
func (s *LockClock) CopyFrom(m *SingletonClock) {
	ref(m.root.P())
	s.root = m.root
	host.Publish64(&s.epoch, m.epoch.Load())
}

// CopySpare is CopyFrom for a clock that may have an epoch beside its vector.
func (s *LockClock) CopySpare(m *SpareClock) {
	s.CopyFrom(&m.SingletonClock)
	s.extra = m.extra
}

// Acquire makes t know what was released: T(t) := T(t) join L(l).
func (s *LockClock) Acquire(t *Thread) {
	if s.Empty() {
		return
	}
	s.mergeAll()
	late := s.late()
	if len(late) > 0 && s.ownsTree() {
		s.settleLate()
		late = nil
	}
	s.joinTo(t, &Snapshot{s.root, s.extra, Epoch(s.epoch.Load())}, late)
}

// joinTo makes t know what was released, which is st and late.
func (s *LockClock) joinTo(t *Thread, st *Snapshot, late []Epoch) {
	if s.unpublished && st.epoch != 0 && !t.Knows(st.epoch) {
		t.World().publish(st.epoch)
	}
	t.joinReleased(st, late)
}

// Release sets L(l) := T(t).
func (s *LockClock) Release(t *Thread) {
	if s.UpToDate(t) || equals(t, s.root.P(), s.extra, Epoch(s.epoch.Load())) {
		return
	}
	s.replace(released(t))
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
	if s.replaces(t) {
		s.replace(released(t))
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
//
//bundle:inline
func (s *LockClock) ReleaseInCall(t *Thread) {
	if !t.releasedInCall {
		t.inCall = offheap.To(s)
	} else if t.inCall != offheap.To(s) {
		t.inCall = offheap.Ref[LockClock]{}
	}
	t.releasedInCall, s.unpublished = true, true
	if s.copied.Load() != 0 && Epoch(s.epoch.Load()) != t.Now() {
		host.Publish32(&s.copied, 0)
	}
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

// ReleaseAgain is Hold and ReleaseInCall, and true, in a call that may share the present epoch with
// the call before, of which it is the repetition. That one has marked the epoch, and nothing else
// has. It was released to s in that call, and nowhere else, and nobody has learned of it. So a
// thread that learns of the epoch from now on learns it from s, and knows both calls. Or it learns
// the epoch from the touch of the call before, which hides a race of the second call. No lock is
// needed. If the result is false, nothing has changed.
//
//bundle:inline
func (s *LockClock) ReleaseAgain(t *Thread) bool {
	now := t.Now()
	if Epoch(s.epoch.Load()) != now || !t.releasedInCall || t.inCall != offheap.To(s) ||
		t.published.Load() != 0 || s.copied.Load() != 0 {
		return false
	}
	host.Publish64(&t.held, uint64(now))
	return true
}

// replaces reports whether the join of L(l) and T(t) is T(t).
func (s *LockClock) replaces(t *Thread) bool {
	released := Epoch(s.epoch.Load())
	return released != 0 && t.Knows(released) || s.Empty()
}

// ReleaseAcquire is a release and an acquire in one step, as of a slot in a channel's buffer: t
// knows what s held before, and s holds what t knew before. It is Go's raceReleaseAcquire.
func (s *LockClock) ReleaseAcquire(t *Thread) {
	if released := Epoch(s.epoch.Load()); released != 0 && t.Knows(released) {
		s.Release(t) // there is nothing to learn
		return
	}
	s.settle()
	old := Snapshot{s.root, s.extra, Epoch(s.epoch.Load())}
	st := released(t)
	s.forgetMerged()
	s.root, s.extra = st.root, st.extra
	host.Publish64(&s.epoch, uint64(st.epoch))
	if !old.root.Nil() || old.extra != 0 || old.epoch != 0 {
		s.joinTo(t, &old, nil)
	}
	old.Drop()
}

// Snapshot returns what was released. The caller drops it.
func (s *LockClock) Snapshot() Snapshot {
	s.settle()
	if s.unpublished {
		host.Publish32(&s.copied, 1)
	}
	ref(s.root.P())
	return Snapshot{s.root, s.extra, Epoch(s.epoch.Load())}
}

// ReleaseSnapshot sets L(l) to a snapshot that was taken of another clock.
func (s *LockClock) ReleaseSnapshot(st *Snapshot) {
	ref(st.root.P())
	s.unpublished = true
	s.replace(*st)
}

// ReleaseMergeSnapshot joins a snapshot that was taken of another clock into L(l).
func (s *LockClock) ReleaseMergeSnapshot(st *Snapshot) {
	old := s.Snapshot()
	s.unpublished = true
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
func (s *LockClock) Clear() {
	s.replace(Snapshot{})
	s.unpublished = false
}

// Knows reports whether an acquire makes a thread know e.
func (s *LockClock) Knows(e Epoch) bool {
	s.mergeAll()
	st := Snapshot{s.root, s.extra, Epoch(s.epoch.Load())}
	if st.Knows(e) {
		return !s.Empty()
	}
	return latest(s.late(), e.Slot()) >= e
}

// Empty reports whether nothing was released.
func (s *LockClock) Empty() bool {
	return s.epoch.Load() == 0 && s.root.Nil() && s.extra == 0 && len(s.late()) == 0
}
