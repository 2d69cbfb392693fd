// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package vclock

import (
	"math/rand"
	"testing"
)

// TestManyMerges is TestClocksAgreeWithPlainVectors with many threads that mostly merge what they
// know into few clocks, whose lists of epochs are left, filled, and put into trees.
func TestManyMerges(t *testing.T) {
	n := int64(30)
	if testing.Short() {
		n = 3
	}
	full, left := 0, 0
	for seed := range n {
		r := rand.New(rand.NewSource(seed))
		m := newModel(t, 1+r.Intn(2))
		for len(m.real) < 55 {
			parent := r.Intn(min(len(m.real), 1+r.Intn(3)))
			m.fork(parent)
			m.tick(parent)
		}
		for range 200 + r.Intn(200) {
			i, l := r.Intn(len(m.real)), r.Intn(len(m.syncs))
			if !m.alive[i] {
				continue
			}
			switch v := m.syncs[l]; r.Intn(60) {
			case 0, 1, 2, 3:
				m.step(r)
				continue
			case 4, 5:
				if v.wide != nil && !m.knowsAsPlain(l) {
					t.Fatalf("seed %d: clock %d doesn't know what was released, or more", seed, l)
				}
				continue
			case 6:
				all := v.now().Snapshot()
				m.real[i].Join(&all)
				all.Drop()
				m.clock[i].join(m.locks[l])
			case 7:
				v.now().Acquire(m.real[i])
				m.clock[i].join(m.locks[l])
			case 8, 9, 10, 11, 12, 13, 14:
				m.event(i)
			default:
				v.releaseMerge(m.real[i])
				m.locks[l].join(m.clock[i])
				if v.wide != nil {
					left += min(len(v.wide.late()), 1)
					full += len(v.wide.late()) / lateSize
				}
			}
			m.tick(i)
		}
		m.check()
		m.checkMakers()
		m.end()
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
	if full < int(n) || left < 10*int(n) {
		t.Errorf("%d lists were full and %d not empty: the test looks at few", full, left)
	}
}

// knowsAsPlain reports whether a wide clock knows the events that the oracle's does.
func (m *model) knowsAsPlain(l int) bool {
	for _, e := range m.events {
		if m.syncs[l].wide.Knows(e.epoch) != (m.locks[l][e.thread] >= e.time) {
			return false
		}
	}
	return true
}

// Who waits for threads that it has started, and that have learned nothing, keeps its tree: it has
// their ends beside that, and the clock that they release to has no tree of its own.
func TestFewMergesShareTree(t *testing.T) {
	own := new(World) // in which no other test's threads have ended
	threads := make([]*Thread, 40)
	for i := range threads {
		threads[i] = newThread()
		own.Start(threads[i])
	}
	defer func() {
		for _, th := range threads {
			th.End()
		}
	}()
	parent := threads[0]
	for _, th := range threads[1:] { // its tree is one of several levels
		end := th.Snapshot()
		parent.Join(&end)
		end.Drop()
	}
	first := newThread()
	parent.Fork(first)
	defer first.End()
	before, _ := split(parent.root.P())
	var wg LockClock
	defer wg.Clear()
	var events []Epoch
	for range 3 {
		child := newThread()
		parent.Fork(child)
		events = append(events, child.Tick())
		wg.ReleaseMerge(child)
		child.End()
	}
	if tree, _ := split(wg.root.P()); tree != before {
		t.Error("the clock has a tree of its own")
	}
	wg.Acquire(parent)
	for _, e := range events {
		if !parent.Knows(e) || !wg.Knows(e) {
			t.Errorf("the parent knows %#x: %v, the clock: %v", e, parent.Knows(e), wg.Knows(e))
		}
	}
	if tree, _ := split(parent.root.P()); tree != before {
		t.Error("the parent's tree is another one")
	}
	at := parent.Now()
	wg.Acquire(parent)
	if all := wg.Snapshot(); parent.Join(&all) || parent.Now() != at {
		t.Error("what the parent knows is news")
	} else if !all.Knows(events[2]) {
		t.Error("a snapshot of the clock is not all of it")
	} else {
		all.Drop()
	}
}

// What a thread knows beside its vector is no news to it, where a clock has that in its vector.
func TestKnownBesideVector(t *testing.T) {
	threads := started(t, 4)
	learner := threads[0]
	var wg LockClock
	defer wg.Clear()
	for _, th := range threads[1:] {
		th.Tick()
		wg.ReleaseMerge(th)
	}
	all := wg.Snapshot()
	defer all.Drop()
	for _, th := range threads[1:] {
		end := th.Snapshot()
		learner.Join(&end)
		end.Drop()
	}
	if learner.extra == 0 {
		t.Fatal("the learner knows nothing beside its vector: this says nothing")
	}
	if learner.Join(&all) {
		t.Error("what the learner knows is news")
	}
}

// A thread that starts one thread after another, and waits for each, needs no vector of its own for
// that: each child has the slot of the one before, whose end its parent knows beside its vector.
func TestOneAfterAnotherSharesVector(t *testing.T) {
	own := new(World)
	parent, other := newThread(), newThread()
	own.Start(parent)
	own.Start(other)
	defer parent.End()
	defer other.End()
	var root *node
	var last Epoch
	for i := range 100 {
		child := newThread()
		parent.Fork(child)
		if last != 0 && (!child.Knows(last) || other.Knows(last)) {
			t.Fatalf("round %d: the child knows its parent's past: %v, and another thread: %v",
				i, child.Knows(last), other.Knows(last))
		}
		last = child.Tick()
		var wg LockClock
		wg.Release(child)
		child.End()
		wg.Acquire(parent)
		if !parent.Knows(last) {
			t.Fatalf("round %d: the parent doesn't know its child's event", i)
		}
		wg.Clear()
		if i == 1 {
			root = parent.root.P()
		} else if i > 1 && parent.root.P() != root {
			t.Fatalf("round %d: the parent has another vector", i)
		}
	}
}

// TestKeptMerges is TestManyMerges with few threads, which merge into their clocks again and again
// before anybody asks, as readers of a lock do. One of them at least shares its place with another.
func TestKeptMerges(t *testing.T) {
	n := int64(150)
	if testing.Short() {
		n = 40
	}
	kept := 0
	for seed := range n {
		r := rand.New(rand.NewSource(seed))
		m := newModel(t, 1+r.Intn(2))
		for len(m.real) < 6 {
			parent := r.Intn(len(m.real))
			m.fork(parent)
			m.tick(parent)
		}
		for range 200 {
			i, l := r.Intn(len(m.real)), r.Intn(len(m.syncs))
			if !m.alive[i] {
				continue
			}
			switch v := m.syncs[l]; r.Intn(30) {
			case 0:
				m.step(r)
				continue
			case 1:
				if v.wide != nil && !m.knowsAsPlain(l) {
					t.Fatalf("seed %d: clock %d doesn't know what was released, or more", seed, l)
				}
				continue
			case 2, 3:
				v.now().Acquire(m.real[i])
				m.clock[i].join(m.locks[l])
			case 4, 5, 6:
				o := r.Intn(len(m.real)) // they learn of each other elsewhere
				if !m.alive[o] || o == i {
					continue
				}
				m.real[i].Rendezvous(m.real[o])
				m.clock[i].join(m.clock[o])
				m.clock[o].join(m.clock[i])
				m.tick(o)
			case 7, 8, 9:
				m.event(i)
			default:
				v.releaseMerge(m.real[i])
				m.locks[l].join(m.clock[i])
				if v.wide != nil && v.wide.merges.Load() != nil {
					kept += int(v.wide.merges.Load().nKept)
				}
			}
			m.tick(i)
		}
		m.check()
		m.checkMakers()
		m.end()
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
	if kept < 10*int(n) {
		t.Errorf("%d releases were kept: the test looks at few", kept)
	}
}

// What a reader releases again and again makes no vector until somebody asks.
func TestKeptMergesMakeNoVector(t *testing.T) {
	own := new(World) // whose slots begin anew, so that no two share a place
	var threads [3]*Thread
	for i := range threads {
		threads[i] = newThread()
		own.Start(threads[i])
		defer threads[i].End()
	}
	var c LockClock
	defer c.Clear()
	for range 2 {
		for _, th := range threads {
			th.Tick()
			c.ReleaseMerge(th)
		}
	}
	before, late := c.root, len(c.late())
	var last Epoch
	for range 3 * lateSize {
		for i, th := range threads {
			s := threads[(i+1)%3].RemoteSnapshot()
			th.Join(&s)
			s.Drop()
			last = th.Tick()
			c.ReleaseMerge(th)
		}
	}
	if c.root != before || len(c.late()) != late {
		t.Error("the clock has another vector, or more beside it, with nobody asking")
	}
	if !c.Knows(last) {
		t.Error("the clock doesn't know what was released last")
	}
}
