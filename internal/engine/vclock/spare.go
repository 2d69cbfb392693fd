// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package vclock

import "github.com/commutego/commute/internal/engine/host"

// A SpareClock is a singleton clock with room for one more epoch beside its vector. A thread that
// was just started knows one: its parent's. So it can release the vector that it began with, and
// needs none of its own.
type SpareClock struct {
	SingletonClock
	extra Epoch // released, beside root
}

// value is what was released; it has no reference of its own to the vector.
func (m *SpareClock) value() Snapshot {
	return Snapshot{m.root, m.extra, Epoch(m.epoch.Load())}
}

// Acquire makes t know what was released: T(t) := T(t) join L(l).
func (m *SpareClock) Acquire(t *Thread) {
	if st := m.value(); st.epoch != 0 {
		t.joinReleased(&st, nil)
	}
}

// Release sets L(l) := T(t).
func (m *SpareClock) Release(t *Thread) {
	if again(t, m.epoch.Load()) {
		t.clearEpochID()
		m.extra = t.extra
		m.set(t.root, t.Now())
		return
	}
	if equals(t, m.root.P(), m.extra, Epoch(m.epoch.Load())) {
		return
	}
	if e := borrowed(t); e != 0 {
		m.extra = 0
		m.set(t.root, e)
		t.equal = e
		return
	}
	foldForRelease(t)
	t.publish()
	m.extra = t.extra
	m.set(t.root, t.Now())
}

// ReleaseMerge is that of a [SingletonClock].
func (m *SpareClock) ReleaseMerge(t *Thread) bool {
	if st := m.value(); st.epoch != 0 && !t.Knows(st.epoch) {
		e := borrowed(t)
		return e != 0 && st.Knows(e)
	}
	m.Release(t)
	return true
}

// ReleaseAcquire is a release and an acquire in one step, as of a slot in a channel's buffer.
func (m *SpareClock) ReleaseAcquire(t *Thread) {
	old := m.value()
	if old.epoch == 0 || t.Knows(old.epoch) {
		m.Release(t)
		return
	}
	st := released(t)
	m.root, m.extra = st.root, st.extra
	host.Publish64(&m.epoch, uint64(st.epoch))
	t.joinReleased(&old, nil)
	old.Drop()
}

// Snapshot returns what was released. The caller drops it.
func (m *SpareClock) Snapshot() Snapshot {
	ref(m.root.P())
	return m.value()
}

// Clear forgets all releases.
func (m *SpareClock) Clear() {
	m.extra = 0
	m.SingletonClock.Clear()
}
