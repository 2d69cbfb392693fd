// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package vclock

import (
	"math/rand"
	"testing"

	"github.com/commutego/commute/internal/offheap"
)

// newThread returns a Thread in memory of its own for good, as the engine's are. Tables lead to a thread by
// a number, which Go doesn't see: the compiler puts such a Thread on the stack, and when that grows
// or shrinks, whoever gives its moments away writes to where it was, which is another's memory.
func newThread() *Thread { return memory.Get() }

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
	t       *testing.T
	real    []*Thread
	clock   []plain
	alive   []bool
	syncs   []*varClock
	locks   []plain
	moments []moment
	stamps  []Stamp
	forked  func(*Thread) // is told of each thread, if it's not nil
}

// A varClock is a clock as the shadow has it: a Mark until that is too little, or for no reason.
type varClock struct {
	mark Mark
	wide *Sync
}

type releaser interface {
	Acquire(*Thread)
	Release(*Thread)
	Transfer(*Thread)
	Take() Stamp
	Clear()
}

func (v *varClock) now() releaser {
	if v.wide != nil {
		return v.wide
	}
	return &v.mark
}

func (v *varClock) widen() {
	if v.wide == nil {
		v.wide = new(Sync)
		v.wide.Widen(&v.mark)
	}
}

func (v *varClock) releaseMerge(t *Thread) {
	if v.wide == nil && v.mark.ReleaseMerge(t) {
		return
	}
	v.widen()
	v.wide.ReleaseMerge(t)
}

// A moment is an event: its epoch, and its clock.
type moment struct {
	epoch Epoch
	who   int
	time  int
	clock plain
}

func newModel(t *testing.T, locks int) *model {
	m := &model{t: t}
	for range locks {
		m.syncs = append(m.syncs, new(varClock))
		m.locks = append(m.locks, plain{})
	}
	th := newThread()
	th.Start()
	m.real, m.clock, m.alive = []*Thread{th}, []plain{{0: 1}}, []bool{true}
	return m
}

// tick moves thread i's own plain time on: done after every event, so every event has its time.
func (m *model) tick(i int) { m.clock[i][i]++ }

func (m *model) step(r *rand.Rand) {
	i := r.Intn(len(m.real))
	if !m.alive[i] {
		return
	}
	l := r.Intn(len(m.syncs))
	t, c := m.real[i], m.clock[i]
	switch op := r.Intn(22); {
	case op < 5:
		m.syncs[l].now().Acquire(t)
		c.join(m.locks[l])
	case op < 8:
		m.syncs[l].now().Release(t)
		m.locks[l] = c.copy()
	case op < 10:
		m.syncs[l].releaseMerge(t)
		m.locks[l].join(c)
	case op < 11:
		m.syncs[l].now().Transfer(t)
		old := m.locks[l]
		m.locks[l] = c.copy()
		c.join(old)
	case op < 12 && len(m.real) < 60:
		child := newThread()
		t.Fork(child)
		if m.forked != nil {
			m.forked(child)
		}
		cc := c.copy()
		cc[len(m.real)] = 1
		m.real, m.clock, m.alive = append(m.real, child), append(m.clock, cc), append(m.alive, true)
	case op < 13 && i > 0:
		m.alive[i] = false
		t.End()
	case op < 14 && len(m.moments) > 0:
		k := r.Intn(len(m.moments))
		t.Join(&m.stamps[k])
		c.join(m.moments[k].clock)
	case op < 18:
		e := t.Touch()
		m.moments = append(m.moments, moment{e, i, c[i], c.copy()})
		m.stamps = append(m.stamps, t.Stamp())
	case op < 20:
		if j := r.Intn(len(m.real)); j != i && m.alive[j] {
			t.Meet(m.real[j])
			c.join(m.clock[j])
			m.clock[j] = c.copy()
			m.tick(j)
		}
	case op < 21 && r.Intn(4) == 0:
		m.syncs[l].widen()
	}
	m.tick(i)
}

// check compares what each live thread knows of each moment.
func (m *model) check() {
	f := TakeFloor()
	defer f.Drop()
	for k, e := range m.moments {
		all := true
		for i, t := range m.real {
			if !m.alive[i] {
				continue
			}
			want := m.clock[i][e.who] >= e.time
			if got := t.Knows(e.epoch); got != want {
				m.t.Fatalf("thread %d knows moment %d (thread %d time %d): %v, want %v", i, k, e.who, e.time, got, want)
			}
			all = all && want
		}
		if f.Knows(e.epoch) != all {
			m.t.Fatalf("floor knows moment %d: %v, want %v", k, !all, all)
		}
	}
}

// checkMakers holds the moments at which nodes were made against what they hold: who knows the one knows
// the other.
func (m *model) checkMakers() {
	trees := make(map[*node]uint32) // and the first slot of each
	var walk func(n *node, first uint32)
	walk = func(n *node, first uint32) {
		if n == nil {
			return
		}
		trees[n] = first
		for i := uint32(0); n.level > 0 && i < fan; i++ {
			walk(n.inner().kid[i].P(), first+i*capacity(n.level-1))
		}
	}
	for i, v := range m.syncs {
		st := v.now().Take()
		walk(st.root.P(), 0)
		st.Drop()
		walk(m.stampRoot(i), 0)
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
		k := knowledge{root: t.root.P(), extra: t.extra, own: t.Now()}
		for n, first := range trees {
			if !k.holds(n) {
				continue
			}
			for slot := first; slot < first+capacity(n.level); slot++ {
				if e := epoch(slot, get(n, slot-first)); !t.Knows(e) {
					m.t.Fatalf("thread %d knows when a node was made, %#x, and not its %#x", i, n.by, e)
				}
			}
		}
	}
}

func (m *model) stampRoot(i int) *node {
	if i < len(m.stamps) {
		return m.stamps[i].root.P()
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
	for i := range m.stamps {
		m.stamps[i].Drop()
	}
}

func TestClocksAgreeWithPlainVectors(t *testing.T) {
	for seed := range int64(3000) {
		r := rand.New(rand.NewSource(seed))
		m := newModel(t, 1+r.Intn(4))
		for range 20 + r.Intn(300) {
			m.step(r)
		}
		m.check()
		m.checkMakers()
		m.end()
		// Whoever comes next may be given any slot of these: their ends are known to nobody.
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
	if Live() != 0 {
		t.Errorf("%d threads live after all ended", Live())
	}
}

func TestSlotsAreRecycled(t *testing.T) {
	main := newThread()
	main.Start()
	defer main.End()
	var wg Sync
	for range 10 {
		child := newThread()
		main.Fork(child)
		wg.ReleaseMerge(child)
		child.End()
	}
	wg.Acquire(main)
	before := Slots()
	for range 100000 {
		child := newThread()
		main.Fork(child)
		child.Touch()
		wg.ReleaseMerge(child)
		child.End()
		wg.Acquire(main)
	}
	if grown := Slots() - before; grown > 2*tries {
		t.Errorf("100,000 joined threads took %d new slots", grown)
	}
	wg.Clear()
}

// A timer's goroutine is started by what carries the clock of who set the timer.
func TestSlotsOfTimersAreRecycled(t *testing.T) {
	main := newThread()
	main.Start()
	defer main.End()
	var timer, done Sync
	before := Slots()
	for range 10000 {
		timer.Release(main)
		carried := timer.Take()
		child := newThread()
		child.StartAfter(&carried)
		carried.Drop()
		child.Touch()
		done.Release(child)
		child.End()
		done.Acquire(main)
	}
	if grown := Slots() - before; grown > 2*tries {
		t.Errorf("10,000 timers, one after the other, took %d new slots", grown)
	}
	timer.Clear()
	done.Clear()
}

func TestUnjoinedThreadsAreBounded(t *testing.T) {
	main := newThread()
	main.Start()
	defer main.End()
	for range 10 * maxUnseen {
		child := newThread()
		main.Fork(child)
		child.Touch()
		child.End()
	}
	if Slots() > 2*maxUnseen {
		t.Errorf("%d slots in use", Slots())
	}
}

// wide is a vector of a few entries far apart, as a map.
func wide(r *rand.Rand) (*node, map[uint32]uint64) {
	var n *node
	m := map[uint32]uint64{}
	for range r.Intn(6) {
		slot := r.Uint32() >> (12 + r.Intn(20))
		t := uint64(1 + r.Intn(3))
		n = set(n, epoch(slot, t), 0)
		m[slot] = max(m[slot], t)
	}
	return n, m
}

// Vectors of all heights, shared or not, merge and meet as maps do.
func TestMergeAndMeetOfAllHeights(t *testing.T) {
	for seed := range int64(20000) {
		r := rand.New(rand.NewSource(seed))
		a, am := wide(r)
		b, bm := wide(r)
		owners := uint32(1)
		if r.Intn(2) == 0 {
			owners = 2
			defer unref(ref(a)) // somebody else has a too
		}
		j := join{a: knowledge{root: ref(a)}, b: knowledge{root: b}}
		joined, met := j.trees(nil), meet(ref(a), b)
		for _, m := range []map[uint32]uint64{am, bm} {
			for slot := range m {
				for _, s := range []uint32{slot, slot ^ 1<<r.Intn(20)} {
					if got := get(joined, s); got != max(am[s], bm[s]) {
						t.Fatalf("seed %d: join of %v and %v at %d is %d", seed, am, bm, s, got)
					}
					if got := get(met, s); got != min(am[s], bm[s]) {
						t.Fatalf("seed %d: meet of %v and %v at %d is %d", seed, am, bm, s, got)
					}
				}
			}
		}
		unref(joined)
		unref(met)
		if !counted(a, owners) || !counted(b, 1) {
			t.Fatalf("seed %d: a join or meet of %v and %v keeps references, or gives up too many", seed, am, bm)
		}
		unref(a)
		unref(b)
	}
}

// counted reports whether n has so many references, and each node below it one.
func counted(n *node, refs uint32) bool {
	if n == nil {
		return true
	}
	if n.refs.Load() != refs {
		return false
	}
	if n.level > 0 {
		for _, k := range n.inner().kid {
			if !counted(k.P(), 1) {
				return false
			}
		}
	}
	return true
}

// TestCovers holds covers against a look at each slot, for trees of all heights.
func TestCovers(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	limits := []uint32{16, 256, 4096}
	said := [2]int{}
	for range 20000 {
		var a, b *node
		limit := limits[r.Intn(len(limits))]
		but := uint32(r.Intn(int(limit)))
		slots := []uint32{but}
		for range r.Intn(8) {
			slots = append(slots, uint32(r.Intn(int(limit))))
		}
		for _, slot := range slots {
			a = set(a, epoch(slot, uint64(2+r.Intn(3))), 0)
		}
		for _, slot := range slots[:1+r.Intn(len(slots))] {
			b = set(b, epoch(slot, uint64(1+r.Intn(4))), 0)
		}
		want := true
		for _, slot := range slots {
			if slot != but && get(a, slot) < get(b, slot) {
				want = false
			}
		}
		k := knowledge{root: a}
		if got := k.covers(a, b, but); got != want {
			t.Fatalf("covers is %v, want %v: but %d of %v", got, want, but, slots)
		}
		if want {
			said[1]++
		} else {
			said[0]++
		}
		unref(a)
		unref(b)
	}
	if said[0] < 1000 || said[1] < 1000 {
		t.Errorf("%d no, %d yes: the test looks at one kind only", said[0], said[1])
	}
}

// A moment that is held is what Touch returns; who learns of the thread knows it, unless it was taken
// out. What is given away within calls lets the thread go on with its moment.
func TestHold(t *testing.T) {
	a, b, c := newThread(), newThread(), newThread()
	a.Start()
	a.Fork(b)
	a.Fork(c)
	defer a.End()
	defer b.End()
	defer c.End()
	first := a.Touch()
	a.Hold()
	held := a.Held()
	if held == first || a.Touch() != held || a.Touch() != held {
		t.Error("Touch does not return the moment that is held")
	}
	var s Sync
	defer s.Clear()
	s.ReleaseWithin(a)
	if !s.IdleWithin(a) || s.Idle(a) {
		t.Error("a release within calls is none, or one like others")
	}
	if !a.Fresh(first) {
		t.Error("a release within calls ends the present")
	}
	st := a.Peek()
	st.Before(held)
	b.Join(&st)
	st.Drop()
	if b.Knows(held) || !b.Knows(first) {
		t.Errorf("without the moment that is held: knows it %v, knows what was before %v", b.Knows(held), b.Knows(first))
	}
	s.Acquire(c)
	if !c.Knows(held) || a.Fresh(first) {
		t.Error("an acquirer does not know the moment, or the thread does not know that it does")
	}
	a.LetGo(0)
	if next := a.Touch(); c.Knows(next) {
		t.Error("the acquirer knows what comes later")
	}
}

// neighbours starts two threads whose slots are in one leaf, in which others' are not.
func neighbours(others ...uint32) (a, b *Thread) {
	leaves := make(map[uint32]*Thread)
	for _, slot := range others {
		leaves[slot/fan] = nil
	}
	var rest []*Thread
	for b == nil {
		th := newThread()
		th.Start()
		at := th.slot / fan
		if first, ok := leaves[at]; !ok {
			leaves[at] = th
		} else if first != nil {
			a, b = first, th
			break
		}
		rest = append(rest, th)
	}
	for _, th := range rest {
		if th != a {
			th.End()
		}
	}
	return a, b
}

// Two threads meet, one ends, and its slot is had by a child of a thread that knows what it had given
// away. Who knows the child may not know what the two have told each other.
func TestMeetAndSlotUsedAgain(t *testing.T) {
	p, a, b, x := newThread(), newThread(), newThread(), newThread()
	p.Start()
	p.Fork(a)
	b.Start()
	x.Start()
	c, d := neighbours(a.slot, b.slot)
	var m, told Mark
	learned := c.Touch()
	told.Release(c)
	told.Acquire(b) // b's leaf for c and d has what a's has not,
	told.Release(d)
	told.Acquire(a) // and a's what b's has not
	m.Release(a)
	m.Acquire(p)
	a.Meet(b)
	slot := a.slot
	a.End()
	var children []*Thread
	for child := a; len(children) == 0 || child.slot != slot && len(children) < 3; {
		child = newThread()
		p.Fork(child)
		children = append(children, child)
	}
	child := children[len(children)-1]
	m.Release(child)
	m.Acquire(x)
	if x.Knows(learned) {
		t.Error("who knows the child knows what it does not")
	}
	told.Release(b)
	told.Acquire(x)
	if !x.Knows(learned) {
		t.Error("who acquires what one of those who met has released does not know all of it")
	}
	for _, th := range append(children, p, b, c, d, x) {
		th.End()
	}
	m.Clear()
	told.Clear()
}
