// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package vclock

import (
	"sync/atomic"
	"unsafe"

	"github.com/commutego/commute/internal/engine/host"
	"github.com/commutego/commute/internal/engine/offheap"
)

// A SingletonClock is the clock of a lock, a channel slot or an atomic variable, L(l) in table 1,
// as long as it holds what one release set: the latest. Most such clocks never hold more; one that
// must is moved to a [LockClock]. The zero SingletonClock was never released. Calls on one clock
// must not overlap, except those of UpToDate and KnownTo.
type SingletonClock struct {
	root  tree
	epoch atomic.Uint64 // an Epoch, that of the release
}

// KnownTo reports, without a lock, that an acquire teaches t nothing. A false answer may be wrong.
func (m *SingletonClock) KnownTo(t *Thread) bool {
	released := Epoch(m.epoch.Load())
	return released == t.seen || sees(t, released)
}

// UpToDate reports, without a lock, that an acquire and a release by t would change nothing: t has
// released at its present epoch already, or a thread has whose clock was equal. A false answer may
// be wrong.
func (m *SingletonClock) UpToDate(t *Thread) bool { return ReleasedAt(t, m.epoch.Load()) }

// ReleasedAt is UpToDate for a clock with the epoch of a release.
func ReleasedAt(t *Thread, epoch uint64) bool {
	released := Epoch(epoch)
	return released == t.Now() && t.published.Load() == publishedToAll ||
		released == t.equal && released != 0
}

// Epoch is where the epoch of the release is, 0 if there was none.
func (m *SingletonClock) Epoch() *atomic.Uint64 { return &m.epoch }

// Acquire makes t know what was released: T(t) := T(t) join L(l).
func (m *SingletonClock) Acquire(t *Thread) {
	if st := (Snapshot{root: m.root, epoch: Epoch(m.epoch.Load())}); st.epoch != 0 {
		t.joinReleased(&st, nil)
	}
}

// Release sets L(l) := T(t).
func (m *SingletonClock) Release(t *Thread) {
	was := m.epoch.Load()
	if t.extra == 0 && again(t, was) {
		t.clearEpochID()
		m.set(t.root, t.Now())
		return
	}
	if was != 0 && Epoch(was) != t.unequal && equals(t, m.root.P(), 0, Epoch(was)) {
		return
	}
	if e := borrowed(t); e != 0 {
		m.set(t.root, e)
		t.equal = e
		return
	}
	t.foldExtra() // there is no room for an extra epoch here
	foldForRelease(t)
	t.publish()
	m.set(t.root, t.Now())
}

// ReleaseAtOnce is Release, and ReleaseMerge and ReleaseAcquire besides, where t knows what m
// holds, and all that is left is to store what t knows. Otherwise it does nothing and returns
// false.
func (m *SingletonClock) ReleaseAtOnce(t *Thread) bool {
	was := Epoch(m.epoch.Load())
	if was != 0 && was.Slot() != t.slot && was != t.unequal {
		return false // it may be the clock of t
	}
	if t.extra == 0 && t.published.Load() == publishedToAll {
		t.clearEpochID()
		m.set(t.root, t.Now())
		return true
	}
	e := borrowed(t)
	if e == 0 {
		return false
	}
	m.set(t.root, e)
	t.equal = e
	return true
}

// again reports that t is about to release at an epoch that it has published, to a clock that holds
// nothing, or a release in its own slot: then all that is left is to store what it knows, and to
// clear the ID of the epoch, which who has published that may not have done yet.
func again(t *Thread, epoch uint64) bool {
	return (epoch == 0 || Epoch(epoch).Slot() == t.slot) && t.published.Load() == publishedToAll
}

// set makes m what was released at an epoch.
func (m *SingletonClock) set(root tree, e Epoch) {
	if old := m.root; old != root { // else the clock has a reference to it already
		m.root = root
		ref(root.P())
		if !old.Nil() { // as that of a new clock is
			unref(old.P())
		}
	}
	host.Publish64(&m.epoch, uint64(e))
}

// ReleaseMerge sets L(l) := L(l) join T(t) if t knows L(l), so that the join is T(t). Otherwise it
// does nothing and returns false.
func (m *SingletonClock) ReleaseMerge(t *Thread) bool {
	if released := Epoch(m.epoch.Load()); released != 0 && !t.Knows(released) {
		e := borrowed(t)
		st := Snapshot{root: m.root, epoch: released}
		return e != 0 && st.Knows(e) // then m holds all that t knows
	}
	m.Release(t)
	return true
}

// ReleaseAcquire is a release and an acquire in one step, as of a slot in a channel's buffer: t
// knows what m held before, and m holds what t knew before. It is Go's raceReleaseAcquire.
func (m *SingletonClock) ReleaseAcquire(t *Thread) {
	old := Snapshot{root: m.root, epoch: Epoch(m.epoch.Load())}
	if old.epoch == 0 || t.Knows(old.epoch) {
		m.Release(t)
		return
	}
	if e := borrowed(t); e != 0 {
		m.root = offheap.To(ref(t.root.P()))
		host.Publish64(&m.epoch, uint64(e))
	} else {
		t.foldExtra()
		foldForRelease(t)
		m.root = t.publishSnapshot().root
		host.Publish64(&m.epoch, uint64(t.Now()))
	}
	t.joinReleased(&old, nil)
	old.Drop()
}

// Snapshot returns what was released. The caller drops it.
func (m *SingletonClock) Snapshot() Snapshot {
	ref(m.root.P())
	return Snapshot{root: m.root, epoch: Epoch(m.epoch.Load())}
}

// Prefetch loads the vector that Clear gives up into the cache.
func (m *SingletonClock) Prefetch() { host.Prefetch(uintptr(unsafe.Pointer(m.root.P()))) }

// Clear forgets all releases.
func (m *SingletonClock) Clear() {
	old := m.root
	m.root = tree{}
	host.Publish64(&m.epoch, 0)
	unref(old.P())
}
