// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package vclock

import (
	"math/rand"
	"testing"
)

// derive returns a vector that is n and a few random epochs, as a clock would make it of n: n has
// other owners. It does the same to a map.
func derive(r *rand.Rand, n *node, m map[uint32]uint64) *node {
	ref(n)
	for range r.Intn(20) {
		slot := uint32(r.Intn(300))
		if r.Intn(50) == 0 {
			slot *= 100 // the tree has to grow
		}
		t := uint64(1 + r.Intn(5))
		n = set(n, makeEpoch(slot, t), 0)
		m[slot] = max(m[slot], t)
	}
	return n
}

// family makes two vectors of one tree and, in every other case, another tree of it.
func family(r *rand.Rand) (root, a, b *node, am, bm map[uint32]uint64) {
	am, bm = map[uint32]uint64{}, map[uint32]uint64{}
	for range r.Intn(40) {
		slot := uint32(r.Intn(300))
		root = set(root, makeEpoch(slot, 1), 0)
		am[slot], bm[slot] = 1, 1
	}
	from := ref(root)
	if root != nil && r.Intn(2) == 0 {
		unref(from)
		from = clone(root, 0)
		for range r.Intn(20) {
			slot := uint32(r.Intn(300))
			if get(from, slot) < 3 {
				from = setInTree(from, makeEpoch(slot, 3), 0)
			}
			bm[slot] = max(bm[slot], 3)
		}
	}
	a, b = derive(r, root, am), derive(r, from, bm)
	unref(from)
	if r.Intn(3) == 0 { // a has all that b has
		for slot := range uint32(30000) {
			if bm[slot] > am[slot] {
				a = set(a, makeEpoch(slot, bm[slot]), 0)
				am[slot] = bm[slot]
			}
		}
	}
	return root, a, b, am, bm
}

// same reports where a vector differs from a map.
func same(t *testing.T, what string, seed int64, n *node, want func(slot uint32) uint64) {
	t.Helper()
	for slot := range uint32(30000) {
		if slot > 300 && slot%100 != 0 {
			continue
		}
		if got := get(n, slot); got != want(slot) {
			t.Fatalf("seed %d: %s: slot %d has %d, want %d", seed, what, slot, got, want(slot))
		}
	}
	if _, newer := split(n); newer != nil {
		seen := make(map[uint32]bool)
		for _, e := range newer {
			if seen[e.Slot()] || get(n.delta().tree.P(), e.Slot()) >= e.Time() {
				t.Fatalf("seed %d: %s: slot %d is listed twice, or not later than in the tree",
					seed, what, e.Slot())
			}
			seen[e.Slot()] = true
		}
	}
}

// Deltas and trees join, cover each other and fold as maps do, and change no vector that others
// have.
func TestDeltas(t *testing.T) {
	kinds := make(map[string]int)
	for seed := range int64(4000) {
		r := rand.New(rand.NewSource(seed))
		root, a, b, am, bm := family(r)
		but := uint32(r.Intn(300))
		j := join{a: knowledge{root: ref(a)}, b: knowledge{root: b}}
		covers := true
		for slot, time := range bm {
			covers = covers && (slot == but || am[slot] >= time)
		}
		if got := j.a.covers(b, but); got != covers {
			t.Fatalf("seed %d: covers is %v, want %v, but for slot %d", seed, got, covers, but)
		}
		joined := j.vectors(nil)
		same(t, "join", seed, joined, func(s uint32) uint64 { return max(am[s], bm[s]) })
		same(t, "a", seed, a, func(s uint32) uint64 { return am[s] })
		same(t, "b", seed, b, func(s uint32) uint64 { return bm[s] })
		if n := a; n != nil && n.level == deltaLevel {
			kinds["delta"]++
			folded := ref(n).delta().fold(0)
			if folded.level == deltaLevel {
				t.Fatalf("seed %d: a folded vector is a delta", seed)
			}
			same(t, "fold", seed, folded, func(s uint32) uint64 { return am[s] })
			unref(folded)
		}
		at, aNewer := split(a)
		if bt, bNewer := split(b); at == bt && len(aNewer) > 0 && len(bNewer) > 0 &&
			joined != a && joined != b && (j.a.knowsAll(bNewer) || j.b.knowsAll(aNewer)) {
			t.Fatalf("seed %d: one of the vectors is the join, and the result is another", seed)
		}
		switch joined {
		case nil:
		case a:
			kinds["a"]++
		case b:
			kinds["b"]++
		default:
			kinds["new"]++
		}
		for _, n := range []*node{joined, a, b} {
			unref(n)
		}
		if root != nil && root.refs.Load() != 1 {
			t.Fatalf("seed %d: the tree of vectors that are gone has %d references, want 1", seed,
				root.refs.Load())
		}
		unref(root)
	}
	for _, kind := range []string{"delta", "a", "b", "new"} {
		if kinds[kind] < 50 {
			t.Errorf("%d of kind %s: the test looks at others only", kinds[kind], kind)
		}
	}
}

// TestManyWaiters is TestClocksAgreeWithPlainVectors with as many threads as there may be from the
// start, so that deltas are released, folded and merged.
func TestManyWaiters(t *testing.T) {
	n, full := int64(40), 0
	if testing.Short() {
		n = 10
	}
	for seed := range n {
		r := rand.New(rand.NewSource(seed))
		m := newModel(t, 1+r.Intn(3))
		for len(m.real) < 60 {
			parent := r.Intn(len(m.real))
			m.fork(parent)
			m.tick(parent)
		}
		for range 500 {
			m.step(r)
			for _, th := range m.real {
				_, newer := split(th.root.P())
				if n := len(newer); n == releasedSize && th.extra != 0 || n > releasedSize {
					full++
				}
			}
		}
		m.check()
		m.checkMakers()
		m.end()
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
	if full == 0 {
		t.Error("no thread has learned so much that it must fold before a release")
	}
}

// A thread that waits for a lock, and each time finds that others have taken it meanwhile, shares
// the lock's tree, though it knows what the lock doesn't. It copies no node of it.
func TestWaiterSharesTree(t *testing.T) {
	threads := started(t, 40)
	var lock, task LockClock
	defer lock.Clear()
	defer task.Clear()
	submitter, waiter := threads[0], threads[1]
	for range 2 {
		for _, th := range threads {
			lock.Acquire(th)
			lock.Release(th)
		}
	}
	event := submitter.Tick()
	task.Release(submitter)
	task.Acquire(waiter)
	for round := range 200 {
		th := threads[2+round*7%38]
		lock.Acquire(th)
		before := th.Tick()
		lock.Release(th)
		lock.Acquire(waiter)
		if !waiter.Knows(before) || !waiter.Knows(event) {
			t.Fatal("the waiter doesn't know what it has learned")
		}
		held, _ := split(lock.root.P())
		if shared, _ := split(waiter.root.P()); shared != held {
			t.Fatalf("round %d: the waiter has a tree of its own", round)
		}
	}
}

// A thread that starts one thread after another, and waits for each, has few epochs beside its tree
// where it starts one: what is released there takes one line of a processor's cache.
func TestForksShareShortDeltas(t *testing.T) {
	// In a world of its own, so that what threads of other tests have left is no part of it.
	own := new(World)
	var threads []*Thread
	for range 40 {
		th := newThread()
		own.Start(th)
		threads = append(threads, th)
	}
	defer func() {
		for _, th := range threads {
			th.End()
		}
	}()
	parent := threads[0]
	var held Snapshot
	for i, th := range threads[1:12] { // more than a short delta has room for
		end := th.Snapshot()
		parent.Join(&end)
		end.Drop()
		if i == 1 { // the first epoch is in no tree
			held = parent.Snapshot() // others have the parent's tree
			defer held.Drop()
		}
	}
	if _, newer := split(parent.root.P()); len(newer) < shortSize {
		t.Fatalf("the parent has %d epochs beside its tree before: this says nothing", len(newer))
	}
	for range 100 {
		child := newThread()
		parent.Fork(child)
		if n := child.root.P(); n != nil && n.level == deltaLevel && n.delta().size != shortSize {
			t.Fatal("a child begins with a long delta")
		}
		var wg LockClock
		wg.Release(child)
		event := child.Tick()
		wg.ReleaseMerge(child)
		child.End()
		wg.Acquire(parent)
		if !parent.Knows(event) {
			t.Fatal("the parent doesn't know its child's event")
		}
		wg.Clear()
	}
}
