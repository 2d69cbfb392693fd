// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package frontier

import "github.com/commutego/commute/internal/check/table"

// A txnRef refers to a transaction: its thread in the upper 32 bits and its number, which several
// may share by (4), in the lower. Numbers begin with 1, so 0 refers to none. Of one thread, later
// transactions have greater references.
type txnRef uint64

func newTxnRef(thread, number uint32) txnRef { return txnRef(thread)<<32 | txnRef(number) }

func (m txnRef) thread() uint32 { return uint32(m >> 32) }
func (m txnRef) number() uint32 { return uint32(m) }

// A cell has the direct predecessors that a variable, a lock or an access point of an object has in
// store for later events. It has no pointers, so that the garbage collector skips tables of cells.
type cell struct {
	last txnRef // the last write, release, or touch of an exclusive point
	one  txnRef // one of the later reads, merging releases, or touches of other points
	more uint32 // index in Checker.lists of the others of those, or 0; 0 if one is 0
}

// addEdges adds the edges from all transactions of a cell to t's present one.
func (c *Checker) addEdges(t *thread, x *cell) bool {
	found := c.addEdge(t, x.last)
	if x.one == 0 {
		return found
	}
	found = c.addEdge(t, x.one) || found
	if x.more != 0 {
		for _, m := range c.lists[x.more] {
			found = c.addEdge(t, m) || found
		}
	}
	return found
}

// replace makes m the only transaction of the cell: all others reach it.
func (c *Checker) replace(x *cell, m txnRef) {
	x.last, x.one = m, 0
	if x.more != 0 {
		c.lists[x.more] = c.lists[x.more][:0]
		c.freeLists = append(c.freeLists, x.more)
		x.more = 0
	}
}

// add puts m beside the others of the cell, in the place of one that is replaceable, if there is
// such.
func (c *Checker) add(x *cell, m txnRef) {
	if x.one == 0 || c.replaceable(x.one, m) {
		x.one = m
		return
	}
	if x.more == 0 {
		x.more = c.newList()
	}
	list := c.lists[x.more]
	for i := range list {
		if c.replaceable(list[i], m) {
			list[i] = m
			return
		}
	}
	c.lists[x.more] = append(list, m)
}

// split gives a new variable the transactions of another, of which it was a part.
func (c *Checker) split(part, from uint32) {
	c.vars = table.Grow(c.vars, max(part, from))
	x := c.vars[from]
	if x.more != 0 {
		list := c.newList()
		c.lists[list] = append(c.lists[list], c.lists[x.more]...)
		x.more = list
	}
	c.vars[part] = x
}

// replaceable reports whether a cell need not keep old beside m. Either m comes after old by
// program order, or no edge from old matters, by (3).
func (c *Checker) replaceable(old, m txnRef) bool {
	return old.thread() == m.thread() || old.number() < c.threads[old.thread()].low
}

// newList is the index of an empty list. Lists are used again: those of cells that were replaced.
func (c *Checker) newList() uint32 {
	if n := len(c.freeLists); n > 0 {
		i := c.freeLists[n-1]
		c.freeLists = c.freeLists[:n-1]
		return i
	}
	if len(c.lists) == 0 {
		c.lists = append(c.lists, nil) // index 0 means none
	}
	c.lists = append(c.lists, nil)
	return uint32(len(c.lists) - 1)
}

// A pointCell is the cell of one access point of an object. A type has few points, and most objects
// have fewer that were ever touched: a list will do.
type pointCell struct {
	point uint32
	cell
}

// point is the cell of an object's access point, or nil if it was never touched.
func (c *Checker) point(object, point uint32) *cell {
	points := c.objects[object]
	for i := range points {
		if points[i].point == point {
			return &points[i].cell
		}
	}
	return nil
}

// touch adds the edges of a touch, and puts the touch in the cell of its point. Cells whose touches
// it subsumes are emptied: a later touch that conflicts with those conflicts with this one.
func (c *Checker) touch(t *thread, object, point uint32) bool {
	c.objects = table.Grow(c.objects, object)
	found := false
	for _, q := range c.relation.Conflicts(point) {
		if x := c.point(object, q); x != nil {
			found = c.addEdges(t, x) || found
		}
	}
	for _, q := range c.relation.Subsumes(point) {
		if x := c.point(object, q); x != nil {
			c.replace(x, 0)
		}
	}
	x := c.point(object, point)
	if x == nil {
		c.objects[object] = append(c.objects[object], pointCell{point: point})
		x = c.point(object, point)
	}
	if c.relation.Exclusive(point) {
		x.last = t.now
	} else {
		c.add(x, t.now)
	}
	return found
}
