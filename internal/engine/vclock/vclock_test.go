// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package vclock

import (
	"math/rand"
	"testing"

	"github.com/commutego/commute/internal/engine/offheap"
)

// newThread returns a Thread in memory that is never moved, as the engine's threads are. The tables
// lead to a thread by a number, which Go doesn't see, so the compiler would put a local Thread on
// the stack. When the stack moved, a goroutine that published an epoch of the thread would write to
// the old stack.
func newThread() *Thread { return memory.Get() }

// world has the threads of all tests, except those that exhaust their world.
var world World

var memory offheap.Slab[Thread]

// plain is table 1 of the paper with maps: the slow oracle.
type plain map[int]int

func (p plain) join(q plain) {
	for k, v := range q {
		p[k] = max(p[k], v)
	}
}

func (p plain) copy() plain {
	q := plain{}
	q.join(p)
	return q
}

// A model runs the same events on Threads and on plain clocks; its threads are never reused.
type model struct {
	world     *World
	t         *testing.T
	real      []*Thread
	clock     []plain
	alive     []bool
	ended     []*Thread
	syncs     []*varClock
	locks     []plain
	events    []markedEvent
	snapshots []Snapshot
	forked    func(*Thread) // called with each new thread, if it's not nil
}

// A varClock is a clock as the engine keeps one for a variable: a SingletonClock until more than
// one release has to be held. Tests also move it earlier, for no reason.
type varClock struct {
	mark  SingletonClock
	spare *SpareClock // in the place of mark, if it is not nil
	wide  *LockClock
}

type releaser interface {
	Acquire(*Thread)
	Release(*Thread)
	ReleaseAcquire(*Thread)
	Snapshot() Snapshot
	Clear()
	KnownTo(*Thread) bool
	UpToDate(*Thread) bool
}

func (v *varClock) now() releaser {
	switch {
	case v.wide != nil:
		return v.wide
	case v.spare != nil:
		return v.spare
	}
	return &v.mark
}

func (v *varClock) widen() {
	if v.wide == nil {
		v.wide = new(LockClock)
		if v.spare != nil {
			v.wide.CopySpare(v.spare)
			v.spare.Clear()
		} else {
			v.wide.CopyFrom(&v.mark)
			v.mark.Clear()
		}
	}
}

func (v *varClock) releaseMerge(t *Thread) {
	if v.wide == nil && (v.spare != nil && v.spare.ReleaseMerge(t) ||
		v.spare == nil && v.mark.ReleaseMerge(t)) {
		return
	}
	v.widen()
	if v.wide.HasMerged(t) {
		hasMerged++
		return
	}
	v.wide.ReleaseMerge(t)
}

var hasMerged int // how often a merge was left out

// A markedEvent is an event: its epoch, and its clock by the oracle.
type markedEvent struct {
	epoch  Epoch
	thread int
	time   int
	clock  plain
}

func newModel(t *testing.T, locks int) *model { return newModelIn(t, &world, locks) }

func newModelIn(t *testing.T, w *World, locks int) *model {
	m := &model{t: t, world: w}
	for range locks {
		v := new(varClock)
		if len(m.syncs)%2 != 0 {
			v.spare = new(SpareClock)
		}
		m.syncs = append(m.syncs, v)
		m.locks = append(m.locks, plain{})
	}
	th := newThread()
	w.Start(th)
	m.real, m.clock, m.alive = []*Thread{th}, []plain{{0: 1}}, []bool{true}
	return m
}

// tick moves thread i's own plain time on. It follows every event, so every event has its own time.
func (m *model) tick(i int) { m.clock[i][i]++ }

// fork starts a child of thread i.
func (m *model) fork(i int) {
	child := newThread()
	if n := len(m.ended); n > 0 { // the engine also uses records again
		child, m.ended = m.ended[n-1], m.ended[:n-1]
	}
	m.real[i].Fork(child)
	if m.forked != nil {
		m.forked(child)
	}
	cc := m.clock[i].copy()
	cc[len(m.real)] = 1
	m.real, m.clock, m.alive = append(m.real, child), append(m.clock, cc), append(m.alive, true)
}

func (m *model) step(r *rand.Rand) {
	i := r.Intn(len(m.real))
	if !m.alive[i] {
		return
	}
	l := r.Intn(len(m.syncs))
	t, c := m.real[i], m.clock[i]
	switch op := r.Intn(26); {
	case op < 5:
		if s := m.syncs[l].now(); !s.KnownTo(t) {
			s.Acquire(t)
		}
		c.join(m.locks[l])
	case op < 8:
		m.syncs[l].now().Release(t)
		m.locks[l] = c.copy()
	case op >= 22:
		m.atomic(i, l)
	case op < 10:
		m.syncs[l].releaseMerge(t)
		m.locks[l].join(c)
	case op < 11:
		m.syncs[l].now().ReleaseAcquire(t)
		old := m.locks[l]
		m.locks[l] = c.copy()
		c.join(old)
	case op < 12 && len(m.real) < 60:
		m.fork(i)
	case op < 13 && i > 0:
		m.alive[i] = false
		t.End()
		m.ended = append(m.ended, t)
	case op < 14 && len(m.events) > 0:
		k := r.Intn(len(m.events))
		t.Join(&m.snapshots[k])
		c.join(m.events[k].clock)
	case op < 18:
		m.event(i)
	case op < 20:
		if j := r.Intn(len(m.real)); j != i && m.alive[j] {
			t.Rendezvous(m.real[j])
			c.join(m.clock[j])
			m.clock[j] = c.copy()
			m.tick(j)
		}
	case op < 21 && r.Intn(4) == 0:
		m.syncs[l].widen()
	}
	m.tick(i)
}

// check compares what each live thread knows of each event.
func (m *model) check() {
	f := m.world.TakeFloor()
	defer f.Drop()
	for k, e := range m.events {
		all := true
		for i, t := range m.real {
			if !m.alive[i] {
				continue
			}
			want := m.clock[i][e.thread] >= e.time
			if got := t.Knows(e.epoch); got != want {
				m.t.Fatalf("thread %d knows event %d (thread %d time %d): %v, want %v",
					i, k, e.thread, e.time, got, want)
			}
			all = all && want
		}
		if f.Knows(e.epoch) != all {
			m.t.Fatalf("floor knows event %d: %v, want %v", k, !all, all)
		}
	}
}

// checkMakers checks rule (R) for nodes: a thread that knows the epoch at which a node was made
// knows all that the node holds.
func (m *model) checkMakers() {
	trees := make(map[*node]uint32) // and the first slot of each
	var walk func(n *node, first uint32)
	walk = func(n *node, first uint32) {
		if n == nil {
			return
		}
		trees[n] = first
		if n.level == deltaLevel {
			walk(n.delta().tree.P(), 0)
			return
		}
		for i := uint32(0); n.level > 1 && i < fan; i++ {
			walk(n.inner().kid[i].P(), first+i*capacity(n.level-1))
		}
	}
	for i, v := range m.syncs {
		st := v.now().Snapshot()
		walk(st.root.P(), 0)
		st.Drop()
		walk(m.snapshotRoot(i), 0)
	}
	for i, t := range m.real {
		if m.alive[i] {
			walk(t.root.P(), 0)
		}
	}
	for i, t := range m.real {
		if !m.alive[i] {
			continue
		}
		k := knowledge{root: t.root.P(), extra: t.extra, epoch: t.Now()}
		for n, first := range trees {
			if !k.includes(n) {
				continue
			}
			slots := capacity(n.level)
			if n.level == deltaLevel {
				slots = uint32(m.world.Slots())
			}
			for slot := first; slot < first+slots; slot++ {
				if e := makeEpoch(slot, get(n, slot-first)); !t.Knows(e) {
					m.t.Fatalf("thread %d knows the maker of a node, %#x, and not its %#x",
						i, n.maker, e)
				}
			}
		}
	}
}

func (m *model) snapshotRoot(i int) *node {
	if i < len(m.snapshots) {
		return m.snapshots[i].root.P()
	}
	return nil
}

func (m *model) end() {
	for i, t := range m.real {
		if m.alive[i] {
			t.End()
		}
	}
	for i := range m.syncs {
		m.syncs[i].now().Clear()
	}
	for i := range m.snapshots {
		m.snapshots[i].Drop()
	}
}

func TestClocksAgreeWithPlainVectors(t *testing.T) {
	n := int64(1500)
	if testing.Short() {
		n = 100
	}
	for seed := range n {
		r := rand.New(rand.NewSource(seed))
		m := newModel(t, 1+r.Intn(4))
		for range 20 + r.Intn(300) {
			m.step(r)
		}
		m.check()
		m.checkMakers()
		m.end()
		// The threads of the next run may have any of these slots: no thread knows their ends.
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
	if world.Live() != 0 {
		t.Errorf("%d threads live after all ended", world.Live())
	}
	if hasMerged == 0 {
		t.Error("no merge was left out")
	}
	t.Logf("%d merges were left out", hasMerged)
}

// TestTwoWorlds runs two executions in turns. Their slots have the same numbers, so that a thread
// that used the other world would know events of it.
func TestTwoWorlds(t *testing.T) {
	var first, second World
	for seed := range int64(300) {
		r := rand.New(rand.NewSource(seed))
		m, n := newModelIn(t, &first, 2), newModelIn(t, &second, 2)
		for range 100 {
			m.step(r)
			n.step(r)
		}
		m.check()
		n.check()
		m.end()
		n.end()
	}
	if first.Slots() == 0 || second.Slots() == 0 {
		t.Errorf("%d and %d slots: the threads are not where they were started",
			first.Slots(), second.Slots())
	}
}
