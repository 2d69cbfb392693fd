// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package vclock

import (
	"sync/atomic"
	"unsafe"

	"github.com/commutego/commute/internal/engine/host"
	"github.com/commutego/commute/internal/engine/offheap"
)

const (
	fanBits = 4
	fan     = 1 << fanBits
)

// A node is the head of a leaf, a block or an inner node. A node with one reference belongs to one
// thread or clock, which changes it in place. A node with more references is never changed, but
// copied.
type node struct {
	refs  atomic.Uint32
	level uint32 // 0: a leaf, 1: a block
	// The epoch of the thread that made or last changed the node. At that epoch the thread knew all
	// that the node holds, so that by (R) a clock that knows maker knows the node. It is 0 where no
	// thread made the node, as in the clock of a lock.
	maker Epoch
}

// A leaf holds the times of 16 slots. It is the tree of a vector that has no more; below an inner
// node are blocks.
type leaf struct {
	node
	time [fan]uint64
}

// An inner node of level l, 2 or more, holds 16 trees of level l-1 (nil: all times are 0).
type inner struct {
	node
	kid [fan]tree
}

// A tree is a counted reference to a vector; nil is the vector of zeros.
type tree = offheap.Ref[node]

var (
	leaves offheap.Slab[leaf]
	inners offheap.Slab[inner]
)

func (n *node) leaf() *leaf   { return (*leaf)(unsafe.Pointer(n)) }
func (n *node) inner() *inner { return (*inner)(unsafe.Pointer(n)) }

func newLeaf(maker Epoch) *leaf {
	l := leaves.Get()
	host.Publish32(&l.refs, 1)
	l.level = 0
	l.maker = maker
	return l
}

func newInner(level uint32, maker Epoch) *inner {
	n := inners.Get()
	host.Publish32(&n.refs, 1)
	n.level = level
	n.maker = maker
	n.kid = [fan]tree{}
	return n
}

// ref adds a reference to n, which may be nil, and returns n.
func ref(n *node) *node {
	if n != nil {
		n.refs.Add(1)
	}
	return n
}

// unref takes a reference to n away, and frees n if that was the last one.
func unref(n *node) {
	if n == nil {
		return
	}
	// The caller that has the last reference need not decrement it: no other caller can add one.
	if n.refs.Load() == 1 || n.refs.Add(^uint32(0)) == 0 {
		n.free()
	}
}

// free gives back the memory of a node that nothing refers to.
func (n *node) free() {
	switch n.level {
	case 0:
		leaves.Put(n.leaf())
		return
	case 1:
		n.block().free()
		return
	case deltaLevel:
		unref(n.delta().tree.P())
		n.delta().free()
		return
	}
	in := n.inner()
	for _, k := range in.kid {
		unref(k.P())
	}
	inners.Put(in)
}

// writable returns a node with n's contents that only the caller refers to: n itself, or a copy.
// The caller is about to change it at the epoch maker. The caller's reference to n is used up.
func writable(n *node, maker Epoch) *node {
	if n.refs.Load() == 1 {
		n.maker = maker
		return n
	}
	c := clone(n, maker)
	unref(n)
	return c
}

// clone copies one node; the copy and n share their kids.
func clone(n *node, maker Epoch) *node {
	switch n.level {
	case 0:
		l := newLeaf(maker)
		l.time = n.leaf().time
		return &l.node
	case 1:
		return &n.block().clone(maker).node
	case deltaLevel:
		return n.delta().clone(maker)
	}
	in := newInner(n.level, maker)
	for i, k := range n.inner().kid {
		in.kid[i] = offheap.To(ref(k.P()))
	}
	return &in.node
}

// capacity is the number of slots that a tree of this level has room for.
func capacity(level uint32) uint32 {
	if level == 0 {
		return fan
	}
	return blockSlots << (fanBits * (level - 1))
}

// index is the position of a slot in an inner node of this level.
func index(slot, level uint32) uint32 {
	return slot >> (blockBits + fanBits*(level-2)) & (fan - 1)
}

// get is the time of a slot. O(levels).
func get(n *node, slot uint32) uint64 {
	if n == nil {
		return 0
	}
	if n.level == deltaLevel {
		return n.delta().get(slot)
	}
	if slot >= capacity(n.level) {
		return 0
	}
	for n.level > 1 {
		if n = n.inner().kid[index(slot, n.level)].P(); n == nil {
			return 0
		}
	}
	return n.low(slot & (blockSlots - 1))
}

// set raises the time of e's slot to that of e at least. It uses up the caller's reference to n and
// returns one to the result. Maker is the present epoch of the thread whose tree n is, or 0.
//
// The result is a delta if n is one, or is a tree that others refer to.
func set(n *node, e, maker Epoch) *node {
	switch {
	case get(n, e.Slot()) >= e.Time():
		return n
	case n == nil:
	case n.level == deltaLevel:
		return n.delta().set(e, maker)
	case n.refs.Load() > 1:
		return newDelta(n, []Epoch{e}, maker)
	}
	return setInTree(n, e, maker)
}

// setInTree is set where n and the result are trees, and e is later than what n has.
//
// The nodes on the path to the slot become writable from the root down. A copy of a node adds a
// reference to each kid, so a kid that was shared through its parent is then copied, too.
func setInTree(n *node, e, maker Epoch) *node {
	slot, t := e.Slot(), e.Time()
	n = writable(grow(n, slot, maker), maker)
	if n.level <= 1 {
		return setLow(n, slot, t, maker)
	}
	for at := n; ; {
		kid := &at.inner().kid[index(slot, at.level)]
		k := kid.P()
		if k == nil {
			k = empty(at.level-1, maker)
		} else {
			k = writable(k, maker)
		}
		if k.level == 1 {
			*kid = offheap.To(setLow(k, slot&(blockSlots-1), t, maker))
			return n
		}
		*kid = offheap.To(k)
		at = k
	}
}

// empty returns a vector of zeros.
func empty(level uint32, maker Epoch) *node {
	if level == 0 {
		l := newLeaf(maker)
		l.time = [fan]uint64{}
		return &l.node
	}
	if level == 1 {
		b := newBlock(8, maker)
		clear(b.words())
		return &b.node
	}
	return &newInner(level, maker).node
}

// grow makes room for a slot, by new levels above n.
func grow(n *node, slot uint32, maker Epoch) *node {
	level := uint32(0)
	if n != nil {
		level = n.level
	}
	for slot >= capacity(level) {
		level++
	}
	return raise(n, level, maker)
}

// raise puts n below new nodes, up to a level. It uses up the caller's reference to n.
func raise(n *node, level uint32, maker Epoch) *node {
	if n == nil {
		return empty(level, maker)
	}
	if n.level == 0 && level > 0 {
		n = blockOf(n, maker)
	}
	for n.level < level {
		up := newInner(n.level+1, maker)
		up.kid[0] = offheap.To(n)
		n = &up.node
	}
	return n
}
