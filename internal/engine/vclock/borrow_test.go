// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package vclock

import (
	"math/rand"
	"testing"
)

// countBorrows is how many threads could borrow an epoch.
func (m *model) countBorrows() (n int) {
	for i, t := range m.real {
		if m.alive[i] && borrowed(t) != 0 {
			n++
		}
	}
	return n
}

// TestBorrowed has threads do little but synchronize, so that most releases have borrowed epochs,
// beside the oracle.
func TestBorrowed(t *testing.T) {
	n := int64(500)
	if testing.Short() {
		n = 100
	}
	borrows := 0
	for seed := range n {
		r := rand.New(rand.NewSource(seed))
		m := newModel(t, 2)
		for len(m.real) < 4 {
			i := r.Intn(len(m.real))
			m.fork(i)
			m.tick(i)
		}
		if r.Intn(2) == 0 {
			m.syncs[0].widen()
		}
		for range 20 + r.Intn(100) {
			i, l := r.Intn(len(m.real)), r.Intn(2)
			if !m.alive[i] {
				continue
			}
			borrows += m.countBorrows()
			m.lightStep(r, i, l)
			m.tick(i)
		}
		m.check()
		m.checkMakers()
		m.checkBases()
		m.end()
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
	if borrows < 50*int(n) {
		t.Errorf("%d times an epoch could be borrowed: too few", borrows)
	}
}

// lightStep is a step in which an event is rare.
func (m *model) lightStep(r *rand.Rand, i, l int) {
	t, c := m.real[i], m.clock[i]
	switch op := r.Intn(24); {
	case op < 6:
		m.atomic(i, l)
	case op < 10:
		m.syncs[l].now().Release(t)
		m.locks[l] = c.copy()
	case op < 15:
		if s := m.syncs[l].now(); !s.KnownTo(t) {
			s.Acquire(t)
		}
		c.join(m.locks[l])
	case op < 17:
		m.syncs[l].releaseMerge(t)
		m.locks[l].join(c)
	case op < 18:
		m.syncs[l].now().ReleaseAcquire(t)
		old := m.locks[l]
		m.locks[l] = c.copy()
		c.join(old)
	case op < 20 && len(m.real) < 20:
		m.fork(i)
	case op < 21 && i > 0 && r.Intn(3) == 0:
		m.alive[i] = false
		t.End()
		m.ended = append(m.ended, t)
	case op < 22:
		m.eventOf(i, r.Intn(3))
	case op < 23:
		m.event(i)
	}
}

// Goroutines that one has started, and that do nothing but synchronize with each other, share its
// vector, and have no part in it.
func TestBorrowersShareTree(t *testing.T) {
	own := new(World)
	main := newThread()
	own.Start(main)
	defer main.End()
	main.Tick()
	var flags [5]SingletonClock
	var done LockClock
	children := make([]*Thread, 300)
	for i := range children {
		children[i] = newThread()
		main.Fork(children[i])
	}
	r := rand.New(rand.NewSource(1))
	for range 3000 {
		c, f := children[r.Intn(len(children))], &flags[r.Intn(len(flags))]
		f.Acquire(c)
		f.Release(c)
		done.ReleaseMerge(c)
	}
	for i, c := range children {
		if c.root != main.root || c.extra != main.Now() {
			t.Fatalf("thread %d knows more than the one that has started it", i)
		}
		c.End()
	}
	last := newThread()
	main.Fork(last)
	if n := own.Slots(); n > len(children)+1 {
		t.Errorf("%d slots: those of threads that nobody knows of are not in use again", n)
	}
	last.End()
	done.Acquire(main)
	if event := main.Now(); Epoch(done.epoch.Load()) != event {
		t.Errorf("the join of all has epoch %#x, want %#x", done.epoch.Load(), event)
	}
}
