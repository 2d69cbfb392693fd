// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package vclock

import "testing"

func TestSlotsAreRecycled(t *testing.T) {
	main := newThread()
	world.Start(main)
	defer main.End()
	var wg LockClock
	for range 10 {
		child := newThread()
		main.Fork(child)
		wg.ReleaseMerge(child)
		child.End()
	}
	wg.Acquire(main)
	before := world.Slots()
	for range 100000 {
		child := newThread()
		main.Fork(child)
		child.Tick()
		wg.ReleaseMerge(child)
		child.End()
		wg.Acquire(main)
	}
	if grown := world.Slots() - before; grown > 2*reuseTries {
		t.Errorf("100,000 joined threads took %d new slots", grown)
	}
	wg.Clear()
}

// A timer's goroutine starts with a snapshot of the clock of the thread that set the timer.
func TestSlotsOfTimersAreRecycled(t *testing.T) {
	main := newThread()
	world.Start(main)
	defer main.End()
	var timer, done LockClock
	before := world.Slots()
	for range 10000 {
		timer.Release(main)
		setter := timer.Snapshot()
		child := newThread()
		world.StartAfter(child, &setter)
		setter.Drop()
		child.Tick()
		done.Release(child)
		child.End()
		done.Acquire(main)
	}
	if grown := world.Slots() - before; grown > 2*reuseTries {
		t.Errorf("10,000 timers, one after the other, took %d new slots", grown)
	}
	timer.Clear()
	done.Clear()
}

func TestUnjoinedThreadsAreBounded(t *testing.T) {
	main := newThread()
	world.Start(main)
	defer main.End()
	for range 10 * maxWaiting {
		child := newThread()
		main.Fork(child)
		child.Tick()
		child.End()
	}
	if world.Slots() > 2*maxWaiting {
		t.Errorf("%d slots in use", world.Slots())
	}
}
