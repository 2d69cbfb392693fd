// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package vclock

import (
	"sync/atomic"
	"testing"

	"github.com/commutego/commute/internal/engine/host"
)

// started starts so many threads, which end with the test.
func started(t *testing.T, n int) []*Thread {
	list := make([]*Thread, n)
	for i := range list {
		list[i] = newThread()
		world.Start(list[i])
	}
	t.Cleanup(func() {
		for _, th := range list {
			if th.alive {
				th.End()
			}
		}
	})
	return list
}

// Another thread looks at one just as that has moved to a new moment. The moment is given away by
// that, so what the thread learns afterwards is no part of it.
func TestPeekBehindStep(t *testing.T) {
	threads := started(t, 3)
	a, c, f := threads[0], threads[1], threads[2]
	var m, learned, after SingletonClock
	defer m.Clear()
	defer learned.Clear()
	defer after.Clear()
	moment := c.Tick()
	learned.Release(c)
	m.Release(a) // so that the moment that a leaves was given away
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
	if after.Acquire(f); !f.Knows(moment) {
		t.Error("who acquires what was released does not know all of it")
	}
}

// A stamp is kept of a moment that nothing is marked with and that nobody has joined when its
// thread ends. A thread that then has the slot must not go on with that moment: others may join the
// stamp at any time.
func TestStampKeptAndSlotUsedAgain(t *testing.T) {
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
		t.Error("who knows the thread that ended knows what the next one in its slot does")
	}
}

// Who joins a stamp without the moment that its thread holds knows what the thread had learned at
// that moment, even if it knew all moments before.
func TestBeforeLeavesWhatWasLearned(t *testing.T) {
	threads := started(t, 3)
	a, b, c := threads[0], threads[1], threads[2]
	var m, told SingletonClock
	defer m.Clear()
	defer told.Clear()
	a.Tick()
	m.Release(a)
	m.Acquire(b) // knows all that a does so far
	learned := c.Tick()
	told.Release(c)
	told.Acquire(a)
	a.Hold()
	held := a.Held()
	s := a.RemoteSnapshot()
	s.ExcludeHeld(held)
	b.Join(&s)
	s.Drop()
	if !b.Knows(learned) {
		t.Error("the stamp is taken for known, and what it stands for is not")
	}
	if b.Knows(held) {
		t.Error("the moment that is held is known")
	}

	a.RestoreHeld(0)
	met := c.Tick()
	a.Rendezvous(c) // a keeps that moment beside its tree
	a.Hold()
	defer a.RestoreHeld(0)
	s = a.RemoteSnapshot()
	s.ExcludeHeld(a.Held())
	b.Join(&s)
	s.Drop()
	if !b.Knows(met) || !b.Knows(held) {
		t.Error("the stamp has lost what the thread knew before")
	}
}
