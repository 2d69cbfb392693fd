// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package vclock

import (
	"github.com/commutego/commute/internal/engine/host"
	"github.com/commutego/commute/internal/engine/offheap"
)

// Fork makes child, which must not be in use, the clock of a thread that t starts now.
//
// What t knows beside its vector is mostly the end of the thread that it has waited for last. The
// child has the slot of that one, if it's free, and then needs no vector with it: all earlier times
// of its slot are its own.
func (t *Thread) Fork(child *Thread) {
	foldForFork(t)
	w := t.World()
	w.slots.lock.Lock()
	e := w.slots.take(t)
	if t.extra != 0 && t.extra.Slot() != e.last.epoch.Slot() {
		t.lockAndFoldExtra()
		foldForFork(t)
	}
	s := t.publishSnapshot()
	w.startIn(e, child, s.root, s.epoch)
}

// Start makes t the clock of a thread that nothing happens before.
func (w *World) Start(t *Thread) { w.start(t, nil, tree{}, 0) }

// StartAfter makes t the clock of a thread that knows the snapshot s. A timer's goroutine starts
// this way: no thread forks it.
func (w *World) StartAfter(t *Thread, s *Snapshot) {
	n := ref(s.root.P())
	if s.extra != 0 {
		n = set(n, s.extra, 0)
	}
	// The slot of an ended thread is reused for a child whose parent knows the end. This parent is
	// made up: it has a slot number that no thread has.
	parent := parents.Get()
	parent.learned++ // it is another one than the last
	parent.slot, parent.root, parent.extra = maxSlots, offheap.To(n), s.epoch
	w.start(t, parent, parent.root, s.epoch)
	parents.Put(parent)
}

var parents offheap.Slab[Thread]

// End ends the thread. Its slot can be used again.
func (t *Thread) End() { t.World().slots.endThread(t) }

// start fills in t as a thread that begins with its parent's vector, root, and its parent's epoch,
// in a slot of its own. It uses up the caller's reference to root.
func (w *World) start(t, parent *Thread, root tree, parentEpoch Epoch) {
	w.slots.lock.Lock()
	w.startIn(w.slots.take(parent), t, root, parentEpoch)
}

// startIn is start where the slot is taken, and the lock of the slot table held; it gives that up.
func (w *World) startIn(e freeSlot, t *Thread, root tree, parentEpoch Epoch) {
	s := &w.slots
	t.world, t.slot = offheap.To(w), e.last.epoch.Slot()
	time := e.last.epoch.Time() + 1
	if time > maxTime {
		time = maxTime
		w.Exhausted.Store(1)
	}
	host.Publish64(&t.time, time)
	host.Publish32(&t.published, 0)
	host.Publish64(&t.held, 0)
	t.SetEpochID(0)
	t.marked, t.pinned, t.snapshotTaken, t.releasedInCall = false, false, false, false
	t.first = t.time.Load()
	t.unchangedSince = t.first
	t.learned++
	t.root, t.extra, t.basis = root, parentEpoch, parentEpoch
	t.keptSnapshot = keptSnapshot{}
	t.collected = 0
	t.alike = alike{seen: t.Now()}
	s.thread(t.slot).Store(t)
	if e.last.root.Nil() && e.last.extra == 0 {
		s.lock.Unlock()
		return
	}
	// The slot's earlier thread is one that the parent doesn't know. From here on t stands for all
	// times of the slot, as in JoinAll, so t must know what the earlier thread knew.
	t.lock.Lock()
	maker := t.Now()
	j := join{a: knowledge{root: t.root.P(), extra: t.extra}, b: e.last.knowledge(), maker: maker}
	n := j.vectors(nil)
	if x := e.last.extra; x != 0 {
		n = set(n, x, maker)
	}
	t.root, t.basis = offheap.To(n), 0
	t.lock.Unlock()
	s.lock.Unlock()
	e.last.Drop()
}
