// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package replay

import (
	"github.com/commutego/commute/internal/engine/atomicity"
	"github.com/commutego/commute/internal/engine/vclock"
	"github.com/commutego/commute/internal/event"
)

// A past event is one that later events may conflict with. It is small, as there are many: what
// kind of event it was is known by where it is kept.
type past struct {
	epoch  vclock.Epoch // 0 for none
	index  uint64
	thread uint32
	pos    uint32
}

// step is p in full, if it was of a kind, and the event e conflicts with it.
func (p *past) step(op event.Kind, point uint32, e *event.Event) event.Step {
	return event.Step{Index: p.index, Event: event.Event{
		Op: op, Flags: e.Flags, Thread: p.thread, Target: e.Target, Point: point, Pos: p.pos,
	}}
}

// A cell has the past events at a variable, a lock, or an access point.
type cell struct {
	last  past   // the last that conflicts with all events after it
	since []past // the later ones, which don't conflict with each other
}

// replace makes p the only event of the cell: it conflicts with all earlier ones, and later ones
// come after these by it.
func (c *cell) replace(p past) { c.last, c.since = p, c.since[:0] }

// add puts p beside the others. It takes the place of its thread's last one, as program order leads
// from that one to it, and of one that matters no more.
func (c *cell) add(p past, g *atomicity.Graph) {
	for i := range c.since {
		if q := &c.since[i]; q.thread == p.thread || !g.MayCloseCycle(q.epoch) {
			*q = p
			return
		}
	}
	c.since = append(c.since, p)
}

// A pointCell is the cell of one access point of an object. An object has few that are touched.
type pointCell struct {
	point uint32
	cell
}

// pointAt is the cell of a point among those of an object, nil if the point was never touched.
func pointAt(points []pointCell, point uint32) *cell {
	for i := range points {
		if points[i].point == point {
			return &points[i].cell
		}
	}
	return nil
}
