// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package velodrome

import (
	"slices"

	"github.com/commutego/commute/internal/check/table"
	"github.com/commutego/commute/internal/event"
)

// A record is an event as those remember it that may get an edge from it. The node is nil, or dead,
// if it doesn't matter.
type record struct {
	node *node
	step Step
}

// A cell remembers the direct predecessors that a variable, a lock or a point of an object has in
// store.
type cell struct {
	last   record   // the last write, release, or touch of an exclusive point
	shared []record // later reads, merging releases, or touches of other points, one a thread
}

type pointCell struct {
	point uint32
	cell
}

// predecessors finds the direct predecessors of e in other threads.
func (c *Checker) predecessors(e *event.Event) {
	switch e.Op {
	case event.Read:
		c.pred(e.Thread, c.variable(e.Target).last)
	case event.Write:
		c.meet(e.Thread, c.variable(e.Target))
	case event.Acquire:
		c.meet(e.Thread, c.lock(e.Target))
	case event.Touch:
		for _, q := range c.relation.Conflicts(e.Point) {
			c.meet(e.Thread, c.point(e.Target, q))
		}
	case event.Join:
		u := &c.threads[e.Target]
		c.pred(e.Thread, record{u.node, u.last}) // without a node, if it has had no event
	}
}

func (c *Checker) pred(thread uint32, r record) {
	if r.node != nil && !r.node.dead && r.node.thread != thread {
		c.preds = append(c.preds, r)
	}
}

func (c *Checker) meet(thread uint32, x *cell) {
	c.pred(thread, x.last)
	for _, r := range x.shared {
		c.pred(thread, r)
	}
}

// remember takes e, whose record is r, as a predecessor of events to come.
func (c *Checker) remember(e *event.Event, r record) {
	switch e.Op {
	case event.Read:
		c.variable(e.Target).share(r)
	case event.Write:
		c.variable(e.Target).replace(r)
	case event.Release:
		c.lock(e.Target).replace(r)
	case event.ReleaseMerge:
		c.lock(e.Target).share(r)
	case event.Fork:
		c.threads[e.Target].fork = r
	case event.Touch:
		for _, q := range c.relation.Subsumes(e.Point) {
			c.point(e.Target, q).replace(record{})
		}
		if x := c.point(e.Target, e.Point); c.relation.Exclusive(e.Point) {
			x.last = r
		} else {
			x.share(r)
		}
	}
}

func (x *cell) replace(r record) {
	x.last = r
	clear(x.shared)
	x.shared = x.shared[:0]
}

// share adds r, in the place of one of its thread or of one that doesn't matter any more.
func (x *cell) share(r record) {
	if r.node == nil || r.node.dead {
		return // and then neither does an earlier record of the thread
	}
	for i := range x.shared {
		if old := x.shared[i].node; old.dead || old.thread == r.node.thread {
			x.shared[i] = r
			return
		}
	}
	x.shared = append(x.shared, r)
}

// split makes a variable one to which was done what was done to another.
func (c *Checker) split(part, from uint32) {
	c.vars = table.Grow(c.vars, max(part, from))
	c.vars[part] = cell{c.vars[from].last, slices.Clone(c.vars[from].shared)}
}

func (c *Checker) variable(x uint32) *cell {
	c.vars = table.Grow(c.vars, x)
	return &c.vars[x]
}

func (c *Checker) lock(l uint32) *cell {
	c.locks = table.Grow(c.locks, l)
	return &c.locks[l]
}

// point is the cell of an object's point.
func (c *Checker) point(object, point uint32) *cell {
	c.objects = table.Grow(c.objects, object)
	points := c.objects[object]
	for i := range points {
		if points[i].point == point {
			return &points[i].cell
		}
	}
	c.objects[object] = append(points, pointCell{point: point})
	return &c.objects[object][len(points)].cell
}
