// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package vclock

import (
	"math/rand"
	"testing"
)

// checkBases checks rule (R) for threads: a thread that knows the basis of another one knows all
// events that the other one knows, but for its own. It returns how many pairs there were.
func (m *model) checkBases() (pairs int) {
	for i, t := range m.real {
		if !m.alive[i] || t.basis == 0 {
			continue
		}
		for j, other := range m.real {
			if j == i || !m.alive[j] || !other.Knows(t.basis) {
				continue
			}
			pairs++
			for _, e := range m.events {
				if e.thread != i && t.Knows(e.epoch) && !other.Knows(e.epoch) {
					m.t.Fatalf("thread %d knows the basis of thread %d, %#x, and not its %#x",
						j, i, t.basis, e.epoch)
				}
			}
		}
	}
	return pairs
}

func TestBases(t *testing.T) {
	n := int64(1000)
	if testing.Short() {
		n = 100
	}
	pairs := 0
	for seed := range n {
		r := rand.New(rand.NewSource(seed))
		m := newModel(t, 1+r.Intn(4))
		for range 20 + r.Intn(100) {
			m.step(r)
			pairs += m.checkBases()
		}
		m.end()
	}
	if pairs < 10*int(n) {
		t.Errorf("%d pairs of threads of which one knows the other's basis: too few", pairs)
	}
}

// waitingWorld has no ended threads but those of the test, which all threads know.
var waitingWorld World

// Threads that wait for one that has started them all, and has learned much since, share its tree:
// their joins don't visit it. The threads before them had the same slots, so that all nodes of the
// tree have changed.
func TestStartedThreadsShareTree(t *testing.T) {
	const n = 300
	main := newThread()
	waitingWorld.Start(main)
	defer main.End()
	for range 2 {
		var ready LockClock
		var stop SingletonClock
		children := make([]*Thread, n)
		for i := range children {
			children[i] = newThread()
			main.Fork(children[i])
			children[i].Tick()
			ready.ReleaseMerge(children[i])
		}
		ready.Acquire(main)
		stop.Release(main)
		own, _ := split(main.root.P())
		for i, child := range children {
			stop.Acquire(child)
			if tree, _ := split(child.root.P()); tree != own {
				t.Fatalf("thread %d has a tree of its own", i)
			}
			if child.basis != Epoch(stop.epoch.Load()) {
				t.Fatalf("thread %d has merged the tree", i)
			}
		}
		var all LockClock
		for _, child := range children {
			all.ReleaseMerge(child)
			child.End()
		}
		all.Acquire(main)
		ready.Clear()
		stop.Clear()
		all.Clear()
	}
}

// A thread that has learned of all others, those that have ended too, knows more than the one that
// has started it.
func TestJoinAllHasNoBasis(t *testing.T) {
	main := started(t, 1)[0]
	child, other := newThread(), newThread()
	main.Fork(child)
	defer child.End()
	main.Fork(other)
	event := other.Tick()
	other.End()
	child.JoinAll()
	main.Tick()
	var m SingletonClock
	defer m.Clear()
	m.Release(main)
	m.Acquire(child)
	if !child.Knows(event) {
		t.Error("the thread has forgotten what it knew")
	}
}
