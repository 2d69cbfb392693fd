// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package vclock

import (
	"math/rand"
	"testing"
)

// TestCovers compares covers with a look at each slot, for trees of all heights.
func TestCovers(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	limits := []uint32{16, 256, 4096}
	answers := [2]int{}
	for range 20000 {
		var a, b *node
		limit := limits[r.Intn(len(limits))]
		but := uint32(r.Intn(int(limit)))
		slots := []uint32{but}
		for range r.Intn(8) {
			slots = append(slots, uint32(r.Intn(int(limit))))
		}
		for _, slot := range slots {
			a = set(a, makeEpoch(slot, uint64(2+r.Intn(3))), 0)
		}
		for _, slot := range slots[:1+r.Intn(len(slots))] {
			b = set(b, makeEpoch(slot, uint64(1+r.Intn(4))), 0)
		}
		want := true
		for _, slot := range slots {
			if slot != but && get(a, slot) < get(b, slot) {
				want = false
			}
		}
		k := knowledge{root: a}
		if got := k.covers(b, but); got != want {
			t.Fatalf("covers is %v, want %v: but %d of %v", got, want, but, slots)
		}
		if want {
			answers[1]++
		} else {
			answers[0]++
		}
		unref(a)
		unref(b)
	}
	if answers[0] < 1000 || answers[1] < 1000 {
		t.Errorf("%d no, %d yes: the test looks at one kind only", answers[0], answers[1])
	}
}

// Tick returns the held epoch. A thread that joins the clock knows that epoch, unless it was
// excluded from the snapshot. A release in a call lets the thread go on with its epoch.
func TestHold(t *testing.T) {
	a, b, c := newThread(), newThread(), newThread()
	world.Start(a)
	a.Fork(b)
	a.Fork(c)
	defer a.End()
	defer b.End()
	defer c.End()
	first := a.Tick()
	a.Hold()
	held := a.Held()
	if held == first || a.Tick() != held || a.Tick() != held {
		t.Error("Tick does not return the held epoch")
	}
	var s LockClock
	defer s.Clear()
	s.ReleaseInCall(a)
	if !s.UpToDateInCall(a) || s.UpToDate(a) {
		t.Error("a release in a call has no effect, or that of a release to all")
	}
	if !a.UnchangedSince(first) {
		t.Error("a release in a call ends the epoch")
	}
	st := a.RemoteSnapshot()
	st.ExcludeHeld(held)
	b.Join(&st)
	st.Drop()
	if b.Knows(held) || !b.Knows(first) {
		t.Errorf("without the held epoch: knows it %v, knows what was before %v",
			b.Knows(held), b.Knows(first))
	}
	s.Acquire(c)
	if !c.Knows(held) || a.UnchangedSince(first) {
		t.Error("the acquirer does not know the epoch, or the thread takes it for unpublished")
	}
	a.RestoreHeld(0)
	if next := a.Tick(); c.Knows(next) {
		t.Error("the acquirer knows what comes later")
	}
}

// TestHasMergedInCall merges two threads' clocks in calls. That says nothing of a merge to all, as
// a thread may learn more at an epoch that it has released in a call.
func TestHasMergedInCall(t *testing.T) {
	a, b := newThread(), newThread()
	world.Start(a)
	world.Start(b)
	defer a.End()
	defer b.End()
	var s LockClock
	defer s.Clear()
	s.ReleaseInCall(b)
	s.ReleaseInCall(a)
	if s.HasMerged(a) {
		t.Error("a release in a call counts as one to all")
	}
	s.ReleaseMerge(a)
	if !s.HasMerged(a) || s.HasMerged(b) {
		t.Error("it is not known who has merged")
	}
}

// A held event is kept with a snapshot of a later epoch, as its thread has learned something since.
// A thread that joins the snapshot knows no event that came after that one.
func TestHoldLaterSnapshot(t *testing.T) {
	threads := started(t, 3)
	a, b, c := threads[0], threads[1], threads[2]
	var fromA, fromC LockClock
	defer fromA.Clear()
	defer fromC.Clear()
	c.Tick()
	fromC.Release(c)
	a.Hold()
	fromA.ReleaseInCall(a)
	fromC.Acquire(a)
	held := a.Tick()
	s := a.Snapshot()
	defer s.Drop()
	a.RestoreHeld(0)
	if held == a.Now() {
		t.Fatal("the thread has not moved while it held an epoch")
	}
	after := a.Tick()
	b.JoinAt(&s, held)
	if !b.Knows(held) || b.Knows(after) {
		t.Errorf("the held event is known: %v, want true; the one after it: %v, want false",
			b.Knows(held), b.Knows(after))
	}
}
