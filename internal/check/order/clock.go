// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package order

// A Clock is the vector clock of a thread: its own time, and a tree with the times that it knows
// of other threads. A component that is not there is 0.
//
// The tree is 16 ways wide, and its leaves have a time for each slot. Trees share nodes. A release
// copies a pointer, and a join looks only at nodes that are not the same on both sides. So a
// thread that knows what a hundred thousand others have done costs only what it has joined itself.
// Package vclock does the same for a program that runs.
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

// A node has the times of the 16^(level+1) slots below it; at level 0 it is a leaf. A node may be
// changed in place only by the holder of its edit number. All other trees that have the node rely
// on it to stay as it is.
type node struct {
	edit     editID
	level    uint8
	times    *[fan]uint32 // if level is 0
	children *[fan]*node  // otherwise
}

// A leafNode and an innerNode are a node with the array that it refers to: one allocation.
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

// An editID is a permission to change nodes in place: those that were made under it. A thread gets
// a new one whenever it publishes its clock, so nodes that others may have are never changed.
type editID uint64

func (e editID) leaf() *node {
	n := &leafNode{node: node{edit: e}}
	n.times = &n.own
	return &n.node
}

func (e editID) inner(level uint8) *node {
	n := &innerNode{node: node{edit: e, level: level}}
	n.children = &n.own
	return &n.node
}

// at is the time of slot t: O(log n), with base 16.
func (n *node) at(t uint32) uint32 {
	if n == nil || t>>(fanBits*(uint32(n.level)+1)) != 0 {
		return 0
	}
	for n.level > 0 {
		if n = n.children[t>>(fanBits*uint32(n.level))%fan]; n == nil {
			return 0
		}
	}
	return n.times[t%fan]
}

// own is n if it was made under e, and otherwise a copy that is: copy on write.
func (e editID) own(n *node) *node {
	if n.edit == e {
		return n
	}
	if n.level == 0 {
		c := e.leaf()
		*c.times = *n.times
		return c
	}
	c := e.inner(n.level)
	*c.children = *n.children
	return c
}

// raise is a tree with the times of n that has the level at least. The slots of n are the lowest,
// so n becomes a first child.
func (e editID) raise(n *node, level uint8) *node {
	for n.level < level {
		up := e.inner(n.level + 1)
		up.children[0] = n
		n = up
	}
	return n
}

// set is n with time now for slot t. The caller knows that n has an earlier time there.
func (e editID) set(n *node, t, now uint32) *node {
	level := uint8(0)
	for t>>(fanBits*(uint32(level)+1)) != 0 {
		level++
	}
	if n == nil {
		n = e.leaf()
	}
	return e.setIn(e.raise(n, level), t, now)
}

// setIn is set for a tree that is high enough for t. It copies at most one path.
func (e editID) setIn(n *node, t, now uint32) *node {
	n = e.own(n)
	if n.level == 0 {
		n.times[t%fan] = now
		return n
	}
	child := &n.children[t>>(fanBits*uint32(n.level))%fan]
	if *child == nil {
		if n.level == 1 {
			*child = e.leaf()
		} else {
			*child = e.inner(n.level - 1)
		}
	}
	*child = e.setIn(*child, t, now)
	return n
}

// join is the least upper bound of a and b: the larger of the two times in each slot.
//
// The result is b, or else a, if that has all the times, and the same holds for each subtree. The
// preference for b matters: b is what was released. A thread that acquires a clock again then
// finds its own nodes in it, and compares no further. The cost is O(d) for d nodes that differ.
func (e editID) join(a, b *node) *node {
	switch {
	case a == b || b == nil:
		return a
	case a == nil:
		return b
	case a.level < b.level:
		a = e.raise(a, b.level)
	case a.level > b.level:
		return e.joinLow(a, b)
	}
	if a.level == 0 {
		return e.joinLeaf(a, b)
	}
	var children [fan]*node
	isA, isB := true, true
	for i, child := range b.children {
		children[i] = e.join(a.children[i], child)
		isA = isA && children[i] == a.children[i]
		isB = isB && children[i] == child
	}
	switch {
	case isB:
		return b
	case !isA:
		a = e.own(a)
		*a.children = children
	}
	return a
}

// joinLow is join if b is lower than a. Then b's slots are among those of a's first child. A tree
// becomes higher by raise only, so that child exists.
func (e editID) joinLow(a, b *node) *node {
	if both := e.join(a.children[0], b); both != a.children[0] {
		a = e.own(a)
		a.children[0] = both
	}
	return a
}

// joinLeaf is join for two leaves.
func (e editID) joinLeaf(a, b *node) *node {
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
	a = e.own(a)
	for i, t := range b.times {
		a.times[i] = max(a.times[i], t)
	}
	return a
}
