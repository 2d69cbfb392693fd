// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package vclock

import (
	"math/rand"
	"testing"
)

// nearEnd leaves a thread that has just started few times of its slot.
func nearEnd(th *Thread, left uint64) {
	th.time.Store(max(th.time.Load(), maxTime-left)) // who had the slot may have left fewer
	th.unchangedSince = th.time.Load()
}

// TestSpent runs random events on threads that have few times left. As long as Spent is 0, all that
// they know is right: it is set before a thread does something with a moment that it should have
// left.
func TestSpent(t *testing.T) {
	spent, kept := 0, 0
	for seed := range int64(400) {
		r := rand.New(rand.NewSource(seed))
		w := new(World)
		m := newModelIn(t, w, 1+r.Intn(2))
		m.forked = func(th *Thread) { nearEnd(th, uint64(r.Intn(12))) }
		m.forked(m.real[0])
		for range 60 {
			if m.step(r); w.Exhausted.Load() != 0 {
				break
			}
			m.check()
		}
		if w.Exhausted.Load() != 0 {
			spent++
		} else {
			kept++
		}
		m.end()
	}
	if spent < 100 || kept < 20 {
		t.Errorf("the times were used up in %d runs, and not in %d: the test looks at one kind only", spent, kept)
	}
}

// TestLastTime moves a thread to its slot's last time, which is one as others are, and no further;
// whoever has the slot next stays there, too.
func TestLastTime(t *testing.T) {
	var world World
	a, p := newThread(), newThread()
	world.Start(a)
	world.Start(p)
	defer p.End()
	nearEnd(a, 1)
	before := a.Tick()
	last := a.Tick()
	if last != before+1 || last.Time() != maxTime || world.Exhausted.Load() != 0 {
		t.Errorf("the last moment is %#x, after %#x; the times are used up: %d", last, before, world.Exhausted.Load())
	}
	if a.Tick() != last || world.Exhausted.Load() == 0 {
		t.Error("a thread has a moment after the last one, or nobody is told that it has not")
	}
	world.Exhausted.Store(0)
	s := a.RemoteSnapshot()
	p.Join(&s)
	s.Drop()
	a.End()
	child := newThread()
	p.Fork(child)
	defer child.End()
	if child.slot != a.slot {
		t.Fatal("the slot is not used again: this says nothing")
	}
	if child.Now() != last || world.Exhausted.Load() == 0 {
		t.Errorf("the next thread begins at %#x, and the times are used up: %d", child.Now(), world.Exhausted.Load())
	}
}
