// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package vclock

import "github.com/commutego/commute/internal/engine/offheap"

// A Snapshot is the value of a clock: all that root holds, and two more epochs. Field epoch is the
// one at which a thread's clock had this value. By rule (R) a clock that knows it knows the whole
// snapshot. It is 0 where the value is a join of several threads' clocks.
type Snapshot struct {
	root  tree
	extra Epoch
	epoch Epoch
}

// Epoch is the epoch that the snapshot was taken at, 0 if it is a join of several.
func (s *Snapshot) Epoch() Epoch { return s.epoch }

// Of reports whether the snapshot is that of one release of t, or empty. A snapshot of several
// goroutines' releases is not.
func (s *Snapshot) Of(t *Thread) bool {
	return s.epoch != 0 && Own(t, s.epoch) || s.epoch == 0 && s.root.Nil() && s.extra == 0
}

// Copy returns another reference to what s is. The caller drops it.
func (s *Snapshot) Copy() Snapshot {
	ref(s.root.P())
	return *s
}

// knowledge is what s stands for; it's good as long as s is.
func (s *Snapshot) knowledge() knowledge {
	return knowledge{root: s.root.P(), extra: s.extra, epoch: s.epoch}
}

// Drop gives up the snapshot's memory.
func (s *Snapshot) Drop() {
	unref(s.root.P())
	*s = Snapshot{}
}

// Snapshot returns the present clock, to be kept with an event that Tick has marked. The epoch is
// not published by this. [Thread.Join] publishes it when a thread joins the snapshot.
func (t *Thread) Snapshot() Snapshot {
	t.snapshotTaken = true
	return t.snapshot()
}

// RemoteSnapshot returns the present clock of t to another thread, and publishes the epoch. The
// lock keeps t from learning anything at an epoch that is just being published; see (R).
func (t *Thread) RemoteSnapshot() Snapshot {
	t.lock.Lock()
	s := t.publishSnapshot()
	t.lock.Unlock()
	return s
}

// publishSnapshot publishes the present epoch and returns the clock, with its own reference to the
// vector.
func (t *Thread) publishSnapshot() Snapshot {
	t.publish()
	return t.snapshot()
}

func (t *Thread) snapshot() Snapshot {
	ref(t.root.P())
	return Snapshot{t.root, t.extra, t.Now()}
}

// ExcludeHeld takes the epoch that the snapshot's thread holds out of the snapshot. Events that are
// still to be marked with it are then unknown to a thread that joins the snapshot.
//
// The snapshot's epoch becomes 0, for what the thread learned at the held epoch stays in. By (R) a
// clock that knows the epoch before the held one need not know that.
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

// addEpoch adds e to what the snapshot stands for, as its extra epoch.
func (s *Snapshot) addEpoch(e Epoch) {
	if s.extra != 0 {
		s.root = offheap.To(set(s.root.P(), s.extra, 0))
	}
	s.extra = e
}

// Knows reports whether a thread that joined the snapshot would know e.
func (s *Snapshot) Knows(e Epoch) bool {
	return e == 0 || e.Slot() == s.epoch.Slot() && e <= s.epoch ||
		e.Slot() == s.extra.Slot() && e <= s.extra || get(s.root.P(), e.Slot()) >= e.Time()
}

// Renew makes s the present clock of t, for an event that Tick has marked, as Snapshot does. It
// costs little if s is an earlier snapshot of t, and t has learned nothing since.
func (s *Snapshot) Renew(t *Thread) {
	t.snapshotTaken = true
	if s.root != t.root {
		old := s.root
		s.root = t.root
		ref(t.root.P())
		unref(old.P())
	}
	s.extra, s.epoch = t.extra, t.Now()
}
