// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package order

import (
	"github.com/commutego/commute/internal/check/table"
	"github.com/commutego/commute/internal/event"
)

// A point of an object keeps its last touches that no later one supersedes.
type point struct {
	point   uint32
	touches []touch // at most one a thread
}

type touch struct {
	thread, pos uint32
	index       uint64
	clock       Clock
}

// touch lets e come after the earlier touches that it conflicts with. One that it didn't come after
// already, if there is such, is the race of e.
func (o *Threads) touch(e *event.Event, index uint64) {
	o.objects = table.Grow(o.objects, e.Target)
	t := e.Thread
	o.races = o.races[:0]
	for _, q := range o.relation.Conflicts(e.Point) {
		earlier := o.point(e.Target, q).touches
		for i := range earlier {
			if a := &earlier[i]; !o.knows(t, a) {
				o.races = append(o.races, event.Step{Index: a.index, Event: event.Event{
					Op: event.Touch, Thread: a.thread, Target: e.Target, Point: q, Pos: a.pos,
				}})
			}
		}
	}
	for _, q := range o.relation.Conflicts(e.Point) {
		for _, a := range o.point(e.Target, q).touches {
			if !o.knows(t, &a) {
				o.join(t, &a.clock)
			}
		}
	}
	for _, q := range o.relation.Supersedes(e.Point) {
		p := o.point(e.Target, q)
		p.touches = p.touches[:0] // all were joined
	}
	o.point(e.Target, e.Point).add(touch{t, e.Pos, index, o.threads[t].Clock})
	o.tick(t) // who joins that clock doesn't know what comes now
}

// knows reports whether a touch happened before the present of thread t.
func (o *Threads) knows(t uint32, a *touch) bool {
	return a.thread == t || a.clock.time <= o.threads[t].At(a.clock.slot)
}

// add puts a touch in the place of its thread's earlier one.
func (p *point) add(now touch) {
	for i := range p.touches {
		if p.touches[i].thread == now.thread {
			p.touches[i] = now
			return
		}
	}
	p.touches = append(p.touches, now)
}

func (o *Threads) point(object, number uint32) *point {
	points := o.objects[object]
	for i := range points {
		if points[i].point == number {
			return &points[i]
		}
	}
	o.objects[object] = append(points, point{point: number})
	return &o.objects[object][len(points)]
}
