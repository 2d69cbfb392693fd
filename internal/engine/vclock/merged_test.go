// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package vclock

import (
	"math/rand"
	"testing"
)

// mergeStep is step where goroutines mostly merge, as into the clocks of WaitGroups.
func (m *model) mergeStep(r *rand.Rand) {
	i := r.Intn(len(m.real))
	if !m.alive[i] {
		return
	}
	l := r.Intn(len(m.syncs))
	t, c := m.real[i], m.clock[i]
	switch op := r.Intn(32); {
	case op < 20:
		m.syncs[l].releaseMerge(t)
		m.locks[l].join(c)
	case op < 24:
		m.event(i)
	case op < 28 && len(m.real) < 60:
		m.fork(i)
	case op < 29:
		m.syncs[l].widen()
		m.inCall(i, l)
	default:
		m.step(r)
		return
	}
	m.tick(i)
}

// inCall merges in a call. No event follows at that epoch: the thread leaves it.
func (m *model) inCall(i, l int) {
	m.syncs[l].wide.ReleaseInCall(m.real[i])
	m.locks[l].join(m.clock[i])
	m.real[i].Advance()
}

// TestMergesAgreeWithPlainVectors has many threads merge into few clocks, and compares what the
// threads know, and what each clock holds in the end.
func TestMergesAgreeWithPlainVectors(t *testing.T) {
	n := int64(600)
	if testing.Short() {
		n = 100
	}
	var most uint32
	full := 0
	for seed := range n {
		r := rand.New(rand.NewSource(seed))
		m := newModel(t, 1+r.Intn(3))
		for range r.Intn(50) {
			i := r.Intn(len(m.real))
			m.fork(i)
			m.tick(i)
		}
		for range 20 + r.Intn(400) {
			m.mergeStep(r)
			for _, v := range m.syncs {
				if v.wide == nil || v.wide.merges.Load() == nil {
					continue
				}
				if w := v.wide.merges.Load().waiting.P(); w != nil {
					most = max(most, w.n)
					if !v.wide.root.Nil() {
						full++ // what waited before was joined for want of room
					}
				}
			}
		}
		for l, v := range m.syncs {
			s := v.now().Snapshot()
			for k, e := range m.events {
				want := m.locks[l][e.thread] >= e.time
				if got := s.Knows(e.epoch); got != want {
					t.Fatalf("seed %d: clock %d has event %d: %v, want %v", seed, l, k, got, want)
				}
			}
			s.Drop()
		}
		m.check()
		if seed%20 == 0 {
			m.checkMakers() // which takes its time
		}
		m.end()
	}
	if most < manyWaiting || full == 0 {
		t.Errorf("at most %d snapshots waited, and %d times more than there is room for", most, full)
	}
	if world.Live() != 0 {
		t.Errorf("%d threads live after all ended", world.Live())
	}
}

// TestMergesGiveUpVectors merges vectors of threads into a clock, which is then acquired, set or
// cleared. After that each vector has the references that it had before.
func TestMergesGiveUpVectors(t *testing.T) {
	for seed := range int64(500) {
		r := rand.New(rand.NewSource(seed))
		var s LockClock
		var threads []*Thread
		for range 2 + r.Intn(2*manyWaiting) {
			th := newThread()
			if n := len(threads); n > 0 && r.Intn(3) > 0 {
				threads[r.Intn(n)].Fork(th)
			} else {
				world.Start(th)
				th.extra = makeEpoch(r.Uint32()>>22, 1) // a vector of its own
			}
			threads = append(threads, th)
		}
		before := make(map[*node]uint32)
		for _, th := range threads {
			th.foldExtra()
			foldForRelease(th)
		}
		for _, th := range threads {
			if n := th.root.P(); n != nil {
				before[n] = n.refs.Load()
			}
		}
		for range r.Intn(100) {
			s.ReleaseMerge(threads[r.Intn(len(threads))])
			if r.Intn(30) == 0 {
				s.join()
			}
		}
		s.Clear()
		for n, refs := range before {
			if n.refs.Load() != refs {
				t.Fatalf("seed %d: a vector has %d references, and had %d", seed, n.refs.Load(), refs)
			}
		}
		for _, th := range threads {
			th.End()
		}
	}
}

// TestLastMergeKnowsAll fills the list of what waits. The last that merges knows all others, so the
// join is its clock. One that knows nothing merges then.
func TestLastMergeKnowsAll(t *testing.T) {
	var all [manyWaiting]*Thread
	var s, lock LockClock
	var events []Epoch
	for i := range all {
		all[i] = newThread()
		world.Start(all[i])
		events = append(events, all[i].Tick())
		s.ReleaseMerge(all[i])
		lock.ReleaseMerge(all[i])
	}
	last := all[len(all)/2]
	lock.Acquire(last)
	events = append(events, last.Tick())
	s.ReleaseMerge(last)
	if n := s.merges.Load().waiting.P().n; n != manyWaiting {
		t.Errorf("%d snapshots wait of %d threads", n, manyWaiting)
	}
	stranger, reader := newThread(), newThread()
	world.Start(stranger)
	world.Start(reader)
	events = append(events, stranger.Tick())
	s.ReleaseMerge(stranger)
	if n := s.merges.Load().waiting.P().n; n != 2 || s.epoch.Load() != 0 {
		t.Errorf("%d snapshots wait beside epoch %#x, want 2: one has known all others", n,
			s.epoch.Load())
	}
	s.Acquire(reader)
	for _, e := range events {
		if !reader.Knows(e) {
			t.Errorf("%#x is not known", e)
		}
	}
	s.Clear()
	lock.Clear()
	for _, th := range append(all[:], stranger, reader) {
		th.End()
	}
}
