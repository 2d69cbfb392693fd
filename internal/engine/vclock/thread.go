// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package vclock

import (
	"sync/atomic"

	"github.com/commutego/commute/internal/engine/host"
	"github.com/commutego/commute/internal/engine/offheap"
)

// A Thread is the clock of one goroutine: T(t) in table 1. Only that goroutine calls its methods,
// or another goroutine while that one stands still. RemoteSnapshot and Held are the exceptions.
//
// The clock knows all that root holds, extra, and the times of its slot up to time.
type Thread struct {
	// A goroutine holds lock to change root or extra, and another holds it to read them. It is
	// taken after the lock of the slot table.
	lock      offheap.Lock
	published atomic.Uint32 // 0, or publishedToAll if others may know the present time
	time      atomic.Uint64 // the present time; the slot's component
	world     offheap.Ref[World]
	slot      uint32

	// What the present time is used for; see the package's doc.
	marked        bool
	pinned        bool
	snapshotTaken bool
	// The present time was released in a call, which publishes it only to the acquirers of that
	// clock, of which there are few. A join of what one thread has released publishes it to all.
	// The join of several threads' releases doesn't. The thread then goes on marking events with
	// the epoch, so that such an acquirer may take later events for known. That hides races, and
	// reports none.
	releasedInCall bool
	inCall         offheap.Ref[LockClock] // the only clock that has it then; nil if several have

	// The time of the last join, or of the first epoch after one that was published to all. From
	// then on the thread has learned nothing, and no other thread has joined its clock.
	unchangedSince uint64
	learned        uint64 // how often the thread has learned something
	first          uint64 // its first time

	root  tree
	extra Epoch // known, beside root
	// An epoch of another thread, at which that one knew all that root and extra hold; 0 if there
	// is no such epoch. By (R) a clock that knows it knows all that t does.
	basis Epoch
	alike
	keptSnapshot
	held    atomic.Uint64 // an Epoch: what Tick returns, if not 0
	epochID atomic.Uint64 // see SetEpochID

	collected uint64 // the time that the collector knows; the slot table's lock guards it
}

const publishedToAll = 1

// World is the execution that t is a thread of.
func (t *Thread) World() *World { return t.world.P() }

// Now is the thread's present epoch.
func (t *Thread) Now() Epoch { return makeEpoch(t.slot, t.time.Load()) }

// SlotOf is the component of a thread's epochs.
func SlotOf(t *Thread) uint32 { return t.slot }

// Knows reports whether e happens before the thread's present, or is one of its own epochs.
func (t *Thread) Knows(e Epoch) bool {
	if e.Slot() == t.slot {
		return true // times of a slot are in the order of happens-before, and e is past
	}
	return e == t.extra || get(t.root.P(), e.Slot()) >= e.Time() || e == 0 ||
		e.Slot() == t.extra.Slot() && e <= t.extra
}

// Latest is the last epoch of a slot that the thread knows: of that slot it knows e if e is not
// later. It knows all epochs of its own slot. The answer is exact until [Learned] changes, and a
// lower bound for good.
func Latest(t *Thread, slot uint32) Epoch {
	if slot == t.slot {
		return makeEpoch(slot, maxTime)
	}
	e := makeEpoch(slot, get(t.root.P(), slot))
	if t.extra.Slot() == slot {
		e = max(e, t.extra)
	}
	return e
}

// Learned returns a number that changes whenever the thread learns something.
//
//go:nosplit
func Learned(t *Thread) uint64 { return t.learned }

// Tick returns an epoch to mark one event with: the held one, or else one that no earlier event
// has and that is not published to all.
//
//bundle:inline
func (t *Thread) Tick() Epoch {
	if held := t.Held(); held != 0 {
		if held != t.Now() {
			// A snapshot that is kept with the event is of the present epoch. So no later event
			// may have that one.
			t.marked = true
			t.clearEpochID()
		}
		return held
	}
	// Most often the thread has marked its epoch, and nobody else has it. This is ensureUnused then.
	if now := t.time.Load(); t.marked && t.published.Load() == 0 && now < maxTime {
		t.equal, t.shown = 0, false
		moveTo(t, now+1)
		t.marked = true
		return makeEpoch(t.slot, now+1)
	}
	if t.pinned {
		// ExcludeHeld may later take the new epoch out of a snapshot. The accesses at the present
		// epoch came before, and must stay in it.
		t.marked = true
	}
	t.ensureUnused(true)
	t.marked = true
	t.clearEpochID()
	return t.Now()
}

// AccessEpoch returns the epoch of the thread's memory accesses. All accesses have it until the
// epoch is left or published, which makes EpochID 0; then the caller asks again.
//
//go:nosplit
func (t *Thread) AccessEpoch() Epoch {
	t.ensureUnused(false)
	t.pinned = true
	return t.Now()
}

// Pin returns the present epoch for an event that is known by it and marked with nothing. No later
// thread in the slot begins with this epoch.
func (t *Thread) Pin() Epoch {
	t.pinned, t.equal = true, 0
	return t.Now()
}

// Advance moves to a new epoch in any case.
func (t *Thread) Advance() {
	t.marked = true
	t.ensureUnused(false)
}

// EpochID is what SetEpochID has set, or 0 if the thread may have to leave its epoch since then.
func (t *Thread) EpochID() uint64 { return t.epochID.Load() }

// SetEpochID keeps the number that a check has given to the present epoch. It keeps 0 instead if
// another thread has published the epoch meanwhile.
//
// The order matters. This thread stores the ID and then loads published; World.publish, on
// another thread, stores published and then loads the ID. So at least one of them sees the other,
// and clears the ID.
//
//go:nosplit
func (t *Thread) SetEpochID(id uint64) {
	if id == 0 {
		t.clearEpochID()
		return
	}
	t.epochID.Store(id)
	if t.published.Load() != 0 || t.releasedInCall {
		t.clearEpochID()
	}
}

// clearEpochID notes that the thread has to leave its present epoch before the next access.
func (t *Thread) clearEpochID() {
	if t.epochID.Load() != 0 {
		host.Publish64(&t.epochID, 0)
	}
}

// Hold makes Tick return one epoch again and again until RestoreHeld. A thread that joins the clock
// in the meantime knows the events that are marked under the hold, unless the caller excludes them:
// see [Snapshot.ExcludeHeld].
//
//bundle:inline
func (t *Thread) Hold() { host.Publish64(&t.held, uint64(t.Tick())) }

// Held is the held epoch, 0 if none is held. Other threads may call it.
func (t *Thread) Held() Epoch { return Epoch(t.held.Load()) }

// RestoreHeld ends a Hold: it makes e, which was held before it, the held epoch, or none if e is 0.
func (t *Thread) RestoreHeld(to Epoch) {
	if t.Held() != to {
		host.Publish64(&t.held, uint64(to))
	}
}

// Own reports whether e is an epoch of t: of its slot, since it has started.
func Own(t *Thread, e Epoch) bool { return e.Slot() == t.slot && e.Time() >= t.first }

// UnchangedSince reports whether an event at e, one of the thread's own epochs, and one now have
// the same place in happens-before. It holds if since e the thread has learned nothing and no other
// thread has joined its clock.
func (t *Thread) UnchangedSince(e Epoch) bool {
	return e.Slot() == t.slot && t.published.Load() != publishedToAll &&
		e.Time() >= t.unchangedSince
}

// AloneAt reports whether e is the present epoch of t, and nobody else has come to know it. If
// something is marked with e, the thread has learned nothing since: it would have left the epoch.
func AloneAt(t *Thread, e Epoch) bool {
	return e == t.Now() && t.published.Load() == 0
}

// ReleasedInCall reports whether the present epoch of t was released in a call.
func ReleasedInCall(t *Thread) bool { return t.releasedInCall }

// LearnedAfter reports whether the thread has learned something since it has published e, one of
// its epochs: by (R) it has left that before. A true answer may be wrong.
func LearnedAfter(t *Thread, e Epoch) bool { return t.unchangedSince > e.Time() }

// A keptSnapshot is the latest epoch of a thread whose snapshot is kept with an event, and the
// latest at which a change has left no mark.
type keptSnapshot struct{ kept, unmarked Epoch }

// NoteSnapshot notes that a snapshot is kept with an event at e, one of the thread's epochs. A
// thread that joins the snapshot later learns what happened up to e, and nothing after it.
func (k *keptSnapshot) NoteSnapshot(e Epoch) { k.kept = e }

// SnapshotAfter reports whether a snapshot is kept of an epoch later than e. A thread that joins
// that snapshot takes all events at e for known, so no event that is still to come may have e.
func (k *keptSnapshot) SnapshotAfter(e Epoch) bool { return k.kept > e }

// NoteUnmarked notes that the thread has changed something at e, one of its epochs, without a mark
// that shows the change.
func (k *keptSnapshot) NoteUnmarked(e Epoch) { k.unmarked = e }

// UnmarkedSince reports whether there is such a change at e, or at a later epoch.
func (k *keptSnapshot) UnmarkedSince(e Epoch) bool { return k.unmarked >= e }

// ensureUnused moves to a new epoch, unless the present one is unmarked and unpublished. If inCalls
// is set, one that was released in calls counts as unpublished.
//
//go:nosplit
func (t *Thread) ensureUnused(inCalls bool) {
	t.equal, t.shown = 0, false
	published := t.published.Load()
	if !t.marked && published == 0 && (inCalls || !t.releasedInCall) {
		return
	}
	if published != 0 {
		published = t.published.Swap(0) // World.publish may have raised it since the load
	}
	now := t.time.Load()
	if now < maxTime {
		now++
	} else {
		t.World().Exhausted.Store(1)
	}
	if published == publishedToAll {
		t.unchangedSince = now
	}
	// The time is stored after published has become 0. So a thread that sees the new time, and
	// publishes it, isn't overwritten.
	moveTo(t, now)
}

// moveTo makes a time the present one, which is used for nothing so far.
//
//bundle:inline
func moveTo(t *Thread, now uint64) {
	host.Publish64(&t.time, now)
	t.marked, t.pinned, t.snapshotTaken, t.releasedInCall = false, false, false, false
	t.clearEpochID()
}

// publish notes that other threads may know the present time from now on. World.publish may have
// set the flag before, when a thread joined a snapshot of an earlier time.
func (t *Thread) publish() {
	if t.published.Load() != publishedToAll {
		host.Publish32(&t.published, publishedToAll)
	}
	t.clearEpochID()
}

// publish notes that a thread joins a snapshot of e, which the thread of e may still be at.
func (w *World) publish(e Epoch) {
	if t := w.slots.thread(e.Slot()).Load(); t != nil {
		t.published.Store(publishedToAll)
		t.clearEpochID()
	}
}
