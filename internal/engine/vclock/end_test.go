// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package vclock

import (
	"runtime"
	"sync"
	"testing"
)

// A thread ends while another one learns of all others, and has looked at one of them that teaches
// the first something then. That is known with the end: by (R) nobody looks for it any more.
func TestJoinAllWhileThreadEnds(t *testing.T) {
	own := new(World)
	asks, teaches, held, learner := newThread(), newThread(), newThread(), newThread()
	threads := []*Thread{asks, teaches, held, learner}
	for _, th := range threads {
		own.Start(th)
	}
	for range 100 {
		for _, th := range threads {
			th.Tick()
		}
		held.lock.Lock()
		var done sync.WaitGroup
		done.Go(asks.JoinAll)
		for teaches.published.Load() == 0 {
			runtime.Gosched() // until asks has looked at it, and waits for the next one's lock
		}
		var m SingletonClock
		taught := teaches.Tick()
		m.Release(teaches)
		m.Acquire(learner)
		end := learner.Tick()
		learner.End()
		held.lock.Unlock()
		done.Wait()
		if !asks.Knows(end) {
			t.Fatal("the end of a thread is not known: this says nothing")
		}
		heir := newThread()
		asks.Fork(heir)
		if !asks.Knows(taught) || !heir.Knows(taught) {
			t.Fatal("the end of a thread is known, and not what it had learned")
		}
		m.Clear()
		learner, threads[3] = heir, heir
	}
	for _, th := range threads {
		th.End()
	}
}

// A thread that ends has told nobody of its last time, but one that learns of all others meanwhile.
// The next thread in its slot has another time then.
func TestLastTimeIsKnownMeanwhile(t *testing.T) {
	own := new(World)
	asks, looked, held, ends := newThread(), newThread(), newThread(), newThread()
	threads := []*Thread{asks, looked, held, ends}
	for _, th := range threads {
		own.Start(th)
	}
	held.lock.Lock()
	var done sync.WaitGroup
	done.Go(asks.JoinAll)
	for looked.published.Load() == 0 {
		runtime.Gosched()
	}
	ends.End()
	held.lock.Unlock()
	done.Wait()
	next := newThread()
	asks.Fork(next)
	if event := next.Tick(); next.slot == ends.slot && asks.Knows(event) {
		t.Error("what a thread does is known before it is done")
	}
	for _, th := range []*Thread{asks, looked, held, next} {
		th.End()
	}
}

// Threads that have ended leave the list of those that live, also those whose record was in use
// again at once; and their slots are in use again.
func TestEndedLeaveList(t *testing.T) {
	own := new(World)
	main := newThread()
	own.Start(main)
	records := make([]*Thread, 50)
	for i := range records {
		records[i] = newThread()
	}
	for range 5 {
		var wg LockClock
		for i := range 10 * len(records) {
			th := records[i%len(records)]
			if i >= len(records) {
				th.End()
			}
			main.Fork(th)
			th.Tick()
			wg.ReleaseMerge(th)
			if n := own.Live(); n != min(i+2, len(records)+1) || own.slots.live.n != uint32(n) {
				t.Fatalf("%d threads live, and %d are in the list", n, own.slots.live.n)
			}
		}
		for _, th := range records {
			th.End()
		}
		if n := own.Live(); n != 1 {
			t.Fatalf("%d threads live", n)
		}
		wg.Acquire(main)
		wg.Clear()
		if main.JoinAll(); own.slots.live.n != 1 || *own.slots.live.at(0) != main.slot {
			t.Fatalf("%d threads are in the list after all have ended", own.slots.live.n)
		}
	}
	if n := own.Slots(); n > 600 {
		t.Errorf("%d slots for 500 threads at once", n)
	}
	main.End()
}
