// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package vclock

import (
	"math/rand"
	"testing"
)

// sparse is a vector of a few entries, as a tree and as a map. They are far apart or close, and
// some need more than 8, 16 or 32 bits.
func sparse(r *rand.Rand) (*node, map[uint32]uint64) {
	var n *node
	m := map[uint32]uint64{}
	for range r.Intn(6) {
		slot := r.Uint32() >> (12 + r.Intn(20))
		t := uint64(1 + r.Intn(3))
		if k := r.Intn(8); k < 3 {
			t += [...]uint64{1<<8 - 2, 1<<16 - 2, wide - 2}[k]
		}
		n = set(n, makeEpoch(slot, t), 0)
		m[slot] = max(m[slot], t)
	}
	return n, m
}

// Vectors of all heights, shared or not, merge and meet as maps do.
func TestMergeAndMeetOfAllHeights(t *testing.T) {
	for seed := range int64(20000) {
		r := rand.New(rand.NewSource(seed))
		a, am := sparse(r)
		b, bm := sparse(r)
		owners := uint32(1)
		if r.Intn(2) == 0 {
			owners = 2
			defer unref(ref(a)) // another clock has a, too
		}
		j := join{a: knowledge{root: ref(a)}, b: knowledge{root: b}}
		joined, met := j.vectors(nil), meet(ref(a), b)
		for _, m := range []map[uint32]uint64{am, bm} {
			for slot := range m {
				for _, s := range []uint32{slot, slot ^ 1<<r.Intn(20)} {
					if got := get(joined, s); got != max(am[s], bm[s]) {
						t.Fatalf("seed %d: join of %v and %v at %d is %d", seed, am, bm, s, got)
					}
					if owners == 2 && get(a, s) != am[s] || get(b, s) != bm[s] {
						t.Fatalf("seed %d: %v or %v of another clock has changed", seed, am, bm)
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
			t.Fatalf("seed %d: a join or meet of %v and %v keeps references, or gives up too many",
				seed, am, bm)
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
	if n.level > 1 {
		for _, k := range n.inner().kid {
			if !counted(k.P(), 1) {
				return false
			}
		}
	}
	return true
}

// neighbours starts two threads whose slots are in one block, in which others' are not.
func neighbours(others ...uint32) (a, b *Thread) {
	leaves := make(map[uint32]*Thread)
	for _, slot := range others {
		leaves[slot/blockSlots] = nil
	}
	var rest []*Thread
	for b == nil {
		th := newThread()
		world.Start(th)
		at := th.slot / blockSlots
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

// Two threads have a rendezvous, and one of them ends. A child of p, which knows what that thread
// had published, has its slot next. A thread that knows the child need not know what the two
// threads learned from each other.
func TestRendezvousAndSlotUsedAgain(t *testing.T) {
	p, a, b, x := newThread(), newThread(), newThread(), newThread()
	world.Start(p)
	p.Fork(a)
	world.Start(b)
	world.Start(x)
	c, d := neighbours(a.slot, b.slot)
	var m, shared SingletonClock
	learned := c.Tick()
	shared.Release(c)
	shared.Acquire(b) // b's block for c and d has what a's has not,
	shared.Release(d)
	shared.Acquire(a) // and a's what b's has not
	m.Release(a)
	m.Acquire(p)
	a.Rendezvous(b)
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
		t.Error("a thread that knows the child knows what the child does not")
	}
	shared.Release(b)
	shared.Acquire(x)
	if !x.Knows(learned) {
		t.Error("the acquirer of what a thread released after a rendezvous does not know all of it")
	}
	for _, th := range append(children, p, b, c, d, x) {
		th.End()
	}
	m.Clear()
	shared.Clear()
}

// Vectors of one height that no thread has made are found to hold the same if they do. Then a clock
// that has one to itself has that of the other after the join, so that a later join skips it.
func TestSameVectorsShareNodes(t *testing.T) {
	equal, changed := 0, 0
	for seed := range int64(20000) {
		r := rand.New(rand.NewSource(seed))
		a, am := sparse(r)
		var b *node
		for slot, time := range am {
			b = set(b, makeEpoch(slot, time), 0)
		}
		if a == nil || a.level < 2 {
			unref(a)
			unref(b)
			continue
		}
		var other *node // of another clock, with the same nodes below the root
		if r.Intn(2) == 0 {
			other, a = a, clone(a, 0)
		}
		same := r.Intn(2) == 0
		if !same {
			slot := r.Uint32() % capacity(a.level)
			b = set(b, makeEpoch(slot, get(b, slot)+1), 0)
		}
		j := join{a: knowledge{root: a}, b: knowledge{root: b}}
		joined, found := j.merge(a, b, nil)
		if found != same {
			t.Fatalf("seed %d: same is %v for %v, changed: %v", seed, found, am, !same)
		}
		if joined != b {
			t.Fatalf("seed %d: the join of %v with itself or more is another node", seed, am)
		}
		if same {
			equal++
		} else {
			changed++
		}
		unref(joined)
		if !counted(b, 1) || !counted(other, 1) {
			t.Fatalf("seed %d: the join of %v keeps references, or gives up too many", seed, am)
		}
		unref(b)
		unref(other)
	}
	if equal == 0 || changed == 0 {
		t.Errorf("%d equal vectors, %d changed ones", equal, changed)
	}
}
