// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package vclock

import (
	"math/rand"
	"testing"
)

// event is an event of thread i.
func (m *model) event(i int) {
	t, c := m.real[i], m.clock[i]
	m.events = append(m.events, markedEvent{t.Tick(), i, c[i], c.copy()})
	m.snapshots = append(m.snapshots, t.Snapshot())
}

// eventOf is an event of a kind: a call, accesses, or one that pins the epoch.
func (m *model) eventOf(i, kind int) {
	t, c := m.real[i], m.clock[i]
	var e Epoch
	switch {
	case kind == 0:
		e = t.AccessEpoch()
	case kind == 1 && t.published.Load() == 0:
		e = t.Pin()
	default:
		e = t.Tick()
	}
	m.events = append(m.events, markedEvent{e, i, c[i], c.copy()})
	m.snapshots = append(m.snapshots, Snapshot{})
}

// atomic is an operation of thread i that acquires and releases.
func (m *model) atomic(i, l int) {
	t, c := m.real[i], m.clock[i]
	if s := m.syncs[l].now(); !s.UpToDate(t) {
		s.Acquire(t)
		s.Release(t)
	} else if t.equal != 0 {
		leftOut++
	}
	c.join(m.locks[l])
	m.locks[l] = c.copy()
}

var leftOut int // atomic operations that found the thread's own clock, released by another one

// TestAtomicsInTurns has few threads use few variables, mostly with atomic operations, so that the
// clocks of threads are often equal.
func TestAtomicsInTurns(t *testing.T) {
	leftOut = 0
	for seed := range int64(2000) {
		r := rand.New(rand.NewSource(seed))
		m := newModel(t, 2)
		for range 2 {
			m.fork(0)
			m.tick(0)
		}
		if r.Intn(2) == 0 {
			m.syncs[0].widen()
		}
		for range 10 + r.Intn(60) {
			i, l := r.Intn(len(m.real)), r.Intn(2)
			th, c := m.real[i], m.clock[i]
			switch op := r.Intn(20); {
			case op < 12:
				m.atomic(i, l)
			case op < 14:
				m.eventOf(i, r.Intn(3))
			case op < 16:
				m.syncs[l].releaseMerge(th)
				m.locks[l].join(c)
			case op < 18:
				m.syncs[l].now().Release(th)
				m.locks[l] = c.copy()
			default:
				if s := m.syncs[l].now(); !s.KnownTo(th) {
					s.Acquire(th)
				}
				c.join(m.locks[l])
			}
			m.tick(i)
		}
		m.check()
		m.end()
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
	if leftOut == 0 {
		t.Error("no operation was left out")
	}
	t.Logf("%d operations were left out", leftOut)
}

// A thread that acquires what another has released leaves that one at the epoch it has come to:
// its accesses there need not be recorded anew.
func TestAcquireLeavesLaterEpoch(t *testing.T) {
	threads := started(t, 2)
	a, b := threads[0], threads[1]
	var singleton SingletonClock
	var lock LockClock
	for name, m := range map[string]releaser{"singleton": &singleton, "lock": &lock} {
		a.AccessEpoch()
		m.Release(a)
		at := a.AccessEpoch()
		a.SetEpochID(7)
		m.Acquire(b)
		if a.EpochID() != 7 || a.AccessEpoch() != at {
			t.Errorf("%s: the thread has to leave its epoch", name)
		}
		if b.Knows(at) {
			t.Errorf("%s: the other one knows that epoch", name)
		}
		m.Clear()
	}
}

// What was released in a call, or as a snapshot, is not published before somebody acquires it. Then
// the thread marks nothing more with that epoch.
func TestAcquirePublishes(t *testing.T) {
	for name, release := range map[string]func(c *LockClock, a *Thread){
		"in a call": func(c *LockClock, a *Thread) { c.ReleaseInCall(a) },
		"snapshot": func(c *LockClock, a *Thread) {
			s := a.Snapshot()
			c.ReleaseSnapshot(&s)
			s.Drop()
		},
	} {
		for _, acquire := range []func(c *LockClock, b *Thread){
			(*LockClock).Acquire, (*LockClock).ReleaseAcquire,
		} {
			threads := started(t, 2)
			a, b := threads[0], threads[1]
			var c LockClock
			release(&c, a)
			acquire(&c, b)
			if e := a.Tick(); b.Knows(e) {
				t.Errorf("%s: an event is marked with an epoch that another thread knows", name)
			}
			c.Clear()
		}
	}
}
