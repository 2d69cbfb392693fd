// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package frontier

import "github.com/commutego/commute/internal/check/table"

// A moment is a transaction as others remember it: its thread in the upper 32 bits and its number,
// which several may share, in the lower. 0 is none.
type moment uint64

func momentOf(thread, number uint32) moment { return moment(thread)<<32 | moment(number) }

func (m moment) thread() uint32 { return uint32(m >> 32) }
func (m moment) number() uint32 { return uint32(m) }

// A cell remembers the direct predecessors that a variable, a lock or a point of an object has in
// store. It has no pointers, so that the collector passes over tables of cells.
type cell struct {
	last moment // the last write, release, or touch of an exclusive point
	one  moment // one of the later reads, merging releases, or touches of other points
	more uint32 // others of those: an index of Checker.lists, or 0; 0 if one is
}

// meet draws the edges from all that x remembers to t.
func (c *Checker) meet(t *thread, x *cell) bool {
	found := c.conflict(t, x.last)
	if x.one == 0 {
		return found
	}
	found = c.conflict(t, x.one) || found
	if x.more != 0 {
		for _, m := range c.lists[x.more] {
			found = c.conflict(t, m) || found
		}
	}
	return found
}

// replace makes m all that x remembers.
func (c *Checker) replace(x *cell, m moment) {
	x.last, x.one = m, 0
	if x.more != 0 {
		c.lists[x.more] = c.lists[x.more][:0]
		c.freeLists = append(c.freeLists, x.more)
		x.more = 0
	}
}

// add makes x remember m beside the others, in the place of one that is subsumed or doesn't
// matter any more, if there is such.
func (c *Checker) add(x *cell, m moment) {
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

// split makes a variable one to which was done what was done to another.
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

func (c *Checker) replaceable(old, m moment) bool {
	return old.thread() == m.thread() || old.number() < c.threads[old.thread()].low
}

func (c *Checker) newList() uint32 {
	if n := len(c.freeLists); n > 0 {
		i := c.freeLists[n-1]
		c.freeLists = c.freeLists[:n-1]
		return i
	}
	if len(c.lists) == 0 {
		c.lists = append(c.lists, nil) // number 0 stands for none
	}
	c.lists = append(c.lists, nil)
	return uint32(len(c.lists) - 1)
}

// An object's points are few, and most objects have fewer that were ever touched.
type pointCell struct {
	point uint32
	cell
}

// point is the cell of a point of an object, or nil.
func (c *Checker) point(object, point uint32) *cell {
	points := c.objects[object]
	for i := range points {
		if points[i].point == point {
			return &points[i].cell
		}
	}
	return nil
}

// touch draws the edges of a touch and remembers it.
func (c *Checker) touch(t *thread, object, point uint32) bool {
	c.objects = table.Grow(c.objects, object)
	found := false
	for _, q := range c.relation.Conflicts(point) {
		if x := c.point(object, q); x != nil {
			found = c.meet(t, x) || found
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
