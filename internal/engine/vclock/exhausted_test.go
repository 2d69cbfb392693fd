// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package vclock

import (
	"math/rand"
	"testing"
)

// nearEnd leaves few times of its slot to a thread that has just started.
func nearEnd(th *Thread, left uint64) {
	th.time.Store(max(th.time.Load(), maxTime-left)) // the slot's last thread may have left fewer
	th.unchangedSince = th.time.Load()
}

// TestExhausted runs random events on threads that have few times left. As long as Exhausted is
// 0, all answers of Knows are right: it is set before a thread does something with an epoch that
// it should have left.
func TestExhausted(t *testing.T) {
	exhausted, kept := 0, 0
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
			exhausted++
		} else {
			kept++
		}
		m.end()
	}
	if exhausted < 100 || kept < 20 {
		t.Errorf("the times were exhausted in %d runs, and not in %d: only one kind is tested",
			exhausted, kept)
	}
}

// TestLastTime moves a thread to its slot's last time, which is as good as any other, and no
// further. The next thread in the slot stays there, too.
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
		t.Errorf("the last epoch is %#x, after %#x; exhausted is %d",
			last, before, world.Exhausted.Load())
	}
	if a.Tick() != last || world.Exhausted.Load() == 0 {
		t.Error("a thread has an epoch after the last one, or the world is not exhausted")
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
		t.Errorf("the next thread begins at %#x, and exhausted is %d",
			child.Now(), world.Exhausted.Load())
	}
}
