// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package vclock

import (
	"unsafe"

	"github.com/commutego/commute/internal/engine/host"
	"github.com/commutego/commute/internal/engine/offheap"
)

// A delta is a vector that differs from a tree in a few slots. It is what a thread makes of the
// clock of a lock that it acquires: the lock's tree, and the epoch of the release. To set that
// epoch in the tree would copy all nodes on the path to its slot, and count a reference to each of
// their kids.
//
// A delta is the root of its vector; there is none further down. As other nodes, it is changed in
// place if it has one reference, and else copied.
type delta struct {
	node
	tree  tree // of level 1 or more
	n     uint32
	newer [deltaSize]Epoch // n, each later than in tree, and no two of one slot
}

const (
	deltaLevel = 1 << 8 // no tree is as high
	deltaSize  = 15

	// A thread that waits for a lock acquires its clock again and again, and releases nothing. It
	// should not fold: it would copy nodes, and by (R) its new tree could not be skipped when it
	// acquires the lock's next clock, which doesn't know the epoch of that tree. So a released
	// delta leaves room for what an acquirer adds.
	releasedSize = 8
)

var deltas offheap.Slab[delta]

func (n *node) delta() *delta { return (*delta)(unsafe.Pointer(n)) }

// newDelta returns the delta of a tree and one epoch. It uses up the caller's reference to the
// tree.
func newDelta(tree *node, e, maker Epoch) *node {
	d := deltas.Get()
	host.Publish32(&d.refs, 1)
	d.level = deltaLevel
	d.maker = maker
	d.tree = offheap.To(tree)
	d.newer[0], d.n = e, 1
	return &d.node
}

// split returns the tree of a vector, and the epochs that are later than in the tree.
func split(n *node) (tree *node, newer []Epoch) {
	if n == nil || n.level != deltaLevel {
		return n, nil
	}
	d := n.delta()
	return d.tree.P(), d.newer[:d.n]
}

// clone is the function clone for a delta.
func (d *delta) clone(maker Epoch) *node {
	c := newDelta(ref(d.tree.P()), d.newer[0], maker).delta()
	c.n = d.n
	copy(c.newer[:d.n], d.newer[:d.n])
	return &c.node
}

// get is the function get for a delta.
func (d *delta) get(slot uint32) uint64 {
	for _, e := range d.newer[:d.n] {
		if e.Slot() == slot {
			return e.Time()
		}
	}
	return get(d.tree.P(), slot)
}

// set is the function set for a delta, where e is later than what d has. If d has no room for
// another epoch, the result is a tree.
func (d *delta) set(e, maker Epoch) *node {
	at := uint32(0)
	for at < d.n && d.newer[at].Slot() != e.Slot() {
		at++
	}
	if at == deltaSize {
		return setInTree(d.fold(maker), e, maker)
	}
	d = writable(&d.node, maker).delta()
	d.newer[at] = e
	d.n = max(d.n, at+1)
	return &d.node
}

// fold returns the vector as a tree. It uses up the caller's reference to d.
func (d *delta) fold(maker Epoch) *node {
	n := ref(d.tree.P())
	newer, size := d.newer, d.n
	unref(&d.node) // first, so that n may be changed in place
	for _, e := range newer[:size] {
		n = setInTree(n, e, maker)
	}
	return n
}

// foldForRelease makes the vector of t one that it may release; see releasedSize.
func foldForRelease(t *Thread) {
	if _, newer := split(t.root.P()); len(newer) > releasedSize {
		t.lock.Lock()
		t.root = offheap.To(t.root.P().delta().fold(t.Now()))
		t.lock.Unlock()
	}
}

// mergeDeltas is merge for whole vectors, of which one at least is a delta. It uses up the caller's
// reference to a, which has another one.
//
// Where a tree of one side holds all of the other's, the result is what that side has, and those
// epochs beside the other tree that it doesn't know.
func (j *join) mergeDeltas(a, b, base *node) *node {
	if j.b.includes(a) {
		unref(a)
		return ref(b)
	}
	at, aNewer := split(a)
	bt, bNewer := split(b)
	baseTree, _ := split(base)
	n := j.merge(ref(at), bt, baseTree)
	switch {
	case n == at && (n != bt || j.a.knowsAll(bNewer)):
		unref(n)
		return j.a.add(a, bNewer, j.maker)
	case n == bt:
		unref(n)
		n = j.b.add(ref(b), aNewer, j.maker)
	default:
		for _, list := range [...][]Epoch{aNewer, bNewer} {
			for _, e := range list {
				n = set(n, e, j.maker)
			}
		}
	}
	unref(a)
	return n
}

// knows reports whether k knows e.
func (k *knowledge) knows(e Epoch) bool {
	for _, beside := range [...]Epoch{k.extra, k.epoch} {
		if e.Slot() == beside.Slot() && e <= beside {
			return true
		}
	}
	return get(k.root, e.Slot()) >= e.Time()
}

func (k *knowledge) knowsAll(list []Epoch) bool {
	for _, e := range list {
		if !k.knows(e) {
			return false
		}
	}
	return true
}

// add adds to n, the vector of k, those epochs of a list that k doesn't know. It uses up the
// caller's reference to n, which has another one, and returns one to the result.
func (k *knowledge) add(n *node, list []Epoch, maker Epoch) *node {
	for _, e := range list {
		if !k.knows(e) {
			n = set(n, e, maker)
		}
	}
	return n
}
