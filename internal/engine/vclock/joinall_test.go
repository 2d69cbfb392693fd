// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package vclock

import (
	"math/rand"
	"testing"

	"github.com/commutego/commute/internal/engine/offheap"
)

// joinEach is JoinAll without any shortcut: t joins each other thread that lives, and moves on to
// add the end of each that doesn't.
func joinEach(t *Thread) {
	s := &t.World().slots
	s.lock.Lock()
	s.collectFreed(false)
	for slot := uint32(0); slot < s.used.Load(); slot++ {
		if other := s.thread(slot).Load(); other != nil && other != t {
			p := other.RemoteSnapshot()
			t.Join(&p)
			p.Drop()
		}
	}
	t.lock.Lock()
	t.ensureUnused(false)
	t.unchangedSince = t.time.Load()
	t.learned++
	n := t.root.P()
	for i := range s.free.size {
		n = set(n, s.free.at(i).last.epoch, t.Now())
	}
	t.root, t.basis = offheap.To(n), 0
	t.lock.Unlock()
	s.lock.Unlock()
}

// joinAll has thread i know of all that has happened.
func (m *model) joinAll(i int, join func(*Thread)) {
	join(m.real[i])
	for j, c := range m.clock {
		m.clock[i].join(c)
		m.tick(j) // what is still to come has a later time
	}
}

// releaseInCall has thread i release what it knows in a call.
func (m *model) releaseInCall(i, l int) {
	m.syncs[l].widen()
	m.syncs[l].wide.ReleaseInCall(m.real[i])
	m.locks[l].join(m.clock[i])
}

// TestJoinAllAgreesWithEach runs the same events in two worlds. In one of them a thread that is to
// know all joins each other thread. The threads of both must know the same events; and but for
// what is released in calls, they know what plain vectors say.
func TestJoinAllAgreesWithEach(t *testing.T) {
	n := int64(800)
	if testing.Short() {
		n = 300
	}
	var worlds [2]World
	joins := [2]func(*Thread){(*Thread).JoinAll, joinEach}
	news, none, merged := 0, 0, 0
	for seed := range n {
		var m [2]*model
		inCalls := seed%2 == 1
		for w := range m {
			r := rand.New(rand.NewSource(seed))
			m[w] = newModelIn(t, &worlds[w], 1+r.Intn(3))
			for range 20 + r.Intn(150) {
				i, l := r.Intn(len(m[w].real)), r.Intn(len(m[w].syncs))
				switch op := r.Intn(10); {
				case op < 7:
					m[w].step(r)
					continue
				case !m[w].alive[i]:
					continue
				case op == 7 && inCalls:
					m[w].releaseInCall(i, l)
				case op == 7:
					m[w].event(i)
				default:
					before := m[w].real[i].learned
					m[w].joinAll(i, joins[w])
					if m[w].real[i].learned != before {
						news++
					} else {
						none++
					}
				}
				m[w].tick(i)
			}
		}
		compareKnowledge(t, seed, m[0], m[1])
		for w := range m {
			if !inCalls {
				m[w].check()
				m[w].checkMakers()
			}
			m[w].end()
			merged += int(worlds[w].MergedInCall.Swap(0))
		}
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
	t.Logf("JoinAll had news %d times, none %d times; %d merged in calls", news, none, merged)
	if news < 1000 || none < 1000 || merged < 50 {
		t.Error("one of these is hardly seen")
	}
}

// compareKnowledge compares what the threads of two models with the same events know of them.
func compareKnowledge(t *testing.T, seed int64, a, b *model) {
	if len(a.events) != len(b.events) || len(a.real) != len(b.real) {
		t.Fatalf("seed %d: the two models don't have the same events", seed)
	}
	for i := range a.real {
		for k := range a.events {
			if !a.alive[i] {
				break
			}
			got, want := a.real[i].Knows(a.events[k].epoch), b.real[i].Knows(b.events[k].epoch)
			if got != want {
				t.Fatalf("seed %d: thread %d knows event %d: %v, and %v where each is joined",
					seed, i, k, got, want)
			}
		}
	}
}

// A thread b knows an epoch that a has released in a call, and goes on with. Once b has joined all,
// what a does next comes later.
func TestJoinAllPublishesWhatIsKnown(t *testing.T) {
	threads := started(t, 3)
	a, b, c := threads[0], threads[1], threads[2]
	var l LockClock
	defer l.Clear()
	l.ReleaseInCall(c)
	l.ReleaseInCall(a)
	l.Acquire(b)
	if !b.Knows(a.Now()) || a.published.Load() != 0 {
		t.Fatal("the epoch is not known, or published to all")
	}
	b.JoinAll()
	if b.Knows(a.Tick()) {
		t.Error("what comes after the join is known")
	}
}

// A thread that ended is known of, with one, some or many that ended since all were joined last;
// and one that has the record of an ended thread is none that was joined.
func TestJoinAllKnowsEnded(t *testing.T) {
	var w World
	main, again := newThread(), newThread()
	w.Start(main)
	w.Start(again)
	main.JoinAll()
	for _, n := range []int{1, 2, 63, 64, 65, 200, 3} {
		var events []Epoch
		for range n {
			other := newThread()
			w.Start(other)
			events = append(events, other.Tick())
			other.End()
		}
		main.JoinAll()
		for i, e := range events {
			if !main.Knows(e) {
				t.Fatalf("of %d that have ended, number %d is not known", n, i)
			}
		}
	}
	again.End()
	w.Start(again)
	event := again.Tick()
	main.JoinAll()
	if !main.Knows(event) {
		t.Error("a thread with the record of an ended one is not known")
	}
	again.End()
	main.End()
}

// BenchmarkJoinAll has one of many threads look at all others, of which one has done something.
func BenchmarkJoinAll(b *testing.B) {
	var w World
	root := newThread()
	w.Start(root)
	var many []*Thread
	for range 1000 {
		many = append(many, newThread())
		root.Fork(many[len(many)-1])
	}
	for i := range b.N {
		many[i%len(many)].Tick()
		root.JoinAll()
	}
	for _, t := range many {
		t.End()
	}
	root.End()
}
