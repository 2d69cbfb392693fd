// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package replay

import (
	"github.com/commutego/commute/internal/engine/vclock"
	"github.com/commutego/commute/internal/event"
)

// A past event is one that later events may conflict with.
type past struct {
	epoch vclock.Epoch // 0 for none
	event.Step
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
func (c *cell) add(p past, matters func(vclock.Epoch) bool) {
	for i := range c.since {
		if q := &c.since[i]; q.Event.Thread == p.Event.Thread || !matters(q.epoch) {
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
