// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package vclock

import (
	"unsafe"

	"github.com/commutego/commute/internal/engine/host"
	"github.com/commutego/commute/internal/engine/offheap"
)

const (
	blockBits  = 7
	blockSlots = 1 << blockBits

	wide = 1<<32 - 1 // in place of a time that needs more than 32 bits, or is as much
)

// A block is a tree of level 1: it holds the times of 128 slots. Where nothing orders hundreds of
// goroutines, the vectors of any two differ in a few entries of each 16, so that a join looks at
// each entry of some hundred slots. In a block it does so without going from node to node.
//
// The times have 32 bits. If there is one that has more, the block has an array of its own for such
// times, and in time is the number wide.
type block struct {
	node
	time [blockSlots]uint32
	wide offheap.Ref[[blockSlots]uint64]
}

var (
	blocks offheap.Slab[block]
	wides  offheap.Slab[[blockSlots]uint64]
)

func (n *node) block() *block { return (*block)(unsafe.Pointer(n)) }

// newBlock returns a block whose times are still to be set.
func newBlock(maker Epoch) *block {
	b := blocks.Get()
	host.Publish32(&b.refs, 1)
	b.level = 1
	b.maker = maker
	b.wide = offheap.Ref[[blockSlots]uint64]{}
	return b
}

func (b *block) free() {
	if !b.wide.Nil() {
		wides.Put(b.wide.P())
	}
	blocks.Put(b)
}

func (b *block) clone(maker Epoch) *block {
	c := newBlock(maker)
	c.time = b.time
	if !b.wide.Nil() {
		c.wide = offheap.To(wides.Get())
		*c.wide.P() = *b.wide.P()
	}
	return c
}

// blockOf is a leaf as a block. It uses up the caller's reference to n.
func blockOf(n *node, maker Epoch) *node {
	b := newBlock(maker)
	b.time = [blockSlots]uint32{}
	for i, t := range n.leaf().time {
		b.set(uint32(i), t)
	}
	unref(n)
	return &b.node
}

// get is the time of slot i of the block.
func (b *block) get(i uint32) uint64 {
	if t := b.time[i]; t != wide {
		return uint64(t)
	}
	return b.wide.P()[i]
}

// set sets the time of slot i of a block that only the caller refers to.
func (b *block) set(i uint32, t uint64) {
	if t < wide {
		b.time[i] = uint32(t)
		return
	}
	if b.wide.Nil() {
		b.wide = offheap.To(wides.Get())
	}
	b.time[i] = wide
	b.wide.P()[i] = t
}

// words is the times two by two.
func (b *block) words() *[blockSlots / 2]uint64 {
	return (*[blockSlots / 2]uint64)(unsafe.Pointer(&b.time))
}

// compare reports whether a time of a is less than that of b, and whether one is greater.
func (a *block) compare(b *block) (less, greater bool) {
	aw, bw := a.words(), b.words()
	for w := range aw {
		if aw[w] == bw[w] {
			continue
		}
		i := 2 * w
		less = less || a.time[i] < b.time[i] || a.time[i+1] < b.time[i+1]
		greater = greater || a.time[i] > b.time[i] || a.time[i+1] > b.time[i+1]
		if less && greater {
			return true, true
		}
	}
	if !a.wide.Nil() && !b.wide.Nil() {
		for i := range uint32(blockSlots) {
			less = less || a.get(i) < b.get(i)
			greater = greater || a.get(i) > b.get(i)
		}
	}
	return less, greater
}

// mergeBlock is merge for two blocks.
func mergeBlock(a, b *node, maker Epoch) (joined *node, same bool) {
	less, more := a.block().compare(b.block())
	if !less || !more {
		return greater(a, b, less, more)
	}
	a = writable(a, maker)
	at, bt := a.block(), b.block()
	if !bt.wide.Nil() {
		for i := range uint32(blockSlots) {
			if t := bt.get(i); t > at.get(i) {
				at.set(i, t)
			}
		}
		return a, false
	}
	for i := range at.time {
		at.time[i] = max(at.time[i], bt.time[i])
	}
	return a, false
}

// mergeLow is merge of a leaf into a block.
func mergeLow(a, b *node, maker Epoch) *node {
	for i, t := range b.leaf().time {
		if t > a.block().get(uint32(i)) {
			a = writable(a, maker)
			a.block().set(uint32(i), t)
		}
	}
	return a
}

// low is the time of slot i in a leaf or a block.
func (n *node) low(i uint32) uint64 {
	if n.level == 0 {
		return n.leaf().time[i]
	}
	return n.block().get(i)
}

// coversBlock is coversTree where b is a block. What a hasn't may be beside the tree.
func (k *knowledge) coversBlock(a, b *node, first, except uint32) bool {
	bt := b.block()
	if a != nil && a.level == 1 {
		if less, _ := a.block().compare(bt); !less {
			return true
		}
	}
	for i := range uint32(blockSlots) {
		t := bt.get(i)
		if t == 0 || a != nil && a.level == 1 && a.block().get(i) >= t {
			continue
		}
		if e := makeEpoch(first+i, t); e.Slot() != except && !k.knows(e) {
			return false
		}
	}
	return true
}

// meetBlock is meet for two blocks.
func meetBlock(a, b *node) *node {
	a = writable(a, 0)
	at, bt := a.block(), b.block()
	for i := range uint32(blockSlots) {
		if t := bt.get(i); t < at.get(i) {
			at.set(i, t)
		}
	}
	return a
}

// meetLow is meet where a or b is a leaf, or both are, and neither is an inner node.
func meetLow(a, b *node) *node {
	var m *node
	if a.level == 0 {
		m = writable(a, 0)
	} else {
		m = &newLeaf(0).node
		for i := range m.leaf().time {
			m.leaf().time[i] = a.block().get(uint32(i))
		}
		unref(a)
	}
	for i := range m.leaf().time {
		m.leaf().time[i] = min(m.leaf().time[i], b.low(uint32(i)))
	}
	return m
}
