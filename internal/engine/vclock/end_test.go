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

// Threads that have ended leave the list of those that live when one learns of all. A slot that was
// freed is in use again, and a thread's record in the list once.
func TestEndedLeaveList(t *testing.T) {
	own := new(World)
	main := newThread()
	own.Start(main)
	records := make([]*Thread, 50)
	for i := range records {
		records[i] = newThread()
	}
	for round := range 5 {
		var wg LockClock
		for i := range 10 * len(records) {
			th := records[i%len(records)]
			main.Fork(th)
			th.Tick()
			wg.ReleaseMerge(th)
			th.End()
		}
		if n := own.Live(); n != 1 {
			t.Fatalf("%d threads live", n)
		}
		if n := own.slots.live.n; n > uint32(len(records))+1 {
			t.Fatalf("%d threads are in the list, of %d records", n, len(records)+1)
		}
		wg.Acquire(main)
		wg.Clear()
		if main.JoinAll(); round > 0 {
			if n := own.slots.live.n; n != 1 {
				t.Fatalf("%d threads are in the list after all were looked at", n)
			}
		}
		f := own.TakeFloor()
		f.Drop()
	}
	if n := own.Slots(); n > 600 {
		t.Errorf("%d slots for 500 threads at once", n)
	}
	main.End()
}
