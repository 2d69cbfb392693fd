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
// each entry of some hundred slots. In a block it does so without going from node to node, and for
// as many times at once as are in a word.
//
// Where there are so many goroutines, most do little: each slot has few times. So the times of a
// block have as few bits as the greatest needs: 8, 16 or 32. If one needs more than 32, the block
// has an array of its own for such times, and in place of each is the number wide.
type block struct {
	node
	bits uint32                          // of a time; words with the times follow
	wide offheap.Ref[[blockSlots]uint64] // nil if bits is less than 32
}

type (
	block8 struct {
		block
		_ [8 * blockSlots / 64]uint64
	}
	block16 struct {
		block
		_ [16 * blockSlots / 64]uint64
	}
	block32 struct {
		block
		_ [32 * blockSlots / 64]uint64
	}
)

var (
	blocks8  offheap.Slab[block8]
	blocks16 offheap.Slab[block16]
	blocks32 offheap.Slab[block32]
	wides    offheap.Slab[[blockSlots]uint64]
)

func (n *node) block() *block { return (*block)(unsafe.Pointer(n)) }

// bitsFor is how many bits the times of a block have if t is the greatest.
func bitsFor(t uint64) uint32 {
	switch {
	case t < 1<<8:
		return 8
	case t < 1<<16:
		return 16
	}
	return 32
}

// newBlock returns a block whose times are still to be set.
func newBlock(bits uint32, maker Epoch) (b *block) {
	switch bits {
	case 8:
		b = &blocks8.Get().block
	case 16:
		b = &blocks16.Get().block
	default:
		b = &blocks32.Get().block
	}
	host.Publish32(&b.refs, 1)
	b.level = 1
	b.maker = maker
	b.bits = bits
	b.wide = offheap.Ref[[blockSlots]uint64]{}
	return b
}

func (b *block) free() {
	switch b.bits {
	case 8:
		blocks8.Put((*block8)(unsafe.Pointer(b)))
		return
	case 16:
		blocks16.Put((*block16)(unsafe.Pointer(b)))
		return
	}
	if !b.wide.Nil() {
		wides.Put(b.wide.P())
	}
	blocks32.Put((*block32)(unsafe.Pointer(b)))
}

func (b *block) clone(maker Epoch) *block {
	c := newBlock(b.bits, maker)
	copy(c.words(), b.words())
	if !b.wide.Nil() {
		c.wide = offheap.To(wides.Get())
		*c.wide.P() = *b.wide.P()
	}
	return c
}

// widened is a block with the times of n, a leaf or a block, that has room for greater ones. It
// uses up the caller's reference to n.
func widened(n *node, bits uint32, maker Epoch) *block {
	c := newBlock(bits, maker)
	clear(c.words())
	for i := range lowSlots(n) {
		c.put(i, n.low(i))
	}
	unref(n)
	return c
}

// lowSlots is how many slots a leaf or a block has.
func lowSlots(n *node) uint32 {
	if n.level == 0 {
		return fan
	}
	return blockSlots
}

// blockOf is a leaf as a block. It uses up the caller's reference to n.
func blockOf(n *node, maker Epoch) *node {
	most := uint64(0)
	for _, t := range n.leaf().time {
		most = max(most, t)
	}
	return &widened(n, bitsFor(most), maker).node
}

// words is the times, one beside the other.
func (b *block) words() []uint64 {
	first := (*uint64)(unsafe.Add(unsafe.Pointer(b), unsafe.Sizeof(*b)))
	return unsafe.Slice(first, b.bits*blockSlots/64)
}

// get is the time of slot i of the block.
func (b *block) get(i uint32) uint64 {
	at := i * b.bits
	t := b.words()[at/64] >> (at % 64) & (1<<b.bits - 1)
	if t == wide && !b.wide.Nil() {
		return b.wide.P()[i]
	}
	return t
}

// put sets the time of slot i of a block that only the caller refers to, and that has room for it.
func (b *block) put(i uint32, t uint64) {
	if t >= wide {
		if b.wide.Nil() {
			b.wide = offheap.To(wides.Get())
		}
		b.wide.P()[i] = t
		t = wide
	}
	at := i * b.bits
	w := &b.words()[at/64]
	*w = *w&^((1<<b.bits-1)<<(at%64)) | t<<(at%64)
}

// setLow sets the time of slot i of a leaf or a block that only the caller refers to. It uses up
// that reference, and returns one to the result.
func setLow(n *node, i uint32, t uint64, maker Epoch) *node {
	if n.level == 0 {
		n.leaf().time[i] = t
		return n
	}
	b := n.block()
	if bits := bitsFor(t); bits > b.bits {
		b = widened(n, bits, maker)
	}
	b.put(i, t)
	return &b.node
}

// tops is a word in which the highest bit of each time is set.
func (b *block) tops() uint64 {
	switch b.bits {
	case 8:
		return 0x8080808080808080
	case 16:
		return 0x8000800080008000
	}
	return 0x8000000080000000
}

// atLeast has the highest bit of each time that is as great in the word x as in y, or greater.
func atLeast(x, y, tops uint64) uint64 {
	rest := (x | tops) - y&^tops // without the highest bits
	return (x&^y | ^(x^y)&rest) & tops
}

// compare reports whether a time of a is less than that of b, and whether one is greater.
func (a *block) compare(b *block) (less, greater bool) {
	if a.bits != b.bits {
		return a.compareEach(b)
	}
	tops, aw := a.tops(), a.words()
	bw := b.words()[:len(aw)]
	for i, x := range aw {
		y := bw[i]
		if x == y {
			continue
		}
		less = less || atLeast(x, y, tops) != tops
		greater = greater || atLeast(y, x, tops) != tops
		if less && greater {
			return true, true
		}
	}
	if !a.wide.Nil() && !b.wide.Nil() {
		return a.compareEach(b)
	}
	return less, greater
}

// compareEach is compare for any two blocks.
func (a *block) compareEach(b *block) (less, greater bool) {
	for i := range uint32(blockSlots) {
		less = less || a.get(i) < b.get(i)
		greater = greater || a.get(i) > b.get(i)
	}
	return less, greater
}

// mergeBlock is merge for two blocks.
func mergeBlock(a, b *node, maker Epoch) (joined *node, same bool) {
	less, more := a.block().compare(b.block())
	if !less || !more {
		return greater(a, b, less, more)
	}
	if bits := b.block().bits; a.block().bits < bits {
		a = &widened(a, bits, maker).node
	} else {
		a = writable(a, maker)
	}
	at, bt := a.block(), b.block()
	if at.bits != bt.bits || !bt.wide.Nil() {
		for i := range uint32(blockSlots) {
			if t := bt.get(i); t > at.get(i) {
				at.put(i, t)
			}
		}
		return a, false
	}
	tops, aw := at.tops(), at.words()
	bw := bt.words()[:len(aw)]
	for i, x := range aw {
		top := atLeast(x, bw[i], tops)
		keep := top | (top - top>>(at.bits-1)) // all bits of those of a that stay
		aw[i] = x&keep | bw[i]&^keep
	}
	return a, false
}

// mergeLow is merge of a leaf into a block.
func mergeLow(a, b *node, maker Epoch) *node {
	for i, t := range b.leaf().time {
		if t > a.block().get(uint32(i)) {
			a = setLow(writable(a, maker), uint32(i), t, maker)
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
			at.put(i, t)
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
