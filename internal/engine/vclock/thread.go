// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package vclock

import (
	"sync/atomic"

	"github.com/commutego/commute/internal/engine/host"
	"github.com/commutego/commute/internal/engine/offheap"
)

// A Thread is the clock of one goroutine: T(t) in table 1. Its methods are called by that
// goroutine only, or by another while it stands still.
type Thread struct {
	lock           offheap.Lock  // held to change root or extra, and by others to read them; taken after that of slots
	published      atomic.Uint32 // how the present time was given away, so that other threads may know it
	time           atomic.Uint64 // the present time; the slot's component
	world          offheap.Ref[World]
	slot           uint32
	listIndex      uint32 // in the list of live threads
	marked         bool   // something was marked with the present time
	pinned         bool   // accesses to memory may bear the present time
	snapshotTaken  bool   // a stamp of the present time may be kept
	unchangedSince uint64 // the time of the last Join, or of the first step after the present was given away
	alive          bool
	root           tree
	extra          Epoch         // known, beside root
	keptSnapshot   Epoch         // see Offer
	held           atomic.Uint64 // an Epoch: what Touch returns, if not 0

	epochID atomic.Uint64 // see SetCurrent
}

// Ways in which a moment is given away. givenWithin means by releases inside of calls, whose acquirers, if
// there ever are any, may take what comes later at that moment for known too: that hides races and
// reports none.
const (
	publishedInCall = 1
	publishedToAll  = 2
)

// A Stamp is the value of a clock at a moment: all that root holds, and two more epochs. Own is
// the moment itself; by rule (R) who knows Own knows the whole stamp. Own is 0 where the value is
// a join of several threads' clocks.
type Snapshot struct {
	root  tree
	extra Epoch
	epoch Epoch
}

// Own is the moment that the stamp was taken at, 0 if it is a join of several.
func (s *Snapshot) Epoch() Epoch { return s.epoch }

// knowledge is what s stands for; it's good as long as s is.
func (s *Snapshot) knowledge() knowledge {
	return knowledge{root: s.root.P(), extra: s.extra, epoch: s.epoch}
}

// Drop gives up the stamp's memory.
func (s *Snapshot) Drop() {
	unref(s.root.P())
	*s = Snapshot{}
}

// World is the execution that t is a thread of.
func (t *Thread) World() *World { return t.world.P() }

// Now is the thread's present moment.
func (t *Thread) Now() Epoch { return makeEpoch(t.slot, t.time.Load()) }

// Knows reports whether the moment e happens before the thread's present, or is its own.
func (t *Thread) Knows(e Epoch) bool {
	if e.Slot() == t.slot {
		return true // times of a slot are in the order of happens-before, and e is past
	}
	return e == t.extra || get(t.root.P(), e.Slot()) >= e.Time() || e == 0 ||
		e.Slot() == t.extra.Slot() && e <= t.extra
}

// Touch steps to a new moment, to mark an event with, unless one is held.
func (t *Thread) Tick() Epoch {
	if held := t.Held(); held != 0 {
		return held
	}
	if t.pinned {
		t.marked = true // what is held may be taken out of a stamp, but those accesses were before
	}
	t.ensureUnused(publishedInCall)
	t.marked = true
	t.clearEpochID()
	return t.Now()
}

// Moment is the moment to mark accesses to memory with: all that the thread does until Current is 0
// may bear it.
func (t *Thread) AccessEpoch() Epoch {
	t.ensureUnused(0)
	t.pinned = true
	return t.Now()
}

// Current is what was set last, 0 if the thread may have to move to another moment since then.
func (t *Thread) EpochID() uint64 { return t.epochID.Load() }

// SetCurrent keeps what stands for the present moment, unless that has been given away in the meantime.
func (t *Thread) SetEpochID(id uint64) {
	if id == 0 {
		t.clearEpochID()
		return
	}
	t.epochID.Store(id) // is seen by others before given is looked at, as given is in giveAway
	if t.published.Load() != 0 {
		t.clearEpochID()
	}
}

// stale notes that the thread has to move to another moment.
func (t *Thread) clearEpochID() {
	if t.epochID.Load() != 0 {
		host.Publish64(&t.epochID, 0)
	}
}

// Hold makes Touch return the moment that it would return now, until it is let go: who learns of the
// thread from now on knows what it marks then.
func (t *Thread) Hold() { host.Publish64(&t.held, uint64(t.Tick())) }

// Held is the moment that is held, 0 if none is. Others may ask.
func (t *Thread) Held() Epoch { return Epoch(t.held.Load()) }

// LetGo ends a Hold, or goes back to an earlier one.
func (t *Thread) RestoreHeld(to Epoch) {
	if t.Held() != to {
		host.Publish64(&t.held, uint64(to))
	}
}

// Fresh reports whether the thread would mark an event now as it marked one at e, one of its own
// moments: since then it learned nothing, and nobody learned of it.
func (t *Thread) UnchangedSince(e Epoch) bool {
	return e.Slot() == t.slot && t.published.Load() != publishedToAll && e.Time() >= t.unchangedSince
}

// Offer notes that a stamp is kept with the event that is marked with own, a moment of the thread, for
// others to join: they then know what the thread did before, and not what it does after.
func (t *Thread) NoteSnapshot(e Epoch) { t.keptSnapshot = e }

// Offered reports whether a stamp of a later moment than e has been kept since. Who joins that takes
// all that is marked with e for known, so nothing that happens now may count as marked with e.
func (t *Thread) SnapshotAfter(e Epoch) bool { return t.keptSnapshot > e }

// step moves to a moment that nothing is marked with and that nobody knows, if the present isn't one.
// Being given away in the way except doesn't count.
func (t *Thread) ensureUnused(ignored uint32) {
	published := t.published.Load()
	if !t.marked && (published == 0 || published == ignored) {
		return
	}
	if published != 0 {
		published = t.published.Swap(0) // giveAway may just have come
	}
	now := t.time.Load()
	if now < maxTime {
		now++
		host.Publish64(&t.time, now) // after that, so that who sees the new time gives that away
	} else {
		t.World().Exhausted.Store(1)
	}
	if published == publishedToAll {
		t.unchangedSince = now
	}
	t.marked, t.pinned, t.snapshotTaken = false, false, false
	t.clearEpochID()
}

// give returns the present as a stamp, with a reference of its own to the vector, and notes that
// the present time is now known to others.
func (t *Thread) publishSnapshot() Snapshot {
	t.publish()
	return t.snapshot()
}

// mark notes that the present time is now known to others. Given may have been set before, by giveAway
// for an earlier time.
func (t *Thread) publish() {
	if t.published.Load() != publishedToAll {
		host.Publish32(&t.published, publishedToAll)
	}
	t.clearEpochID()
}

// Stamp returns the present to be kept with an event that was marked by Touch. It is not given
// away yet: who joins it must call [Thread.Join], which sees to that.
func (t *Thread) Snapshot() Snapshot {
	t.snapshotTaken = true
	return t.snapshot()
}

func (t *Thread) snapshot() Snapshot {
	ref(t.root.P())
	return Snapshot{t.root, t.extra, t.Now()}
}

// Peek is Stamp for another thread's present, which is given away.
func (t *Thread) RemoteSnapshot() Snapshot {
	t.lock.Lock()
	s := t.publishSnapshot()
	t.lock.Unlock()
	return s
}

// Before takes out of a stamp the moment that its thread holds, for a mark that is still to come.
// What the thread has learned at that moment stays, so that who knows the moment before need not
// know the stamp.
func (s *Snapshot) ExcludeHeld(held Epoch) {
	switch {
	case held == 0 || s.epoch < held:
	default:
		s.epoch = 0
		if held.Time() > 1 {
			s.addEpoch(makeEpoch(held.Slot(), held.Time()-1))
		}
	}
}

// know adds a moment to what a stamp stands for.
func (s *Snapshot) addEpoch(e Epoch) {
	if s.extra != 0 {
		s.root = offheap.To(set(s.root.P(), s.extra, 0))
	}
	s.extra = e
}

// Join makes the thread know all of s: T(t) := T(t) join s. It reports whether that was news.
func (t *Thread) Join(s *Snapshot) bool { return t.join(s, false) }

// learn is Join, which leaves the moment of s beside the tree if beside is true: where no other learns of t, that
// saves the nodes.
func (t *Thread) join(s *Snapshot, asExtra bool) bool {
	if s.epoch != 0 && t.Knows(s.epoch) {
		return false
	}
	if s.epoch != 0 {
		t.World().publish(s.epoch)
	}
	if s.epoch == 0 && t.Knows(s.extra) {
		k := knowledge{root: t.root.P(), extra: t.extra, epoch: t.Now()}
		if k.covers(t.root.P(), s.root.P(), t.slot) {
			return false // the moment goes on, and with it what was given away of it
		}
	}
	// By (R) the present time must not stand for more than it did when it was given away, by Peek even now.
	t.lock.Lock()
	t.ensureUnused(0)
	t.unchangedSince = t.time.Load()
	maker := t.Now()
	root := t.root.P()
	if !s.root.Nil() && s.root != t.root {
		j := join{a: knowledge{root: root, extra: t.extra, epoch: t.Now()}, b: s.knowledge(), maker: maker}
		root = j.vectors(nil)
	}
	if t.extra != 0 {
		root = set(root, t.extra, maker)
	}
	if s.extra != 0 && s.extra.Slot() != t.slot {
		root = set(root, s.extra, maker)
	}
	t.extra = s.epoch
	if s.epoch != 0 && !asExtra {
		root, t.extra = set(root, s.epoch, maker), 0
	}
	t.root = offheap.To(root)
	t.lock.Unlock()
	return true
}

// JoinAt is Join of s, which belongs to a mark at own: a later moment, up to which the thread that took s
// has learned nothing more (see Fresh), or an earlier one that was held.
func (t *Thread) JoinAt(s *Snapshot, e Epoch) bool {
	later := *s
	later.epoch = max(s.epoch, e)
	return t.Join(&later)
}

// Meet makes t and u know all that either does: T(t) := T(u) := T(t) join T(u). U stands still.
func (t *Thread) Rendezvous(u *Thread) {
	now := t.Now()
	unknown := !u.Knows(now)
	if unknown {
		t.publish()
	}
	s := Snapshot{u.root, u.extra, u.Now()} // u's tree doesn't go away meanwhile, so no reference is needed
	t.join(&s, unknown)
	if !unknown {
		return // by (R) u knows what t did, which was all of both
	}
	// Now t knows all that u does, so that the tree of both is t's.
	if t.extra != 0 && t.extra.Slot() != u.slot {
		t.lockAndFoldExtra()
	}
	t.publish() // u has nodes that t has made at this moment, so it's told of that, which bears nothing yet
	u.lock.Lock()
	u.ensureUnused(0)
	u.unchangedSince = u.time.Load()
	old := u.root
	u.root, u.extra = t.root, t.Now()
	ref(u.root.P())
	unref(old.P())
	u.lock.Unlock()
}

// fold moves extra into the tree.
func (t *Thread) foldExtraLocked() {
	if t.extra != 0 {
		t.root = offheap.To(set(t.root.P(), t.extra, t.Now()))
		t.extra = 0
	}
}

// foldExtra is fold by the thread itself, at any time.
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

// Fork makes child, which must not be in use, the clock of a thread that t starts now.
func (t *Thread) Fork(child *Thread) {
	t.foldExtra()
	s := t.publishSnapshot()
	t.World().start(child, t, s.root, s.epoch)
}

// Start makes t the clock of a thread that nothing happens before.
func (w *World) Start(t *Thread) { w.start(t, nil, tree{}, 0) }

// StartAfter makes t the clock of a thread that knows what s stands for.
func (w *World) StartAfter(t *Thread, s *Snapshot) {
	n := ref(s.root.P())
	if s.extra != 0 {
		n = set(n, s.extra, 0)
	}
	// Ended threads' slots are had by who has a parent that knows their end: one that is in no slot.
	parent := parents.Get()
	parent.slot, parent.root, parent.extra = maxSlots, offheap.To(n), s.epoch
	w.start(t, parent, parent.root, s.epoch)
	parents.Put(parent)
}

var parents offheap.Slab[Thread]

// End ends the thread. Its slot can be used again.
func (t *Thread) End() { t.World().slots.endThread(t) }

// Bear returns the present moment, which an event is known by that is marked with nothing: no other thread will have it.
func (t *Thread) Pin() Epoch {
	t.pinned = true
	return t.Now()
}

// Advance moves to a new moment, whether anything is marked with the present one or not.
func (t *Thread) Advance() {
	t.marked = true
	t.ensureUnused(0)
}
