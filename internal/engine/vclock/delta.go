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
//
// Of most deltas there is one for each clock that was released, and few are looked at again. So a
// short one is one line of a processor's cache.
type delta struct {
	node
	tree tree
	n    uint32 // epochs follow: each later than in tree, and no two of one slot
	size uint32 // for so many there is room: shortSize or deltaSize
}

type (
	shortDelta struct {
		delta
		_ [shortSize]Epoch
	}
	longDelta struct {
		delta
		_ [deltaSize]Epoch
	}
)

const (
	deltaLevel = 1 << 8 // no tree is as high
	shortSize  = 4
	deltaSize  = 15

	// A thread that waits for a lock acquires its clock again and again, and releases nothing. It
	// should not fold: it would copy nodes, and by (R) its new tree could not be skipped when it
	// acquires the lock's next clock, which doesn't know the epoch of that tree. So a released
	// delta leaves room for what an acquirer adds.
	releasedSize = 8
)

var (
	shortDeltas offheap.Slab[shortDelta]
	longDeltas  offheap.Slab[longDelta]
)

func (n *node) delta() *delta { return (*delta)(unsafe.Pointer(n)) }

// newer is the epochs that are later than in the tree.
func (d *delta) newer() []Epoch {
	return unsafe.Slice((*Epoch)(unsafe.Add(unsafe.Pointer(d), unsafe.Sizeof(*d))), d.n)
}

// newDelta returns the delta of a tree and some epochs, where another one has room if there are not
// deltaSize already. It uses up the caller's reference to the tree.
func newDelta(tree *node, newer []Epoch, maker Epoch) *node {
	var d *delta
	if len(newer) < shortSize {
		d = &shortDeltas.Get().delta
		d.size = shortSize
	} else {
		d = &longDeltas.Get().delta
		d.size = deltaSize
	}
	host.Publish32(&d.refs, 1)
	d.level = deltaLevel
	d.maker = maker
	d.tree, d.n = offheap.To(tree), uint32(len(newer))
	copy(d.newer(), newer)
	return &d.node
}

// free gives back the memory of a delta.
func (d *delta) free() {
	if d.size == shortSize {
		shortDeltas.Put((*shortDelta)(unsafe.Pointer(d)))
	} else {
		longDeltas.Put((*longDelta)(unsafe.Pointer(d)))
	}
}

// split returns the tree of a vector, and the epochs that are later than in the tree.
func split(n *node) (tree *node, newer []Epoch) {
	if n == nil || n.level != deltaLevel {
		return n, nil
	}
	d := n.delta()
	return d.tree.P(), d.newer()
}

// clone is the function clone for a delta.
func (d *delta) clone(maker Epoch) *node { return newDelta(ref(d.tree.P()), d.newer(), maker) }

// get is the function get for a delta.
func (d *delta) get(slot uint32) uint64 {
	for _, e := range d.newer() {
		if e.Slot() == slot {
			return e.Time()
		}
	}
	return get(d.tree.P(), slot)
}

// set is the function set for a delta, where e is later than what d has. If d has no room for
// another epoch, the result is a tree.
func (d *delta) set(e, maker Epoch) *node {
	newer := d.newer()
	at := 0
	for at < len(newer) && newer[at].Slot() != e.Slot() {
		at++
	}
	switch {
	case at == deltaSize:
		return setInTree(d.fold(maker), e, maker)
	case at == int(d.size): // a short one is full
		longer := d.clone(maker)
		unref(&d.node)
		d = longer.delta()
	default:
		d = writable(&d.node, maker).delta()
	}
	d.n = max(d.n, uint32(at)+1)
	d.newer()[at] = e
	return &d.node
}

// fold returns the vector as a tree. It uses up the caller's reference to d.
func (d *delta) fold(maker Epoch) *node {
	n := ref(d.tree.P())
	var newer [deltaSize]Epoch
	size := copy(newer[:], d.newer())
	unref(&d.node) // first, so that n may be changed in place
	for _, e := range newer[:size] {
		n = setInTree(n, e, maker)
	}
	return n
}

// foldForRelease makes the vector of t one that it may release; see releasedSize.
func foldForRelease(t *Thread) { foldAbove(t, releasedSize) }

// foldForFork makes the vector of t one that it may pass on to threads that it starts. What it
// learns of one after another of them has room in a short delta then.
func foldForFork(t *Thread) { foldAbove(t, shortSize-1) }

// foldAbove folds the vector of t if more epochs than n are beside its tree.
func foldAbove(t *Thread, n int) {
	if _, newer := split(t.root.P()); len(newer) > n {
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
	n, _ := j.merge(ref(at), bt, baseTree)
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
