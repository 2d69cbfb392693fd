// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package velodrome

import (
	"slices"

	"github.com/commutego/commute/internal/check/table"
	"github.com/commutego/commute/internal/event"
)

// A record is an event from which a later event may get an edge. If the node is nil or dead there
// is nothing to do: an edge from it would be on no cycle.
type record struct {
	node *node
	step Step
}

// A cell has the direct predecessors that a variable, a lock or an access point of an object has in
// store for later events.
type cell struct {
	last   record   // the last write, release, or touch of an exclusive point
	shared []record // later reads, merging releases, or other touches: the last of each thread
}

// A pointCell is the cell of one access point of an object.
type pointCell struct {
	point uint32
	cell
}

// predecessors puts the direct predecessors of e in other threads into c.preds. The cases are those
// of "What conflicts" in package event.
func (c *Checker) predecessors(e *event.Event) {
	switch e.Op {
	case event.Read:
		c.addPred(e.Thread, c.variable(e.Target).last)
	case event.Write:
		c.addPreds(e.Thread, c.variable(e.Target))
	case event.Acquire:
		c.addPreds(e.Thread, c.lock(e.Target))
	case event.Touch:
		for _, q := range c.relation.Conflicts(e.Point) {
			c.addPreds(e.Thread, c.point(e.Target, q))
		}
	case event.Join:
		u := &c.threads[e.Target]
		c.addPred(e.Thread, record{u.node, u.last}) // the node is nil if u has had no event
	}
}

// addPred adds r to c.preds, unless an edge from it would matter nothing or is program order.
func (c *Checker) addPred(thread uint32, r record) {
	if r.node != nil && !r.node.dead && r.node.thread != thread {
		c.preds = append(c.preds, r)
	}
}

// addPreds adds all records of a cell.
func (c *Checker) addPreds(thread uint32, x *cell) {
	c.addPred(thread, x.last)
	for _, r := range x.shared {
		c.addPred(thread, r)
	}
}

// store stores e, whose record is r, for the events of which it will be a direct predecessor.
// Records that are no longer direct predecessors are dropped.
func (c *Checker) store(e *event.Event, r record) {
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

// replace makes r the only record of the cell: later events have an edge from it, and so a path
// from all earlier ones.
func (x *cell) replace(r record) {
	x.last = r
	clear(x.shared)
	x.shared = x.shared[:0]
}

// share adds r beside the records of other threads. It takes the place of an earlier one of its
// thread, which reaches it by program order, or of a dead one.
func (x *cell) share(r record) {
	if r.node == nil || r.node.dead {
		return // an earlier record of the thread is dead, too: no path leads to r
	}
	for i := range x.shared {
		if old := x.shared[i].node; old.dead || old.thread == r.node.thread {
			x.shared[i] = r
			return
		}
	}
	x.shared = append(x.shared, r)
}

// split gives a new variable the records of another, of which it was a part.
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

// point is the cell of an object's access point. An object has few points: a list will do.
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
