// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package order

// A Clock is a vector time of a thread: a time of its own, and of others those that it knows of; 0
// is none.
//
// The others' are a tree, 16 ways wide, whose leaves have a time for each slot. Trees share nodes:
// to give a clock away is to copy a pointer, and a join looks only at nodes that are not the same
// on both sides. So a thread that knows what a hundred thousand others have done costs what it has
// learned by itself. (Package vclock does the same in a program that runs.)
//
// The place of a thread in the tree is its slot, which a thread gets when it does something for the
// first time: so they are dense.
type Clock struct {
	root *node
	slot uint32
	time uint32
}

// At is the component of a slot.
func (c *Clock) At(slot uint32) uint32 {
	if slot == c.slot {
		return c.time
	}
	return c.root.at(slot)
}

// Slot is the thread's own slot.
func (c *Clock) Slot() uint32 { return c.slot }

// Own is the thread's own component.
func (c *Clock) Own() uint32 { return c.time }

const (
	fanBits = 4
	fan     = 1 << fanBits
)

// A node has the times of the 16^(level+1) slots below it: if level is 0 it's a leaf. A node
// changes only as long as the thread that made it has not given its clock away since: while its
// maker is that thread's.
type node struct {
	maker maker
	level uint8
	times *[fan]uint32 // of a leaf
	kids  *[fan]*node  // of another
}

// A leafNode and an innerNode are a node with what it refers to, in one piece.
type (
	leafNode struct {
		node
		own [fan]uint32
	}
	innerNode struct {
		node
		own [fan]*node
	}
)

// A maker is a thread between two moments at which it gave its clock away: each has a number.
type maker uint64

func (m maker) leaf() *node {
	n := &leafNode{node: node{maker: m}}
	n.times = &n.own
	return &n.node
}

func (m maker) inner(level uint8) *node {
	n := &innerNode{node: node{maker: m, level: level}}
	n.kids = &n.own
	return &n.node
}

func (n *node) at(t uint32) uint32 {
	if n == nil || t>>(fanBits*(uint32(n.level)+1)) != 0 {
		return 0
	}
	for n.level > 0 {
		if n = n.kids[t>>(fanBits*uint32(n.level))%fan]; n == nil {
			return 0
		}
	}
	return n.times[t%fan]
}

// own is n if m has made it, and otherwise a copy.
func (m maker) own(n *node) *node {
	if n.maker == m {
		return n
	}
	if n.level == 0 {
		c := m.leaf()
		*c.times = *n.times
		return c
	}
	c := m.inner(n.level)
	*c.kids = *n.kids
	return c
}

// raise is a tree with what n has, as high as level at least.
func (m maker) raise(n *node, level uint8) *node {
	for n.level < level {
		up := m.inner(n.level + 1)
		up.kids[0] = n
		n = up
	}
	return n
}

// set is n with time now for slot t, where it has less.
func (m maker) set(n *node, t, now uint32) *node {
	level := uint8(0)
	for t>>(fanBits*(uint32(level)+1)) != 0 {
		level++
	}
	if n == nil {
		n = m.leaf()
	}
	return m.setIn(m.raise(n, level), t, now)
}

func (m maker) setIn(n *node, t, now uint32) *node {
	n = m.own(n)
	if n.level == 0 {
		n.times[t%fan] = now
		return n
	}
	kid := &n.kids[t>>(fanBits*uint32(n.level))%fan]
	if *kid == nil {
		if n.level == 1 {
			*kid = m.leaf()
		} else {
			*kid = m.inner(n.level - 1)
		}
	}
	*kid = m.setIn(*kid, t, now)
	return n
}

// join is the least tree that has no less than a and b. It is b, or else a, if that will do, and so
// are its parts: then the next join of two such trees finds nodes that are the same.
func (m maker) join(a, b *node) *node {
	switch {
	case a == b || b == nil:
		return a
	case a == nil:
		return b
	case a.level < b.level:
		a = m.raise(a, b.level)
	case a.level > b.level:
		return m.joinLow(a, b)
	}
	if a.level == 0 {
		return m.joinLeaf(a, b)
	}
	var kids [fan]*node
	isA, isB := true, true
	for i, kid := range b.kids {
		kids[i] = m.join(a.kids[i], kid)
		isA = isA && kids[i] == a.kids[i]
		isB = isB && kids[i] == kid
	}
	switch {
	case isB:
		return b
	case !isA:
		a = m.own(a)
		*a.kids = kids
	}
	return a
}

// joinLow is join if b is lower. A tree is raised over its first kid, so a has one.
func (m maker) joinLow(a, b *node) *node {
	if both := m.join(a.kids[0], b); both != a.kids[0] {
		a = m.own(a)
		a.kids[0] = both
	}
	return a
}

func (m maker) joinLeaf(a, b *node) *node {
	isA, isB := true, true
	for i, t := range b.times {
		isA = isA && t <= a.times[i]
		isB = isB && t >= a.times[i]
	}
	switch {
	case isB:
		return b
	case isA:
		return a
	}
	a = m.own(a)
	for i, t := range b.times {
		a.times[i] = max(a.times[i], t)
	}
	return a
}
