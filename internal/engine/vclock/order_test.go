// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package vclock

import (
	"sync/atomic"
	"testing"

	"github.com/commutego/commute/internal/engine/host"
)

// started starts n threads, which end with the test.
func started(t *testing.T, n int) []*Thread {
	list := make([]*Thread, n)
	for i := range list {
		list[i] = newThread()
		world.Start(list[i])
	}
	t.Cleanup(func() {
		for _, th := range list {
			if world.slots.thread(th.slot).Load() == th {
				th.End()
			}
		}
	})
	return list
}

// A thread f takes a snapshot of a just as a has moved to a new epoch. The snapshot publishes the
// epoch, so what a learns afterwards must get another one.
func TestRemoteSnapshotBehindMove(t *testing.T) {
	threads := started(t, 3)
	a, c, f := threads[0], threads[1], threads[2]
	var m, learned, after SingletonClock
	defer m.Clear()
	defer learned.Clear()
	defer after.Clear()
	event := c.Tick()
	learned.Release(c)
	m.Release(a) // so that the epoch that a leaves was published
	looks := 0
	host.Published = func(p *atomic.Uint64) {
		if p == &a.time {
			looks++
			s := a.RemoteSnapshot()
			f.Join(&s)
			s.Drop()
		}
	}
	a.AccessEpoch()
	host.Published = nil
	if looks != 1 {
		t.Fatalf("the thread moved on %d times, want 1", looks)
	}
	learned.Acquire(a)
	after.Release(a)
	if after.Acquire(f); !f.Knows(event) {
		t.Error("the acquirer of what was released does not know all of it")
	}
}

// A snapshot is kept of an epoch that no event is marked with, and that no thread has joined when
// its thread ends. The next thread in the slot must not begin with that epoch: another thread may
// join the snapshot at any time.
func TestSnapshotKeptAndSlotUsedAgain(t *testing.T) {
	threads := started(t, 2)
	a, p := threads[0], threads[1]
	a.Tick()
	a.Advance()
	s := a.Snapshot()
	a.End()
	p.Join(&s)
	s.Drop()
	child := newThread()
	p.Fork(child)
	defer child.End()
	if child.slot != a.slot {
		t.Fatal("the slot is not used again: this says nothing")
	}
	if p.Knows(child.Tick()) {
		t.Error("a thread that knows the end of one knows what the next one in the slot does")
	}
}

// A thread that joins a snapshot without the held epoch knows what the snapshot's thread had
// learned at that epoch, even if it knew all epochs before.
func TestExcludeHeldKeepsWhatWasLearned(t *testing.T) {
	threads := started(t, 3)
	a, b, c := threads[0], threads[1], threads[2]
	var m, fromC SingletonClock
	defer m.Clear()
	defer fromC.Clear()
	a.Tick()
	m.Release(a)
	m.Acquire(b) // knows all that a does so far
	learned := c.Tick()
	fromC.Release(c)
	fromC.Acquire(a)
	a.Hold()
	held := a.Held()
	s := a.RemoteSnapshot()
	s.ExcludeHeld(held)
	b.Join(&s)
	s.Drop()
	if !b.Knows(learned) {
		t.Error("the snapshot is taken for known, and what it stands for is not")
	}
	if b.Knows(held) {
		t.Error("the held epoch is known")
	}

	a.RestoreHeld(0)
	met := c.Tick()
	a.Rendezvous(c) // a keeps that epoch beside its tree
	a.Hold()
	defer a.RestoreHeld(0)
	s = a.RemoteSnapshot()
	s.ExcludeHeld(a.Held())
	b.Join(&s)
	s.Drop()
	if !b.Knows(met) || !b.Knows(held) {
		t.Error("the snapshot has lost what the thread knew before")
	}
}
